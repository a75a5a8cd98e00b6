"""The rater `hodoku`: the score of hodoku-py, a port of HoDoKu.

hodoku-py has the licence GPL-3.0-or-later. The harness neither contains nor requires it; this
module only calls it where the user has installed it.
"""

import importlib

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.raters.rater import Rater
from harness.reasoning.rating.unique import only_solution


class HodokuRater(Rater):
    """hodoku-py, unmodified."""

    name = "hodoku"
    meaning = "score of HoDoKu: the sum of the scores of all steps of its solution path"
    distributions = ("hodoku-py",)

    def __init__(self) -> None:
        self._solver = importlib.import_module("hodoku").Solver()
        self._shape = Shape.parse("9x9")

    def rate(self, puzzle: Puzzle) -> float | None:
        """The score of a 9x9 puzzle with one solution."""
        if puzzle.shape != self._shape or puzzle.pencilmarks is not None:
            return None
        if only_solution(puzzle) is None:
            return None
        score: int = self._solver.rate(puzzle.line).score
        return score
