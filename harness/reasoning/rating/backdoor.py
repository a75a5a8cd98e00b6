"""The backdoor size: the fewest cells whose values let singles finish a puzzle."""

from math import comb
from typing import Final

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search.solver import solver_of
from harness.reasoning.rating.unique import only_solution

LARGEST: Final = 3
"""The largest size that is searched for."""
MOST_SETS: Final = 1_000_000
"""The most sets of cells that are tried of one size."""


def backdoor_size(puzzle: Puzzle, largest: int = LARGEST) -> int | None:
    """The size of a smallest backdoor of `puzzle`; 0 if singles finish it.

    A backdoor is a set of cells such that naked and hidden singles finish the puzzle after these
    cells have the values of its solution. This is the weak backdoor of Williams, Gomes and
    Selman, "Backdoors to typical case complexity" (IJCAI 2003), with the two rules as the
    subsolver. All sets of each size are tried, so the size is exact.

    Args:
        puzzle: a puzzle of any shape.
        largest: the largest size that is searched for.

    Returns:
        None for a puzzle that has no or several solutions, or a larger backdoor; and if there
        are more than `MOST_SETS` sets of a size that is needed, as in boards with 183 and more
        cells that singles leave open.
    """
    solution = only_solution(puzzle)
    if solution is None:
        return None
    solver = solver_of(puzzle.shape)
    start = solver.start(puzzle.allowed)
    open_cells = solver.open_after(start, solution, 0)
    for size in range(min(largest, len(puzzle.givens)) + 1):
        if comb(open_cells, size) > MOST_SETS:
            return None
        if not solver.open_after(start, solution, size):
            return size
    return None
