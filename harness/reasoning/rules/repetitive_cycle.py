"""Eppstein's repetitive cycle rule on the bilocation graph."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.shape import Shape
from harness.reasoning.bilocation import BilocationGraph
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Placement
from harness.reasoning.cycles import ClosedWalk
from harness.reasoning.links import conditional
from harness.reasoning.rule import Rule
from harness.reasoning.states import States
from harness.reasoning.walks import closed_walk


@dataclass(frozen=True, slots=True)
class RepetitiveCycle(ClosedWalk):
    """A closed walk from the cell: if the cell had not the value, the walk would give it to it.

    The first and the last link have the value; all other consecutive labels differ.
    """

    def words(self, shape: Shape) -> str:
        """The reason in words, link by link."""
        return f"if not, {conditional(self.walk, shape)}"


class RepetitiveCycleRule(Rule):
    """A cell has a value if a walk that starts from its absence ends with its presence.

    Suppose that the cell has not the value. The first link then gives the value to its target,
    which therefore does not have the label of the second link, and so on; the last link gives
    the value to the cell.
    """

    name = "repetitive cycle"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Placement]:
        """The cells on such walks with their values, by cell, then by value."""
        graph = BilocationGraph(board)
        for cell, value in sorted(States(graph).closing()):
            walk = closed_walk(graph, cell, value)
            if walk is not None:
                yield Placement(cell, value, RepetitiveCycle(walk))
