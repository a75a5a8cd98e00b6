"""Houses and pairs, the sets of cells that make a shape."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Final

SMALLEST_BOXED: Final = 4
SMALLEST_LATIN: Final = 2

Pair = tuple[int, int]
"""Two cells that hold different values, the lower index first."""


@dataclass(frozen=True, slots=True)
class House:
    """`size` cells that hold every value once: a row, a column, a box."""

    kind: str
    """``row``, ``column``, ``box``, ``region``, ``diagonal``, ``window`` or ``group``."""
    number: int
    """From 1, counted over the houses of this kind."""
    cells: tuple[int, ...]
    """Row-major cell indices from 0, ascending."""

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


def digest_of(size: int, houses: Sequence[House], pairs: Sequence[Pair]) -> str:
    """A digest of the cells of houses and pairs, whatever their order and names."""
    cells = sorted({house.cells for house in houses})
    apart = f":{sorted(set(pairs))}" if pairs else ""
    return hashlib.sha256(f"{size}:{cells}{apart}".encode()).hexdigest()


def box_of(size: int) -> tuple[int, int] | None:
    """Rows and columns of the boxes of NxN, as square as possible; None if N is prime."""
    rows = next(r for r in range(isqrt(size), 0, -1) if size % r == 0)
    return (rows, size // rows) if rows > 1 else None
