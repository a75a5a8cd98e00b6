"""XY-wing: a pivot with two candidates and two pincers."""

from collections.abc import Iterator

from harness.reasoning.board import Board
from harness.reasoning.cells import members, peer_sets, places, removals
from harness.reasoning.conclusion import Elimination
from harness.reasoning.rule import Rule
from harness.reasoning.wing import Wing


class PivotOfTwo(Wing):
    """Either value of the pivot gives the value to a pincer; `shared` is ascending."""

    __slots__ = ()


class XYWing(Rule):
    """A cell that sees both pincers of an XY-wing does not have their common value.

    The pivot has the candidates x and y. The pincers are peers of the pivot, with the
    candidates x and z, and y and z. Peers are cells of a common house or pair. The work is
    bounded by the pairs of peers of each cell.
    """

    name = "XY-wing"
    reasons_last = False

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
