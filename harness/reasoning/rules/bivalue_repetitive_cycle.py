"""Eppstein's repetitive cycle rule on the bivalue graph."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.shape import Shape
from harness.reasoning.bivalue import BivalueGraph
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Elimination
from harness.reasoning.cycles import ClosedWalk
from harness.reasoning.links import conditional
from harness.reasoning.rule import Rule
from harness.reasoning.states import States
from harness.reasoning.walks import closed_walk


@dataclass(frozen=True, slots=True)
class BivalueRepetitiveCycle(ClosedWalk):
    """A closed walk from the cell: if the cell had the value, the walk would give it the other.

    The first and the last link have the value; all other consecutive labels differ.
    """

    def words(self, shape: Shape) -> str:
        """The reason in words, link by link."""
        return f"if it were, {conditional(self.walk, shape)}"


class BivalueRepetitiveCycleRule(Rule):
    """A cell has not a value if a walk that starts from its presence ends with its absence.

    Suppose that the cell has the value. The target of the first link then has its other
    candidate, which is the label of the second link, and so on; the last link gives the cell
    its other candidate.
    """

    name = "bivalue repetitive cycle"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The cells on such walks without their values, by cell, then by value."""
        graph = BivalueGraph(board)
        for cell, value in sorted(States(graph).closing()):
            walk = closed_walk(graph, cell, value)
            if walk is not None:
                yield Elimination(((cell, value),), BivalueRepetitiveCycle(walk))
