"""Reasons of rules that use a closed walk."""

from dataclasses import dataclass

from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.reasoning.links import Link, cells_of
from harness.reasoning.wording import listed


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
        """The reason in words: the cells with their links, and the two cases that these leave.

        ``R1C1 -3- R1C2 (row 1)`` is a link with the label 3 in row 1.
        """
        name = shape.cell_name
        after = (self.walk[-1], *self.walk[:-1])
        one = [f"{name(link.source)} is {symbol_of(link.value)}" for link in self.walk]
        other = [f"{name(link.target)} is {symbol_of(link.value)}" for link in after]
        links = " ".join(_leg(link, shape) for link in self.walk)
        cycle = f"{name(self.walk[0].source)} {links}"
        return f"the cycle {cycle} leaves two cases: {listed(one)}, or {listed(other)}"


def _leg(link: Link, shape: Shape) -> str:
    """The label of a link, its target and its house: ``-3- R1C2 (row 1)``."""
    house = f" ({link.house})" if link.house is not None else ""
    return f"-{symbol_of(link.value)}- {shape.cell_name(link.target)}{house}"
