"""Naked singles: a cell has one candidate left."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.shape import Shape
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Placement
from harness.reasoning.rule import Rule


@dataclass(frozen=True, slots=True)
class OneCandidate:
    """The cell has no other candidate."""

    cell: int
    value: int

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell."""
        return (self.cell,)

    def words(self, shape: Shape) -> str:  # noqa: ARG002  the conclusion has the name
        """The reason in words."""
        return "the only candidate left there"


class NakedSingle(Rule):
    """A cell with one candidate has this value.

    For all-different constraints this rule alone removes the same candidates as arc
    consistency (AC-3: Mackworth, "Consistency in networks of relations", Artificial
    Intelligence 8, 1977).
    """

    name = "naked single"

    def conclusions(self, board: Board) -> Iterator[Placement]:
        """The cells without a value that have one candidate, ascending."""
        values = board.values
        for cell, candidates in enumerate(board.candidates):
            if candidates and not candidates & (candidates - 1) and not values[cell]:
                value = candidates.bit_length()
                yield Placement(cell, value, OneCandidate(cell, value))
