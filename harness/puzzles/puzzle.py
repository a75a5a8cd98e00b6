"""A puzzle: a shape and its givens."""

import hashlib
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, cast

from harness.errors import InputError
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import VALUES, describe, symbol_of, value_of

Grid = tuple[int, ...]
"""The values of all cells, row by row: 1 to size in a complete grid, 0 for a blank."""

_SYMBOLS: Final = b"." + VALUES.encode("ascii").ljust(255, b"?")
"""The symbol of each value, as `bytes.translate` wants it."""

_VALUES: Final = bytes(
    0 if chr(symbol) == "." else VALUES.find(chr(symbol)) + 1 for symbol in range(256)
)
"""The value of each symbol, likewise."""

_ROW_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Puzzle:
    """A shape and its givens, 0 where a cell is blank.

    The givens may contradict each other: whether a puzzle has a solution is
    what backends are asked. They are never out of range.

    Raises:
        InputError: there are not `size`^2 givens, or one is not in 0..`size`.
    """

    shape: Shape
    givens: Grid

    def __post_init__(self) -> None:
        size = self.shape.size
        if len(self.givens) != size * size:
            raise InputError(
                f"{len(self.givens)} cells for {self.shape}", expected=f"{size * size} cells"
            )
        if _are_values(self.givens, 0, size):
            return
        for cell, value in enumerate(self.givens):
            if type(value) is not int or not 0 <= value <= size:
                raise InputError(
                    f"{reprlib.repr(value)} is no value of {self.shape}",
                    where=self.shape.cell_name(cell),
                    expected=f"0 to {size}",
                )

    @staticmethod
    def parse(text: str, shape: Shape | None = None) -> "Puzzle":
        """The one puzzle in `text`: a line, a grid of lines or a boxed grid.

        Without a `shape` it follows from the length.

        Raises:
            InputError: `text` holds no puzzle or several, or is malformed; it
                names line and column.
        """
        from harness.puzzles.formats import read_text

        read = list(read_text(text, shape, where="puzzle"))
        if len(read) != 1:
            raise InputError(f"the text holds {len(read)} puzzles", expected="one puzzle")
        return read[0].puzzle

    @staticmethod
    def from_rows(rows: Sequence[Sequence[int]], shape: Shape | None = None) -> "Puzzle":
        """A puzzle from nested lists of integers, 0 for a blank (seed 002).

        Without a `shape` the boxed shape of that many rows is meant.

        Raises:
            InputError: the rows are not square, or a value is out of range.
        """
        size = shape.size if shape else len(rows)
        lengths = {len(row) for row in rows}
        if len(rows) != size or (len(lengths) == 1 and size not in lengths):
            each = f" of {lengths.pop()} cells" if len(lengths) == 1 else ""
            raise InputError(
                f"{len(rows)} rows{each}",
                expected=f"{size} rows of {size} cells" if shape else "as many rows as columns",
            )
        for number, row in enumerate(rows, 1):
            if len(row) != size:
                raise InputError(
                    f"{len(row)} cells", where=f"row {number}", expected=f"{size} cells"
                )
        if shape is None:
            shape = Shape.of_side(size)
        return Puzzle(shape, tuple(value for row in rows for value in row))

    @staticmethod
    def from_cells(cells: Mapping[str, str | int], shape: Shape | None = None) -> "Puzzle":
        """A puzzle from a dict of cells ``A1`` to ``I9`` (seed 000).

        Rows are letters and columns numbers from 1. A value is its symbol or an
        integer; ``"."``, ``"0"``, 0 and ``"123456789"`` (every value still
        possible) are blanks, and so is a cell that is left out. Without a
        `shape` it follows from the number of cells.

        Raises:
            InputError: a key or a value cannot be read.
        """
        if shape is None:
            shape = Shape.of_length(len(cells))
        names = {name: cell for cell, name in enumerate(_cell_keys(shape))}
        every = "".join(symbol_of(value) for value in range(1, shape.size + 1))
        givens = [0] * shape.size**2
        for key, text in cells.items():
            if key not in names:
                last = next(reversed(names))
                raise InputError(f"no cell {key!r} in {shape}", expected=f"A1 to {last}")
            value = 0 if text == every else _value(text)
            if value is None or not 0 <= value <= shape.size:
                raise InputError(
                    f"{reprlib.repr(text)} is no value of {shape}",
                    where=key,
                    expected=f"{describe(shape.size)}, or . or 0 for a blank",
                )
            givens[names[key]] = value
        return Puzzle(shape, tuple(givens))

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits that depend on houses and givens alone."""
        content = f"{self.shape.digest}:{','.join(map(str, self.givens))}"
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    @cached_property
    def line(self) -> str:
        """The givens as one line, ``.`` for a blank."""
        return line_of(self.givens)

    @property
    def clues(self) -> int:
        """The number of givens."""
        return sum(1 for value in self.givens if value)

    def rows(self) -> list[list[int]]:
        """The givens as nested lists, 0 for a blank."""
        size = self.shape.size
        return [list(self.givens[start : start + size]) for start in range(0, size * size, size)]

    def cells(self) -> dict[str, str]:
        """The givens as a dict ``A1`` to ``I9``, ``"."`` for a blank.

        Raises:
            InputError: there are more rows than letters.
        """
        return dict(zip(_cell_keys(self.shape), self.line, strict=True))


def line_of(grid: Grid) -> str:
    """`grid` as one line, a symbol a cell and ``.`` for a blank."""
    return "".join(map(symbol_of, grid))


def line_of_values(grid: object, shape: Shape) -> str | None:
    """A complete grid as a line; None where `grid` is not a list or tuple of values of `shape`."""
    if not isinstance(grid, list | tuple) or len(grid) != shape.size**2:
        return None
    if not _are_values(grid, 1, shape.size):
        return None
    return bytes(grid).translate(_SYMBOLS).decode("ascii")


def _are_values(values: Sequence[object], least: int, most: int) -> bool:
    """Whether all are plain integers in this range: asked of every grid, so without a loop."""
    if {*map(type, values)} != {int}:
        return False
    try:
        return not bytes(cast("Sequence[int]", values)).translate(
            None, bytes(range(least, most + 1))
        )
    except ValueError:  # beyond a byte
        return False


def values_of_line(line: str) -> Grid:
    """The values in `line`, which `line_of` wrote."""
    return tuple(line.encode("ascii").translate(_VALUES))


def _cell_keys(shape: Shape) -> list[str]:
    if shape.size > len(_ROW_LETTERS):
        raise InputError(
            f"{shape} has more rows than there are letters",
            expected=f"at most {len(_ROW_LETTERS)} rows",
        )
    rows, columns = _ROW_LETTERS[: shape.size], range(1, shape.size + 1)
    return [f"{row}{column}" for row in rows for column in columns]


def _value(value: object) -> int | None:
    if isinstance(value, str):
        return value_of(value)
    return value if type(value) is int else None
