"""Grids with one row per line: symbols, numbers, borders, several puzzles in one text.

The reader ignores borders between boxes (``|``, lines of ``-``, ``+`` and ``=``), and
spaces or commas between cells. Lines between rows (borders, blank lines, comments) must separate
either all bands or all rows, and in the same way. Anywhere else such a line ends the
grid, so that an incomplete grid never takes rows from the next.

A line such as ``3, 4`` before a grid gives the rows and columns of its boxes.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, takewhile
from math import isqrt
from typing import Final

from harness.base.errors import PuzzleError, require
from harness.base.text import number_of
from harness.puzzles.formats.format import (
    Format,
    Head,
    ReadSettings,
    Symbols,
    is_printable,
    no_pencilmarks,
    only_plain,
    symbols_of,
)
from harness.puzzles.formats.lines import (
    LINE,
    BlankSymbol,
    Directives,
    cell_values,
    check_symbols,
    fits,
    numbers_in,
    split,
    unless_text,
    write_each_grid,
)
from harness.puzzles.formats.stream import ParsedPuzzle, TextLine, TextSource
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import LARGEST, LETTERED, Shape, value_of

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


# Grids with one row per line, with or without borders.


# Dashes and crossings; or three and more dashes between the dots and asterisks that
# some programs use as corners. A row of blanks matches neither.
_BORDER: Final = re.compile(
    r"[| ]*[-=+\u2500\u2550\u253c\u256c][-=+| \u2500\u2550\u253c\u256c]*"
    r"|[.:'*+|]?(?:[-=]{3,}[.:'*+|])*[-=]{3,}[.:'*+|]?"
)
_BETWEEN: Final = frozenset("| \t\u2502\u2551")
_BETWEEN_COMMAS: Final = _BETWEEN | {","}
_COMMAS: Final = re.compile(r"[^\s,](\s*,\s*[^\s,])+\s*,?")
"""A row with a comma after every cell but perhaps the last."""
_SIGNATURE: Final = re.compile(r"Simple Sudoku|Version [0-9][0-9a-z.]*")
"""What Simple Sudoku puts below a grid that it copies."""


def is_border(line: TextLine) -> bool:
    """Whether `line` is a border between bands, such as ``------+------``."""
    return _BORDER.fullmatch(line.text) is not None


def is_signature(line: TextLine) -> bool:
    """Whether `line` is the signature of a program below a grid."""
    return _SIGNATURE.fullmatch(line.text) is not None


def _row_length(line: TextLine, shape: Shape | None = None) -> int:
    """The number of symbols in a row, without borders and spaces."""
    if numbers := numbers_in(line, shape, LETTERED):
        return len(numbers)
    return len(line.text) - sum(map(line.text.count, _between(line)))


def _between(line: TextLine) -> frozenset[str]:
    """The characters between the cells of a row."""
    return _BETWEEN_COMMAS if _COMMAS.fullmatch(line.text) else _BETWEEN


def read_grids(
    lines: Iterable[TextLine], reading: ReadSettings
) -> Iterator[tuple[TextLine, Puzzle]]:
    """The grids in `lines`, each with its first line.

    Without a shape the length of a grid's first row determines it.

    Raises:
        PuzzleError: an invalid symbol, a row of a wrong length, a value out of range,
            two blank symbols in a grid, or an incomplete grid; with file, line and
            column.
    """
    directives = Directives(reading)
    rows: list[TextLine] = []
    gap: list[str] = []
    gaps: dict[int, list[str]] = {}
    grid_shape = reading.shape
    skipping = False
    for line in lines:
        if between := _between_rows(line):
            gap.append(between)
            if line.comment and not rows:
                directives.note(line)
            skipping = False
            continue
        if skipping:  # the rest of a grid that cannot be read
            continue
        try:
            if rows:
                if gap:
                    gaps[len(rows)] = gap
                assert grid_shape is not None
                try:
                    _check_gaps(gaps, rows, grid_shape)
                except PuzzleError as error:
                    reading.refuse(error)
                    rows, gaps = [], {}
            shape = directives.reading.shape
            if not rows:
                grid_shape = shape or _shape_of_row(line)
            assert grid_shape is not None
            _check_row(line, grid_shape, is_inferred=shape is None)
            rows.append(line)
            gap = []
            if len(rows) < grid_shape.size:
                continue
            complete, rows, gaps = rows, [], {}
            puzzle = _puzzle(complete, grid_shape, directives.reading.symbols)
        except PuzzleError as error:
            reading.refuse(error)
            skipping = bool(rows)
            rows, gaps, gap = [], {}, []
        else:
            yield complete[0], puzzle
    if rows:
        assert grid_shape is not None
        reading.refuse(incomplete(len(rows), rows[-1], grid_shape))


def read_grid(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    """The grids of `source`.

    Raises:
        PuzzleError: as `read_grids`.
    """
    for number, (first, puzzle) in enumerate(read_grids(source.lines(), reading), 1):
        yield ParsedPuzzle(puzzle, first.place(), str(number))


def _with_box(shape: Shape) -> object:
    """A jigsaw of boxes equals the shape with boxes, but has no borders."""
    return shape, shape.box, shape.constraints


GRID: Final = Format(
    name="grid",
    title="one row per line, with or without borders",
    read=read_grid,
    write=partial(
        write_each_grid,
        text=lambda parsed: grid_text(parsed.puzzle.givens, parsed.puzzle.shape),
        same=_with_box,
    ),
    can_hold=no_pencilmarks,
    holds="every shape, without pencilmarks",
)


def _between_rows(line: TextLine) -> str | None:
    """The kind of a line between rows, None for a row."""
    if line.comment or is_signature(line):
        return "comment"
    if not line.text:
        return "blank"
    return "border" if is_border(line) else None


def _columns(line: TextLine, shape: Shape | None = None) -> Sequence[tuple[int, str]]:
    """The symbols of a row with their columns, up to one more than the longest row has."""
    if numbers := numbers_in(line, shape, LETTERED):
        return numbers[: LARGEST + 1]
    between = _between(line)
    symbols = ((at, symbol) for at, symbol in enumerate(line.text) if symbol not in between)
    return list(islice(symbols, LETTERED + 1))


def _shape_of_row(line: TextLine) -> Shape:
    check_symbols(line, _columns(line))
    size = _row_length(line)
    try:
        if size > LETTERED and not numbers_in(line, None, LETTERED):
            raise PuzzleError("", expected=f"at most {LETTERED} symbols, or numbers and blanks")
        return Shape.of_side(size)
    except PuzzleError as error:
        failure = line.error(f"no shape fits a row of {number_of(size, 'cell')}", error.expected)
        raise unless_text(line, failure) from None


def _check_gaps(gaps: dict[int, list[str]], rows: list[TextLine], shape: Shape) -> None:
    """Check that the lines between `rows`, keyed by row number, are regular."""
    if not gaps:
        return
    band = shape.box[0] if shape.box else shape.size
    after_bands, after_rows = (list(range(step, len(rows) + 1, step)) for step in (band, 1))
    first, *others = gaps.values()
    if list(gaps) not in (after_bands, after_rows) or any(other != first for other in others):
        every = f"{band} rows" if shape.box else "row"
        also = f", with no lines between them or the same lines after every {every}"
        raise incomplete(max(gaps), rows[max(gaps) - 1], shape, also)


def _check_row(line: TextLine, shape: Shape, is_inferred: bool) -> None:
    columns = _columns(line, shape)
    check_symbols(line, columns)
    if len(columns) != shape.size:
        column = len(line.text) if len(columns) < shape.size else columns[shape.size][0]
        error = line.error(
            f"a row of {number_of(_row_length(line, shape), 'cell')} for {shape}",
            f"{shape.size} cells, as in its first row"
            if is_inferred
            else f"{shape.size} cells, or {shape.size**2} for a puzzle in one line",
            column,
        )
        raise unless_text(line, error) if is_inferred else error


def incomplete(rows: int, last: TextLine, shape: Shape, also: str = "") -> PuzzleError:
    """The error of a grid that ends after this number of rows with the line `last`."""
    error = last.error(
        f"the grid ends after {number_of(rows, 'row')}", f"{shape.size} rows for {shape}{also}"
    )
    return unless_text(last, error) if rows == 1 else error


def _puzzle(rows: list[TextLine], shape: Shape, symbols: Symbols | None) -> Puzzle:
    blank = BlankSymbol()
    columns = [_columns(line, shape) for line in rows]
    if symbols is None:
        texts = ("".join(symbol for _, symbol in cells) for cells in columns)
        symbols = symbols_of(texts, shape.size, rows[0].place())
    values = (
        cell_values(line, cells, shape, blank, symbols)
        for line, cells in zip(rows, columns, strict=True)
    )
    return Puzzle(shape, tuple(value for row in values for value in row))


# Puzzle texts: one puzzle per line, or grids with one row per line.


def parse_puzzle(text: str, shape: Shape | str | None = None) -> Puzzle:
    """The single puzzle in `text`: a line, a grid, a boxed grid, or rows with bars between them.

    Without a `shape`, or its name, the length determines it.

    Raises:
        PuzzleError: `text` is malformed, or does not hold exactly one puzzle; with line
            and column.
    """
    require(text, str, "text", "a puzzle as text", PuzzleError)
    rows = text.strip().strip("|").split("|")
    if all(len(rows) in (len(row.split()), len("".join(row.split()))) for row in rows):
        text = "\n".join(rows)  # a grid in one line, with bars between its rows
    parsed = list(read_text(text, Shape.choose(shape), where="puzzle"))
    if len(parsed) != 1:
        raise PuzzleError(f"the text holds {len(parsed)} puzzles", expected="one puzzle")
    return parsed[0].puzzle


def read_text(text: str, shape: Shape | None = None, where: str = "text") -> Iterator[ParsedPuzzle]:
    """The puzzles in `text`, as lines or as grids.

    Args:
        text: see docs/puzzle-formats.md.
        shape: the shape of all puzzles; each puzzle's length determines it if None.
        where: the name of the source in errors.

    Raises:
        PuzzleError: a puzzle is malformed; with `where`, line and column.
    """
    source = TextSource.of_text(text, where)
    yield from plain_format(Head.from_source(source, shape)).read(
        source, ReadSettings(shape, Symbols.LETTERS)
    )


def plain_format(head: Head) -> Format:
    """The format of a text that is lines or grids: one of the two.

    Raises:
        PuzzleError: its first lines may be either.
    """
    shape = head.shape or _shape_before_rows(head.lines)
    return GRID if _is_grids(head.rows, shape) else LINE


def _shape_before_rows(lines: list[TextLine]) -> Shape | None:
    """The shape that a comment before the first row names."""
    directives = Directives(ReadSettings())
    for comment in takewhile(lambda line: not line.text, lines):
        if comment.comment:
            directives.note(comment)
    return directives.reading.shape


def _is_grids(rows: list[TextLine], shape: Shape | None) -> bool:
    """Whether each line is a row of a grid rather than a puzzle."""
    if not rows:
        return False
    first = rows[0]
    if is_border(first):
        return True
    if len(first.text) > 16 and split(first, shape)[1]:
        return False
    length = _row_length(first, shape)
    is_dense = length == len(first.text)
    if length > (LETTERED if is_dense or not numbers_in(first, shape, LETTERED) else LARGEST):
        return False
    if not is_dense:
        return True
    if shape is not None:
        return abs(length - shape.size) < abs(length - shape.size**2)
    if not fits(length):
        return True
    if [len(row.text) for row in rows[:length]] != [length] * length:
        return False
    # 16 lines of 16 symbols, or 36 of 36: a value too large for a line decides.
    side = isqrt(length)
    if any((value_of(symbol) or 0) > side for row in rows[:length] for symbol in row.text):
        return True
    raise first.error(
        f"{length} lines of {length} symbols may be puzzles of {side}x{side} "
        f"or one grid of {length}x{length}",
        "the shape by name, with variants if it has any: "
        f"--shape {side}x{side} or --shape {length}x{length}, "
        f"or a first line such as # shape: {side}x{side}",
    )


# Grids of whole numbers separated by blanks, one row per line; 0, ``.`` or ``_`` for a blank.
#
# ``3, 4`` before a grid is the size of its boxes. The instances of Lloyd and Amos (2018) have a
# line ``3`` for boxes of 3x3, a line that their program skips, and -1 for a blank.


_CELL: Final = re.compile(r"[^\s|,]+")
_BOX: Final = re.compile(r"([0-9]{1,2})(?:\s*,\s*([0-9]{1,2}))?")
_BLANKS: Final = ("0", ".", "_")
_NO_VALUE: Final = "-1"


def number_in_cell(cell: str, shape: Shape, where: str) -> int:
    """The value of a number or a blank.

    Raises:
        PuzzleError: it is not a value of `shape`.
    """
    if cell in _BLANKS:
        return 0
    if re.fullmatch(r"[0-9]{1,3}", cell) and 1 <= int(cell) <= shape.size:
        return int(cell)
    problem = f"{cell[:40]!r} is not a value of {shape}"
    raise PuzzleError(problem, where=where, expected=f"1 to {shape.size}, or 0 for a blank")


def _row(line: TextLine, shape: Shape, blank: BlankSymbol) -> list[int]:
    cells = list(_CELL.finditer(line.text))
    if len(cells) != shape.size:
        raise line.error(f"a row of {len(cells)} numbers for {shape}", f"{shape.size} numbers")
    for cell in cells:
        if cell[0] in (*_BLANKS, _NO_VALUE):
            blank.note(cell[0], line, cell.start())
    return [
        0 if cell[0] == _NO_VALUE else number_in_cell(cell[0], shape, line.place(cell.start()))
        for cell in cells
    ]


def _read_numbers(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    directives = Directives(reading)
    box_shape: Shape | None = None
    shape: Shape | None = None
    rows: list[list[int]] = []
    first = TextLine("", 0, 0, source.name)
    header: TextLine | None = None
    blank = BlankSymbol()
    number = 0
    skipping = False
    for line in source.lines():
        if line.comment and not rows:
            directives.note(line)
        if not line.text or is_border(line):
            skipping = skipping and bool(line.text)
            continue
        if skipping:
            continue
        try:
            if not rows and (box := _BOX.fullmatch(line.text)):
                if box_shape is None or box[2]:
                    box_shape = Shape.parse(f"box{box[1]}x{box[2] or box[1]}")
                header = line
                continue
            if not rows:
                first, header, blank = line, None, BlankSymbol()
                size = len(_CELL.findall(line.text))
                shape = directives.reading.shape or box_shape or Shape.of_side(size)
            assert shape is not None
            rows.append(_row(line, shape, blank))
            if len(rows) < shape.size:
                continue
            puzzle = Puzzle(shape, tuple(value for row in rows for value in row))
        except PuzzleError as error:
            reading.refuse(error if error.where else error.at(line.place()))
            skipping, rows, box_shape = bool(rows), [], None
        else:
            number += 1
            yield ParsedPuzzle(puzzle, first.place(), str(number))
            rows, box_shape = [], None
    if rows:
        assert shape is not None
        reading.refuse(incomplete(len(rows), first, shape))
    elif header is not None:
        reading.refuse(header.error("a size of boxes at the end", "a grid below it"))


def _text_numbers(parsed: ParsedPuzzle) -> str:
    width = len(str(parsed.puzzle.shape.size))
    rows = (" ".join(str(value).rjust(width) for value in row) for row in parsed.puzzle.rows())
    return "\n".join(row.strip() for row in rows)


def _detect_numbers(head: Head) -> bool:
    rows = [row for row in head.rows if not is_border(row)]
    if rows and (box := _BOX.fullmatch(rows[0].text)):
        return bool(box[2] or (len(rows) > 1 and _BOX.fullmatch(rows[1].text)))
    cells = [_CELL.findall(row.text) for row in rows[:1]]
    size = len(cells[0]) if cells else 0
    if not 10 <= size <= LARGEST:
        return False
    every = [cell for row in rows[:size] for cell in _CELL.findall(row.text)]
    return any(len(cell) > 1 for cell in every) and all(
        cell in _BLANKS or (re.fullmatch(r"[0-9]{1,3}", cell) and int(cell) <= size)
        for cell in every
    )


NUMBERS: Final = Format(
    name="numbers",
    title="one row of whole numbers per line, separated by blanks",
    read=_read_numbers,
    write=partial(write_each_grid, text=_text_numbers, symbols=False),
    can_hold=no_pencilmarks,
    detect=_detect_numbers,
    holds="every shape, without pencilmarks",
)


# Project Euler 96: ``Grid 01`` before nine rows of nine digits, 0 for a blank.


_TITLE: Final = re.compile(r"grid\s+(\S.*)", re.IGNORECASE)


def _sections(source: TextSource) -> Iterator[list[TextLine]]:
    """The lines from one title to the next."""
    lines: list[TextLine] = []
    for line in source.lines():
        if _TITLE.fullmatch(line.text) and lines:
            yield lines
            lines = []
        if line.text:
            lines.append(line)
    if lines:
        yield lines


def _parse(lines: list[TextLine], reading: ReadSettings) -> ParsedPuzzle:
    title = _TITLE.fullmatch(lines[0].text)
    if not title:
        raise lines[0].error("no title", "'Grid 01'")
    settings = reading.of_nine
    puzzles = list(read_grids(lines[1:], ReadSettings(settings.shape, settings.symbols)))
    if len(puzzles) != 1:
        where = puzzles[1][0].place() if puzzles else lines[0].place()
        raise PuzzleError(
            f"{len(puzzles)} puzzles below a title", where=where, expected="one puzzle"
        )
    return ParsedPuzzle(puzzles[0][1], puzzles[0][0].place(), title[1])


def _read_euler(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    return reading.each(_sections(source), lambda lines: _parse(lines, reading))


def _write_euler(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        name = parsed.name
        yield f"Grid {name.zfill(2) if name.isascii() and name.isdigit() else name}\n"
        for row in parsed.puzzle.rows():
            yield "".join(map(str, row)) + "\n"


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    name = parsed.name
    if not name or not is_printable(name):
        return "holds printable names without blanks around them only"
    return only_plain("9x9", parsed)


EULER: Final = Format(
    name="euler",
    title="Project Euler 96: a title above each puzzle",
    read=_read_euler,
    write=_write_euler,
    can_hold=_can_hold,
    detect=lambda head: bool(_TITLE.fullmatch(head.first)),
    keeps=frozenset({"name"}),
    holds="9x9",
)
