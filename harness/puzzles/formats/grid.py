"""Grids with one row per line, with or without borders.

The reader ignores borders between boxes (``|``, lines of ``-``, ``+`` and ``=``), and
spaces or commas between cells. Lines between rows (borders, blank lines, comments) must separate
either all bands or all rows, and in the same way. Anywhere else such a line ends the
grid, so that an incomplete grid never takes rows from the next.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.cells import BlankSymbol, cell_values, check_symbols
from harness.puzzles.formats.conventions import Symbols, decided
from harness.puzzles.formats.directives import Directives, directives
from harness.puzzles.formats.draw import boxed
from harness.puzzles.formats.format import Format, Reading, no_pencilmarks
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import LARGEST
from harness.text import number_of

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


def is_border(line: Line) -> bool:
    """Whether `line` is a border between bands, such as ``------+------``."""
    return _BORDER.fullmatch(line.text) is not None


def is_signature(line: Line) -> bool:
    """Whether `line` is the signature of a program below a grid."""
    return _SIGNATURE.fullmatch(line.text) is not None


def row_length(line: Line) -> int:
    """The number of symbols in a row, without borders and spaces."""
    between = _between(line)
    return sum(1 for symbol in line.text if symbol not in between)


def _between(line: Line) -> frozenset[str]:
    """The characters between the cells of a row."""
    return _BETWEEN_COMMAS if _COMMAS.fullmatch(line.text) else _BETWEEN


def read_grids(lines: Iterable[Line], reading: Reading) -> Iterator[tuple[Line, Puzzle]]:
    """The grids in `lines`, each with its first line.

    Without a shape the length of a grid's first row determines it.

    Raises:
        PuzzleError: an invalid symbol, a row of a wrong length, a value out of range,
            two blank symbols in a grid, or an incomplete grid; with file, line and
            column.
    """
    found = Directives(reading)
    rows: list[Line] = []
    gap: list[str] = []
    gaps: dict[int, list[str]] = {}
    grid_shape = reading.shape
    refused = False
    for line in lines:
        if between := _between_rows(line):
            gap.append(between)
            if line.comment and not rows:
                found.note(line)
            refused = False
            continue
        if refused:  # the rest of a grid that cannot be read
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
            shape = found.reading.shape
            if not rows:
                grid_shape = shape or _shape_of_row(line)
            assert grid_shape is not None
            _check_row(line, grid_shape, inferred=shape is None)
            rows.append(line)
            gap = []
            if len(rows) < grid_shape.size:
                continue
            complete, rows, gaps = rows, [], {}
            puzzle = _puzzle(complete, grid_shape, found.reading.symbols)
        except PuzzleError as error:
            reading.refuse(error)
            refused = bool(rows)
            rows, gaps, gap = [], {}, []
        else:
            yield complete[0], puzzle
    if rows:
        assert grid_shape is not None
        reading.refuse(_incomplete(rows, grid_shape))


def read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    """The grids of `source`.

    Raises:
        PuzzleError: as `read_grids`.
    """
    for number, (first, puzzle) in enumerate(read_grids(source.lines(), reading), 1):
        yield ParsedPuzzle(puzzle, first.place(), str(number))


def write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    """Grids with borders between boxes, separated by blank lines."""
    before: tuple[Shape, tuple[int, int] | None] | None = None
    for parsed in puzzles:
        shape = parsed.puzzle.shape
        if before is not None:
            yield "\n"
        # A jigsaw of boxes equals the shape with boxes, but has no borders.
        if (shape, shape.box) != before:
            plain = f"{shape.size}x{shape.size}"
            yield directives(shape, named=before is not None or shape.spec != plain)
        yield f"{boxed(parsed.puzzle.givens, shape)}\n"
        before = (shape, shape.box)


FORMAT: Final = Format(
    name="grid",
    title="one row per line, with or without borders",
    read=read,
    write=write,
    can_hold=no_pencilmarks,
    holds="every shape, without pencilmarks",
)


def _between_rows(line: Line) -> str | None:
    """The kind of a line between rows, None for a row."""
    if line.comment or is_signature(line):
        return "comment"
    if not line.text:
        return "blank"
    return "border" if is_border(line) else None


def _columns(line: Line) -> list[tuple[int, str]]:
    """The symbols of a row with their columns, up to one more than the longest row has."""
    between = _between(line)
    symbols = ((at, symbol) for at, symbol in enumerate(line.text) if symbol not in between)
    return list(islice(symbols, LARGEST + 1))


def _shape_of_row(line: Line) -> Shape:
    check_symbols(line, _columns(line))
    size = row_length(line)
    try:
        return Shape.of_side(size)
    except PuzzleError as error:
        raise PuzzleError(
            f"no shape fits a row of {_cells(size)}", where=line.place(), expected=error.expected
        ) from None


def _check_gaps(gaps: dict[int, list[str]], rows: list[Line], shape: Shape) -> None:
    """Check that the lines between `rows`, keyed by row number, are regular."""
    if not gaps:
        return
    band = shape.box[0] if shape.box else shape.size
    after_bands, after_rows = (list(range(step, len(rows) + 1, step)) for step in (band, 1))
    first, *others = gaps.values()
    if list(gaps) not in (after_bands, after_rows) or any(other != first for other in others):
        every = f"{band} rows" if shape.box else "row"
        also = f", with no lines between them or the same lines after every {every}"
        raise _incomplete(rows[: max(gaps)], shape, also)


def _check_row(line: Line, shape: Shape, inferred: bool) -> None:
    columns = _columns(line)
    check_symbols(line, columns)
    if len(columns) != shape.size:
        column = len(line.text) if len(columns) < shape.size else columns[shape.size][0]
        raise PuzzleError(
            f"a row of {_cells(row_length(line))} for {shape}",
            where=line.place(column),
            expected=f"{shape.size} cells, as in its first row"
            if inferred
            else f"{shape.size} cells, or {shape.size**2} for a puzzle in one line",
        )


def _cells(number: int) -> str:
    return f"{number} cell{'' if number == 1 else 's'}"


def _incomplete(rows: list[Line], shape: Shape, also: str = "") -> PuzzleError:
    return PuzzleError(
        f"the grid ends after {number_of(len(rows), 'row')}",
        where=rows[-1].place(),
        expected=f"{shape.size} rows for {shape}{also}",
    )


def _puzzle(rows: list[Line], shape: Shape, symbols: Symbols | None) -> Puzzle:
    blank = BlankSymbol()
    columns = [_columns(line) for line in rows]
    if symbols is None:
        texts = ("".join(symbol for _, symbol in of) for of in columns)
        symbols = decided(texts, shape.size, rows[0].place())
    values = (
        cell_values(line, of, shape, blank, symbols) for line, of in zip(rows, columns, strict=True)
    )
    return Puzzle(shape, tuple(value for row in values for value in row))
