"""Answers to many puzzles at a time, as arrays.

Row i of a batch is puzzle i, and row i of what comes back its answer. Nothing here is
imported until a batch is asked for, so that the command line need not load numpy.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from harness.contract.backend import Backend, Stats
from harness.contract.status import Status
from harness.contract.time_budget import SharedTime
from harness.errors import InputError
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape

_VERDICTS = np.array([Status.UNKNOWN, Status.UNSATISFIABLE, Status.SOLVED], np.object_)


@dataclass(frozen=True, slots=True)
class ManyAnswers:
    """The answers to `solve` of n puzzles."""

    statuses: NDArray[np.object_]
    """object[n]: a `Status` each, SOLVED, UNSATISFIABLE or UNKNOWN."""
    grids: NDArray[np.uint8]
    """uint8[n, cells]: the solution where the status is SOLVED, zeros elsewhere."""
    stats: Stats = field(default_factory=dict)
    """What the solver tells of its work, summed over all puzzles."""

    @staticmethod
    def of(
        solved: NDArray[np.bool_],
        proven: NDArray[np.bool_],
        grids: NDArray[np.uint8],
        stats: Stats | None = None,
    ) -> "ManyAnswers":
        """Answers from two marks a puzzle: it is solved; if not, it is proven to have no solution.

        Args:
            solved: bool[n].
            proven: bool[n]; means nothing where `solved` holds.
            grids: uint8[n, cells], zeros where there is no solution.
            stats: sums over all puzzles.
        """
        return ManyAnswers(_VERDICTS[np.where(solved, 2, proven.astype(int))], grids, stats or {})


@dataclass(frozen=True, slots=True)
class ManyCounts:
    """The answers to `count` of n puzzles; see `harness.contract.Count`."""

    numbers: NDArray[np.int64]
    """int64[n]: solutions found, at most the limit."""
    exact: NDArray[np.bool_]
    """bool[n]: whether these are all."""
    witnesses: NDArray[np.uint8]
    """uint8[n, cells]: one of the solutions, zeros where there is none at hand."""
    stats: Stats = field(default_factory=dict)
    """What the solver tells of its work, summed over all puzzles."""


def checked(puzzles: NDArray[np.uint8], shape: Shape) -> NDArray[np.uint8]:
    """`puzzles` as a batch of `shape`: uint8[n, cells], rows one after another in memory.

    Raises:
        InputError: it is no such array, or a value is out of range.
    """
    cells = shape.size**2
    expected = f"uint8[n, {cells}] for {shape}"
    if not isinstance(puzzles, np.ndarray):
        raise InputError(f"the puzzles are a {type(puzzles).__name__}", expected=expected)
    if puzzles.dtype != np.uint8 or puzzles.ndim != 2 or puzzles.shape[1] != cells:
        lengths = ", ".join(map(str, puzzles.shape))
        raise InputError(f"the puzzles are {puzzles.dtype}[{lengths}]", expected=expected)
    if puzzles.size and puzzles.max() > shape.size:
        number, cell = np.argwhere(puzzles > shape.size)[0].tolist()
        raise InputError(
            f"{puzzles[number, cell]} is no value of {shape}",
            where=f"puzzle {number}, {shape.cell_name(cell)}",
            expected=f"0 to {shape.size}",
        )
    return np.ascontiguousarray(puzzles)


def solve_one_by_one(backend: Backend, puzzles: NDArray[np.uint8]) -> ManyAnswers:
    """What `solve` says of each puzzle; unknown where the time limit leaves no time."""
    given = checked(puzzles, backend.shape)
    statuses = np.full(len(given), Status.UNKNOWN, np.object_)
    grids = np.zeros_like(given)
    stats: dict[str, int | float] = {}
    with SharedTime(backend) as time:
        for number, givens in enumerate(given.tolist()):
            if not time.is_left():
                break
            answer = backend.solve(Puzzle(backend.shape, tuple(givens)))
            statuses[number] = answer.status
            if answer.grid is not None:
                grids[number] = answer.grid
            _add(stats, answer.stats)
    return ManyAnswers(statuses, grids, stats)


def count_one_by_one(backend: Backend, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
    """What `count` says of each puzzle; 0, not exact, where the time limit leaves no time."""
    given = checked(puzzles, backend.shape)
    numbers, exact = np.zeros(len(given), np.int64), np.zeros(len(given), np.bool_)
    witnesses = np.zeros_like(given)
    stats: dict[str, int | float] = {}
    with SharedTime(backend) as time:
        for number, givens in enumerate(given.tolist()):
            if not time.is_left():
                break
            count = backend.count(Puzzle(backend.shape, tuple(givens)), limit)
            numbers[number], exact[number] = count.number, count.exact
            if count.witness is not None:
                witnesses[number] = count.witness
            _add(stats, count.stats)
    return ManyCounts(numbers, exact, witnesses, stats)


def _add(totals: dict[str, int | float], stats: Stats) -> None:
    for name, value in stats.items():
        totals[name] = totals.get(name, 0) + value
