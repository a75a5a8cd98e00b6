"""Hidden singles: a house has one cell left for a value."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.house import House
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Placement
from harness.reasoning.rule import Rule


@dataclass(frozen=True, slots=True)
class OnePlace:
    """No other cell of the house has the candidate."""

    house: House
    value: int

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the house."""
        return self.house.cells

    def words(self, shape: Shape) -> str:  # noqa: ARG002  a house has its name
        """The reason in words."""
        return f"no other cell of {self.house} can be {symbol_of(self.value)}"


class HiddenSingle(Rule):
    """A value that one cell of a house can have is in this cell: exclusion, or only choice."""

    name = "hidden single"

    def conclusions(self, board: Board) -> Iterator[Placement]:
        """The places that are the only ones in a house, by house, then by value."""
        candidates, values = board.candidates, board.values
        for house in board.shape.houses:
            once = more = placed = 0
            for cell in house.cells:
                of = candidates[cell]
                more |= once & of
                once |= of
                if values[cell]:
                    placed |= of
            once &= ~(more | placed)
            while once:
                bit = once & -once
                once ^= bit
                cell = next(cell for cell in house.cells if candidates[cell] & bit)
                yield Placement(cell, bit.bit_length(), OnePlace(house, bit.bit_length()))
