"""The level of a puzzle: which of the stop rules of the Tsinghua project it meets."""

from harness.puzzles.puzzle import Puzzle
from harness.reasoning.levels import RULES, Level
from harness.reasoning.rating.hardest import rung_of
from harness.reasoning.rating.names import LEVELS


def level_of(puzzle: Puzzle) -> Level | None:
    """The hardest level whose rules do not finish `puzzle`.

    naive    naked singles finish it
    easy     naked singles do not, naked and hidden singles do
    normal   singles do not, singles and the repetitive cycle rule do
    hard     singles and the repetitive cycle rule do not

    So a puzzle that `harness generate --level` makes has this level or a harder one: its stop
    rule bounds the difficulty from below. Sometimes Naive, the fifth level, says that each clue
    is needed; a puzzle of any level may have this property.

    Args:
        puzzle: a puzzle of any shape.

    Returns:
        None for a puzzle that has no or several solutions.
    """
    rung = rung_of(puzzle, RULES[Level.HARD])
    return None if rung is None else LEVELS[max(rung - 1, 0)]
