"""XY-wing and XYZ-wing: a pivot and two pincers."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.extensions.reasoning.board import (
    Board,
    Candidate,
    Elimination,
    Rule,
    peer_sets,
    places,
    removals,
)
from harness.puzzles import Shape
from harness.puzzles.constraints import members

# What the reasons of XY-wings and XYZ-wings share.


@dataclass(frozen=True, slots=True)
class Wing:
    """A pivot, and two pincers that are its peers."""

    pivot: int
    pincers: tuple[int, int]
    shared: tuple[int, int]
    """Candidates of the pivot; each pincer has one of these, in this order."""
    value: int
    """The other candidate of both pincers."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The pivot and the pincers."""
        return (self.pivot, *self.pincers)

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The two cases: the value of the pivot, and that of a pincer."""
        return tuple(
            ((self.pivot, candidate), (pincer, self.value))
            for candidate, pincer in zip(self.shared, self.pincers, strict=True)
        )

    def words(self, shape: Shape) -> str:
        """The two cases in which a pincer has the value."""
        pivot, first, second = map(shape.cell_name, self.cells)
        x, y, z = map(shape.symbol, (*self.shared, self.value))
        return f"{pivot} is {x} and {first} is {z}, or {pivot} is {y} and {second} is {z}"


# XY-wing: a pivot with two candidates and two pincers.


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
            not value and bits.bit_count() == 2
            for value, bits in zip(board.values, candidates, strict=True)
        ]
        for pivot, bits in enumerate(candidates):
            if not two[pivot]:
                continue
            lower = bits & -bits
            near = [peer for peer in board.shape.peers[pivot] if two[peer]]
            for first in near:
                common = candidates[first] & ~bits
                if common.bit_count() != 1 or not candidates[first] & lower:
                    continue
                value = common.bit_length()
                for second in near:
                    if candidates[second] != bits ^ lower | common:
                        continue
                    rest = everywhere[value - 1] & peers[first] & peers[second]
                    if rest:
                        x, y = (index + 1 for index in members(bits))
                        reason = PivotOfTwo(pivot, (first, second), (x, y), value)
                        yield Elimination(removals(rest, value), reason)


# XYZ-wing: a pivot with three candidates and two pincers.


class PivotOfThree(Wing):
    """The pivot has the value too, or gives it to a pincer; the pincers are ascending."""

    __slots__ = ()

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The cases of both pincers, then the value in the pivot."""
        return (*super().candidates, ((self.pivot, self.value),))

    def words(self, shape: Shape) -> str:
        """The case in which the pivot has the value, then those of the pincers."""
        pivot, value = shape.cell_name(self.pivot), shape.symbol(self.value)
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
        for pivot, bits in enumerate(candidates):
            if not blank[pivot] or bits.bit_count() != 3:
                continue
            near = [
                peer
                for peer in board.shape.peers[pivot]
                if blank[peer]
                and candidates[peer].bit_count() == 2
                and not candidates[peer] & ~bits
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
