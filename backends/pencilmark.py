"""The package pencilmark, which rejects puzzles without a unique solution."""

from harness.contract import Answer, Backend, Count, Options, PhaseTimer, Unsupported
from harness.puzzles import Grid, Puzzle, Shape


class Pencilmark(Backend):
    """pencilmark, unmodified: it returns only unique solutions."""

    name = "pencilmark"
    paradigm = "Sudoku package"
    distributions = ("pencilmark",)
    modules = ("pencilmark",)
    counts_natively = True
    complete = False

    def __init__(self, shape: Shape, options: Options) -> None:
        if shape != Shape.parse("9x9"):
            raise Unsupported("pencilmark supports 9x9 only")

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution if it is unique, unknown if several exist."""
        return self.count(puzzle, 2).answer

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """0, 1, or the lower bound 2."""
        timer = PhaseTimer()
        timer.search()
        number, grid, complete = result_of(puzzle)
        number = min(number, limit)
        return Count(number, complete and number < limit, grid, {}, timer.stop())


def result_of(puzzle: Puzzle) -> tuple[int, Grid | None, bool]:
    """A lower bound on the number of solutions, a unique solution, whether the bound is exact."""
    import pencilmark

    try:
        solved = pencilmark.solve(puzzle.line)
    except pencilmark.NoSolution:
        return 0, None, True
    except pencilmark.NotUnique:
        return 2, None, False
    except pencilmark.Undecided:
        return 0, None, False
    return 1, tuple(solved), True
