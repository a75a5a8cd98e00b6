"""Verdicts on answers, by code that shares nothing with any backend."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import compress
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

from harness.base.text import shortened
from harness.contract import Status
from harness.puzzles import (
    EVERY_NUMBER,
    LETTERED,
    VALUES,
    Puzzle,
    Shape,
    SolutionCount,
    values_of_line,
)
from harness.puzzles.constraints import keeps
from harness.records.question import Task, Verdict, claim_of
from harness.records.trial import LONGEST_DETAIL, EndedTrials, Ending, Outcome, Trial, TrialRecord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# What an answer must satisfy: its grid is a solution, and its status or number keeps these rules.
# The judge of trials, which the fuzzer uses too, and the conformance kit both apply them, each with
# its own consequences.


class AnswerRule(StrEnum):
    """A rule for the status or the number of an answer."""

    STATUS = "the answer to solve has one of three statuses"
    NUMBER = "a count is a whole number from 0 to its limit"
    EXACT = "a count at its limit is not exact"
    KNOWN = "no claim contradicts what is known about the number of solutions"


Broken = tuple[AnswerRule, str]
"""A rule that an answer breaks, and what is wrong."""


def broken_by_status(status: object, count: SolutionCount) -> Iterator[Broken]:
    """The rules that an answer to `solve` breaks by its status.

    Args:
        status: what the backend reports.
        count: what is known about the number of solutions.
    """
    if status not in tuple(Status):
        yield AnswerRule.STATUS, f"{status!r} is not an answer to solve"
        return
    claim = claim_of(str(status), None, None)
    if claim is not None and count.excludes(claim):
        yield AnswerRule.KNOWN, f"claims {claim}, but the puzzle has {count}"


def broken_by_count(
    number: object, exact: bool | None, limit: int, count: SolutionCount
) -> Iterator[Broken]:
    """The rules that an answer to `count` breaks by its number.

    Args:
        number: what the backend reports.
        exact: whether it reports that these are all solutions.
        limit: the number at which the count stops.
        count: what is known about the number of solutions.
    """
    if type(number) is not int or number < 0:
        yield AnswerRule.NUMBER, f"{number!r} is not a number of solutions"
        return
    if number > limit:
        yield AnswerRule.NUMBER, f"counts {number}, more than the limit of {limit}"
        return
    claim = SolutionCount.from_number(number, bool(exact) and number < limit)
    if count.excludes(claim):
        yield AnswerRule.KNOWN, f"claims {claim}, but the puzzle has {count}"
    elif exact and number == limit:
        yield AnswerRule.EXACT, f"calls {number} with the limit {limit} exact"


def fault_of_grid(puzzle: Puzzle, grid: Any) -> str | None:
    """The reason why `grid` is not a solution of `puzzle`; None if it is a solution."""
    shape = puzzle.shape
    if not isinstance(grid, list | tuple):
        text = shorten(str(grid), 60, placeholder=" ...")
        return f"the grid is not a tuple of integers: {text}"
    if len(grid) != len(puzzle.givens):
        return f"the grid has {len(grid)} cells, not {len(puzzle.givens)}"
    for cell, (value, given) in enumerate(zip(grid, puzzle.givens, strict=True)):
        if type(value) is not int or not 1 <= value <= shape.size:
            return f"{value!r} in {shape.cell_name(cell)} is not an integer from 1 to {shape.size}"
        if given and value != given:
            return f"{shape.cell_name(cell)} is {value} where {given} is given"
        if not puzzle.allowed[cell] >> value - 1 & 1:
            return f"{shape.cell_name(cell)} is {value}, which is not among its pencilmarks"
    for house in shape.houses:
        if len({grid[cell] for cell in house.cells}) != shape.size:
            return f"{house} does not hold every value"
    for first, second in shape.pairs:
        if grid[first] == grid[second]:
            cells = f"{shape.cell_name(first)} and {shape.cell_name(second)}"
            return f"{cells} are both {grid[first]}, but have to differ"
    if primitive := shape.broken_by(grid):
        return f"breaks {primitive}"
    return None


# The verdict on a trial.


def judge(trials: EndedTrials) -> list[TrialRecord]:
    """Judge ended trials; the records are in the same order.

    A grid is checked against houses and givens, and a claim against the expected count of the
    instance. A wrong answer is wrong even if it is late; a right answer that is late is a
    timeout.
    """
    solutions = _solutions_among(trials)
    records = []
    for at, (trial, outcome) in enumerate(trials):
        verdict, reason = _verdict(trial, outcome, is_solution=at in solutions)
        if len(reason) > LONGEST_DETAIL:
            reason = shortened(reason, LONGEST_DETAIL)
        records.append(TrialRecord(trial, outcome, verdict, reason))
    return records


def _solutions_among(trials: EndedTrials) -> set[int]:
    """The positions of the outcomes whose grid solves their puzzle."""
    with_grid: dict[tuple[int, bool], list[int]] = defaultdict(list)
    for at, (trial, outcome) in enumerate(trials):
        puzzle = trial.instance.puzzle
        if outcome.solution is not None and is_whole(outcome.solution, puzzle.shape):
            # By identity: hashing a shape takes longer than checking a grid in a batch.
            with_grid[id(puzzle.shape), puzzle.pencilmarks is None].append(at)
    solutions: set[int] = set()
    for places in with_grid.values():
        shape = trials[places[0]][0].instance.puzzle.shape
        if len(places) == 1:  # without numpy, whose import takes longer than most answers
            if _fault_of(*trials[places[0]]) is None:
                solutions.add(places[0])
            continue
        puzzles = [trials[at][0].instance.puzzle.line for at in places]
        right = are_solutions(shape, puzzles, [trials[at][1].solution or "" for at in places])
        solutions.update(compress(places, right))
    return solutions


def is_whole(line: str, shape: Shape) -> bool:
    """Whether a line has a symbol for each cell of `shape`; true for every line of numbers."""
    return len(line) == shape.size**2 or shape.size > LETTERED


def are_solutions(shape: Shape, puzzles: Sequence[str], grids: Sequence[str]) -> list[bool]:
    """Check for each grid whether it is a solution of its puzzle.

    A solution keeps every given, has only pencilmarks, holds every value once in each house and
    different values in each pair, and keeps every constraint. Grids of symbols are checked at once,
    as an array of n x cells with each value as a bit: a house of N cells is right if all N bits
    occur in it.

    Args:
        shape: the shape of all puzzles.
        puzzles: n lines, all with pencilmarks or all without, `.` for a blank.
        grids: n lines of complete grids.
    """
    if shape.size > LETTERED:
        each = zip((Puzzle.of_line(line, shape) for line in puzzles), grids, strict=True)
        return [fault_of_grid(puzzle, values_of_line(grid)) is None for puzzle, grid in each]
    import numpy as np

    givens = np.frombuffer("".join(puzzles).encode("ascii"), np.uint8).reshape(len(puzzles), -1)
    values = np.frombuffer("".join(grids).encode("ascii"), np.uint8).reshape(len(grids), -1)
    if givens.shape[1] > values.shape[1]:
        marks = givens.reshape(*values.shape, -1)
        keeps_givens = (marks == values[:, :, np.newaxis]).any(axis=2).all(axis=1)
    else:
        keeps_givens = ((givens == values) | (givens == ord("."))).all(axis=1)
    bit_of, houses, pairs, every = _bits(shape)
    bits = np.bitwise_or.reduce(bit_of[values][:, houses], axis=2)
    apart = (values[:, pairs[:, 0]] != values[:, pairs[:, 1]]).all(axis=1)
    right: list[bool] = (keeps_givens & apart & (bits == every).all(axis=1)).tolist()
    if shape.primitives:
        lists = map(values_of_line, grids)
        right = [
            is_right and all(keeps(primitive, grid) for primitive in shape.primitives)
            for is_right, grid in zip(right, lists, strict=True)
        ]
    return right


@lru_cache(maxsize=64)
def _bits(
    shape: Shape,
) -> "tuple[NDArray[np.uint64], NDArray[np.intp], NDArray[np.intp], np.uint64]":
    """The bit of each symbol, the cells of each house and pair, and the bits of all values."""
    import numpy as np

    bit_of = np.zeros(256, np.uint64)
    for value, symbol in enumerate(VALUES[: shape.size]):
        bit_of[ord(symbol)] = 1 << value
    houses = np.array([house.cells for house in shape.houses])
    pairs = np.array(shape.pairs, np.intp).reshape(-1, 2)
    return bit_of, houses, pairs, np.bitwise_or.reduce(bit_of)


def _fault_of(trial: Trial, outcome: Outcome) -> str | None:
    """The reason why the grid of an outcome is not a solution; None if it is a solution."""
    line = outcome.solution
    grid = outcome.raw_grid if line is None else [*values_of_line(line)]
    return fault_of_grid(trial.instance.puzzle, grid)


def _verdict(trial: Trial, outcome: Outcome, *, is_solution: bool) -> tuple[Verdict, str]:
    if outcome.ending is not Ending.ANSWERED:
        return _FAILURES[outcome.ending], outcome.detail
    judge_answer = _solve if trial.question.task is Task.SOLVE else _count
    verdict, reason = judge_answer(trial, outcome, is_solution)
    wall_s = outcome.wall_s or 0.0
    if wall_s > trial.question.timeout_s and verdict is not Verdict.WRONG:
        return Verdict.TIMEOUT, f"answered after {wall_s:.{3 if wall_s >= 0.001 else 6}f} s"
    return verdict, reason


_FAILURES: Final = {
    Ending.TIME_LIMIT: Verdict.TIMEOUT,
    Ending.MEMORY_LIMIT: Verdict.OUT_OF_MEMORY,
    Ending.UNSUPPORTED: Verdict.UNSUPPORTED,
    Ending.INVALID: Verdict.WRONG,
    Ending.EXITED: Verdict.CRASHED,
    Ending.RAISED: Verdict.CRASHED,
}
"""The verdicts of outcomes without an answer."""


def _with_detail(reason: str, outcome: Outcome) -> str:
    return f"{reason}: {outcome.detail}" if outcome.detail else reason


def _solve(trial: Trial, outcome: Outcome, is_solution: bool) -> tuple[Verdict, str]:
    expected = trial.instance.expected_count or EVERY_NUMBER
    if is_solution and expected is EVERY_NUMBER and outcome.status == Status.SOLVED:
        return Verdict.SOLVED, ""  # the most frequent case
    for _, reason in broken_by_status(outcome.status, expected):
        return Verdict.WRONG, reason
    if outcome.status == Status.UNKNOWN:
        return Verdict.UNKNOWN, _with_detail("the backend gave up", outcome)
    if outcome.status == Status.UNSATISFIABLE:
        return Verdict.UNSATISFIABLE, ""
    if not is_solution:
        return Verdict.WRONG, str(_fault_of(trial, outcome))
    if expected.solution not in (None, outcome.solution):
        return Verdict.WRONG, f"the grid is valid, but the unique solution is {expected.solution}"
    return Verdict.SOLVED, ""


def _count(trial: Trial, outcome: Outcome, is_solution: bool) -> tuple[Verdict, str]:
    number, limit = outcome.count, trial.question.limit
    expected = trial.instance.expected_count or EVERY_NUMBER
    faults = dict(broken_by_count(number, outcome.exact, limit, expected))
    if AnswerRule.NUMBER in faults:
        return Verdict.WRONG, faults[AnswerRule.NUMBER]
    assert isinstance(number, int), "another number breaks a rule"
    # A reader can check a wrong grid without other facts, so it is reported before the number.
    if outcome.solution is not None or outcome.raw_grid is not None:
        if not is_solution:
            return Verdict.WRONG, f"shows a solution, but {_fault_of(trial, outcome)}"
        if number == 0:
            return Verdict.WRONG, "shows a solution, but counts 0"
    if AnswerRule.KNOWN in faults:  # `TrialRecord.exact` has the rule on exactness
        return Verdict.WRONG, faults[AnswerRule.KNOWN]
    if not outcome.exact and number < limit:
        return Verdict.UNKNOWN, _with_detail(f"the backend gave up after {number}", outcome)
    return Verdict.COUNTED, ""
