"""The rater `pencilmark`: the difficulty that the package pencilmark predicts (MIT licence)."""

import importlib

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.raters.rater import Rater


class PencilmarkRater(Rater):
    """pencilmark, unmodified: a model fitted to the times of people."""

    name = "pencilmark"
    meaning = "difficulty for people, from a model fitted to their solving times"
    distributions = ("pencilmark",)

    def __init__(self) -> None:
        self._pencilmark = importlib.import_module("pencilmark")
        self._shape = Shape.parse("9x9")

    def rate(self, puzzle: Puzzle) -> float | None:
        """The difficulty of a 9x9 puzzle with one solution."""
        if puzzle.shape != self._shape or puzzle.pencilmarks is not None:
            return None
        library = self._pencilmark
        try:
            card = library.rate(puzzle.line, fields=["difficulty"])
        except (library.NoSolution, library.NotUnique, library.Undecided):
            return None
        difficulty: float | None = card["difficulty"]
        return difficulty
