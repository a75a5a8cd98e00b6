"""Shapes: a size and the houses, the sets of cells that hold every value once."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import isqrt

from harness.arguments import require
from harness.errors import PuzzleError
from harness.puzzles.house import (
    SMALLEST_BOXED,
    SMALLEST_LATIN,
    House,
    Pair,
    box_of,
    digest_of,
)
from harness.puzzles.shape_names import PATTERNS, Layout, definition_of, layout_of
from harness.puzzles.symbols import LARGEST


@dataclass(frozen=True, eq=False)
class Shape:
    """A square grid of `size` x `size` cells and its houses.

    Backends use only the houses and the pairs, so any sets of cells make a shape. Two
    shapes are equal if their houses and pairs cover the same cells, even under different
    names. Cells are numbered row by row from 0.
    """

    spec: str
    """The name: ``9x9``, ``box5x2``, ``latin7``, ``9x9+diagonal``."""
    size: int
    houses: tuple[House, ...] = field(repr=False)
    """The sets of cells that hold every value once."""
    box: tuple[int, int] | None = None
    """Rows and columns of a box, for drawing; None without boxes."""
    pairs: tuple[Pair, ...] = field(default=(), repr=False)
    """Cells that hold different values although no house has both, as in anti-knight Sudoku."""

    def __post_init__(self) -> None:
        ordered = sorted({(min(pair), max(pair)) for pair in self.pairs})
        object.__setattr__(self, "pairs", tuple(ordered))

    @staticmethod
    def parse(spec: str) -> "Shape":
        """The shape called `spec`, for instance ``16x16``, ``latin7`` or ``9x9+diagonal``.

        See `harness.puzzles.shape_names` for all names.

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
        if box_of(size) is None:
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
        if box_of(size) is None:
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
    def partners_of(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the other cells of its `pairs`, ascending."""
        found: list[set[int]] = [set() for _ in range(self.size**2)]
        for one, other in self.pairs:
            found[one].add(other)
            found[other].add(one)
        return tuple(tuple(sorted(cells)) for cells in found)

    @cached_property
    def peers(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the other cells of its houses and pairs, ascending.

        A cell and its peer hold different values.
        """
        return tuple(
            tuple(
                sorted(
                    {c for h in of for c in self.houses[h].cells}.union(self.partners_of[cell])
                    - {cell}
                )
            )
            for cell, of in enumerate(self.houses_of)
        )

    @cached_property
    def digest(self) -> str:
        """A digest of the cells of houses and pairs; equal shapes have equal digests."""
        return digest_of(self.size, self.houses, self.pairs)

    @cached_property
    def definition(self) -> str:
        """A text from which `parse` makes this shape: its name, or its houses and pairs."""
        return definition_of(Layout(self.spec, self.size, self.houses, self.box, self.pairs))

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
        return Shape, (self.spec, self.size, self.houses, self.box, self.pairs)


@lru_cache(maxsize=256)
def _parse(spec: str) -> Shape:
    return Shape(*layout_of(spec))


def _near_lengths(cells: int) -> str:
    lengths = [n * n for n in range(SMALLEST_BOXED, LARGEST + 1) if box_of(n)]
    below = [length for length in lengths if length < cells][-1:]
    above = [length for length in lengths if length > cells][:1]
    return " or ".join(
        f"{length} for {isqrt(length)}x{isqrt(length)}" for length in (*below, *above)
    )
