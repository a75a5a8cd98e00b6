"""Eppstein's nonrepetitive cycle rule on the bilocation graph."""

from collections.abc import Iterator

from harness.reasoning.bilocation import BilocationGraph
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Elimination
from harness.reasoning.cycles import NonrepetitiveCycle
from harness.reasoning.links import Link
from harness.reasoning.rule import Rule
from harness.reasoning.states import States
from harness.reasoning.walks import cycle_through


class NonrepetitiveCycleRule(Rule):
    """The cells of a nonrepetitive cycle have the labels of the cycle.

    There are as many links as cells, and each link gives its label to a cell. So a cell where
    all links on cycles have one of two labels has one of these two. A cycle of two links is a
    hidden pair. Where there are more than two labels, the repetitive cycle rule places one.
    """

    name = "nonrepetitive cycle"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The other candidates in cells of a cycle, by the first cell with such candidates.

        Each conclusion has a shortest cycle through a cell, and the candidates of all its cells.
        """
        graph = BilocationGraph(board)
        others = _others(board, graph)
        seen: set[int] = set()
        for cell, (link, _) in others.items():
            walk = None if cell in seen else cycle_through(graph, link)
            if walk is not None:
                reason = NonrepetitiveCycle(walk)
                cells = sorted(others.keys() & set(reason.cells))
                seen.update(cells)
                removed = ((c, value) for c in cells for value in others[c][1])
                yield Elimination(tuple(removed), reason)


def _others(board: Board, graph: BilocationGraph) -> dict[int, tuple[Link, list[int]]]:
    """The cells with two labels of cycles and other candidates: a link, and these candidates."""
    states = States(graph)
    found = {}
    for cell in sorted(graph.links):
        cyclic = [link for link in graph.links[cell] if states.is_cyclic(link)]
        labels = {link.value for link in cyclic}
        of = board.candidates[cell]
        if len(labels) == 2:
            others = [
                v for v in range(1, of.bit_length() + 1) if of >> v - 1 & 1 and v not in labels
            ]
            if others:
                found[cell] = (cyclic[0], others)
    return found
