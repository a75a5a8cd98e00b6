"""The nodes of a search: the measure of the Tsinghua project for its levels of inference."""

from typing import Final

from harness.puzzles.puzzle import Puzzle
from harness.reasoning.rule import Rule
from harness.reasoning.rules.hidden_single import HiddenSingle
from harness.reasoning.rules.naked_single import NakedSingle
from harness.reasoning.search import Search, Strategy

MOST_NODES: Final = 100_000
"""The node limit of a search."""
NO_RULES: Final[tuple[Rule, ...]] = ()
"""Direct search: every placement is a node."""
NAKED: Final = (NakedSingle(),)
"""The basic rules."""
HIDDEN: Final = (NakedSingle(), HiddenSingle())
"""The basic rules and exclusion."""


def nodes_of(
    puzzle: Puzzle, rules: tuple[Rule, ...] = NO_RULES, most: int = MOST_NODES
) -> int | None:
    """The nodes up to the first solution, or up to the proof that there is none.

    The search is depth-first. It guesses in the first cell with the fewest candidates, values
    ascending, and applies `rules` between two guesses. The number depends on the order of cells
    and values, so scrambles of a puzzle have other numbers.

    Args:
        puzzle: a puzzle of any shape, with any number of solutions.
        rules: the rules, the simplest first.
        most: the node limit.

    Returns:
        None if the node limit is too low.
    """
    search = Search(puzzle, Strategy(rules, most_nodes=most))
    next(search.solutions(), None)
    return None if search.gave_up else search.nodes
