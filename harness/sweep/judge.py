"""Verdicts: every answer is checked here, by code that backends have no part in."""

from collections.abc import Callable
from functools import lru_cache
from itertools import compress
from operator import itemgetter, ne
from typing import Any

from harness.contract.verdict import Verdict
from harness.puzzles.puzzle import Puzzle, line_of_values
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import VALUES, value_of
from harness.sweep.trial import Ending, Outcome, Result, Task, Trial


def judge(trial: Trial, outcome: Outcome) -> Result:
    """The verdict on a trial.

    A grid is checked against houses and givens, a claim against what the
    dataset knows of the puzzle. A wrong answer is wrong even when it comes
    late; a right one that comes late is a timeout.
    """
    verdict, reason = _verdict(trial, outcome)
    return Result(trial, outcome, verdict, reason)


def fault_of_grid(puzzle: Puzzle, grid: Any) -> str | None:
    """Why `grid` is no solution of `puzzle`, or None where it is one."""
    line = line_of_values(grid, puzzle.shape)
    return None if line and is_solution(puzzle, line) else _fault(puzzle, grid)


def _fault_of(puzzle: Puzzle, outcome: Outcome) -> str | None:
    """Why the grid of an outcome is no solution, or None where it is one."""
    if outcome.line is None:
        return _fault(puzzle, outcome.grid)
    if is_solution(puzzle, outcome.line):
        return None
    return _fault(puzzle, [value_of(symbol) for symbol in outcome.line])


@lru_cache(maxsize=10_000)
def is_solution(puzzle: Puzzle, line: str) -> bool:
    """Whether the grid of this `line` keeps every given and holds every value once in a house.

    The question that `_fault` answers at length, without a word and five times
    as fast: it is asked of every grid, and the other only of wrong ones. Of a
    puzzle with one solution all backends give the same grid again and again.
    """
    if any(map(ne, compress(line, puzzle.givens), puzzle.line.replace(".", ""))):
        return False
    size = puzzle.shape.size
    if len(line) != size * size or set(line) != set(VALUES[:size]):
        return False
    return all(len(set(cells_of(line))) == size for cells_of in _houses(puzzle.shape))


@lru_cache(maxsize=64)
def _houses(shape: Shape) -> list[Callable[[str], tuple[str, ...]]]:
    """For each house what takes its cells out of a grid."""
    return [itemgetter(*house.cells) for house in shape.houses]


def _fault(puzzle: Puzzle, grid: Any) -> str:
    shape = puzzle.shape
    if not isinstance(grid, list | tuple):
        return f"the grid is a {type(grid).__name__}"
    if len(grid) != len(puzzle.givens):
        return f"the grid has {len(grid)} cells, not {len(puzzle.givens)}"
    for cell, (value, given) in enumerate(zip(grid, puzzle.givens, strict=True)):
        if type(value) is not int or not 1 <= value <= shape.size:
            return f"{value!r} in {shape.cell_name(cell)} is no value of {shape}"
        if given and value != given:
            return f"{shape.cell_name(cell)} is {value} where {given} is given"
    for house in shape.houses:
        if len({grid[cell] for cell in house.cells}) != shape.size:
            return f"{house} does not hold every value"
    raise AssertionError("the grid is a solution")


def _verdict(trial: Trial, outcome: Outcome) -> tuple[Verdict, str]:
    match outcome.ending:
        case Ending.KILLED:
            return Verdict.TIMEOUT, outcome.detail
        case Ending.STARVED:
            return Verdict.OUT_OF_MEMORY, outcome.detail
        case Ending.UNSUPPORTED:
            return Verdict.UNSUPPORTED, outcome.detail
        case Ending.BROKEN:
            return Verdict.WRONG, outcome.detail
        case Ending.DIED:
            return Verdict.CRASHED, outcome.detail
        case Ending.RAISED:
            memory = outcome.claim == MemoryError.__name__
            return Verdict.OUT_OF_MEMORY if memory else Verdict.CRASHED, outcome.detail
    judge_answer = _solve if trial.question.task is Task.SOLVE else _count
    verdict, reason = judge_answer(trial, outcome)
    late = outcome.wall is not None and outcome.wall > trial.question.timeout
    if late and verdict is not Verdict.WRONG:
        return Verdict.TIMEOUT, f"answered after {outcome.wall:.3f} s"
    return verdict, reason


def _solve(trial: Trial, outcome: Outcome) -> tuple[Verdict, str]:
    truth = trial.entry.truth
    if outcome.claim == Verdict.UNKNOWN:
        return Verdict.UNKNOWN, "the backend gave up"
    if outcome.claim == Verdict.UNSATISFIABLE:
        contradiction = truth.contradicts_unsatisfiable if truth else None
        if contradiction:
            return Verdict.WRONG, f"claims that there is no solution, but {contradiction}"
        return Verdict.UNSATISFIABLE, ""
    if outcome.claim != Verdict.SOLVED:
        return Verdict.WRONG, f"{outcome.claim!r} is no answer to solve"
    if fault := _fault_of(trial.entry.puzzle, outcome):
        return Verdict.WRONG, fault
    if truth and (contradiction := truth.contradicts_solution(outcome.line or "")):
        return Verdict.WRONG, f"the grid is valid, but {contradiction}"
    return Verdict.SOLVED, ""


def _count(trial: Trial, outcome: Outcome) -> tuple[Verdict, str]:
    number, limit = outcome.number, trial.question.limit
    if type(number) is not int or number < 0:
        return Verdict.WRONG, f"{number!r} is no number of solutions"
    if number > limit:
        return Verdict.WRONG, f"counts {number}, beyond the limit of {limit}"
    if outcome.line is not None or outcome.grid is not None:
        if fault := _fault_of(trial.entry.puzzle, outcome):
            return Verdict.WRONG, f"shows a solution, but {fault}"
        if number == 0:
            return Verdict.WRONG, "shows a solution, but counts none"
    exact = bool(outcome.exact) and number < limit
    truth = trial.entry.truth
    contradiction = truth.contradicts_count(number, exact) if truth else None
    if contradiction:
        return Verdict.WRONG, f"counts {number}{'' if exact else ' or more'}, but {contradiction}"
    if not exact and number < limit:
        return Verdict.UNKNOWN, f"the backend gave up after {number}"
    return Verdict.COUNTED, ""
