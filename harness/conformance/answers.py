"""Checks of answers against questions."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from harness.conformance.clauses import Case, Clause, Fault
from harness.contract.answers import Answer, Count, Phases
from harness.contract.status import Status
from harness.puzzles.puzzle import Puzzle
from harness.text import short_repr

_CLAIMS = frozenset({Status.SOLVED, Status.UNSATISFIABLE, Status.UNKNOWN})
_SLACK = 1.05
"""Tolerance of the sum of phases over the time of the call: clocks are read one after another."""


def gave_up(answer: Any, limit: int | None) -> bool:
    """Whether an answer or a count is undecided; `limit` is that of the count."""
    if isinstance(answer, Answer):
        return answer.status is Status.UNKNOWN
    return isinstance(answer, Count) and answer.exact is False and answer.number != limit


def faults_of_answer(answer: Any, case: Case, *, may_give_up: bool = False) -> Iterator[Fault]:
    """The faults of an answer to `solve`."""
    if not isinstance(answer, Answer):
        yield Fault(Clause.ANSWER, f"solve returns a {type(answer).__name__}, not an Answer")
        return
    yield from _faults_of_record(answer)
    expected = Status.SOLVED if case.solutions else Status.UNSATISFIABLE
    if answer.status not in _CLAIMS or not isinstance(answer.status, Status):
        yield Fault(Clause.ANSWER, f"status is {answer.status!r}, not a Status")
    elif answer.status is Status.UNKNOWN:
        if not may_give_up:
            yield Fault(Clause.PROOF, f"reports unknown, expected {expected}")
    elif answer.status is not expected:
        yield Fault(Clause.PROOF, f"reports {answer.status}, expected {expected}")
    elif answer.status is Status.SOLVED:
        yield from _faults_of_grid(answer.grid, case.puzzle)
    if answer.status is not Status.SOLVED and answer.grid is not None:
        yield Fault(Clause.ANSWER, f"{answer.status} with a grid")


def faults_of_count(
    count: Any, case: Case, limit: int, *, may_give_up: bool = False
) -> Iterator[Fault]:
    """The faults of an answer to `count`."""
    if not isinstance(count, Count):
        yield Fault(Clause.ANSWER, f"count returns a {type(count).__name__}, not a Count")
        return
    yield from _faults_of_record(count)
    expected = min(case.solutions, limit)
    number, exact = count.number, count.exact
    if type(number) is not int:
        yield Fault(Clause.ANSWER, f"number is {number!r}, not an int")
    elif type(exact) is not bool:
        yield Fault(Clause.ANSWER, f"exact is {exact!r}, not a bool")
    elif may_give_up and not exact and 0 <= number <= expected:
        pass  # a lower bound
    elif number != expected:
        yield Fault(Clause.COUNT, f"counts {number}, expected {expected}")
    elif exact is not (number < limit):
        yield Fault(Clause.EXACT, f"exact is {exact} for {number} with limit {limit}")
    if count.witness is not None:
        for fault in _faults_of_grid(count.witness, case.puzzle):
            yield Fault(fault.clause, f"witness: {fault.what}")


def faults_of_phases(record: Any, wall_s: float) -> Iterator[Fault]:
    """The faults of phases that sum to more than `wall_s`, the seconds of the call."""
    if not isinstance(record, Answer | Count) or next(_faults_of_times(record), None):
        return
    phases = record.phases
    total_s = phases.encode + phases.search + phases.decode
    if total_s > wall_s * _SLACK + 1e-3:
        what = f"phases sum to {total_s:.3f} s in a call of {wall_s:.3f} s"
        yield Fault(Clause.ANSWER, what)


def _faults_of_record(record: Answer | Count) -> Iterator[Fault]:
    stats: Any = record.stats
    if isinstance(stats, Mapping):
        for name, value in stats.items():
            if not isinstance(name, str) or not _is_number(value):
                yield Fault(
                    Clause.ANSWER, f"statistic {name!r} is {short_repr(value)}, not a number"
                )
    else:
        yield Fault(Clause.ANSWER, f"stats is a {type(stats).__name__}, not a mapping")
    yield from _faults_of_times(record)


def _faults_of_times(record: Answer | Count) -> Iterator[Fault]:
    if not isinstance(record.phases, Phases):
        yield Fault(Clause.ANSWER, f"phases is a {type(record.phases).__name__}, not Phases")
        return
    for name in ("encode", "search", "decode"):
        seconds = getattr(record.phases, name)
        if not _is_number(seconds) or seconds < 0:
            yield Fault(Clause.ANSWER, f"phase {name} is {seconds!r}, not a number of seconds")


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or isfinite(value)


def _faults_of_grid(grid: Any, puzzle: Puzzle) -> Iterator[Fault]:
    shape = puzzle.shape
    if not isinstance(grid, tuple) or len(grid) != shape.size**2:
        kind = f"a {type(grid).__name__}" + (f" of {len(grid)}" if hasattr(grid, "__len__") else "")
        yield Fault(Clause.ANSWER, f"the grid is {kind}, not a tuple of {shape.size**2} values")
        return
    for value in grid:
        if type(value) is not int:
            what = f"the grid holds {value!r}, a {type(value).__name__}, not an int"
            yield Fault(Clause.ANSWER, what)
            return
    every = set(range(1, shape.size + 1))
    for house in shape.houses:
        if {grid[cell] for cell in house.cells} != every:
            yield Fault(Clause.SOLUTION, f"{house} does not hold every value once")
            break
    for one, other in shape.pairs:
        if grid[one] == grid[other]:
            names = f"{shape.cell_name(one)} and {shape.cell_name(other)}"
            yield Fault(Clause.SOLUTION, f"{names} are both {grid[one]}, but have to differ")
            break
    for cell, (given, value) in enumerate(zip(puzzle.givens, grid, strict=True)):
        name = shape.cell_name(cell)
        if given not in (0, value):
            yield Fault(Clause.SOLUTION, f"{name} is {value} where {given} is given")
            break
        if value not in every or not puzzle.allowed[cell] >> value - 1 & 1:
            yield Fault(Clause.SOLUTION, f"{name} is {value}, which is not among its pencilmarks")
            break
