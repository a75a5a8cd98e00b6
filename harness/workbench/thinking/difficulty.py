"""The level of a puzzle, and the hardest rule that it needs."""

from harness.puzzles.puzzle import Puzzle
from harness.reasoning.rating.hardest import hardest_rule
from harness.reasoning.rating.level import level_of
from harness.workbench.thinking.messages import DifficultyData


def difficulty_of(puzzle: Puzzle) -> DifficultyData:
    """The difficulty; its names are empty for a puzzle without exactly one solution."""
    level = level_of(puzzle)
    if level is None:
        return DifficultyData("", "")
    return DifficultyData(level.value, hardest_rule(puzzle) or "")
