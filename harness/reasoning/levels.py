"""Levels of difficulty of generated puzzles: clues are removed until rules no longer suffice.

The levels and their stop rules are those of a course project at Tsinghua University, which
calls them Naive, Easy, Normal, Hard and Sometimes Naive. It says of Easy, for instance, that
clues are removed until the basic rules no longer finish the puzzle. So the puzzle is the first
that they do not finish, and with the clue that was removed last they do. Its last level ends
where a removal would lose the only solution, so its puzzles are minimal.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from harness.puzzles.generate.options import Clues, Request, StopRule
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape
from harness.reasoning.rule import Rule
from harness.reasoning.rules.hidden_single import HiddenSingle
from harness.reasoning.rules.naked_single import NakedSingle
from harness.reasoning.rules.repetitive_cycle import RepetitiveCycleRule
from harness.reasoning.solving import solve


class Level(StrEnum):
    """A level of difficulty."""

    NAIVE = "naive"
    """35 to 40 blanks in a 9x9, the same share of the cells in other shapes."""
    EASY = "easy"
    """Naked singles no longer finish the puzzle."""
    NORMAL = "normal"
    """Naked and hidden singles no longer finish it."""
    HARD = "hard"
    """Naked and hidden singles and the repetitive cycle rule no longer finish it."""
    MINIMAL = "minimal"
    """No clue can be removed: the level Sometimes Naive."""


RULES: Final[dict[Level, tuple[Rule, ...]]] = {
    Level.EASY: (NakedSingle(),),
    Level.NORMAL: (NakedSingle(), HiddenSingle()),
    Level.HARD: (NakedSingle(), HiddenSingle(), RepetitiveCycleRule()),
}
"""The rules that no longer finish the puzzles of a level, the simplest first."""

_FEWEST_BLANKS: Final = 35
_MOST_BLANKS: Final = 40
_OF_CELLS: Final = 81


def with_level(request: Request, level: Level) -> Request:
    """The request for puzzles of this level and with the symmetry of `request`.

    Raises:
        OptionError: `request` has another condition.
    """
    others = ("clues", "minimal", "solutions", "model", "hard", "pencilmarks")
    request.exclude(f"level {level}", others)
    if level is Level.NAIVE:
        return replace(request, clues=_naive_clues(request.shape))
    if level is Level.MINIMAL:
        return replace(request, minimal=True)
    return replace(request, stop=_unfinished_by(request.shape, RULES[level]))


def _naive_clues(shape: Shape) -> Clues:
    """The clues of the level naive: its share of blanks, rounded to cells."""
    cells = shape.size**2

    def clues(blanks: int) -> int:
        return cells - (2 * blanks * cells + _OF_CELLS) // (2 * _OF_CELLS)

    return Clues(clues(_MOST_BLANKS), clues(_FEWEST_BLANKS))


def _unfinished_by(shape: Shape, rules: Sequence[Rule]) -> StopRule:
    """Ends the digging when `rules` do not finish the puzzle."""

    def holds(givens: Grid) -> bool:
        return not solve(Puzzle(shape, givens), rules).finished

    return StopRule(holds, f"these rules finish each: {', '.join(rule.name for rule in rules)}")
