"""Eppstein's nonrepetitive cycle rule on the bivalue graph."""

from collections.abc import Iterator

from harness.reasoning.bivalue import BivalueGraph
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Elimination
from harness.reasoning.cycles import NonrepetitiveCycle
from harness.reasoning.links import Link
from harness.reasoning.rule import Rule
from harness.reasoning.states import States
from harness.reasoning.walks import cycle_through


class BivalueNonrepetitiveCycleRule(Rule):
    """Each link of a nonrepetitive cycle has its label in one of its two cells.

    So a peer of both cells has another value.
    """

    name = "bivalue nonrepetitive cycle"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The candidates that cycles exclude, by the first link that excludes one.

        Each conclusion has a shortest cycle through a link, and the candidates that all links
        of the cycle exclude.
        """
        graph = BivalueGraph(board)
        states = States(graph)
        seen: set[tuple[int, int]] = set()
        for link in graph.every_link:
            excluded = _excluded(board, link) if states.is_cyclic(link) else set()
            walk = None if excluded <= seen else cycle_through(graph, link)
            if walk is not None:
                removed = set().union(*(_excluded(board, each) for each in walk))
                seen |= removed
                yield Elimination(tuple(sorted(removed)), NonrepetitiveCycle(walk))


def _excluded(board: Board, link: Link) -> set[tuple[int, int]]:
    """The candidates in peers of both cells that have the value of the link."""
    peers = board.shape.peers
    common = set(peers[link.source]).intersection(peers[link.target])
    bit = 1 << link.value - 1
    return {(cell, link.value) for cell in common if board.candidates[cell] & bit}
