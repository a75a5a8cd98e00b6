"""Grids with one row per line: symbols, numbers or candidates, several puzzles in one text.

Lines between rows (borders, blank lines, comments) must separate either all bands or all rows, and
in the same way. Anywhere else such a line ends the grid, so that an incomplete grid never takes
rows from the next. Blanks between symbols must separate all cells, or boxes.

A line such as ``3, 4`` before a grid of numbers gives the rows and columns of its boxes. The
instances of Lloyd and Amos (2018) have a line ``3`` for boxes of 3x3, a line that their program
skips, and -1 for a blank.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from math import isqrt
from typing import Final

from harness.base.errors import PuzzleError
from harness.base.text import number_of
from harness.puzzles.formats.format import ReadSettings, Symbols, table
from harness.puzzles.formats.lines import (
    BlankSymbol,
    Remarks,
    cell_values,
    check_symbols,
    placed_field,
    unless_text,
    width_of,
)
from harness.puzzles.formats.stream import ParsedPuzzle, TextLine, located
from harness.puzzles.formats.tokens import Cells, CellStyle, Unit, between_bars, has_bar, is_text
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import LETTERED, Shape

# Grids as text with borders.


def grid_text(
    grid: Grid, shape: Shape, style: Callable[[int, str], str] = lambda _, symbol: symbol
) -> str:
    """`grid` as lines with borders between the boxes; `parse_puzzle` reads it back.

    Args:
        grid: the values of the cells in row-major order, 0 for a blank.
        shape: its shape.
        style: adds colours to the symbol of a cell, for a terminal.
    """
    digits = len(shape.symbol(shape.size))
    symbols = [style(cell, shape.symbol(v).rjust(digits)) for cell, v in enumerate(grid)]
    return bordered(symbols, shape, digits)


def bordered(texts: Sequence[str], shape: Shape, width: int) -> str:
    """The texts of all cells as rows with borders between the boxes.

    Args:
        texts: a text for each cell, all of the same width.
        shape: the shape of the grid.
        width: the columns of a text on a terminal.
    """
    size = shape.size
    height, breadth = shape.box or (size, size)
    border = "+".join("-" * ((width + 1) * breadth + 1) for _ in range(size // breadth))[1:-1]
    lines = []
    for row in range(size):
        if row and row % height == 0:
            lines.append(border)
        starts = range(row * size, (row + 1) * size, breadth)
        stacks = (" ".join(texts[start : start + breadth]) for start in starts)
        lines.append(" | ".join(stacks).rstrip())
    return "\n".join(lines)


# Grids with one row per line.


_BOX: Final = re.compile(r"([0-9]{1,2})(?:\s*,\s*([0-9]{1,2}))?")
_NOUNS: Final = {Unit.SYMBOLS: "cell", Unit.NUMBERS: "number", Unit.CANDIDATES: "group"}
ALL: Final = (".", "0", "_")
"""A group of a cell that may have every candidate."""


class _Rows:
    """The rows of the grid that is being read."""

    def __init__(self, style: CellStyle) -> None:
        self.shape: Shape | None = None
        self.symbols: Collection[str] = ()
        """The symbols of the grid before."""
        self._style = style
        self._is_inferred = False
        self._lines: list[TextLine] = []
        self._cells: list[Cells] = []
        self._gap: list[str] = []
        self._gaps: dict[int, list[str]] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def had_length_of(self, line: TextLine) -> bool:
        """Whether a line has as many cells as a row of the grid before."""
        if self.shape is None or self._style.unit is not Unit.SYMBOLS:
            return False
        return len(self._style.cells(line)) == self.shape.size

    def note_gap(self, kind: str) -> None:
        """Record a line between rows."""
        self._gap.append(kind)

    def clear(self) -> None:
        """Begin a new grid."""
        self._lines, self._cells, self._gap, self._gaps = [], [], [], {}

    def end_at_irregular_gap(self) -> PuzzleError | None:
        """The error of a grid that ends at the last gap, if that is irregular; it is cleared."""
        if self._lines and self._gap:
            self._gaps[len(self)] = self._gap
        if not self._gaps:
            return None
        assert self.shape is not None
        box = self.shape.box
        band = box[0] if box else self.shape.size
        first, *others = self._gaps.values()
        regular = [list(range(step, len(self) + 1, step)) for step in (band, 1)]
        if self._style.delimiter == "|":  # a table in Markdown has a border below its first row
            regular.append([1])
        if list(self._gaps) in regular and all(other == first for other in others):
            self._gap = []
            return None
        every = f"{band} rows" if box else "row"
        also = f", with no lines between them or the same lines after every {every}"
        height = next(iter(self._gaps))
        widths = {len(self._style.cells(part)) for part in between_bars(self._lines[0])}
        if {height * width for width in widths} == {self.shape.size} != {height**2}:
            also += f"; or --shape box{height}x{self.shape.size // height}"
        error = self.incomplete(also, max(self._gaps))
        self.clear()
        return error

    def add(self, line: TextLine, shape: Shape | None, box_shape: Shape | None) -> None:
        """Add a row; the first determines the shape, unless it is given.

        Raises:
            PuzzleError: the row has an invalid symbol, or another length.
        """
        cells = self._style.cells(line)
        if self._style.unit is Unit.SYMBOLS:
            check_symbols(line, cells, self._style.dashes)
        if not self._lines:
            self._is_inferred = shape is None
            self.shape = shape or box_shape or self._shape_of_row(line, cells)
        assert self.shape is not None
        if len(cells) != self.shape.size:
            raise self._length_error(line, cells)
        self._gap = []
        self._lines.append(line)
        self._cells.append(cells)

    def _shape_of_row(self, line: TextLine, cells: Cells) -> Shape:
        try:
            if self._style.unit is not Unit.NUMBERS and len(cells) > LETTERED:
                expected = f"at most {LETTERED} symbols, or numbers and blanks"
                raise PuzzleError("", expected=expected)
            return Shape.of_side(len(cells))
        except PuzzleError as error:
            problem = f"no shape fits a row of {self._length(line)}"
            failure = line.error(problem, error.expected)
            raise unless_text(line, failure) from None

    def _length(self, line: TextLine) -> str:
        cells = self._style.cells(line, len(line.text))
        return number_of(len(cells), _NOUNS[self._style.unit])

    def _length_error(self, line: TextLine, cells: Cells) -> PuzzleError:
        assert self.shape is not None
        size, nouns = self.shape.size, f"{_NOUNS[self._style.unit]}s"
        column = len(line.text) if len(cells) < size else cells[size][0]
        other = (
            ", as in its first row"
            if self._is_inferred
            else f", or {size**2} for a puzzle in one line"
        )
        expected = f"{size} {nouns}{other}"
        error = line.error(f"a row of {self._length(line)} for {self.shape}", expected, column)
        return unless_text(line, error) if self._is_inferred else error

    def puzzle(self, reading: ReadSettings, name: str) -> ParsedPuzzle:
        """The puzzle of the complete grid, which is cleared.

        Raises:
            PuzzleError: a cell is no value, there are two blank symbols, or blanks between
                symbols are irregular.
        """
        lines, rows, shape = self._lines, self._cells, self.shape
        assert shape is not None
        self.clear()
        place = lines[0].place()
        if self._style.unit is Unit.CANDIDATES:
            marks, players = _marks(lines, rows, shape, reading)
            puzzle = Puzzle(shape, (0,) * shape.size**2, marks)
            return ParsedPuzzle(puzzle, place, name, fields=placed_field(shape, players))
        has_spaces = any(len(row) < len(line.text) for line, row in zip(lines, rows, strict=True))
        is_spaced = has_spaces and not self._style.delimiter
        symbols, width = reading.symbols or Symbols.LETTERS, 0
        if self._style.unit is Unit.NUMBERS:
            width = width_of(chain.from_iterable(rows))
        else:
            if is_spaced:
                _check_spacing(lines, shape)
            texts = ("".join([symbol for _, symbol in row]) for row in rows)
            symbols = reading.symbols_for(texts, shape.size, place)
        self.symbols = table(symbols, shape.size, width)
        blank, values = BlankSymbol(), []
        for line, row in zip(lines, rows, strict=True):
            values += cell_values(line, row, shape, blank, symbols, width)
        puzzle = Puzzle(shape, tuple(values))
        if self._is_inferred and not reading.is_trial:
            with located(place):
                puzzle.of_certain_size()
            if is_spaced:
                _check_bars(lines, self._style, shape)
            first = values[: shape.size]
            counts = first == [*range(first[0], first[0] + shape.size)] and first[0] < 2
            if counts and not all(values) and re.fullmatch(r"\d+([,;\t] *\d+)+", lines[0].raw):
                problem = "the first row counts, as the names of columns do"
                expected = f"{shape.size} rows below it, or --shape {shape} if it is a row"
                raise lines[0].error(problem, expected, 0)
            is_framed = isqrt(shape.size - 1) ** 2 == shape.size - 1  # around a grid with boxes
            for at in (0, -1) if self._style.delimiter and is_framed else ():
                if not any(cell for _, cell in (*rows[at], *(row[at] for row in rows))):
                    name = "last" if at else "first"
                    problem = f"the {name} row and column of {shape} are empty"
                    raise lines[at].error(problem, f"the cells without them, or --shape {shape}")
        return ParsedPuzzle(puzzle, place, name)

    def incomplete(self, also: str = "", rows: int = 0) -> PuzzleError:
        """The error of a grid that ends after a number of rows, by default its last one."""
        assert self.shape is not None
        rows = rows or len(self)
        last = self._lines[rows - 1]
        expected = f"{self.shape.size} rows for {self.shape}{also}"
        if rows > 3 and self.shape.size % rows == 0:
            expected += "; puzzles side by side must be below each other"
        error = last.error(f"the grid ends after {number_of(rows, 'row')}", expected)
        return unless_text(last, error) if rows == 1 else error


def _check_spacing(lines: Sequence[TextLine], shape: Shape) -> None:
    """Check that blanks between symbols separate all cells, or groups of one width.

    Raises:
        PuzzleError: groups are of different widths, or are not as wide as boxes.
    """
    texts = [line.text for line in lines]
    if all(len(text) == 2 * shape.size - 1 and text[1::2].isspace() for text in texts):
        return  # a blank between all cells
    by_line = [{len(word) for word in CellStyle.words(line)} for line in lines]
    widths = set().union(*by_line)
    box = shape.box[1] if shape.box else 0
    if len(widths) > 1 or not (
        shape.size % (width := widths.pop()) == 0 and width in (1, shape.size, box or width)
    ):
        uneven = (line for line, own in zip(lines, by_line, strict=True) if len(own) > 1)
        raise next(uneven, lines[0]).error(
            "blanks between some cells only",
            f"blanks between all cells of {shape}"
            + (f", or between groups of {box}" if box else ""),
            0,
        )


def _check_bars(lines: Sequence[TextLine], style: CellStyle, shape: Shape) -> None:
    """Check that bars between cells do not contradict the width of boxes.

    Raises:
        PuzzleError: they stand after another number of cells.
    """
    if not any(has_bar(line) for line in lines):
        return
    parts = [[style.cells(part) for part in between_bars(line)] for line in lines]
    widths = {len(cells) for row in parts for cells in row}
    width = max(widths)
    if len(widths) == 1 and shape.box and width > 1 and width % shape.box[1]:
        problem = (
            f"bars after every {width} cells, but boxes of {shape} have {shape.box[1]} columns"
        )
        raise lines[0].error(problem, f"--shape box{shape.size // width}x{width}")


def read_grids(
    lines: Iterable[TextLine], reading: ReadSettings, style: CellStyle | None = None
) -> Iterator[ParsedPuzzle]:
    """The grids in `lines`, named by their numbers.

    Without a shape the length of a grid's first row determines it.

    Raises:
        PuzzleError: an invalid symbol, a row of a wrong length, a value out of range,
            two blank symbols in a grid, or an incomplete grid; with file, line and
            column.
    """
    style = style or CellStyle(
        Unit.NUMBERS if reading.shape and reading.shape.size > LETTERED else Unit.SYMBOLS
    )
    rows = _Rows(style)
    remarks = Remarks(reading)
    number = 0
    box_shape: Shape | None = None
    header: TextLine | None = None
    skipping = False
    for line in lines:
        if gap := style.between(line):
            rows.note_gap(gap)
            if line.comment and not rows:
                remarks.direct(line)
            elif gap == "comment" and not line.comment:
                remarks.add(line)
            skipping = False
            continue
        if skipping:  # the rest of a grid that cannot be read
            continue
        if not rows and is_text(line) and not rows.had_length_of(line):
            remarks.add(line)
            continue
        try:
            is_header = style.unit is Unit.NUMBERS and not rows and "\t" not in line.raw.strip(" ")
            if is_header and (box := _BOX.fullmatch(line.text)):
                if box_shape is None or box[2]:
                    with located(line.place()):
                        box_shape = Shape.parse(f"box{box[1]}x{box[2] or box[1]}")
                        remarks.reading.require_shape(box_shape)
                header = line
                continue
            if error := rows.end_at_irregular_gap():
                reading.refuse(error)
            rows.add(line, remarks.reading.shape, box_shape)
            header = None
            assert rows.shape is not None
            if len(rows) < rows.shape.size:
                continue
            box_shape = None
            grid = rows.puzzle(remarks.reading, str(number + 1))
        except PuzzleError as error:
            if not rows and remarks.explain(line, error, number):
                continue
            reading.refuse(error)
            skipping, box_shape = bool(rows), None
            rows.clear()
        else:
            number += 1
            yield grid
    if rows:
        reading.refuse(rows.incomplete())
    elif header is not None:
        reading.refuse(header.error("a size of boxes at the end", "a grid below it"))
    remarks.end(number, rows.symbols)


def _marks(
    lines: Sequence[TextLine], rows: Sequence[Cells], shape: Shape, reading: ReadSettings
) -> tuple[tuple[int, ...], list[int]]:
    """The candidates of each cell of rows of groups, and the cells with a digit after ``u``."""
    groups = (group.removeprefix("u") for row in rows for _, group in row if group not in ALL)
    values_of = table(reading.symbols_for(groups, shape.size, lines[0].place()), shape.size)
    marks: list[int] = []
    players: list[int] = []
    for line, row in zip(lines, rows, strict=True):
        for column, group in row:
            start = 1 if group[:1] == "u" and len(group) == 2 else 0
            players += [len(marks)] * start
            bits = (1 << shape.size) - 1 if group in ALL else 0
            for at, symbol in enumerate(group[start:] if not bits else ""):
                value = values_of.get(symbol)
                if not value or bits >> value - 1 & 1:
                    problem = f"{symbol!r} occurs twice" if value else f"invalid symbol {symbol!r}"
                    expected = f"different candidates of {shape}"
                    raise line.error(problem, expected, column + start + at)
                bits |= 1 << value - 1
            marks.append(bits)
    return tuple(marks), players


def with_box(shape: Shape) -> object:
    """A jigsaw of boxes equals the shape with boxes, but has no borders."""
    return shape, shape.box, shape.constraints


def text_of_numbers(parsed: ParsedPuzzle) -> str:
    """The lines of a grid of numbers."""
    width = len(str(parsed.puzzle.shape.size))
    rows = (" ".join(str(value).rjust(width) for value in row) for row in parsed.puzzle.rows())
    return "\n".join(row.strip() for row in rows)
