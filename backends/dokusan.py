"""The package dokusan: singles and backtracking in plain Python; it knows 9x9 alone here."""

import importlib

from harness.contract import Answer, Backend, Options, PhaseTimer, Unsupported
from harness.puzzles import Puzzle, Shape
from harness.puzzles.candidates import Candidates


class Dokusan(Backend):
    """dokusan as it is, but for givens that leave a cell or a value no place."""

    name = "dokusan"
    paradigm = "Sudoku package"
    distributions = ("dokusan",)

    @classmethod
    def load(cls, options: Options) -> None:
        """Import dokusan."""
        importlib.import_module("dokusan.solvers")

    def __init__(self, shape: Shape, options: Options) -> None:
        if shape != Shape.parse("9x9"):
            raise Unsupported("dokusan is asked about 9x9 only")

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution that its backtracking comes to."""
        from dokusan import exceptions, solvers
        from dokusan.boards import BoxSize, Sudoku

        if Candidates(puzzle).refuted:
            raise Unsupported("dokusan may never end where givens leave something no place")
        timer = PhaseTimer()
        asked = Sudoku.from_list(puzzle.rows(), box_size=BoxSize(3, 3))
        timer.search()
        try:
            solved = solvers.backtrack(asked)
        except (exceptions.InvalidSudoku, exceptions.NoCandidates):
            return Answer.unsatisfiable(phases=timer.stop())
        timer.decode()
        grid = tuple(cell.value or 0 for cell in solved.cells())
        return Answer.solved(grid, phases=timer.stop())
