"""The default `solve_many` and `count_many`: a loop over one puzzle at a time.

Row i of a batch is puzzle i, and row i of the result its answer. This module imports
numpy, so the contract imports it only when a batch is solved.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from harness.contract.answers import Answer, Count, ManyAnswers, ManyCounts, Stats
from harness.contract.status import Status
from harness.contract.time_budget import Limited, TimeBudget
from harness.errors import PuzzleError
from harness.integers import fits_64_bits
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape


class Solver(Limited, Protocol):
    """The part of a backend that the loops use."""

    shape: Shape

    def solve(self, puzzle: Puzzle) -> Answer:
        """A solution of `puzzle`, or the proof that none exists."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """The number of solutions of `puzzle`, up to `limit`."""


def checked(puzzles: NDArray[np.uint8], shape: Shape) -> NDArray[np.uint8]:
    """`puzzles` as a C-contiguous batch of `shape`: uint8[n, cells].

    Raises:
        PuzzleError: the type, dtype or dimensions differ, or a value is out of range.
    """
    cells = shape.size**2
    expected = f"uint8[n, {cells}] for {shape}"
    if not isinstance(puzzles, np.ndarray):
        raise PuzzleError(f"the batch is a {type(puzzles).__name__}", expected=expected)
    if puzzles.dtype != np.uint8 or puzzles.ndim != 2 or puzzles.shape[1] != cells:
        lengths = ", ".join(map(str, puzzles.shape))
        raise PuzzleError(f"the batch is {puzzles.dtype}[{lengths}]", expected=expected)
    if puzzles.size and puzzles.max() > shape.size:
        number, cell = np.argwhere(puzzles > shape.size)[0].tolist()
        raise PuzzleError(
            f"{puzzles[number, cell]} is not a value of {shape}",
            where=f"puzzle {number}, {shape.cell_name(cell)}",
            expected=f"0 to {shape.size}",
        )
    return np.ascontiguousarray(puzzles)


def solve_one_by_one(solver: Solver, puzzles: NDArray[np.uint8]) -> ManyAnswers:
    """Call `solve` for each puzzle; puzzles that the time limit leaves out are unknown."""
    given = checked(puzzles, solver.shape)
    statuses = np.full(len(given), Status.UNKNOWN, np.object_)
    grids = np.zeros_like(given)
    stats: dict[str, int | float] = {}
    with TimeBudget(solver) as budget:
        for number, givens in enumerate(given.tolist()):
            if not budget.allows_call():
                break
            answer = solver.solve(Puzzle(solver.shape, tuple(givens)))
            statuses[number] = answer.status
            if answer.grid is not None:
                grids[number] = answer.grid
            _add(stats, answer.stats)
    return ManyAnswers(statuses, grids, stats)


def count_one_by_one(solver: Solver, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
    """Call `count` for each puzzle; puzzles that the time limit leaves out count 0, not exact."""
    given = checked(puzzles, solver.shape)
    numbers = [0] * len(given)
    exact = np.zeros(len(given), np.bool_)
    witnesses = np.zeros_like(given)
    stats: dict[str, int | float] = {}
    with TimeBudget(solver) as budget:
        for number, givens in enumerate(given.tolist()):
            if not budget.allows_call():
                break
            count = solver.count(Puzzle(solver.shape, tuple(givens)), limit)
            numbers[number], exact[number] = count.number, count.exact
            if count.witness is not None:
                witnesses[number] = count.witness
            _add(stats, count.stats)
    return ManyCounts(_array_of(numbers), exact, witnesses, stats)


def _array_of(numbers: list[int]) -> NDArray[np.int64] | NDArray[np.object_]:
    """The numbers as int64, or as objects if one of them is beyond 64 bits."""
    if all(map(fits_64_bits, numbers)):
        return np.array(numbers, np.int64)
    return np.array(numbers, np.object_)


def _add(totals: dict[str, int | float], stats: Stats) -> None:
    for name, value in stats.items():
        totals[name] = totals.get(name, 0) + value
