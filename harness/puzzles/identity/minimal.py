"""Minimality: whether each given, or each pencilmark that is missing, is needed."""

from collections.abc import Iterator

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.search.solver import NO_LIMIT, solver_of


def is_minimal(puzzle: Puzzle, nodes: int = NO_LIMIT) -> bool | None:
    """Whether the removal of any given gives `puzzle` more solutions.

    With pencilmarks: whether the return of any candidate that a cell cannot have gives it more
    solutions, a given being a cell with one candidate. A puzzle without a solution is minimal
    if each removal or return gives it one.

    Args:
        puzzle: a puzzle of any shape.
        nodes: the node limit of each search.

    Returns:
        None if the node limit is too low to decide.
    """
    solver = solver_of(puzzle.shape)
    start = solver.start(puzzle.allowed)
    undecided = False
    for cell, added in _changes(puzzle):
        start[cell] = added  # the solutions that a change adds
        number = solver.count(start, 1, nodes)
        start[cell] = puzzle.allowed[cell]
        if number == 0:
            return False
        undecided = undecided or number is None
    return None if undecided else True


def searches_for(puzzle: Puzzle) -> int:
    """The number of searches that `is_minimal` needs at most."""
    return sum(1 for _ in _changes(puzzle))


def _changes(puzzle: Puzzle) -> Iterator[tuple[int, int]]:
    """Each cell with the candidates, as bits, that a removal or a return gives it."""
    size = puzzle.shape.size
    every = (1 << size) - 1
    for cell, allowed in enumerate(puzzle.allowed):
        if puzzle.pencilmarks is None:
            if allowed != every:
                yield cell, every ^ allowed
            continue
        for value in range(size):
            if not allowed >> value & 1:
                yield cell, 1 << value
