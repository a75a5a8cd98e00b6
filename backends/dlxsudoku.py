"""The package dlxsudoku: singles and dancing links in plain Python.

It looks for a second solution too, and refuses a puzzle that has one.
"""

import importlib

from harness.contract import Answer, Backend, Count, Options, PhaseTimer, Unsupported
from harness.puzzles import Grid, Puzzle, Shape


class DlxSudoku(Backend):
    """dlxsudoku as it is: told that there are several solutions, it shows none."""

    name = "dlxsudoku"
    paradigm = "Sudoku package"
    distributions = ("dlxsudoku",)
    counts_natively = True
    complete = False

    @classmethod
    def load(cls, options: Options) -> None:
        """Import dlxsudoku."""
        importlib.import_module("dlxsudoku")

    def __init__(self, shape: Shape, options: Options) -> None:
        if shape != Shape.parse("9x9"):
            raise Unsupported("dlxsudoku is asked about 9x9 only")

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution where there is one only, unknown where there are several."""
        timer = PhaseTimer()
        timer.search()
        number, grid = asked(puzzle)
        phases = timer.stop()
        if grid is not None:
            return Answer.solved(grid, phases=phases)
        return Answer.unknown(phases=phases) if number else Answer.unsatisfiable(phases=phases)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """None, one, or two and perhaps more."""
        timer = PhaseTimer()
        timer.search()
        number, grid = asked(puzzle)
        exact = number < min(2, limit)
        return Count(min(number, limit), exact, grid, {}, timer.stop())


def asked(puzzle: Puzzle) -> tuple[int, Grid | None]:
    """How many solutions there are, 2 for several, and the only one."""
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
