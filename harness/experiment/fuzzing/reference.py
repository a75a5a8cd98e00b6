"""The number of solutions of a puzzle by the internal solver.

The generator uses this solver, and no backend does, so that it is evidence besides them.
"""

from typing import Final

from harness.experiment.fuzzing.claims import Interval
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.search.solver import Found, solver_of

QUICK_NODES: Final = 4_000
"""Node limit for each puzzle of the stream: milliseconds."""
_PATIENT_NODES: Final = 1_000_000
_PATIENT_NODES_OF_LARGE: Final = 400_000
_LARGE: Final = 9
_MOST_COUNTED: Final = 500_000


def search_of(puzzle: Puzzle, limit: int, nodes: int = QUICK_NODES) -> Found:
    """What the internal solver finds.

    Args:
        puzzle: any puzzle.
        limit: solutions after which the search ends.
        nodes: branches after which the search ends.
    """
    if not all(puzzle.allowed):  # pencilmarks leave a cell no value
        return Found(0, exact=True, solution=None, guesses=0, by_rules=True)
    return solver_of(puzzle.shape).of(puzzle, limit, nodes)


def enumerated(puzzle: Puzzle, limit: int, nodes: int = QUICK_NODES) -> Interval:
    """Where the number of solutions lies; exact below `limit` if the nodes suffice."""
    found = search_of(puzzle, limit, nodes)
    return Interval(found.number, found.number if found.exact else None)


def enumerated_patiently(puzzle: Puzzle) -> Interval:
    """Where the number of solutions of a puzzle lies on which backends disagree: a second."""
    is_large = puzzle.shape.size > _LARGE
    nodes = _PATIENT_NODES_OF_LARGE if is_large else _PATIENT_NODES
    return enumerated(puzzle, _MOST_COUNTED, nodes)


def a_solution(puzzle: Puzzle) -> Grid | None:
    """A solution of the puzzle; None if there is none or none is found soon."""
    return search_of(puzzle, 1).solution
