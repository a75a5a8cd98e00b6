"""Singles written a second time, with sets: what backdoors are checked against."""

from itertools import combinations

from harness.puzzles import Puzzle
from harness.puzzles.puzzle import Grid
from tests.reasoning import oracle


def smallest_backdoor(puzzle: Puzzle, solution: Grid, largest: int) -> int | None:
    """The fewest cells whose values let singles finish, by trying all sets of all cells."""
    blanks = [cell for cell, value in enumerate(puzzle.givens) if not value]
    for size in range(largest + 1):
        for cells in combinations(blanks, size):
            if oracle.finishes(with_values(puzzle, solution, cells), oracle.EXCLUSION):
                return size
    return None


def with_values(puzzle: Puzzle, solution: Grid, cells: tuple[int, ...]) -> Puzzle:
    givens, marks = list(puzzle.givens), puzzle.pencilmarks
    for cell in cells:
        givens[cell] = solution[cell]
    if marks is not None:
        marks = tuple(1 << v - 1 if v else of for v, of in zip(givens, marks, strict=True))
    return Puzzle(puzzle.shape, tuple(givens), marks)
