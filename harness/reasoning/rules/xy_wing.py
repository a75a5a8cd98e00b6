"""XY-wing: a pivot with two candidates and two pincers."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.board import Board
from harness.reasoning.cells import members, peer_sets, places, removals
from harness.reasoning.conclusion import Elimination
from harness.reasoning.rule import Rule


@dataclass(frozen=True, slots=True)
class PivotOfTwo:
    """Either value of the pivot gives the value to a pincer."""

    pivot: int
    pincers: tuple[int, int]
    """Peers of the pivot."""
    shared: tuple[int, int]
    """The candidates of the pivot, ascending; each pincer has one of these, in this order."""
    value: int
    """The other candidate of both pincers."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The pivot and the pincers."""
        return (self.pivot, *self.pincers)

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        pivot, first, second = map(shape.cell_name, self.cells)
        x, y, z = map(symbol_of, (*self.shared, self.value))
        return f"{pivot} is {x} and {first} is {z}, or {pivot} is {y} and {second} is {z}"


class XYWing(Rule):
    """A cell that sees both pincers of an XY-wing does not have their common value.

    The pivot has the candidates x and y. The pincers are peers of the pivot, with the
    candidates x and z, and y and z. Peers are cells of a common house or pair. The work is
    bounded by the pairs of peers of each cell.
    """

    name = "XY-wing"

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The cells to clear, by pivot, then by pincers."""
        candidates, everywhere, peers = board.candidates, places(board), peer_sets(board.shape)
        two = [
            not value and of.bit_count() == 2
            for value, of in zip(board.values, candidates, strict=True)
        ]
        for pivot, of in enumerate(candidates):
            if not two[pivot]:
                continue
            lower = of & -of
            near = [peer for peer in board.shape.peers[pivot] if two[peer]]
            for first in near:
                common = candidates[first] & ~of
                if common.bit_count() != 1 or not candidates[first] & lower:
                    continue
                value = common.bit_length()
                for second in near:
                    if candidates[second] != of ^ lower | common:
                        continue
                    rest = everywhere[value - 1] & peers[first] & peers[second]
                    if rest:
                        x, y = (index + 1 for index in members(of))
                        reason = PivotOfTwo(pivot, (first, second), (x, y), value)
                        yield Elimination(removals(rest, value), reason)
