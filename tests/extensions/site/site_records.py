"""Records made from a few numbers, for tests of the site of results."""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.records.fields import DTYPES
from harness.records.folder.environment import Invocation, SystemInfo, write_invocations
from harness.records.folder.files import RunFile
from harness.records.folder.record import RecordMetadata, write_parquet
from harness.records.schema import SCHEMA_VERSION
from tests.trials import trials_from

SOLUTION = "1234341221434321"


def puzzles_of(number: int, dataset: str) -> list[tuple[str, str, str]]:
    """Different 4x4 puzzles with one solution each: the digest, the givens and the solution."""
    puzzles: dict[str, tuple[str, str, str]] = {}
    random = np.random.default_rng(list(dataset.encode()))
    while len(puzzles) < number:
        values = dict(zip("1234", random.permutation(list("1234")), strict=True))
        solution = "".join(values[value] for value in SOLUTION)
        blanks = set(random.choice(16, 5, replace=False))
        line = "".join("." if n in blanks else value for n, value in enumerate(solution))
        puzzles[line] = (Puzzle.of_line(line, Shape.parse("4x4")).id, line, solution)
    return list(puzzles.values())


def write_record(
    folder: Path,
    times: Mapping[str, float | str],
    *,
    datasets: Sequence[str] = ("minis",),
    puzzles: int = 12,
    tasks: Sequence[str] = ("solve",),
    starts: Sequence[str] = ("cold",),
    paradigm: Callable[[str], str] = lambda _: "search",
    started_at: str = "2024-11-26T08:00:00+00:00",
    **columns: Any,
) -> Path:
    """Write a record of backends with these mean seconds, or with a verdict on every instance."""
    rows: list[dict[str, Any]] = []
    random = np.random.default_rng(7)
    for dataset in datasets:
        numbered = enumerate(puzzles_of(puzzles, dataset), 1)
        for (number, (id_, line, solution)), task, start, backend in product(
            numbered, tasks, starts, times
        ):
            outcome, answer = times[backend], "solved" if task == "solve" else "counted"
            verdict = outcome if isinstance(outcome, str) else answer
            right = verdict == answer
            spread = float(random.lognormal(0, 0.1))
            wall = 10.0 if isinstance(outcome, str) else outcome * spread
            row: dict[str, Any] = {
                "backend": backend,
                "dataset": dataset,
                "name": str(number),
                "start": start,
            }
            row |= {"puzzle_id": id_, "puzzle": line, "paradigm": paradigm(backend)}
            row |= {"task": task, "limit": 2 if task == "count" else None, "verdict": verdict}
            row |= {"wall_s": wall, "cpu_s": wall}
            row |= {"solution": solution} if right else {"reason": f"reason of {verdict}"}
            if verdict == "counted":
                row |= {"count": 1, "exact": True}
            rows.append(row | columns)
    trials = trials_from(
        rows,
        scramble="",
        clues=11,
        expected_count="1 solution",
        cpu_source="rusage",
        memory_source="",
        stats="{}",
        ended_at=started_at,
        host="machine 1",
        cpu_limit_s=0.0,
        memory_limit_mib=0,
        options="{}",
        versions=json.dumps({"sudoku-harness": "0.1.0"}),
    )
    trials = trials.reindex(columns=list(DTYPES)).astype(dict(DTYPES))
    folder.mkdir(parents=True)
    write_parquet(trials, folder / RunFile.RECORD, RecordMetadata(SCHEMA_VERSION, len(trials), []))
    system = SystemInfo(host="machine 1", processor="a processor", usable_cores=[0, 1])
    write_invocations(folder, [Invocation(started_at=started_at, system=system, jobs=1)])
    return folder
