"""What the reasons of XY-wings and XYZ-wings share."""

from dataclasses import dataclass

from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.marks import Candidate


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
            ((self.pivot, shared), (pincer, self.value))
            for shared, pincer in zip(self.shared, self.pincers, strict=True)
        )

    def words(self, shape: Shape) -> str:
        """The two cases in which a pincer has the value."""
        pivot, first, second = map(shape.cell_name, self.cells)
        x, y, z = map(symbol_of, (*self.shared, self.value))
        return f"{pivot} is {x} and {first} is {z}, or {pivot} is {y} and {second} is {z}"
