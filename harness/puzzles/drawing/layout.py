"""What is drawn of a puzzle: its regions, marked cells, and the candidates in a cell."""

from collections.abc import Sequence
from math import isqrt

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape

_REGIONS = ("box", "region")


def regions_of(shape: Shape) -> list[int]:
    """For each cell the number of its box or region, 0 without one."""
    found = [0] * shape.size**2
    regions = [house for house in shape.houses if house.kind in _REGIONS]
    for number, house in enumerate(regions, 1):
        for cell in house.cells:
            found[cell] = number
    return found


def cells_of_kind(shape: Shape, kind: str) -> dict[int, int]:
    """The cells in houses of a kind, each with the number of the last of these houses."""
    houses = [house for house in shape.houses if house.kind == kind]
    return {cell: house.number for house in houses for cell in house.cells}


def diagonals_of(shape: Shape) -> list[tuple[int, ...]]:
    """The cells of the houses that are diagonals: the falling one, then the rising one."""
    return [house.cells for house in shape.houses if house.kind == "diagonal"]


def candidate_grid(shape: Shape) -> tuple[int, int]:
    """Rows and columns of the candidates in a cell: those of a box, or nearly a square."""
    if shape.box is not None and shape.box[0] <= shape.box[1]:
        return shape.box
    columns = isqrt(shape.size - 1) + 1
    return (shape.size + columns - 1) // columns, columns


def candidates_of(puzzle: Puzzle, cell: int) -> list[int]:
    """The pencilmarks of a blank cell, ascending; none if the puzzle has no pencilmarks."""
    if puzzle.pencilmarks is None or puzzle.givens[cell]:
        return []
    return values_in(puzzle.pencilmarks[cell])


def values_in(bits: int) -> list[int]:
    """The values of a set of candidates, ascending."""
    return [value for value in range(1, bits.bit_length() + 1) if bits >> value - 1 & 1]


def is_border(regions: Sequence[int], size: int, row: int, column: int, *, below: bool) -> bool:
    """Whether a region ends below a cell, or to the right of it.

    Row and column count from 0, and -1 stands for the outside; so does `size`.
    """
    other = (row + 1, column) if below else (row, column + 1)
    inside = [0 <= at < size for at in (row, column, *other)]
    if not all(inside):
        # One of the two cells is outside: the frame, unless both are.
        return (inside[0] and inside[1]) != (inside[2] and inside[3])
    return regions[row * size + column] != regions[other[0] * size + other[1]]


def features_in_words(shape: Shape) -> list[str]:
    """Rules of a shape beyond rows, columns, boxes and regions."""
    kinds = [house.kind for house in shape.houses]
    words = {
        "diagonal": "both diagonals are houses",
        "window": f"{kinds.count('window')} windows are houses",
        "group": "cells at the same place of each box are a house",
        "house": "it has houses of its own",
    }
    found = [text for kind, text in words.items() if kind in kinds]
    if shape.pairs:
        found.append(f"{len(shape.pairs)} pairs of cells differ")
    return found
