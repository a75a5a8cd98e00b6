"""Minimality: whether each given is needed."""

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search.solver import NO_LIMIT, solver_of


def is_minimal(puzzle: Puzzle, nodes: int = NO_LIMIT) -> bool | None:
    """Whether the removal of any given gives `puzzle` more solutions.

    A puzzle without a solution is minimal if each removal gives it one.

    Args:
        puzzle: a puzzle of any shape.
        nodes: the node limit of the search for each given.

    Returns:
        None if the node limit is too low to decide.
    """
    solver = solver_of(puzzle.shape)
    start = solver.start(puzzle.allowed)
    undecided = False
    for cell, value in enumerate(puzzle.givens):
        if not value:
            continue
        start[cell] = solver.every ^ (1 << value - 1)  # the solutions that a removal adds
        number = solver.count(start, 1, nodes)
        start[cell] = 1 << value - 1
        if number == 0:
            return False
        undecided = undecided or number is None
    return None if undecided else True
