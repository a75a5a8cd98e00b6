"""Reasons of rules that use a closed walk."""

from dataclasses import dataclass

from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.links import Link, cells_of


@dataclass(frozen=True, slots=True)
class ClosedWalk:
    """A walk that returns to its first cell; what it proves is in the words of a subclass."""

    walk: tuple[Link, ...]
    """The links; the last one returns to the source of the first."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the walk, each once, in its order."""
        return cells_of(self.walk)

    @property
    def walks(self) -> tuple[tuple[Link, ...], ...]:
        """The walk, for a drawing."""
        return (self.walk,)


@dataclass(frozen=True, slots=True)
class NonrepetitiveCycle(ClosedWalk):
    """A closed walk whose labels differ at each cell, the first one too.

    Each link gives its value to one of its two cells. Either all sources have the values of
    their links, or all targets have them.
    """

    def words(self, shape: Shape) -> str:
        """The reason in words: the two cases that the links of the cycle leave."""
        name = shape.cell_name
        after = (self.walk[-1], *self.walk[:-1])
        one = ", ".join(f"{name(link.source)} is {symbol_of(link.value)}" for link in self.walk)
        other = ", ".join(f"{name(link.target)} is {symbol_of(link.value)}" for link in after)
        return f"a cycle leaves two cases, {one}, or {other}"
