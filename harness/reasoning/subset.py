"""What the reasons of naked and hidden subsets share."""

from dataclasses import dataclass

from harness.puzzles.house import House
from harness.reasoning.marks import Candidate


@dataclass(frozen=True, slots=True)
class Subset:
    """Cells of a house and as many values, which share out these cells."""

    house: House
    cells: tuple[int, ...]
    """Ascending."""
    values: tuple[int, ...]
    """Ascending."""

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The values in the cells."""
        return (tuple((cell, value) for cell in self.cells for value in self.values),)

    @property
    def houses(self) -> tuple[tuple[House, ...], ...]:
        """The house."""
        return ((self.house,),)
