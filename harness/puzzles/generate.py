"""Puzzles made from nothing but their shape."""

from harness.errors import InputError
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape


def pattern_grid(shape: Shape) -> Grid:
    """A complete grid of `shape`, always the same: each row is the first, rotated.

    The root grid of Lewis, "Metaheuristics can solve sudoku puzzles" (Journal of
    Heuristics 13, 2007), for boxes of any number of rows and columns.

    Raises:
        InputError: the shape is neither boxed nor a latin square.
    """
    size = shape.size
    height, width = shape.box or (1, size)
    grid = tuple(
        (width * (row % height) + row // height + column) % size + 1
        for row in range(size)
        for column in range(size)
    )
    if any(len({grid[cell] for cell in house.cells}) < size for house in shape.houses):
        raise InputError(f"no pattern grid for {shape}", expected="boxes or a latin square")
    return grid


def pattern_puzzle(shape: Shape, blank_every: int) -> Puzzle:
    """The pattern grid with every `blank_every`-th cell, from the first on, blank."""
    grid = pattern_grid(shape)
    return Puzzle(shape, tuple(0 if cell % blank_every == 0 else v for cell, v in enumerate(grid)))
