"""The package dlxsudoku: singles and dancing links in pure Python.

The package always searches for a second solution and rejects puzzles that have one.
"""

from harness.contract import Answer, Backend, Count, Options, PhaseTimer, Unsupported
from harness.puzzles import Grid, Puzzle, Shape


class DlxSudoku(Backend):
    """dlxsudoku, unmodified: it returns only unique solutions."""

    name = "dlxsudoku"
    paradigm = "Sudoku package"
    distributions = ("dlxsudoku",)
    modules = ("dlxsudoku",)
    counts_natively = True
    complete = False

    def __init__(self, shape: Shape, options: Options) -> None:
        if shape != Shape.parse("9x9"):
            raise Unsupported("dlxsudoku supports 9x9 only")

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution if it is unique, unknown if several exist."""
        return self.count(puzzle, 2).answer

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """0, 1, or the lower bound 2."""
        timer = PhaseTimer()
        timer.search()
        number, grid = result_of(puzzle)
        exact = number < min(2, limit)
        return Count(min(number, limit), exact, grid, {}, timer.stop())


def result_of(puzzle: Puzzle) -> tuple[int, Grid | None]:
    """The number of solutions, 2 for several, and the unique solution."""
    from dlxsudoku import Sudoku
    from dlxsudoku.exceptions import SudokuHasMultipleSolutionsError, SudokuHasNoSolutionError

    try:
        sudoku = Sudoku(puzzle.line.replace(".", "0"))
        sudoku.solve()
    except SudokuHasNoSolutionError:
        return 0, None
    except SudokuHasMultipleSolutionsError:
        return 2, None
    return 1, tuple(map(int, sudoku.to_oneliner()))
