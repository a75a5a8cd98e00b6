"""The package pencilmark: it solves puzzles with one solution, and refuses others."""

import importlib

from harness.contract import Answer, Backend, Count, Options, PhaseTimer, Unsupported
from harness.puzzles import Grid, Puzzle, Shape


class Pencilmark(Backend):
    """pencilmark as it is: told that there are several solutions, it shows none."""

    name = "pencilmark"
    paradigm = "Sudoku package"
    distributions = ("pencilmark",)
    counts_natively = True
    complete = False

    @classmethod
    def load(cls, options: Options) -> None:
        """Import pencilmark."""
        importlib.import_module("pencilmark")

    def __init__(self, shape: Shape, options: Options) -> None:
        if shape != Shape.parse("9x9"):
            raise Unsupported("pencilmark is asked about 9x9 only")

    def solve(self, puzzle: Puzzle) -> Answer:
        """The solution where there is one only, unknown where there are several."""
        timer = PhaseTimer()
        timer.search()
        number, grid, _ = asked(puzzle)
        phases = timer.stop()
        if grid is not None:
            return Answer.solved(grid, phases=phases)
        return Answer.unknown(phases=phases) if number else Answer.unsatisfiable(phases=phases)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """None, one, or two and perhaps more."""
        timer = PhaseTimer()
        timer.search()
        number, grid, complete = asked(puzzle)
        number = min(number, limit)
        return Count(number, complete and number < limit, grid, {}, timer.stop())


def asked(puzzle: Puzzle) -> tuple[int, Grid | None, bool]:
    """How many solutions there are at least, the only one, and whether that is all."""
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
