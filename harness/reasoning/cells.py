"""Sets of cells as bits: bit 0 stands for cell 0."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from harness.puzzles.house import House
from harness.puzzles.shape import Shape
from harness.reasoning.board import Board

CellSet = int
"""A set of cells."""


def cell_set(cells: Iterable[int]) -> CellSet:
    """The set of `cells`."""
    found = 0
    for cell in cells:
        found |= 1 << cell
    return found


def union(sets: Iterable[int]) -> int:
    """The elements of all `sets`."""
    found = 0
    for of in sets:
        found |= of
    return found


def members(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, ascending: the cells of a set."""
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        yield lowest.bit_length() - 1


def house_sets(shape: Shape) -> tuple[CellSet, ...]:
    """The cells of each house of `shape`, in the order of its houses.

    There is no cache: equal shapes may have their houses in different orders.
    """
    return tuple(cell_set(house.cells) for house in shape.houses)


@lru_cache(maxsize=16)
def peer_sets(shape: Shape) -> tuple[CellSet, ...]:
    """The peers of each cell of `shape`."""
    return tuple(map(cell_set, shape.peers))


def places(board: Board) -> list[CellSet]:
    """For each value, from 1, the blank cells with this candidate."""
    found = [0] * board.shape.size
    for cell, of in enumerate(board.candidates):
        if not board.values[cell]:
            for index in members(of):
                found[index] |= 1 << cell
    return found


def removals(cells: CellSet, value: int) -> tuple[tuple[int, int], ...]:
    """Each of `cells` with `value`, as an elimination lists them."""
    return tuple((cell, value) for cell in members(cells))


def house_of_both(shape: Shape, one: int, other: int) -> House | None:
    """The first house with both cells, None if they are only a pair."""
    of_other = shape.houses_of[other]
    return next((shape.houses[h] for h in shape.houses_of[one] if h in of_other), None)
