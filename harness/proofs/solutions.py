"""Whether grids are different solutions of a puzzle."""

from collections.abc import Sequence
from typing import Final

from harness.puzzles.puzzle import Grid, Puzzle

_AT_ONCE: Final = 1000
"""Grids that are compared at once, so that memory does not grow with their number."""


def fault_of_solutions(puzzle: Puzzle, solutions: Sequence[Grid]) -> str:
    """Why these grids are not different solutions of `puzzle`; empty if they are.

    Args:
        puzzle: the puzzle.
        solutions: complete grids, with values from 1 to the size of the shape.
    """
    if len(set(solutions)) != len(solutions):
        return "a solution is listed twice"
    for at in range(0, len(solutions), _AT_ONCE):
        if fault := _first_fault(puzzle, solutions[at : at + _AT_ONCE]):
            number, what = fault
            return f"solution {at + number + 1:,} is wrong: {what}"
    return ""


def _first_fault(puzzle: Puzzle, solutions: Sequence[Grid]) -> tuple[int, str] | None:
    """The first of these grids that breaks a rule, from 0, and the rule; None if all are right."""
    import numpy as np

    shape = puzzle.shape
    grids = np.array(solutions, np.int64).reshape(len(solutions), shape.size**2)
    allowed = np.array(puzzle.allowed, np.int64)
    is_kept = (allowed >> (grids - 1) & 1).astype(np.bool_)
    for number, _ in np.argwhere(~is_kept)[:1].tolist():
        return number, "it contradicts a given or a pencilmark"
    # A house of `size` cells has each of `size` values if their bits together are all.
    houses = np.array([house.cells for house in shape.houses], np.intp).reshape(-1, shape.size)
    bits = np.bitwise_or.reduce(1 << (grids[:, houses] - 1), axis=2)
    for number, house in np.argwhere(bits != (1 << shape.size) - 1)[:1].tolist():
        return number, f"{shape.houses[house]} repeats a value"
    ends = np.array(shape.pairs, np.intp).reshape(-1, 2)
    is_equal = np.equal(grids[:, ends[:, 0]], grids[:, ends[:, 1]])
    for number, pair in np.argwhere(is_equal)[:1].tolist():
        names = " and ".join(map(shape.cell_name, shape.pairs[pair]))
        return number, f"{names} have the same value"
    return None
