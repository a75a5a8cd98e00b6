"""The package lib-sudoku: a solver in Rust, for 9x9."""

from harness.contract import Answer, Backend, Options, PhaseTimer, Unsupported
from harness.puzzles import Puzzle, Shape


class LibSudoku(Backend):
    """lib-sudoku, unmodified: a solution, or ValueError if none exists.

    lib-sudoku 2.2 overlooks some pairs of equal givens in a house and returns a grid that is
    not a solution. This backend itself checks the givens, and the grid that it gets.
    """

    name = "lib-sudoku"
    paradigm = "Sudoku package"
    distributions = ("lib-sudoku",)
    modules = ("lib_sudoku",)

    def __init__(self, shape: Shape, options: Options) -> None:
        if shape != Shape.parse("9x9"):
            raise Unsupported("lib-sudoku supports 9x9 only")

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution that lib-sudoku finds."""
        from lib_sudoku import solve

        timer = PhaseTimer()
        if is_contradictory(puzzle):
            return Answer.unsatisfiable(phases=timer.stop())
        cells = bytearray(puzzle.givens)
        timer.search()
        try:
            solved = solve(cells)
        except ValueError:
            return Answer.unsatisfiable(phases=timer.stop())
        timer.decode()
        grid = tuple(solved)
        keeps = all(clue in (0, value) for clue, value in zip(puzzle.givens, grid, strict=True))
        if not keeps or is_contradictory(Puzzle(puzzle.shape, grid)):
            return Answer.unknown(phases=timer.stop())
        return Answer.solved(grid, phases=timer.stop())


def is_contradictory(puzzle: Puzzle) -> bool:
    """Whether two givens of a house are equal."""
    houses = ([puzzle.givens[cell] for cell in h.cells] for h in puzzle.shape.houses)
    filled_values = ([value for value in values if value] for values in houses)
    return any(len(set(values)) < len(values) for values in filled_values)
