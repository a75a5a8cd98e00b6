"""Links between cells, and graphs of links with labels."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from harness.puzzles.house import House
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of

State = tuple[int, int]
"""A cell, and the label of the link by which a walk enters or leaves it."""


@dataclass(frozen=True, slots=True)
class Link:
    """An edge in the direction of a walk.

    Strong: if `source` has not the value, `target` has it. Weak: if `source` has the value,
    `target` has the other one of its two candidates.
    """

    source: int
    target: int
    value: int
    """The label."""
    target_value: int
    """The value that the walk gives to `target`: the label if the link is strong."""
    house: House | None
    """A house with both cells; None for a weak link between the cells of a pair."""

    @property
    def is_strong(self) -> bool:
        """Whether the link is strong."""
        return self.value == self.target_value


@runtime_checkable
class HasWalks(Protocol):
    """A reason that is made of walks, which a drawing shows."""

    @property
    def walks(self) -> tuple[tuple[Link, ...], ...]:
        """The walks, such as one cycle or two arms; a walk may be empty."""
        ...


class LinkGraph:
    """A multigraph: its vertices are cells, and each edge has a value as its label.

    Several edges may join two cells; their labels differ.
    """

    def __init__(self, links: Iterable[Link]) -> None:
        """The graph of `links`, in which each edge occurs in both directions."""
        self.links: dict[int, list[Link]] = {}
        """The links that leave each cell; cells without one are absent."""
        self.leaving: dict[State, list[Link]] = {}
        """The links that leave each cell by each label."""
        self.value_after: dict[State, int] = {}
        """The value that a walk gives to a cell that it enters by a label."""
        for link in links:
            self.links.setdefault(link.source, []).append(link)
            self.leaving.setdefault((link.source, link.value), []).append(link)
            self.value_after[link.target, link.value] = link.target_value

    @property
    def edges(self) -> int:
        """The number of edges."""
        return sum(map(len, self.links.values())) // 2

    @property
    def every_link(self) -> list[Link]:
        """All links, by the cell that they leave."""
        return [link for cell in sorted(self.links) for link in self.links[cell]]


def cells_of(walk: Iterable[Link]) -> tuple[int, ...]:
    """The cells of a walk, each once, in its order."""
    return tuple(dict.fromkeys(cell for link in walk for cell in (link.source, link.target)))


def conditional(walk: Iterable[Link], shape: Shape) -> str:
    """A walk in words, link by link: ``R9C3 would be 4 (row 9), R9C6 would be 9 (not 2 in row 9)``.

    A strong link has the house in which no other cell is left for the value. A weak link has
    the value that its target loses, with a house of both cells if there is one.
    """
    return ", ".join(
        f"{shape.cell_name(link.target)} would be {symbol_of(link.target_value)}{_ground(link)}"
        for link in walk
    )


def _ground(link: Link) -> str:
    """Why the target of a link has its value, in parentheses."""
    if link.is_strong:
        return f" ({link.house})" if link.house is not None else ""
    inside = f" in {link.house}" if link.house is not None else ""
    return f" (not {symbol_of(link.value)}{inside})"
