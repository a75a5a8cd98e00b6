"""The built-in raters.

hodoku-py is licensed under GPL-3.0-or-later. The harness neither contains nor requires it; this
module only calls it where the user has installed it.
"""

import importlib
from dataclasses import dataclass
from functools import lru_cache
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
from harness.puzzles import Puzzle, Scramble, Shape
from harness.puzzles.search import solver_of

# The rater `guesses`: the guesses of a search, on average over scrambles.


@dataclass(frozen=True, slots=True)
class GuessesRater(Rater):
    """The mean number of guesses over scrambles of a puzzle.

    The search looks for two solutions, so it includes the proof that there is only one. It applies
    naked and hidden singles, and guesses in the cell with the fewest candidates; a puzzle of
    rating 0 needs no guess. The number of guesses is the usual measure of hardness for
    backtracking solvers: tdoku reports guesses per puzzle in its benchmarks. Scrambles even out
    the effect of the order of cells and values. The rating of a puzzle does not depend on others.
    """

    name = "guesses"
    meaning = "mean number of guesses of a search with naked and hidden singles, over scrambles"

    scrambles: int = 10
    """The number of scrambles, at least 1."""
    seed: int = 0
    """The random seed of the scrambles."""
    nodes: int = 1_000_000
    """The node limit of each search."""

    def rate(self, puzzle: Puzzle) -> float | None:
        """The mean number of guesses, to one decimal; None if a search reaches the node limit."""
        guesses = 0
        for scramble in _scrambles(puzzle.shape, self.scrambles, self.seed):
            equivalent = scramble.puzzle(puzzle)
            result = solver_of(equivalent.shape).search_puzzle(equivalent, 2, self.nodes)
            if not (result.exact or result.number == 2):
                return None
            guesses += result.guesses
        return round(guesses / self.scrambles, 1)


@lru_cache(maxsize=64)
def _scrambles(shape: Shape, number: int, seed: int) -> tuple[Scramble, ...]:
    return tuple(Scramble.from_seed(shape, f"rating {seed} {n}") for n in range(number))


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
