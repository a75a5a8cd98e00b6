"""Requests for puzzles of a level: clues are removed until simpler rules no longer suffice."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from harness.extensions.generate.options import Clues, GenerationRequest, StopRule
from harness.extensions.reasoning.board import Rule
from harness.extensions.reasoning.ladder import RULES, Level
from harness.extensions.reasoning.solving import solve
from harness.puzzles import Grid, Puzzle, Shape

_FEWEST_BLANKS: Final = 35
_MOST_BLANKS: Final = 40
_OF_CELLS: Final = 81


def with_level(request: GenerationRequest, level: Level) -> GenerationRequest:
    """The request for puzzles of this level and with the symmetry of `request`.

    Raises:
        OptionError: `request` has a condition that a level excludes.
    """
    others = ("clues", "minimal", "solutions", "model", "hard", "pencilmarks", "constraints")
    request.exclude(f"level {level}", others)
    if level is Level.NAIVE:
        return replace(request, clues=_naive_clues(request.shape))
    if level is Level.MINIMAL:
        return replace(request, minimal=True)
    return replace(request, stop=_unfinished_by(request.shape, RULES[level]))


def _naive_clues(shape: Shape) -> Clues:
    """The range of clues of the level naive: its shares of blanks, rounded to cells."""
    cells = shape.size**2

    def clues(blanks: int) -> int:
        return cells - (2 * blanks * cells + _OF_CELLS) // (2 * _OF_CELLS)

    return Clues(clues(_MOST_BLANKS), clues(_FEWEST_BLANKS))


def _unfinished_by(shape: Shape, rules: Sequence[Rule]) -> StopRule:
    """Ends the digging when `rules` do not finish the puzzle."""

    def holds(givens: Grid) -> bool:
        return not solve(Puzzle(shape, givens), rules).finished

    return StopRule(holds, f"these rules finish each: {', '.join(rule.name for rule in rules)}")
