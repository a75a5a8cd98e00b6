"""Whether grids are different solutions of a puzzle."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from harness.puzzles.puzzle import Grid, Puzzle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def fault_of_solutions(puzzle: Puzzle, solutions: Sequence[Grid]) -> str:
    """Why these grids are not different solutions of `puzzle`; empty if they are.

    Args:
        puzzle: the puzzle.
        solutions: complete grids, with values from 1 to the size of the shape.
    """
    if len(set(solutions)) != len(solutions):
        return "a solution is listed twice"
    for is_wrong, what in _faults(puzzle, solutions):
        if is_wrong.any():
            return f"solution {int(is_wrong.argmax()) + 1:,} is wrong: {what}"
    return ""


def _faults(puzzle: Puzzle, solutions: Sequence[Grid]) -> Iterator[tuple["NDArray[np.bool_]", str]]:
    """For each rule of the puzzle the solutions that break it, bool[n], and what is wrong."""
    import numpy as np

    shape = puzzle.shape
    every = np.arange(1, shape.size + 1)
    grids = np.array(solutions, np.int64).reshape(len(solutions), shape.size**2)
    allowed = np.array(puzzle.allowed, np.int64)
    is_kept = (allowed >> (grids - 1) & 1).astype(np.bool_)
    yield np.logical_or.reduce(~is_kept, axis=1), "it contradicts a given or a pencilmark"
    for house in shape.houses:
        values = np.sort(grids[:, house.cells], axis=1)
        yield (values != every).any(axis=1), f"{house} repeats a value"
    for one, other in shape.pairs:
        names = f"{shape.cell_name(one)} and {shape.cell_name(other)}"
        yield np.asarray(grids[:, one] == grids[:, other], np.bool_), f"{names} have the same value"
