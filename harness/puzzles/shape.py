"""Shapes: a size and the houses, the sets of cells that hold every value once."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import isqrt
from typing import Final

from harness.arguments import require
from harness.errors import PuzzleError
from harness.puzzles.symbols import LARGEST

SMALLEST_BOXED: Final = 4
SMALLEST_LATIN: Final = 2
PATTERNS: Final = "9x9 (any size from 4x4 to 36x36 with boxes), box5x2 or latin7"


@dataclass(frozen=True, slots=True)
class House:
    """`size` cells that hold every value once: a row, a column, a box."""

    kind: str
    """``row``, ``column`` or ``box``."""
    number: int
    """From 1, counted over the houses of this kind."""
    cells: tuple[int, ...]
    """Row-major cell indices from 0, ascending."""

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


@dataclass(frozen=True, eq=False)
class Shape:
    """A square grid of `size` x `size` cells and its houses.

    Backends use only the houses, so any set of houses makes a shape. Two shapes are
    equal if their houses cover the same cells, even under different names. Cells are
    numbered row by row from 0.
    """

    spec: str
    """The name, as `Shape.parse` takes it: ``9x9``, ``box5x2``, ``latin7``."""
    size: int
    houses: tuple[House, ...] = field(repr=False)
    """The sets of cells that hold every value once."""
    box: tuple[int, int] | None = None
    """Rows and columns of a box, for drawing; None without boxes."""

    @staticmethod
    def parse(spec: str) -> "Shape":
        """The shape called `spec`, for instance ``16x16``, ``box5x2`` or ``latin7``.

        ``NxN`` has boxes as square as possible, otherwise wider than high: ``6x6`` has
        boxes of 2 rows and 3 columns. ``boxRxC`` has boxes of R rows and C columns.

        Raises:
            PuzzleError: no shape has this name.
        """
        require(spec, str, "spec", f"the name of a shape: {PATTERNS}", PuzzleError)
        return _parse(spec.strip().lower())

    @staticmethod
    def chosen(shape: "Shape | str | None") -> "Shape | None":
        """The shape that an argument `shape` chooses, itself or by its name; None for None.

        Raises:
            PuzzleError: no shape has this name.
            OptionError: the argument is something else.
        """
        if isinstance(shape, str):
            return Shape.parse(shape)
        require(shape, (Shape, type(None)), "shape", "a Shape or its name")
        return shape

    @staticmethod
    def of_length(cells: int) -> "Shape":
        """The boxed shape with this number of `cells`.

        Raises:
            PuzzleError: no boxed shape has this number of cells, or the number is
                ambiguous (729 characters may be a 27x27 grid or the candidates of a
                9x9).
        """
        size = isqrt(max(cells, 0))
        if size * size != cells or size > LARGEST or size < 2:
            number = f"{cells} cell{'' if cells == 1 else 's'}"
            raise PuzzleError(f"no shape has {number}", expected=_near_lengths(cells))
        if cells == 729:
            raise PuzzleError(
                "729 cells may be a 27x27 grid or the candidates of a 9x9",
                expected="the shape by name, for instance --shape 27x27",
            )
        if _box_of(size) is None:
            raise PuzzleError(
                f"{cells} cells make {size}x{size}, which has no boxes",
                expected=f"the shape by name, for instance --shape latin{size}",
            )
        return Shape.parse(f"{size}x{size}")

    @staticmethod
    def of_side(size: int) -> "Shape":
        """The boxed shape with this number of rows, its `size`.

        Raises:
            PuzzleError: no boxed shape has this number of rows.
        """
        if not SMALLEST_LATIN <= size <= LARGEST:
            raise PuzzleError(
                f"no shape has a side of {size}", expected=f"{SMALLEST_BOXED} to {LARGEST} cells"
            )
        if _box_of(size) is None:
            raise PuzzleError(
                f"{size}x{size} has no boxes",
                expected=f"the shape by name, for instance --shape latin{size}",
            )
        return Shape.parse(f"{size}x{size}")

    @cached_property
    def houses_of(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the indices of its houses in `houses`."""
        found: list[list[int]] = [[] for _ in range(self.size**2)]
        for index, house in enumerate(self.houses):
            for cell in house.cells:
                found[cell].append(index)
        return tuple(map(tuple, found))

    @cached_property
    def peers(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the other cells that share a house with it, ascending."""
        return tuple(
            tuple(sorted({c for h in of for c in self.houses[h].cells} - {cell}))
            for cell, of in enumerate(self.houses_of)
        )

    @cached_property
    def digest(self) -> str:
        """A digest of the houses' cells; equal shapes have equal digests."""
        houses = sorted({house.cells for house in self.houses})
        return hashlib.sha256(f"{self.size}:{houses}".encode()).hexdigest()

    def cell_name(self, cell: int) -> str:
        """The name of the `cell` with this index: ``R1C1``, row and column from 1, for 0."""
        row, column = divmod(cell, self.size)
        return f"R{row + 1}C{column + 1}"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Shape) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __str__(self) -> str:
        return self.spec

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """By its name, or by its houses if the name has others or none."""
        try:
            named = Shape.parse(self.spec)
        except PuzzleError:
            named = None
        if named is self or (named == self and named.houses == self.houses):
            return Shape.parse, (self.spec,)
        return Shape, (self.spec, self.size, self.houses, self.box)


@lru_cache(maxsize=256)
def _parse(spec: str) -> Shape:
    if match := re.fullmatch(r"latin([0-9]{1,4})", spec):
        size = int(match[1])
        if not SMALLEST_LATIN <= size <= LARGEST:
            raise PuzzleError(
                f"unknown shape {spec!r}", expected=f"latin{SMALLEST_LATIN} to latin{LARGEST}"
            )
        return Shape(f"latin{size}", size, tuple(_lines(size)))
    if match := re.fullmatch(r"box([0-9]{1,4})x([0-9]{1,4})", spec):
        rows, columns = int(match[1]), int(match[2])
        if min(rows, columns) < 2 or rows * columns > LARGEST:
            raise PuzzleError(
                f"unknown shape {spec!r}",
                expected=f"boxes of at least 2 rows and 2 columns and at most {LARGEST} cells",
            )
        return _boxed(rows, columns)
    if match := re.fullmatch(r"([0-9]{1,4})x([0-9]{1,4})", spec):
        size = int(match[1])
        if size != int(match[2]):
            raise PuzzleError(f"unknown shape {spec!r}", expected=f"a square: {PATTERNS}")
        if not SMALLEST_BOXED <= size <= LARGEST:
            raise PuzzleError(f"unknown shape {spec!r}", expected=PATTERNS)
        box = _box_of(size)
        if box is None:
            raise PuzzleError(
                f"{spec} has no boxes because {size} is prime", expected=f"latin{size}"
            )
        return _boxed(*box)
    raise PuzzleError(f"unknown shape {spec!r}", expected=PATTERNS)


def _boxed(rows: int, columns: int) -> Shape:
    size = rows * columns
    spec = f"{size}x{size}" if _box_of(size) == (rows, columns) else f"box{rows}x{columns}"
    return Shape(spec, size, (*_lines(size), *_boxes(rows, columns)), (rows, columns))


def _box_of(size: int) -> tuple[int, int] | None:
    """Rows and columns of the boxes of NxN, None if N is prime."""
    rows = next(r for r in range(isqrt(size), 0, -1) if size % r == 0)
    return (rows, size // rows) if rows > 1 else None


def _lines(size: int) -> Iterator[House]:
    for row in range(size):
        yield House("row", row + 1, tuple(range(row * size, (row + 1) * size)))
    for column in range(size):
        yield House("column", column + 1, tuple(range(column, size * size, size)))


def _boxes(rows: int, columns: int) -> Iterator[House]:
    size = rows * columns
    for box in range(size):
        top = box // rows * rows
        left = box % rows * columns
        cells = ((top + r) * size + left + c for r in range(rows) for c in range(columns))
        yield House("box", box + 1, tuple(cells))


def _near_lengths(cells: int) -> str:
    lengths = [n * n for n in range(SMALLEST_BOXED, LARGEST + 1) if _box_of(n)]
    below = [length for length in lengths if length < cells][-1:]
    above = [length for length in lengths if length > cells][:1]
    return " or ".join(
        f"{length} for {isqrt(length)}x{isqrt(length)}" for length in (*below, *above)
    )
