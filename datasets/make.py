"""Make the generated datasets again: ``python datasets/make.py [NAME...]``.

`catalogue.toml` has the commands. Two backends count the solutions of each puzzle, up to a
limit; they have to agree with each other and with the generator. Puzzles with constraints get
a rating, their guesses.
"""

import gzip
import json
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import harness
from harness.extensions.reasoning.built_in_raters import GuessesRater
from harness.puzzles import SolutionCount
from harness.puzzles.formats import ParsedPuzzle
from harness.puzzles.formats.reading import read_file
from harness.records import Task
from harness.runs import question_of

Checked = Callable[[harness.Session, ParsedPuzzle], SolutionCount | None]
FOLDER = Path(__file__).parent
BACKENDS = ("native-jit", "cnf[solver=glucose4]")
BACKENDS_OF = {"large": ("cnf[solver=glucose4]", "clingo")}
"""For datasets with more values than the others take."""
LIMIT = 1000
TIMEOUT_S = 60.0
SHORT_TIMEOUTS_S = {"phase-25x25": 3.0, "hard-large": 3.0, "large": 10.0}
"""For datasets with many puzzles that no backend counts within minutes. Only these keep the count
of the generator where a backend gives none."""


def main(names: Sequence[str]) -> None:
    """Make the datasets with these names, or all that have commands."""
    catalogue = tomllib.loads((FOLDER / "catalogue.toml").read_text(encoding="utf-8"))
    for name, entry in catalogue.items():
        if "commands" in entry and (not names or name in names):
            path = FOLDER / entry["file"]
            checked = partial(
                _checked,
                backends=BACKENDS_OF.get(name, BACKENDS),
                short_timeout=SHORT_TIMEOUTS_S.get(name),
            )
            text = "".join(_records(entry, checked))
            path.write_bytes(gzip.compress(text.encode(), mtime=0))
            print(f"{name}: {text.count('[[puzzle]]')} puzzles, {path.stat().st_size:,} bytes")


def _records(entry: dict[str, Any], checked: Checked) -> Iterator[str]:
    """The file of a dataset, record by record."""
    yield f"# {entry['title']}\n"
    for command in entry["commands"]:
        yield f"# {command}\n"
    number = 0
    with harness.Session() as session:
        for command in entry["commands"]:
            for parsed in generated(command):
                number += 1
                yield f"\n[[puzzle]]\nid = {number}\n"
                for key, value in _fields(parsed, checked(session, parsed)):
                    yield f"{key} = {json.dumps(value)}\n"


def generated(command: str) -> list[ParsedPuzzle]:
    """The puzzles that a command ``harness generate ...`` writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.toml"
        words = [sys.executable, "-m", *shlex.split(command), "--quiet", "--out", str(path)]
        subprocess.run(words, check=True)
        return list(read_file(path))


def _checked(
    session: harness.Session,
    parsed: ParsedPuzzle,
    backends: Sequence[str],
    short_timeout: float | None,
) -> SolutionCount | None:
    """The number of solutions, if two backends and the generator find the same.

    Raises:
        SystemExit: they disagree, or one gives no count without a short timeout.
    """
    timeout = TIMEOUT_S if short_timeout is None else short_timeout
    question = question_of(Task.COUNT, max_solutions=LIMIT, timeout=timeout, start="warm")
    replies = session.ask(parsed.puzzle, backends, question, parsed.expected_count)
    wrong = [reply for reply in replies if reply.verdict == "wrong"]
    counted = [reply for reply in replies if reply.verdict == "counted"]
    known = {(reply.count, reply.exact) for reply in counted}
    if wrong or len(known) > 1:
        raise SystemExit(f"{parsed.puzzle.line}: the backends disagree: {replies}")
    if len(counted) < len(backends):
        if short_timeout is None:
            verdicts = ", ".join(f"{reply.backend}: {reply.verdict}" for reply in replies)
            raise SystemExit(f"{parsed.puzzle.line}: no count by each backend: {verdicts}")
        return parsed.expected_count
    ((count, exact),) = known
    assert count is not None
    solution = replies[0].solution if exact and count == 1 else None
    return SolutionCount.from_number(count, bool(exact), solution)


def _fields(parsed: ParsedPuzzle, count: SolutionCount | None) -> Iterator[tuple[str, object]]:
    yield "puzzle", parsed.puzzle.line
    yield "shape", parsed.puzzle.shape.definition
    if count is not None:
        yield "solutions", count.notation
        if count.solution is not None:
            yield "solution", count.solution
    if parsed.puzzle.shape.constraints:
        yield "rating", f"{GuessesRater().rate(parsed.puzzle):.1f}"


if __name__ == "__main__":
    main(sys.argv[1:])
