"""The package lib-sudoku: a solver in Rust, for 9x9."""

import importlib

from harness.contract import Answer, Backend, Options, PhaseTimer, Unsupported
from harness.puzzles import Puzzle, Shape


class LibSudoku(Backend):
    """lib-sudoku, unmodified: a solution, or ValueError if none exists."""

    name = "lib-sudoku"
    paradigm = "Sudoku package"
    distributions = ("lib-sudoku",)

    @classmethod
    def load(cls, options: Options) -> None:
        """Import lib-sudoku."""
        importlib.import_module("lib_sudoku")

    def __init__(self, shape: Shape, options: Options) -> None:
        if shape != Shape.parse("9x9"):
            raise Unsupported("lib-sudoku supports 9x9 only")

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution that lib-sudoku finds."""
        from lib_sudoku import solve

        if 0 not in puzzle.givens:
            raise Unsupported("lib-sudoku returns full grids without checking them")
        timer = PhaseTimer()
        cells = bytearray(puzzle.givens)
        timer.search()
        try:
            solved = solve(cells)
        except ValueError:
            return Answer.unsatisfiable(phases=timer.stop())
        timer.decode()
        return Answer.solved(tuple(solved), phases=timer.stop())
