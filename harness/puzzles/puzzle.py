"""A puzzle: a shape and its givens; an instance: a puzzle of a dataset."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import msgspec

from harness.base.errors import PuzzleError, invalid, require
from harness.base.text import number_of, short_repr
from harness.puzzles.shape import LETTERED, VALUES, Shape, describe, symbol_of, value_of
from harness.puzzles.solution_count import SolutionCount

Grid = tuple[int, ...]
"""The values of all cells, row by row: 1 to size in a complete grid, 0 for a blank."""

Pencilmarks = tuple[int, ...]
"""The candidates of all cells as bits, row by row: 0b101 for the values 1 and 3."""

_NONZERO: Final = bytes(range(1, 256))
_encode: Final = msgspec.msgpack.Encoder().encode
_SYMBOLS: Final = b"." + VALUES.encode("ascii").ljust(255, b"?")
"""The symbol of each value, a table for `bytes.translate`."""

_VALUES: Final = bytes(
    0 if chr(symbol) == "." else VALUES.find(chr(symbol)) + 1 for symbol in range(256)
)
"""The value of each symbol, a table for `bytes.translate`."""

_BLANK: Final = "."
_NUMBERS: Final = (_BLANK, *map(str, range(1, 256)))

_ROWS: Final = "text, or lists or an array of cells, 0 for a blank"
_MISSING: Final = "an empty cell"
_BLANKS: Final[dict[object, str]] = {
    **{symbol: str(symbol) for symbol in (0, -1, "0", "-1", *".*_-Xx\u00b7")},
    **dict.fromkeys((None, "", "None", "null", "nan", "NaN", "NA", "<NA>"), _MISSING),
}
"""The kind of each blank cell; a puzzle has blanks of one kind."""
_WHOLE: Final = re.compile(r"(?<=[0-9])\.0$")
"""What a whole number has among numbers with a point."""
_ROW_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Puzzle:
    """A shape and its givens, 0 for a blank cell; perhaps with pencilmarks (sukaku).

    The givens may contradict each other; backends detect that.

    Pencilmarks restrict the candidates of a cell. A cell with a single candidate is a given,
    and pencilmarks that restrict nothing are None, so that puzzles that differ only in
    this are equal.

    Raises:
        PuzzleError: the number of givens or pencilmarks is not size * size, a value is out of
            range, or a given is not among its pencilmarks.
    """

    shape: Shape
    """The shape, with its houses."""
    givens: Grid
    """The value of each cell, row by row; 0 for a blank."""
    pencilmarks: Pencilmarks | None = None
    """The candidates of each cell as bits; None if every blank cell may have every value."""

    def __post_init__(self) -> None:
        require(self.shape, Shape, "shape", "a Shape", PuzzleError)
        if not isinstance(self.givens, tuple):
            givens = _list_of(self.givens, "givens", "a tuple of values, 0 for a blank")
            object.__setattr__(self, "givens", tuple(givens))
        size = self.shape.size
        if len(self.givens) != size * size:
            problem = f"{number_of(len(self.givens), 'cell')} for {self.shape}"
            raise PuzzleError(problem, expected=f"{size * size} cells")
        values = _bytes_of(self.givens)
        if values is None or values.translate(None, b"\0" + _NONZERO[:size]):
            for cell, value in enumerate(self.givens):
                if type(value) is not int or not 0 <= value <= size:
                    problem = f"{short_repr(value)} is not a value of {self.shape}"
                    expected = f"0 to {size}"
                    raise PuzzleError(problem, where=self.shape.cell_name(cell), expected=expected)
        if self.pencilmarks is not None:
            givens, marks = _normal_form(self.shape, self.givens, self.pencilmarks)
            object.__setattr__(self, "givens", givens)
            object.__setattr__(self, "pencilmarks", marks)

    @staticmethod
    def from_rows(rows: object, shape: Shape | str | None = None) -> "Puzzle":
        """A puzzle from its cells: nested or flat lists, a string for each row, an array, a frame.

        A cell is an integer or a symbol. A blank is 0, -1 or a symbol such as ``.``; or None,
        NaN or an empty string. Without a `shape` the number of `rows` or cells determines it,
        with boxes. This is also the notation of the article "你会玩数独么?".

        Raises:
            PuzzleError: the rows do not form a square, a cell is not a value, or there are two
                kinds of blanks.
        """
        shape = Shape.choose(shape)
        cells = [_plain(item) for item in _list_of(rows, "rows", _ROWS)]
        while len(cells) == 1 and _is_row(cells[0]) and cells[0]:  # an array of one puzzle
            cells = _cells_of(cells[0], 1)
        if cells and all(isinstance(row, list | tuple) and len(row) == 1 for row in cells):
            cells = [cell for row in cells for cell in _cells_of(row, 1)]  # a column of cells
        if cells and all(map(_is_row, cells)):
            size = shape.size if shape else len(cells)
            nested = [_cells_of(row, size) for row in cells[: size + 1]]
            if all(
                row and all(isinstance(c, list | tuple) and c[1:] for c in row) for row in nested
            ):
                problem = "an array of more than two dimensions"
                raise PuzzleError(problem, where="rows", expected=_ROWS)
            lengths = {len(row) for row in nested}
            if len(cells) != size or (len(lengths) == 1 and size not in lengths):
                lengths_in_words = (
                    f" of {number_of(lengths.pop(), 'cell')}" if len(lengths) == 1 else ""
                )
                sides = f"{size} rows of {size} cells" if shape else "as many rows as columns"
                problem = f"{number_of(len(cells), 'row')}{lengths_in_words}"
                raise PuzzleError(problem, expected=f"one puzzle, with {sides}")
            for number, row in enumerate(nested, 1):
                if len(row) != size:
                    where, expected = f"row {number}", f"{size} cells"
                    problem = number_of(len(row), "cell")
                    raise PuzzleError(problem, where=where, expected=expected)
            cells = [cell for row in nested for cell in row]
        if shape is None:
            shape = Shape.of_length(len(cells))
            return Puzzle(shape, _values_of(cells, shape)).of_certain_size()
        return Puzzle(shape, _values_of(cells, shape))

    def of_certain_size(self) -> "Puzzle":
        """This puzzle, whose text determines its size.

        Raises:
            PuzzleError: there is a `size_doubt`.
        """
        if self.size_doubt:
            problem, expected = self.size_doubt
            raise PuzzleError(problem, expected=f"{expected}, or --shape {self.shape}")
        return self

    @property
    def size_doubt(self) -> tuple[str, str] | None:
        """Why the cells may be no puzzle of this size, and what they should be; None if they are.

        The first row and column count, as those around a table do; or 0 is a value; or many
        givens have no large value, as those of several smaller puzzles.
        """
        shape, givens = self.shape, self.givens
        size = shape.size
        rows = (givens[:size], givens[-size:])
        columns = (givens[::size], givens[size - 1 :: size])
        if size > 8 and not givens[0] and max(givens) < size:
            labels = {tuple(sorted(line[1:])) for line in (rows[0], columns[0])}  # in any order
            if labels <= {tuple(range(first, first + size - 1)) for first in (0, 1)}:
                return f"labels of rows and columns in {shape}", "only the cells"
        if size > 8 and any(map(_counts, rows)) and any(map(_counts, columns)):
            return f"a row and a column around {shape} count the others", "only the cells"
        if self.clues == size * (size - 1) and max(givens) < size:
            problem = f"a blank in every row, and no {shape.symbol(size)} in {shape}"
            return problem, "--symbols from-zero if 0 is a value"
        if self.clues >= _MANY_CLUES and 2 * max(givens) <= size:
            problem = f"no value above {max(givens)} in {self.clues} givens of {shape}"
            return problem, "smaller puzzles below each other"
        return None

    @staticmethod
    def from_cells(cells: Mapping[str, str | int], shape: Shape | str | None = None) -> "Puzzle":
        """A puzzle from a dict of `cells` ``A1`` to ``I9``.

        Rows are letters and columns numbers from 1. A value is a symbol or an integer;
        ``"."``, ``"0"``, 0, ``"123456789"`` (all candidates) and a missing key mean a
        blank. Without a `shape` the number of cells determines it. This is the notation
        of the tutorial "AI之矛 数独Agent".

        Raises:
            PuzzleError: a key or a value is malformed.
        """
        require(cells, Mapping, "cells", "a dict of cells A1 to I9", PuzzleError)
        shape = Shape.choose(shape)
        if shape is None:
            try:
                shape = Shape.of_length(len(cells))
            except PuzzleError as error:
                expected = f"{error.expected}, or a shape for the givens alone"
                raise PuzzleError(error.what, where="cells", expected=expected) from None
        names = {name: cell for cell, name in enumerate(_cell_keys(shape))}
        every = "".join(map(shape.symbol, range(1, shape.size + 1)))
        givens = [0] * shape.size**2
        for key, text in cells.items():
            if key not in names:
                last = next(reversed(names))
                raise PuzzleError(f"unknown cell {key!r} of {shape}", expected=f"A1 to {last}")
            value = 0 if text == every else _value(text)
            if value is None or not 0 <= value <= shape.size:
                problem = f"{short_repr(text)} is not a value of {shape}"
                expected = f"{describe(shape.size)}, or . or 0 for a blank"
                raise PuzzleError(problem, where=key, expected=expected)
            givens[names[key]] = value
        return Puzzle(shape, tuple(givens))

    @staticmethod
    def of_line(line: str, shape: Shape) -> "Puzzle":
        """The puzzle of this `shape` on a `line`: a symbol for each cell or each candidate.

        Above 36x36 the line has a number or a list of candidates such as ``1,57`` for each cell.

        Raises:
            PuzzleError: the line has another length, or a value is out of range.
        """
        size = shape.size
        if size > LETTERED:
            return _of_numbers(shape, line)
        if len(line) != size**3:
            return _of_values(shape, line.encode("ascii").translate(_VALUES))
        marks = (line[at : at + size] for at in range(0, len(line), size))
        bits = (
            sum(1 << at for at, symbol in enumerate(symbols) if symbol != ".") for symbols in marks
        )
        return Puzzle(shape, (0,) * size**2, tuple(bits))

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits, a digest of the houses, the givens and the pencilmarks."""
        content = f"{self.shape.digest}:{','.join(map(str, self.givens))}"
        if self.pencilmarks is not None:
            content += f":{','.join(map(str, self.pencilmarks))}"
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    @cached_property
    def line(self) -> str:
        """The puzzle as one line: a symbol for each cell, ``.`` for a blank.

        With pencilmarks it has `size` symbols for each cell, ``.`` for a value that the cell
        cannot have. Above 36x36 blanks separate numbers, and commas the candidates of a cell.
        """
        if self.pencilmarks is None:
            return line_of(self.givens)
        if self.shape.size > LETTERED:
            lists = (values_in(bits) for bits in self.pencilmarks)
            texts = (
                _BLANK if len(values) == self.shape.size else ",".join(map(str, values))
                for values in lists
            )
            return " ".join(text or "," for text in texts)
        values = range(self.shape.size)
        return "".join(
            symbol_of(value + 1) if marks >> value & 1 else "."
            for marks in self.pencilmarks
            for value in values
        )

    @property
    def clues(self) -> int:
        """The number of givens."""
        return len(self.givens) - self.givens.count(0)

    @cached_property
    def allowed(self) -> Pencilmarks:
        """The values that each cell may have as bits: its given, its pencilmarks, or all.

        Givens of other cells exclude nothing here.
        """
        if self.pencilmarks is not None:
            return self.pencilmarks
        every = (1 << self.shape.size) - 1
        return tuple(1 << value - 1 if value else every for value in self.givens)

    def candidates(self, cell: int) -> list[int]:
        """The values that a `cell` may have and that no peer has as its given, ascending."""
        peer_values = {self.givens[peer] for peer in self.shape.peers[cell]}
        return [value for value in values_in(self.allowed[cell]) if value not in peer_values]

    def rows(self) -> list[list[int]]:
        """The givens as nested lists, 0 for a blank."""
        size = self.shape.size
        return [list(self.givens[start : start + size]) for start in range(0, size * size, size)]

    def cells(self) -> dict[str, str]:
        """The givens as a dict ``A1`` to ``I9``, ``"."`` for a blank.

        Raises:
            PuzzleError: the shape has more rows than the alphabet has letters.
        """
        return dict(zip(_cell_keys(self.shape), self.line, strict=True))


def _counts(line: Sequence[int]) -> bool:
    """Whether a row or column counts up or down, perhaps but for the corner at one of its ends."""
    for part in (line[1:], line[:-1]):
        step = part[1] - part[0]
        if step in (1, -1) and all(second - first == step for first, second in pairwise(part)):
            return True
    return False


_MANY_CLUES: Final = 12
"""Givens that a single puzzle of any size has with a value in its larger half."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A puzzle of a dataset, with the dataset's information about it."""

    name: str
    """The name that the dataset gives, or the number of the puzzle in its file."""
    puzzle: Puzzle
    """The puzzle itself."""
    expected_count: SolutionCount | None = None
    """The known number of solutions, if the dataset gives it."""
    source: str | None = None
    """Where the puzzle comes from, if the dataset states it."""
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Further information by name: ratings, labels, comments."""
    scramble: str = ""
    """The seed of the scramble that made the puzzle; empty if it is as in the dataset."""
    original: Puzzle | None = None
    """The puzzle in the dataset, if `puzzle` is a scramble of it."""
    notes: tuple[str, ...] = ()
    """How its text is understood, and what is passed over."""


def _normal_form(
    shape: Shape, givens: Grid, pencilmarks: object
) -> tuple[Grid, Pencilmarks | None]:
    """Givens and pencilmarks; a single candidate becomes a given, a given the only candidate.

    Raises:
        PuzzleError: pencilmarks are malformed, or exclude a given.
    """
    size = shape.size
    every = (1 << size) - 1
    marks = _list_of(pencilmarks, "pencilmarks", "the candidates of each cell as bits")
    if len(marks) != size**2:
        problem = f"pencilmarks of {len(marks)} cells for {shape}"
        raise PuzzleError(problem, expected=f"{size**2} cells")
    values = list(givens)
    for cell, (value, bits) in enumerate(zip(givens, marks, strict=True)):
        if type(bits) is not int or not 0 <= bits <= every:
            problem = f"{short_repr(bits)} is not a set of candidates of {shape}"
            expected = f"0 to {every}, a bit for each value"
            raise PuzzleError(problem, where=shape.cell_name(cell), expected=expected)
        if value and not bits >> value - 1 & 1:
            problem = f"{shape.symbol(value)} is given but is not among the pencilmarks"
            expected = "pencilmarks with the given"
            raise PuzzleError(problem, where=shape.cell_name(cell), expected=expected)
        if value:
            marks[cell] = 1 << value - 1
        elif bits.bit_count() == 1:
            values[cell] = bits.bit_length()
    is_restricted = any(
        bits != every for value, bits in zip(values, marks, strict=True) if not value
    )
    return tuple(values), tuple(marks) if is_restricted else None


def values_in(bits: int) -> list[int]:
    """The values of a set of candidates, given as `bits`, ascending."""
    return [value for value in range(1, bits.bit_length() + 1) if bits >> value - 1 & 1]


def line_of(grid: Grid | bytes) -> str:
    """`grid` as one line, one symbol per cell and ``.`` for a blank; numbers above 36x36."""
    if len(grid) > LETTERED**2:
        return " ".join(map(_NUMBERS.__getitem__, grid))
    return bytes(grid).translate(_SYMBOLS).decode("ascii")


def line_of_values(grid: object, shape: Shape) -> str | None:
    """A complete grid as a line; None if `grid` is not a list or tuple of values of `shape`."""
    if not isinstance(grid, list | tuple) or len(grid) != shape.size**2:
        return None
    values = _bytes_of(grid)
    if values is None or values.translate(None, _NONZERO[: shape.size]):
        return None
    return line_of(values)


def _of_values(shape: Shape, values: bytes) -> Puzzle:
    """The puzzle with these givens, each a byte. Values in range need no further check.

    Raises:
        PuzzleError: as `Puzzle`.
    """
    givens, size = tuple(values), shape.size
    if len(values) != size * size or values.translate(None, b"\0" + _NONZERO[:size]):
        return Puzzle(shape, givens)
    puzzle = object.__new__(Puzzle)
    vars(puzzle).update(shape=shape, givens=givens, pencilmarks=None)
    return puzzle


def _of_numbers(shape: Shape, line: str) -> Puzzle:
    """The puzzle on a line of numbers and lists of candidates.

    Raises:
        PuzzleError: as `Puzzle`.
    """
    if "," not in line:
        return Puzzle(shape, values_of_line(line))
    every = range(1, shape.size + 1)
    sets = (every if text == _BLANK else text.split(",") for text in line.split(" "))
    numbers = ({value_of(str(value)) or 0 for value in candidates} - {0} for candidates in sets)
    marks = (sum(1 << value - 1 for value in candidates) for candidates in numbers)
    return Puzzle(shape, (0,) * shape.size**2, tuple(marks))


def _bytes_of(values: list[object] | tuple[object, ...]) -> bytes | None:
    """Plain integers from 0 to 127 as bytes, None for anything else; fast, without a loop.

    MessagePack has one byte below 128 for each such integer, and other bytes for anything else,
    such as a boolean.
    """
    try:
        encoding = _encode(values)
    except Exception:  # noqa: BLE001  an object of a backend may raise anything
        return None
    number = len(values)
    tail = encoding[-number:]
    return tail if len(encoding) - number in (1, 3) and tail.isascii() else None


def values_of_line(line: str) -> Grid:
    """The values of a `line` that `line_of` wrote."""
    if " " in line:
        return tuple(value_of(number) or 0 for number in line.split(" "))
    return tuple(line.encode("ascii").translate(_VALUES))


def _plain(value: object) -> object:
    """An array, a series, a frame or a scalar of numpy as Python objects; others as they are."""
    if isinstance(value, type):
        return value
    if not hasattr(value, "tolist"):
        value = getattr(value, "to_numpy", lambda: value)()
    if getattr(getattr(value, "dtype", None), "kind", "") == "S":  # bytes in an array of numpy
        value = value.astype(str)  # type: ignore[attr-defined]
    return getattr(value, "tolist", lambda: value)()


def _list_of(value: object, name: str, expected: str) -> list[Any]:
    """The items of a list, a tuple, bytes, an array or a frame, as Python objects.

    Raises:
        PuzzleError: `value` is something else.
    """
    plain = _plain(value)
    if not isinstance(plain, list | tuple | bytes):
        raise invalid(name, value, expected, PuzzleError)
    return list(plain)


def _is_row(item: object) -> bool:
    """Whether an item is a row; the string of a cell is a symbol or a number."""
    return isinstance(item, list | tuple | bytes) or (isinstance(item, str) and len(item) > 3)


def _cells_of(row: Any, size: int) -> list[Any]:
    """The cells of a row; those of a string are its words or its symbols."""
    words = row.replace(",", " ").split() if isinstance(row, str) and len(row) != size else ()
    return list(words if len(words) > 1 else row)


def _values_of(cells: list[Any], shape: Shape) -> Grid:
    """The values of cells in any notation.

    Raises:
        PuzzleError: a cell is neither a value nor a blank, or a second kind of blank.
    """
    if _bytes_of(cells) is not None:
        return tuple(cells)
    values, blank = [], None
    are_numbers = all(isinstance(cell, str) and cell.isdecimal() for cell in cells)
    if are_numbers and len({*map(len, cells)}) == 1 < len(cells[0]):
        cells = [int(cell) for cell in cells]  # with zeros before them
    for at, cell in enumerate(map(_plain, cells)):
        notation = cell
        if isinstance(cell, str):
            notation = _WHOLE.sub("", cell.strip())
        elif isinstance(cell, float):
            notation = int(cell) if cell.is_integer() else str(cell)
        elif type(cell).__name__ == "NAType":  # of pandas
            notation = None
        value = _value(notation)
        if not value or not 0 < value <= shape.size:
            kind = _BLANKS.get(notation) if type(notation) in (int, str, type(None)) else None
            if kind is None:
                problem = f"{short_repr(cell)} is not a value of {shape}"
                expected = f"0 to {shape.size}"
                raise PuzzleError(problem, where=shape.cell_name(at), expected=expected)
            if blank not in (None, kind):
                expected = f"values from 1 to {shape.size}, and one blank symbol per puzzle"
                problem = f"two blank symbols, {blank} and {kind}"
                expected += ", or --symbols from-zero if 0 is a value" * ("0" in (blank, kind))
                raise PuzzleError(problem, where=shape.cell_name(at), expected=expected)
            blank, value = kind, 0
        values.append(value)
    return tuple(values)


def _cell_keys(shape: Shape) -> list[str]:
    if shape.size > len(_ROW_LETTERS):
        problem = f"{shape} has more than {len(_ROW_LETTERS)} rows"
        raise PuzzleError(problem, expected=f"at most {len(_ROW_LETTERS)} rows")
    rows, columns = _ROW_LETTERS[: shape.size], range(1, shape.size + 1)
    return [f"{row}{column}" for row in rows for column in columns]


def _value(value: object) -> int | None:
    if isinstance(value, str):
        return value_of(value)
    return value if type(value) is int else None
