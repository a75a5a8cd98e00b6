"""Requests for puzzles of a level: clues are removed until simpler rules no longer suffice."""

from dataclasses import replace

from harness.extensions.generate.options import Clues, GenerationRequest, StopRule
from harness.extensions.reasoning.ladder import RULES, Level
from harness.extensions.reasoning.solving import solve
from harness.puzzles import Grid, Puzzle


def with_level(request: GenerationRequest, level: Level) -> GenerationRequest:
    """The request for puzzles of this level and with the symmetry of `request`.

    Raises:
        OptionError: `request` has a condition that a level excludes.
    """
    others = ("clues", "minimal", "solutions", "model", "hard", "pencilmarks", "constraints")
    request.exclude(f"level {level}", others)
    shape = request.shape
    if level is Level.NAIVE:
        cells = shape.size**2
        # The shares of 40 and 35 blanks among 81 cells, rounded.
        fewest, most = (cells - (2 * blanks * cells + 81) // (2 * 81) for blanks in (40, 35))
        return replace(request, clues=Clues(fewest, most))
    if level is Level.MINIMAL:
        return replace(request, minimal=True)
    rules = RULES[level]

    def is_unfinished(givens: Grid) -> bool:
        return not solve(Puzzle(shape, givens), rules).finished

    names = ", ".join(rule.name for rule in rules)
    return replace(request, stop=StopRule(is_unfinished, f"these rules finish each: {names}"))
