"""Runs of hostile backends, each in a PID namespace of its own, and what they break."""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, permutations, product
from pathlib import Path
from typing import Any, Final, NamedTuple

import harness
from harness.engine.wire.messages import MIB
from tests.hostile.cases import Case

PUZZLES: Final = ("1...........2...", "12..34....1...4.", "1234341221434321", "11..............")
RIGHT: Final = ("solved", "unsatisfiable", "counted")
LIMIT: Final = 5
SECONDS: Final = 200
_NAMESPACE: Final = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc")


@cache
def has_namespaces() -> bool:
    """Whether this machine lets a user create PID namespaces."""
    try:
        return not subprocess.run(
            [*_NAMESPACE, "true"], capture_output=True, check=False
        ).returncode
    except OSError:
        return False


@dataclass
class Ended:
    """A command that ended.

    Attributes:
        code: its exit code, None if it exceeded its limit.
        seconds: from its start to its end.
        survivors: the command lines of processes that it left.
    """

    code: int | None
    seconds: float
    out: str
    err: str
    peak_mib: float
    survivors: list[str] = field(default_factory=list)


def in_namespace(command: list[str], folder: Path, temporary: Path) -> Ended:
    """Run a command in a namespace, with `temporary` as folder for temporary files."""
    temporary.mkdir(exist_ok=True)
    init = [sys.executable, str(Path(__file__).with_name("init.py")), str(SECONDS), *command]
    environment = os.environ | {"TMPDIR": str(temporary), "COLUMNS": "100"}
    done = subprocess.run(
        [*_NAMESPACE, *init],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=SECONDS + 60,
    )
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return Ended(**report)


def breaches(case: Case, folder: Path) -> list[str]:
    """What a hostile backend costs others; empty if it is contained."""
    (folder / "x.py").write_text(case.source)
    (folder / "p.txt").write_text("".join(f"{puzzle}\n" for puzzle in PUZZLES))
    temporary = folder / "temporary"
    command = [sys.executable, "-m", "harness", "run", "--dataset", "p.txt"]
    command += ["--backend", "native", "x.py:H", "--task", "solve", "count"]
    command += ["--max-solutions", str(LIMIT), "--timeout", "1", "--memory", "300"]
    command += ["--skip-unavailable", "--out", "r"]
    faults = []
    # An import may use half of the machine's memory; the limit of trials is not its own.
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2 / MIB
    most_mib = 2000.0 + (half if case.name.startswith("import") else 0.0)
    result = in_namespace(command, folder, temporary)
    faults += _breaches_of(result, temporary, "run", most_mib)
    first = _rows(folder / "r")
    faults += _wrong_rows(first, result)
    again = in_namespace(command, folder, temporary)
    faults += _breaches_of(again, temporary, "second run", most_mib)
    if _rows(folder / "r") != first:
        faults.append("the second run changed the rows of the first")
    report = [sys.executable, "-m", "harness", "report", "r", "--format", "html"]
    faults += _breaches_of(in_namespace(report, folder, temporary), temporary, "report")
    names = {p.name for p in folder.iterdir()} - {"x.py", "p.txt", "r", "temporary", "__pycache__"}
    faults += [f"left the file {name!r}" for name in names]
    return faults


def _breaches_of(
    result: Ended, temporary: Path, command: str, most_mib: float = 2000.0
) -> list[str]:
    """What is wrong with the end of a command that may use this much memory."""
    faults = []
    if result.code not in (0, 1):
        faults.append(
            f"{command}: exit code {result.code} after {result.seconds:.1f} s: {result.err[-500:]}"
        )
    if "Traceback" in result.err + result.out:
        faults.append(f"{command}: traceback: {result.err[-1500:]}")
    if result.seconds > 60:
        faults.append(f"{command}: {result.seconds:.1f} s")
    if result.peak_mib > most_mib:
        faults.append(f"{command}: {result.peak_mib:.0f} MiB")
    faults += [f"{command}: left the process {line!r}" for line in result.survivors]
    faults += [f"{command}: left the file {path.name!r}" for path in temporary.iterdir()]
    return faults


class Row(NamedTuple):
    """A stored trial."""

    backend: str
    puzzle: str
    task: str
    verdict: str
    number: int | None
    solution: str | None
    wall_s: float | None


def _rows(run: Path) -> list[Row]:
    """The trials of a run, sorted."""
    trials = harness.load(run).trials.rename(columns={"count": "number"})
    values = trials[list(Row._fields)].astype(object)
    return sorted((Row(*row) for row in values.where(values.notna(), None).values), key=str)


def _wrong_rows(rows: list[Row], result: Ended) -> list[str]:
    """Trials of the other backend that are lost or wrong, and impossible trials of this one."""
    faults = []
    for backend in {"native", *(row.backend for row in rows)}:
        numbers = Counter((row.puzzle, row.task) for row in rows if row.backend == backend)
        faults += [
            f"{backend}: {numbers[question]} trials of {question}"
            for question in product(PUZZLES, ("solve", "count"))
            if numbers[question] != 1
        ]
    for row in rows:
        right = _is_right(row)
        if not right and (row.backend == "native" or row.verdict in RIGHT):
            faults.append(f"{row} is wrong")
        if row.verdict in RIGHT and not 0 <= (row.wall_s or 0) <= result.seconds:
            faults.append(f"{row}: the run took {result.seconds} s")
    return faults


def _is_right(row: Row) -> bool:
    """Whether a trial has the right answer, by trying all grids."""
    solutions = _solutions(row.puzzle)
    if row.task == "count":
        return row.verdict == "counted" and row.number == min(len(solutions), LIMIT)
    if solutions:
        return row.verdict == "solved" and row.solution in solutions
    return row.verdict == "unsatisfiable"


@cache
def _solutions(puzzle: str) -> frozenset[str]:
    """All solutions of a 4x4 puzzle: four permutations that make Latin columns and boxes."""
    houses = [[row * 4 + column for row in range(4)] for column in range(4)]
    houses += [[c, c + 1, c + 4, c + 5] for c in (0, 2, 8, 10)]
    grids = ("".join(chain(*rows)) for rows in product(permutations("1234"), repeat=4))
    return frozenset(
        grid
        for grid in grids
        if all(len({grid[cell] for cell in house}) == 4 for house in houses)
        and all(clue in (".", value) for clue, value in zip(puzzle, grid, strict=True))
    )
