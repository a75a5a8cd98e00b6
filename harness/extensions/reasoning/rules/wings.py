"""XY-wing and XYZ-wing: a pivot and two pincers."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import ClassVar

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


class PivotOfTwo(Wing):
    """Either value of the pivot gives the value to a pincer; `shared` is ascending."""

    __slots__ = ()


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


# XY-wing and XYZ-wing: rules for pivots of two and of three candidates.


class WingRule(Rule):
    """What XY-wing and XYZ-wing share. Peers are cells of a common house or pair.

    The work is bounded by the pairs of peers of each cell.
    """

    reasons_last = False
    reason: ClassVar[type[Wing]]

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The cells to clear, by pivot, then by pincers."""
        candidates, everywhere, peers = board.candidates, places(board), peer_sets(board.shape)
        is_of_two = self.reason is PivotOfTwo
        sizes = [
            0 if value else bits.bit_count()
            for value, bits in zip(board.values, candidates, strict=True)
        ]
        for pivot, bits in enumerate(candidates):
            if sizes[pivot] != (2 if is_of_two else 3):
                continue
            near = [
                peer
                for peer in board.shape.peers[pivot]
                if sizes[peer] == 2 and (candidates[peer] & bits).bit_count() == sizes[pivot] - 1
            ]
            lower = bits & -bits
            pairs = (
                product([peer for peer in near if candidates[peer] & lower], near)
                if is_of_two
                else combinations(near, 2)
            )
            for first, second in pairs:
                common = candidates[first] & candidates[second]
                ends = candidates[first] ^ candidates[second]
                if common.bit_count() != 1 or ends | common & bits != bits:
                    continue
                value = common.bit_length()
                rest = everywhere[value - 1] & peers[first] & peers[second]
                if not is_of_two:
                    rest &= peers[pivot]
                if rest:
                    x, y = ((candidates[cell] ^ common).bit_length() for cell in (first, second))
                    reason = self.reason(pivot, (first, second), (x, y), value)
                    yield Elimination(removals(rest, value), reason)


class XYWing(WingRule):
    """A cell that sees both pincers of an XY-wing does not have their common value.

    The pivot has the candidates x and y. The pincers are peers of the pivot, with the
    candidates x and z, and y and z.
    """

    name = "XY-wing"
    reason = PivotOfTwo


class XYZWing(WingRule):
    """A cell that sees the three cells of an XYZ-wing does not have their common value.

    The pivot has the candidates x, y and z. The pincers are peers of the pivot, with the
    candidates x and z, and y and z.
    """

    name = "XYZ-wing"
    reason = PivotOfThree
