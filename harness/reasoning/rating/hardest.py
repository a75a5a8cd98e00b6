"""The hardest rule that a puzzle needs: its rung on the ladder of rules."""

from collections.abc import Sequence

from harness.puzzles.puzzle import Puzzle
from harness.reasoning.board import Board
from harness.reasoning.ladder import LADDER
from harness.reasoning.rating.names import RULE_NAMES
from harness.reasoning.rating.unique import only_solution
from harness.reasoning.rule import Rule
from harness.reasoning.solving import propagate


def rung_of(puzzle: Puzzle, rules: Sequence[Rule] = LADDER) -> int | None:
    """The least number n such that the first n of `rules` finish `puzzle`.

    0 stands for a complete grid, and one more than the number of rules for a puzzle that all of
    them together do not finish. The rule n is the hardest that the puzzle needs: without it, the
    rules before it do not finish the puzzle.

    Args:
        puzzle: a puzzle of any shape.
        rules: the rules, the simplest first.

    Returns:
        None for a puzzle that has no or several solutions.
    """
    if only_solution(puzzle) is None:
        return None
    board = Board(puzzle)
    for number in range(len(rules) + 1):
        propagate(board, rules[:number])
        if board.finished:
            return number
    return len(rules) + 1


def hardest_rule(puzzle: Puzzle) -> str | None:
    """The name in `RULE_NAMES` of the hardest rule that `puzzle` needs; see `rung_of`."""
    rung = rung_of(puzzle)
    return None if rung is None else RULE_NAMES[rung]
