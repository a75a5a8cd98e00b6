"""Symmetries of the pattern of clues: rotations and reflections of the square."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

from harness.puzzles.puzzle import Puzzle


class Symmetry(StrEnum):
    """Symmetries under which a pattern of clues may stay the same."""

    ROTATION_180 = "rotation180"
    ROTATION_90 = "rotation90"
    LEFT_RIGHT = "left-right"
    TOP_BOTTOM = "top-bottom"
    DIAGONAL = "diagonal"
    ANTIDIAGONAL = "antidiagonal"


_Move = Callable[[int, int, int], tuple[int, int]]
_MOVES: Final[dict[Symmetry, _Move]] = {
    Symmetry.ROTATION_180: lambda row, column, last: (last - row, last - column),
    Symmetry.ROTATION_90: lambda row, column, last: (column, last - row),
    Symmetry.LEFT_RIGHT: lambda row, column, last: (row, last - column),
    Symmetry.TOP_BOTTOM: lambda row, column, last: (last - row, column),
    Symmetry.DIAGONAL: lambda row, column, _: (column, row),
    Symmetry.ANTIDIAGONAL: lambda row, column, last: (last - column, last - row),
}
"""Where the cell at a row and a column goes; `last` is the last row."""


def image(cell: int, size: int, symmetry: Symmetry) -> int:
    """The cell to which `symmetry` moves `cell` in a square of `size` rows."""
    row, column = _MOVES[symmetry](*divmod(cell, size), size - 1)
    return row * size + column


def orbits(size: int, symmetry: Symmetry | None) -> list[list[int]]:
    """The cells of a square of `size` rows, grouped: `symmetry` moves each within its group."""
    if symmetry is None:
        return [[cell] for cell in range(size**2)]
    found = []
    seen: set[int] = set()
    for first in range(size**2):
        orbit = []
        cell = first
        while cell not in seen:
            seen.add(cell)
            orbit.append(cell)
            cell = image(cell, size, symmetry)
        if orbit:
            found.append(orbit)
    return found


def symmetries_of(puzzle: Puzzle) -> list[Symmetry]:
    """The symmetries of the pattern of clues of `puzzle`."""
    size, givens = puzzle.shape.size, puzzle.givens
    return [
        symmetry
        for symmetry in Symmetry
        if all(
            bool(value) == bool(givens[image(cell, size, symmetry)])
            for cell, value in enumerate(givens)
        )
    ]
