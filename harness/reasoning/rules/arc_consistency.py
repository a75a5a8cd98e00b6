"""Arc consistency by the algorithm AC-3."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Conclusion, Elimination, Placement
from harness.reasoning.marks import Candidate
from harness.reasoning.rule import Rule


@dataclass(frozen=True, slots=True)
class OneValueLeft:
    """The cell has one candidate; a peer with this value has no support in the cell."""

    cell: int
    value: int

    @property
    def cells(self) -> tuple[int, ...]:
        """The cell."""
        return (self.cell,)

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The candidate of the cell."""
        return (((self.cell, self.value),),)

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        return f"{shape.cell_name(self.cell)} can only be {symbol_of(self.value)}"


class ArcConsistency(Rule):
    """A candidate that has no support in a peer is removed (AC-3).

    The constraints are binary: a cell and its peer differ. An arc is an ordered pair of such
    cells. It is consistent if each candidate of the first cell has support: another candidate
    in the second cell. The queue holds the arcs to revise. When a cell loses a candidate, the
    arcs to this cell join the queue (Mackworth, "Consistency in networks of relations",
    Artificial Intelligence 8, 1977). An arc with a placed cell is consistent from the
    beginning: the board has done forward checking.

    The fixpoint is the same as that of naked singles, which are the usual way to it.
    """

    name = "arc consistency"

    def conclusions(self, board: Board) -> Iterator[Conclusion]:
        """The removals in the order of the queue; without any, the cells with one candidate.

        Each removal has its reason on the board after the removals before it. The queue
        starts with all arcs, by their first cell. The removals end when a cell has no
        candidate.
        """
        domains = board.candidates.copy()
        if not all(domains):
            return
        consistent = True
        for cell, peer in _revised(board, domains):
            consistent = False
            value = domains[peer].bit_length()
            yield Elimination(((cell, value),), OneValueLeft(peer, value))
        if consistent:
            for cell, of in enumerate(domains):
                if of.bit_count() == 1 and not board.values[cell]:
                    value = of.bit_length()
                    yield Placement(cell, value, OneValueLeft(cell, value))


def _revised(board: Board, domains: list[int]) -> Iterator[tuple[int, int]]:
    """The arcs whose first cell has lost the only candidate of the second, in this order."""
    blank = [not value for value in board.values]
    peers = [
        [peer for peer in of if blank[peer]] if blank[cell] else []
        for cell, of in enumerate(board.shape.peers)
    ]
    waiting = deque((cell, peer) for cell, of in enumerate(peers) for peer in of)
    queued = set(waiting)
    while waiting:
        arc = cell, peer = waiting.popleft()
        queued.remove(arc)
        support = domains[peer]
        if support.bit_count() > 1 or not domains[cell] & support:
            continue
        domains[cell] ^= support
        yield arc
        if not domains[cell]:
            return
        for other in peers[cell]:
            if other != peer and (other, cell) not in queued:
                queued.add((other, cell))
                waiting.append((other, cell))
