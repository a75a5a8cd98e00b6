"""The package dokusan: singles and backtracking in pure Python, for 9x9."""

from harness.contract import Answer, Backend, Options, PhaseTimer, Unsupported
from harness.puzzles import Puzzle, Shape
from harness.puzzles.search import Candidates


class Dokusan(Backend):
    """dokusan, unmodified, for puzzles whose givens are free of contradictions."""

    name = "dokusan"
    paradigm = "Sudoku package"
    distributions = ("dokusan",)
    modules = ("dokusan.solvers",)

    def __init__(self, shape: Shape, options: Options) -> None:
        if shape != Shape.parse("9x9"):
            raise Unsupported("dokusan supports 9x9 only")

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution that the backtracking search finds."""
        from dokusan import exceptions, solvers
        from dokusan.boards import BoxSize, Sudoku

        if Candidates(puzzle).refuted:
            raise Unsupported("dokusan may not terminate on contradictory givens")
        timer = PhaseTimer()
        board = Sudoku.from_list(puzzle.rows(), box_size=BoxSize(3, 3))
        timer.search()
        try:
            solved = solvers.backtrack(board)
        except (exceptions.InvalidSudoku, exceptions.NoCandidates):
            return Answer.unsatisfiable(phases=timer.stop())
        timer.decode()
        grid = tuple(cell.value or 0 for cell in solved.cells())
        return Answer.solved(grid, phases=timer.stop())
