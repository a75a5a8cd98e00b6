"""The solution of a puzzle that has one; most ratings are of such puzzles only."""

from typing import Final

from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.search.solver import solver_of

NODES: Final = 1_000_000
"""The node limit of the search for a second solution."""


def only_solution(puzzle: Puzzle, nodes: int = NODES) -> Grid | None:
    """The solution of `puzzle`; None for no or several solutions, or if `nodes` do not suffice.

    Args:
        puzzle: a puzzle of any shape.
        nodes: the node limit of the search.
    """
    found = solver_of(puzzle.shape).of(puzzle, 2, nodes)
    return found.solution if found.exact and found.number == 1 else None
