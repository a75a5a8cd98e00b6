"""Search with any rules of inference between two guesses.

The rules are those of `harness.extensions.reasoning`, which also explain each step. Without rules
every placement is a node of the search, as in a plain search by hand; with forward checking the
search abandons a board as soon as a cell has no candidate. The search goes depth first (a stack)
or breadth first (a queue), and branches at the cell with the fewest candidates or at the first
blank cell. Only a breadth-first search can give up: its queue can hold a whole level of the tree.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from harness.base.errors import InputError, OptionError
from harness.contract import EVERYTHING, GaveUp, Options, SearchBackend, Stats, option
from harness.extensions.reasoning.ladder import rules_of
from harness.extensions.reasoning.search import Direction, Order, Search, Strategy
from harness.extensions.reasoning.trace import Recorder
from harness.puzzles import Grid, Puzzle, Shape

_FORWARD_CHECKING: Final = "forward-checking"


@dataclass(frozen=True)
class ReasoningOptions(Options):
    """Options of the search."""

    rules: str = option(
        "naked-single+hidden-single",
        help="rules joined by +, up-to-NAME for a rule and all simpler ones, "
        f"{_FORWARD_CHECKING} or none",
    )
    search: str = option(
        Direction.DEPTH_FIRST.value, help="direction of the search", choices=tuple(Direction)
    )
    order: str = option(
        Order.FEWEST.value, help="choice of the cell for a guess", choices=tuple(Order)
    )
    most_boards: int = option(
        100_000, help="most boards in the queue; breadth-first search gives up beyond it", minimum=1
    )

    def __post_init__(self) -> None:
        """Check the names of the rules.

        Raises:
            OptionError: a rule does not exist.
        """
        self.strategy()

    def strategy(self) -> Strategy:
        """The strategy that the options describe.

        Raises:
            OptionError: a rule does not exist.
        """
        looks_ahead = self.rules != "none"
        try:
            rules = () if self.rules == _FORWARD_CHECKING else rules_of(self.rules)
        except InputError as error:
            expected = f"{error.expected}, up-to-NAME, {_FORWARD_CHECKING} or none"
            raise OptionError(
                error.what, where="reasoning option rules", expected=expected
            ) from None
        direction = Direction(self.search)
        most = self.most_boards if direction is Direction.BREADTH_FIRST else sys.maxsize
        return Strategy(rules, Order(self.order), direction, looks_ahead, most)


class Reasoning(SearchBackend[ReasoningOptions]):
    """Depth-first or breadth-first search with rules of inference."""

    name = "reasoning"
    paradigm = "search with rules of inference"
    takes = EVERYTHING

    def __init__(self, shape: Shape, options: ReasoningOptions) -> None:
        self.shape = shape
        self.strategy: Final = options.strategy()
        self.complete = self.strategy.direction is Direction.DEPTH_FIRST

    def search_of(self, puzzle: Puzzle, recorder: Recorder | None = None) -> Search:
        """A search for the solutions of `puzzle`; `recorder` receives its events."""
        return Search(puzzle, self.strategy, recorder)

    def search(self, puzzle: Puzzle) -> "_Answering":
        """A search without a recorder."""
        return _Answering(puzzle, self.strategy)


class _Answering(Search):
    """A search that raises `GaveUp` at its end if it gave up."""

    @property
    def stats(self) -> Stats:
        """The counts of the search, and for each rule the number of its conclusions."""
        return {
            "nodes": self.nodes,
            "guesses": self.guesses,
            "dead_ends": self.dead_ends,
            "peak_boards": self.peak_boards,
        } | {name.replace(" ", "_"): number for name, number in self.conclusions.items()}

    def solutions(self) -> Iterator[Grid]:
        """Each solution once.

        Raises:
            GaveUp: more solutions may exist.
        """
        yield from super().solutions()
        if self.gave_up:
            raise GaveUp
