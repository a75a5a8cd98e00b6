"""Eppstein's repetitive cycle rule on the bilocation graph."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.bilocation import BilocationGraph, Link
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Placement
from harness.reasoning.rule import Rule


@dataclass(frozen=True, slots=True)
class RepetitiveCycle:
    """A closed walk from the cell: if the cell had not the value, the walk would give it to it."""

    walk: tuple[Link, ...]
    """The first and the last link have the value; all other consecutive labels differ."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the walk, each once, in its order."""
        return tuple(dict.fromkeys(link.source for link in self.walk))

    def words(self, shape: Shape) -> str:
        """The reason in words, link by link."""
        name = shape.cell_name
        links = ", ".join(
            f"{name(link.target)} would be {symbol_of(link.value)}" for link in self.walk
        )
        return f"if not, {links}"


class RepetitiveCycleRule(Rule):
    """A cell has a value if a walk that starts from its absence ends with its presence.

    Suppose that the cell has not the value. The first link then gives the value to its target,
    which therefore does not have the label of the second link, and so on; the last link gives
    the value to the cell.
    """

    name = "repetitive cycle"

    def conclusions(self, board: Board) -> Iterator[Placement]:
        """The cells on such walks with their values, by cell, then by value."""
        graph = BilocationGraph(board)
        for cell in sorted(graph.links):
            for value in sorted({link.value for link in graph.links[cell]}):
                walk = graph.cycle_through(cell, value)
                if walk is not None:
                    yield Placement(cell, value, RepetitiveCycle(walk))
