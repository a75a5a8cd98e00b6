"""Singles: a cell or a value with one choice left; and arc consistency, which finds naked ones."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from harness.extensions.reasoning.board import (
    Board,
    Candidate,
    Conclusion,
    Elimination,
    Placement,
    Rule,
)
from harness.puzzles import House, Shape
from harness.puzzles.constraints import members

# Naked singles: a cell has one candidate left.


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


# Hidden singles: a house has one cell left for a value.


@dataclass(frozen=True, slots=True)
class OnePlace:
    """No other cell of the house has the candidate."""

    house: House
    value: int

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the house."""
        return self.house.cells

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        return f"no other cell of {self.house} can be {shape.symbol(self.value)}"


class HiddenSingle(Rule):
    """A value that only one cell of a house can have is there: exclusion, or only choice."""

    name = "hidden single"

    def conclusions(self, board: Board) -> Iterator[Placement]:
        """The only places for values in a house, by house, then by value."""
        candidates, values = board.candidates, board.values
        for house in board.shape.houses:
            once = more = solved_values = 0
            for cell in house.cells:
                bits = candidates[cell]
                more |= once & bits
                once |= bits
                if values[cell]:
                    solved_values |= bits
            for index in members(once & ~(more | solved_values)):
                cell = next(cell for cell in house.cells if candidates[cell] >> index & 1)
                yield Placement(cell, index + 1, OnePlace(house, index + 1))


# Arc consistency by the algorithm AC-3.


@dataclass(frozen=True, slots=True)
class OneValueLeft(OneCandidate):
    """The cell has one candidate; a peer with this value has no support in the cell."""

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The candidate of the cell."""
        return (((self.cell, self.value),),)

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        return f"{shape.cell_name(self.cell)} can only be {shape.symbol(self.value)}"


class ArcConsistency(Rule):
    """A candidate that has no support in a peer is removed (AC-3).

    The constraints are binary: a cell and its peer differ. An arc is an ordered pair of such
    cells. It is consistent if each candidate of the first cell has support: a different
    candidate of the second cell. The queue holds the arcs to revise. When a cell loses a candidate,
    the arcs to this cell join the queue (Mackworth, "Consistency in networks of relations",
    Artificial Intelligence 8, 1977). An arc with a placed cell is consistent from the
    beginning: the board has done forward checking.

    Naked singles reach the same fixpoint, and are the usual way to it.
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
        for cell, peer in _revise(board, domains):
            consistent = False
            value = domains[peer].bit_length()
            yield Elimination(((cell, value),), OneValueLeft(peer, value))
        if consistent:
            for cell, domain in enumerate(domains):
                if domain.bit_count() == 1 and not board.values[cell]:
                    value = domain.bit_length()
                    yield Placement(cell, value, OneValueLeft(cell, value))


def _revise(board: Board, domains: list[int]) -> Iterator[tuple[int, int]]:
    """The arcs whose first cell loses the only candidate of the second, in order."""
    blank = [not value for value in board.values]
    peers = [
        [peer for peer in near if blank[peer]] if blank[cell] else []
        for cell, near in enumerate(board.shape.peers)
    ]
    waiting = deque((cell, peer) for cell, near in enumerate(peers) for peer in near)
    arcs = set(waiting)
    while waiting:
        arc = cell, peer = waiting.popleft()
        arcs.remove(arc)
        support = domains[peer]
        if support.bit_count() > 1 or not domains[cell] & support:
            continue
        domains[cell] ^= support
        yield arc
        if not domains[cell]:
            return
        for other in peers[cell]:
            if other != peer and (other, cell) not in arcs:
                arcs.add((other, cell))
                waiting.append((other, cell))
