"""The built-in raters.

hodoku-py is licensed under GPL-3.0-or-later. The harness neither contains nor requires it; this
module only calls it where the user has installed it.
"""

import importlib
from typing import ClassVar

from harness.extensions.reasoning.board import Rule
from harness.extensions.reasoning.ladder import LEVELS
from harness.extensions.reasoning.raters import Rater
from harness.extensions.reasoning.rating import (
    HIDDEN,
    LARGEST,
    NAKED,
    backdoor_size,
    level_of,
    nodes_of,
    only_solution,
    rung_of,
)
from harness.extensions.reasoning.rating_by import Guesses
from harness.puzzles import Puzzle, Shape

# The rater `guesses`: the guesses of a search, on average over scrambles.


class GuessesRater(Rater):
    """The mean number of guesses of a search; see `harness.extensions.reasoning.rating_by`."""

    name = "guesses"
    meaning = "mean number of guesses of a search with naked and hidden singles, over scrambles"

    def __init__(self, guesses: Guesses | None = None) -> None:
        self._guesses = guesses or Guesses()

    def rate(self, puzzle: Puzzle) -> float | None:
        """The mean number of guesses, to one decimal."""
        guesses = self._guesses.rating(puzzle)
        return None if guesses is None else round(guesses, 1)


# The rater `hodoku`: the score of hodoku-py, a port of HoDoKu.


class HodokuRater(Rater):
    """The score of the unmodified package hodoku-py."""

    name = "hodoku"
    meaning = "score of HoDoKu: the sum of the scores of all steps of its solution path"
    distributions = ("hodoku-py",)

    def __init__(self) -> None:
        self._solver = importlib.import_module("hodoku").Solver()
        self._shape = Shape.parse("9x9")

    def rate(self, puzzle: Puzzle) -> float | None:
        """The score of a 9x9 puzzle with one solution; None for any other puzzle."""
        if puzzle.shape != self._shape or puzzle.pencilmarks is not None:
            return None
        if only_solution(puzzle) is None:
            return None
        score: int = self._solver.rate(puzzle.line).score
        return score


# The rater `pencilmark`: the difficulty that the package pencilmark predicts (MIT licence).


class PencilmarkRater(Rater):
    """The prediction of the unmodified package pencilmark, fitted to people's solving times."""

    name = "pencilmark"
    meaning = "difficulty for people, from a model fitted to their solving times"
    distributions = ("pencilmark",)

    def __init__(self) -> None:
        self._pencilmark = importlib.import_module("pencilmark")
        self._shape = Shape.parse("9x9")

    def rate(self, puzzle: Puzzle) -> float | None:
        """The difficulty of a 9x9 puzzle with one solution; None for any other puzzle."""
        if puzzle.shape != self._shape or puzzle.pencilmarks is not None:
            return None
        library = self._pencilmark
        try:
            card = library.rate(puzzle.line, fields=["difficulty"])
        except (library.NoSolution, library.NotUnique, library.Undecided):
            return None
        difficulty: float | None = card["difficulty"]
        return difficulty


# The raters of `harness.extensions.reasoning.rating`.


class HardestRule(Rater):
    """The rung of the hardest rule."""

    name = "hardest-rule"
    meaning = "number of the hardest rule needed; one more than the last rule if all do not suffice"

    def rate(self, puzzle: Puzzle) -> int | None:
        """The rung; see `rung_of`."""
        return rung_of(puzzle)


class LevelRater(Rater):
    """The level of the Tsinghua project."""

    name = "level"
    meaning = f"level of the Tsinghua project: {', '.join(LEVELS)} as 0 to {len(LEVELS) - 1}"

    def rate(self, puzzle: Puzzle) -> int | None:
        """The position of the level; see `level_of`."""
        level = level_of(puzzle)
        return None if level is None else LEVELS.index(level)


class Backdoor(Rater):
    """The backdoor size."""

    name = "backdoor"
    meaning = f"fewest cells whose values let singles finish the puzzle, up to {LARGEST}"

    def rate(self, puzzle: Puzzle) -> int | None:
        """The size; see `backdoor_size`."""
        return backdoor_size(puzzle)


class NodesNone(Rater):
    """Nodes of a search without rules; subclasses have rules."""

    name = "nodes-none"
    meaning = "nodes of a search without rules"
    rules: ClassVar[tuple[Rule, ...]] = ()

    def rate(self, puzzle: Puzzle) -> int | None:
        """The number of nodes; see `nodes_of`."""
        return nodes_of(puzzle, self.rules)


class NodesNaked(NodesNone):
    """Nodes of a search with naked singles."""

    name = "nodes-naked"
    meaning = "nodes of a search with naked singles"
    rules = NAKED


class NodesHidden(NodesNone):
    """Nodes of a search with naked and hidden singles."""

    name = "nodes-hidden"
    meaning = "nodes of a search with naked and hidden singles"
    rules = HIDDEN
