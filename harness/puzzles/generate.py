"""Puzzles made from nothing but their shape."""

from random import Random
from typing import Final

from harness.errors import InputError
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape

_ATTEMPTS: Final = 100


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


def random_puzzle(shape: Shape, clues: int, random: Random) -> Puzzle:
    """A puzzle of so many givens, no two of which in one house are equal.

    Cells are taken in random order, each is given a random value that none of
    its peers has; a cell for which there is none stays blank. Nothing else is
    looked at, so there may be no solution.

    Raises:
        InputError: there are fewer cells than clues, or no such puzzle is found.
    """
    cells = range(shape.size**2)
    for _ in range(_ATTEMPTS):
        givens = [0] * len(cells)
        left = clues
        for cell in random.sample(cells, len(cells)):
            if not left:
                break
            taken = {givens[peer] for peer in shape.peers[cell]}
            free = [value for value in range(1, shape.size + 1) if value not in taken]
            if free:
                givens[cell] = random.choice(free)
                left -= 1
        if not left:
            return Puzzle(shape, tuple(givens))
    raise InputError(f"no random puzzle of {shape} with {clues} clues", expected="fewer clues")
