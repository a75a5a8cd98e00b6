"""The raters of `harness.reasoning.rating`."""

from harness.puzzles.puzzle import Puzzle
from harness.raters.rater import Rater
from harness.reasoning.rating.backdoor import LARGEST, backdoor_size
from harness.reasoning.rating.hardest import rung_of
from harness.reasoning.rating.level import level_of
from harness.reasoning.rating.names import LEVELS
from harness.reasoning.rating.nodes import HIDDEN, NAKED, nodes_of


class HardestRule(Rater):
    """The rung of the hardest rule."""

    name = "hardest-rule"
    meaning = "number of the hardest rule needed; one more than all if they do not suffice"

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
    """Nodes of direct search."""

    name = "nodes-none"
    meaning = "nodes of a search without rules"

    def rate(self, puzzle: Puzzle) -> int | None:
        """The number of nodes; see `nodes_of`."""
        return nodes_of(puzzle)


class NodesNaked(Rater):
    """Nodes of a search with naked singles."""

    name = "nodes-naked"
    meaning = "nodes of a search with naked singles"

    def rate(self, puzzle: Puzzle) -> int | None:
        """The number of nodes; see `nodes_of`."""
        return nodes_of(puzzle, NAKED)


class NodesHidden(Rater):
    """Nodes of a search with naked and hidden singles."""

    name = "nodes-hidden"
    meaning = "nodes of a search with naked and hidden singles"

    def rate(self, puzzle: Puzzle) -> int | None:
        """The number of nodes; see `nodes_of`."""
        return nodes_of(puzzle, HIDDEN)
