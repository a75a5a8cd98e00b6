"""Conclusions of rules, and what every reason has."""

from dataclasses import dataclass
from typing import Protocol


class Reason(Protocol):
    """Why a conclusion holds, as data. Each rule has a class of its own, with more attributes."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells whose candidates make the conclusion hold."""
        ...


@dataclass(frozen=True, slots=True)
class Placement:
    """A cell has a value in every solution."""

    cell: int
    value: int
    reason: Reason


Conclusion = Placement
"""What a rule concludes from a board."""
