"""Pencilmark puzzles (sukaku): restricted candidates in place of givens.

A complete grid has one candidate in each cell. Candidates return in random order as long as
the solution stays the only one, so at the end no other can return: the puzzle is minimal.
"""

from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.generate.grids import random_grid
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search.prng import Prng
from harness.puzzles.search.solver import solver_of
from harness.puzzles.shape import Shape

_NODES: Final = 200
_NODES_OF_PROOF: Final = 200_000
"""Node limits of the search for each candidate, the second one for minimal puzzles."""
_ATTEMPTS: Final = 3


def pencilmark_puzzle(shape: Shape, minimal: bool, random: Prng) -> Puzzle:
    """A random puzzle with one solution whose candidates cannot return one by one.

    Args:
        shape: the shape.
        minimal: whether each removed candidate is proven necessary: if it returned, there would
            be more solutions. Otherwise a candidate about which a short search does not decide
            stays removed.
        random: the source of random integers.

    Raises:
        PuzzleError: searches for minimal puzzles reach their node limit.
    """
    if not minimal:
        return _with_most_candidates(shape, _NODES, random)[0]
    for _ in range(_ATTEMPTS):
        puzzle, proven = _with_most_candidates(shape, _NODES_OF_PROOF, random, minimal=True)
        if proven:
            return puzzle
    raise PuzzleError(
        f"no minimal pencilmark puzzle of {shape} in {_ATTEMPTS} attempts; in each a search took "
        f"{_NODES_OF_PROOF:,} nodes",
        expected="a smaller shape, or puzzles that are not minimal",
    )


def _with_most_candidates(
    shape: Shape, nodes: int, random: Prng, minimal: bool = False
) -> tuple[Puzzle, bool]:
    """A puzzle, and whether each search decided; if `minimal`, the first other one ends it."""
    solver = solver_of(shape)
    grid = random_grid(shape, random)
    marks = [1 << value - 1 for value in grid]
    start = solver.start(marks)
    proven = True
    for candidate in random.order(shape.size**3):
        cell, value = divmod(candidate, shape.size)
        if grid[cell] == value + 1:
            continue
        start[cell] = 1 << value  # the solutions that it would add
        number = solver.count(start, 1, nodes)
        if number == 0:
            marks[cell] |= 1 << value
        start[cell] = marks[cell]
        if number is None:
            proven = False
            if minimal:
                break
    return Puzzle(shape, (0,) * shape.size**2, tuple(marks)), proven
