"""Variants of Sudoku: further houses, and pairs of cells that differ.

=============  ================================================================
``diagonal``   both diagonals are houses (Sudoku-X)
``windoku``    the windows between the boxes are houses: four in a 9x9
``disjoint``   cells at the same place of every box are a house
``antiknight`` cells a knight's move apart differ
``antiking``   cells that touch at a corner differ
=============  ================================================================
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

from harness.errors import PuzzleError
from harness.puzzles.house import House, Pair


class Grounds(NamedTuple):
    """The shape to which a variant is added."""

    name: str
    size: int
    box: tuple[int, int] | None
    """Rows and columns of a box; None without boxes."""


class Additions(NamedTuple):
    """What variants add to a shape."""

    houses: tuple[House, ...]
    pairs: tuple[Pair, ...]


def additions(names: Sequence[str], grounds: Grounds, houses: Sequence[House]) -> Additions:
    """The houses and pairs that these variants add to `grounds`, which has `houses`.

    Pairs that a house already separates are left out.

    Raises:
        PuzzleError: a variant needs other boxes.
    """
    added = tuple(h for name in names if name in HOUSES for h in HOUSES[name](grounds))
    together = [set(house.cells) for house in (*houses, *added)]
    pairs = {p for name in names if name in MOVES for p in _pairs(grounds.size, MOVES[name])}
    apart = (p for p in sorted(pairs) if not any(cells.issuperset(p) for cells in together))
    return Additions(added, tuple(apart))


def _diagonals(grounds: Grounds) -> Iterator[House]:
    size = grounds.size
    yield House("diagonal", 1, tuple(range(0, size * size, size + 1)))
    yield House("diagonal", 2, tuple(range(size - 1, size * size - 1, size - 1)))


def _windows(grounds: Grounds) -> Iterator[House]:
    size = grounds.size
    if grounds.box is None or grounds.box[0] != grounds.box[1] or grounds.box[0] < 3:
        raise PuzzleError(
            f"{grounds.name} has no windows", expected="square boxes of 3x3 or larger: 9x9, 16x16"
        )
    side = grounds.box[0]
    corners = range(1, size - side, side + 1)
    for number, (top, left) in enumerate(product(corners, corners), 1):
        rows = range(top, top + side)
        cells = (row * size + left + column for row in rows for column in range(side))
        yield House("window", number, tuple(cells))


def _groups(grounds: Grounds) -> Iterator[House]:
    if grounds.box is None:
        raise PuzzleError(f"{grounds.name} has no disjoint groups", expected="a shape with boxes")
    size, (height, width) = grounds.size, grounds.box
    for place in range(size):
        row, column = divmod(place, width)
        cells = (
            top * size + left
            for top in range(row, size, height)
            for left in range(column, size, width)
        )
        yield House("group", place + 1, tuple(cells))


def _pairs(size: int, moves: Sequence[tuple[int, int]]) -> Iterator[Pair]:
    """All cells that are one of these moves apart; moves go down, so each pair comes once."""
    for cell in range(size * size):
        row, column = divmod(cell, size)
        for down, right in moves:
            if row + down < size and 0 <= column + right < size:
                yield cell, cell + down * size + right


HOUSES: Final[dict[str, Callable[[Grounds], Iterator[House]]]] = {
    "diagonal": _diagonals,
    "windoku": _windows,
    "disjoint": _groups,
}
"""The variants that add houses."""
MOVES: Final[dict[str, tuple[tuple[int, int], ...]]] = {
    "antiknight": ((1, -2), (1, 2), (2, -1), (2, 1)),
    "antiking": ((1, -1), (1, 1)),
}
"""The variants that add pairs: moves in rows and columns between cells that differ."""
VARIANTS: Final = (*HOUSES, *MOVES)
"""The names of all variants, in the order in which a shape's name has them."""
