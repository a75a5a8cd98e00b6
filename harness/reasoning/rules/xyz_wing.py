"""XYZ-wing: a pivot with three candidates and two pincers."""

from collections.abc import Iterator

from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.board import Board
from harness.reasoning.cells import peer_sets, places, removals
from harness.reasoning.conclusion import Elimination
from harness.reasoning.marks import Candidate
from harness.reasoning.rule import Rule
from harness.reasoning.wing import Wing


class PivotOfThree(Wing):
    """The pivot has the value too, or gives it to a pincer; the pincers are ascending."""

    __slots__ = ()

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The cases of both pincers, then the value in the pivot."""
        return (*super().candidates, ((self.pivot, self.value),))

    def words(self, shape: Shape) -> str:
        """The case in which the pivot has the value, then those of the pincers."""
        pivot, value = shape.cell_name(self.pivot), symbol_of(self.value)
        return f"{pivot} is {value}, or {super().words(shape)}"


class XYZWing(Rule):
    """A cell that sees the three cells of an XYZ-wing does not have their common value.

    The pivot has the candidates x, y and z. The pincers are peers of the pivot, with the
    candidates x and z, and y and z. Peers are cells of a common house or pair. The work is
    bounded by the pairs of peers of each cell.
    """

    name = "XYZ-wing"
    reasons_last = False

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The cells to clear, by pivot, then by pincers."""
        candidates, everywhere, peers = board.candidates, places(board), peer_sets(board.shape)
        blank = [not value for value in board.values]
        for pivot, of in enumerate(candidates):
            if not blank[pivot] or of.bit_count() != 3:
                continue
            near = [
                peer
                for peer in board.shape.peers[pivot]
                if blank[peer] and candidates[peer].bit_count() == 2 and not candidates[peer] & ~of
            ]
            for at, first in enumerate(near):
                for second in near[at + 1 :]:
                    common = candidates[first] & candidates[second]
                    if candidates[first] == common:
                        continue
                    value = common.bit_length()
                    rest = everywhere[value - 1] & peers[pivot] & peers[first] & peers[second]
                    if rest:
                        x, y = (
                            (candidates[cell] ^ common).bit_length() for cell in (first, second)
                        )
                        reason = PivotOfThree(pivot, (first, second), (x, y), value)
                        yield Elimination(removals(rest, value), reason)
