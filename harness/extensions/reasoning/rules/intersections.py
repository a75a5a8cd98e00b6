"""Locked candidates: all places of a value in a house are in another house too."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.extensions.reasoning.board import (
    Board,
    Candidate,
    Elimination,
    Rule,
    house_sets,
    places,
    removals,
)
from harness.puzzles import House, Shape
from harness.puzzles.constraints import members


@dataclass(frozen=True, slots=True)
class Locked:
    """In `house` the value is only in cells that are in `other` too."""

    house: House
    other: House
    value: int
    cells: tuple[int, ...]
    """The cells of `house` with this candidate."""

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The candidates of the house."""
        return (tuple((cell, self.value) for cell in self.cells),)

    @property
    def houses(self) -> tuple[tuple[House, ...], ...]:
        """The house, then the other one."""
        return ((self.house,), (self.other,))

    def words(self, shape: Shape) -> str:
        """The reason in words."""
        return f"in {self.house}, {shape.symbol(self.value)} is only in {self.other}"


class LockedCandidates(Rule):
    """If a house has a value only in cells of another house, no other cell there has it.

    A box and a line give the techniques pointing and claiming. This rule takes any two houses,
    such as a window and a row, or two regions of different layouts.
    """

    name = "locked candidates"

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        """The cells to clear, by value, house and other house.

        A value has at least two places in the house; with one it is a hidden single.
        """
        houses, inside = board.shape.houses, house_sets(board.shape)
        for value, everywhere in enumerate(places(board), 1):
            for house, cells in zip(houses, inside, strict=True):
                here = everywhere & cells
                if here.bit_count() < 2:
                    continue
                line = tuple(members(here))
                for index in board.shape.houses_of[line[0]]:
                    rest = everywhere & inside[index] & ~here
                    if rest and not here & ~inside[index]:
                        reason = Locked(house, houses[index], value, line)
                        yield Elimination(removals(rest, value), reason)
