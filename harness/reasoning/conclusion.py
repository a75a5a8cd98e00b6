"""Conclusions of rules, and what every reason has."""

from dataclasses import dataclass
from typing import Protocol

from harness.puzzles.shape import Shape


class Reason(Protocol):
    """Why a conclusion holds, as data. Each rule has a class of its own, with more attributes."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells whose candidates make the conclusion hold."""
        ...

    def words(self, shape: Shape) -> str:
        """The reason as a clause in English that follows the conclusion and a colon."""
        ...


@dataclass(frozen=True, slots=True)
class Placement:
    """A cell has a value in every solution."""

    cell: int
    value: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Elimination:
    """Some candidates are part of no solution."""

    candidates: tuple[tuple[int, int], ...]
    """Pairs of a cell and a value, ascending; at least one, and each a candidate of the board."""
    reason: Reason


Conclusion = Placement | Elimination
"""What a rule concludes from a board."""
