"""What a reason lets a drawing mark: candidates, houses and pairs of candidates."""

from typing import Protocol, runtime_checkable

from harness.puzzles.house import House
from harness.reasoning.links import Link

Candidate = tuple[int, int]
"""A cell and a value."""


@runtime_checkable
class HasCandidates(Protocol):
    """A reason that is made of candidates."""

    @property
    def candidates(self) -> tuple[tuple[Candidate, ...], ...]:
        """The candidates in groups, such as two colours or the cases of a wing.

        A drawing leaves out those that the board does not have.
        """
        ...


@runtime_checkable
class HasHouses(Protocol):
    """A reason that is about houses."""

    @property
    def houses(self) -> tuple[tuple[House, ...], ...]:
        """The houses of the reason, such as base lines, then those that lose candidates."""
        ...


@runtime_checkable
class HasPairs(Protocol):
    """A reason with pairs of cells: one cell of each pair has the value."""

    @property
    def links(self) -> tuple[Link, ...]:
        """A link for each pair, in either direction."""
        ...
