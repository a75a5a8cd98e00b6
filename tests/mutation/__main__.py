"""The share of mutants of the harness that the tests catch: ``python -m tests.mutation``."""

import argparse
import json
import os
import random
import sys
import tomllib
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.mutation.copy import copy_of
from tests.mutation.mutants import Mutant, mutants
from tests.mutation.selection import Selection, Test, measure, room
from tests.mutation.trial import Result, failing, preload, try_mutant

PROJECT = Path(__file__).parents[2]
AREAS = ("harness/records/judging.py", "harness/analysis", "harness/puzzles", "harness/contract")
LEAST_SHARE = 0.95
EQUIVALENT = {
    name: reason
    for reason, names in tomllib.loads(
        Path(__file__).with_name("equivalent.toml").read_text()
    ).items()
    for name in names
}
"""Mutants that no test can catch, each with the reason."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the chosen mutants, print those that survive and the share that was caught.

    Returns:
        1 if less than `LEAST_SHARE` of an area was caught, else 0.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--number", type=int, default=60, help="mutants of each area")
    parser.add_argument("--all", action="store_true", help="all mutants, not a sample")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--only", default="", metavar="TEXT", help="mutants with TEXT in the name")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--project", type=Path, default=PROJECT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    project = options.project
    everything = {a: list(mutants(project, a)) for a in AREAS if (project / a).exists()}
    _print_unknown({mutant.name for of_area in everything.values() for mutant in of_area})
    samples = {area: _sample(of_area, options) for area, of_area in everything.items()}
    folder = project / "build" / "mutation"
    measure(folder, project, options.jobs)
    selection = Selection(folder)
    preload()
    results = {}
    tasks = [(m, selection.tests(m)) for sample in samples.values() for m in sample]
    for result in _all_tried(tasks, project, options.jobs):
        results[result.mutant] = result
        print(f"{len(results)}/{len(tasks)} {_line(result)}", flush=True)
    return _print_shares(samples, results)


def _print_unknown(names: set[str]) -> None:
    """Print the equivalent mutants in the areas that no longer exist."""
    for name in sorted(EQUIVALENT.keys() - names):
        if name.startswith(AREAS):
            print(f"equivalent.toml: no mutant is called {name}", flush=True)


def _sample(of_area: list[Mutant], options: argparse.Namespace) -> list[Mutant]:
    mutants = [mutant for mutant in of_area if options.only in mutant.name]
    if options.all or len(mutants) <= options.number:
        return mutants
    return random.Random(options.seed).sample(mutants, options.number)


def _all_tried(
    tasks: Sequence[tuple[Mutant, list[Test]]], project: Path, jobs: int
) -> Iterator[Result]:
    """The results as they come, of `jobs` processes with a copy of the project each."""
    reading, writing = os.pipe()
    children = []
    for job in range(jobs):
        child = os.fork()
        if not child:
            try:
                os.close(reading)
                with copy_of(project) as copy:
                    _require_passing(tasks, copy)
                    for mutant, tests in tasks[job::jobs]:
                        result = try_mutant(mutant, tests, copy, copy.parent / "log")
                        os.write(writing, json.dumps(result).encode() + b"\n")
            except Exception:
                traceback.print_exc()
                raise
            finally:
                os._exit(0)
        children.append(child)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        for line in pipe:
            yield Result(*json.loads(line))
    for child in children:
        os.waitpid(child, 0)


def _require_passing(tasks: Sequence[tuple[Mutant, list[Test]]], copy: Path) -> None:
    """Check that tests pass in the copy as it is, which no mutant could show.

    Raises:
        RuntimeError: One fails; the reason is in the output of the tests.
    """
    ids = [id_ for _, tests in tasks for id_ in [test.id for test in tests[:1]]]
    log = copy.parent / "log"
    if ids and (failure := failing(sorted(set(ids)), copy, 600, log)):
        raise RuntimeError(f"without a mutant: {failure}\n{log.read_text()[-1000:]}")


def _line(result: Result) -> str:
    if result.caught_by:
        return f"caught    {result.mutant} by {result.caught_by}"
    if result.mutant in EQUIVALENT:
        return f"equal     {result.mutant}: {EQUIVALENT[result.mutant]}"
    return f"SURVIVED  {result.mutant} ({result.tests} tests run it)"


def _print_shares(samples: dict[str, list[Mutant]], results: dict[str, Result]) -> int:
    """Print a line for each area; 1 if too few were caught or a mutant was not tried, else 0."""
    least = 1.0
    print(f"\n{'area':26} mutants  equivalent  caught  by tests of the room  survived  share")
    for area, sample in samples.items():
        if not sample:
            continue
        tried_ones = [results[mutant.name] for mutant in sample if mutant.name in results]
        caught = [result for result in tried_ones if result.caught_by]
        own = [result for result in caught if result.caught_by.startswith(room(area))]
        equivalent = sum(not r.caught_by and r.mutant in EQUIVALENT for r in tried_ones)
        survivors = len(tried_ones) - len(caught) - equivalent
        share = len(caught) / (len(tried_ones) - equivalent or 1)
        least = min(least, share)
        print(
            f"{area:26} {len(tried_ones):7}  {equivalent:10}  {len(caught):6}  {len(own):20}  "
            f"{survivors:8}  {share:.1%}"
        )
    for result in results.values():
        if not result.caught_by and result.mutant not in EQUIVALENT:
            print(_line(result))
    missing = sum(len(sample) for sample in samples.values()) - len(results)
    if missing:
        print(f"{missing} mutants were not tried")
    return int(least < LEAST_SHARE or missing > 0)


if __name__ == "__main__":
    sys.exit(main())
