"""The pattern grid of a shape, and a puzzle from it, both without a search.

Workers make their warm-up puzzle here: nothing in this module is compiled.
"""

from collections.abc import Sequence

from harness.base.errors import PuzzleError
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape


def pattern_grid(shape: Shape) -> Grid:
    """The pattern grid of `shape`: a complete grid whose rows are rotations of the first.

    This is the root grid of Lewis, "Metaheuristics can solve sudoku puzzles" (Journal
    of Heuristics 13, 2007), for boxes of any number of rows and columns.

    Raises:
        PuzzleError: the shape is neither boxed nor a Latin square.
    """
    size = shape.size
    height, width = shape.box or (1, size)
    grid = tuple(
        (width * (row % height) + row // height + column) % size + 1
        for row in range(size)
        for column in range(size)
    )
    if not fills_houses(shape, grid):
        raise PuzzleError(f"no pattern grid for {shape}", expected="boxes or a Latin square")
    return grid


def fills_houses(shape: Shape, grid: Sequence[int]) -> bool:
    """Whether each house of `shape` has every value in `grid`."""
    return all(len({grid[cell] for cell in house.cells}) == shape.size for house in shape.houses)


def pattern_puzzle(shape: Shape, blank_every: int) -> Puzzle:
    """The pattern grid of `shape` with blanks at cells 0, `blank_every`, 2 * `blank_every`, ..."""
    grid = pattern_grid(shape)
    return Puzzle(shape, tuple(0 if cell % blank_every == 0 else v for cell, v in enumerate(grid)))
