"""The package py-sudoku: backtracking in pure Python, for boxes of any size."""

from harness.contract import Answer, Backend, Options, PhaseTimer, Unsupported
from harness.puzzles import Puzzle, Shape

MOST_BLANKS = 900


class PySudoku(Backend):
    """py-sudoku, unmodified; a board without values means no solution."""

    name = "py-sudoku"
    paradigm = "Sudoku package"
    distributions = ("py-sudoku",)
    modules = ("sudoku",)

    def __init__(self, shape: Shape, options: Options) -> None:
        rows, columns = shape.box or (1, shape.size)
        if shape.box is None or shape != Shape.parse(f"box{rows}x{columns}"):
            raise Unsupported("py-sudoku supports rows, columns and boxes only")
        self.rows, self.columns = rows, columns

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution that the backtracking search finds."""
        from sudoku import Sudoku

        timer = PhaseTimer()
        if len(puzzle.givens) - puzzle.clues > MOST_BLANKS:
            raise Unsupported(f"py-sudoku recurses per blank cell, up to {MOST_BLANKS} of them")
        board = [[value or None for value in row] for row in puzzle.rows()]
        sudoku = Sudoku(self.columns, self.rows, board=board)
        timer.search()
        solved = sudoku.solve()
        timer.decode()
        grid = tuple(value for row in solved.board for value in row)
        if None in grid:
            return Answer.unsatisfiable(phases=timer.stop())
        return Answer.solved(grid, phases=timer.stop())
