"""A row a line, bare or boxed.

Borders between the boxes (``|``, lines of ``-``, ``+`` and ``=``) and the
spaces between cells are passed over. Blank lines may stand between grids and,
if between all of them, between bands.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from harness.errors import InputError
from harness.puzzles.formats.cells import BlankSymbol, cell_values, check_symbols
from harness.puzzles.formats.source import Line
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape

_BORDER: Final = frozenset("-=+|.:'*\u2500\u2550\u253c\u256c ")
_BORDER_MARKS: Final = frozenset("-=+\u2500\u2550\u253c\u256c")
_BETWEEN: Final = frozenset("| \t\u2502\u2551")


def is_border(line: Line) -> bool:
    """Whether `line` is only a border between bands, such as ``------+------``."""
    return set(line.text) <= _BORDER and not _BORDER_MARKS.isdisjoint(line.text)


def cells_of(line: Line) -> list[tuple[int, str]]:
    """The symbols of a row with their columns, borders and spaces left out."""
    return [(at, symbol) for at, symbol in enumerate(line.text) if symbol not in _BETWEEN]


def read_grids(lines: Sequence[Line], shape: Shape | None) -> Iterator[tuple[Line, Puzzle]]:
    """The grids in `lines`, each with its first line.

    Without a `shape` it follows from the length of a grid's first row.

    Raises:
        InputError: a bad character, a row of a wrong length, a value out of
            range, two blank symbols in a grid, a grid that ends early; with
            file, line and column.
    """
    rows: list[Line] = []
    gaps: list[int] = []
    grid_shape = shape
    for line in lines:
        if not line.text:
            if rows:
                gaps.append(len(rows))
            continue
        if is_border(line):
            continue
        if not rows and shape is None:
            grid_shape = _shape_of_row(line)
        assert grid_shape is not None
        if gaps:
            _check_gap(gaps, rows, line, grid_shape)
        rows.append(line)
        if len(rows) == grid_shape.size:
            yield rows[0], _puzzle(rows, grid_shape)
            rows, gaps = [], []
    if rows:
        assert grid_shape is not None
        raise _ends_early(rows, grid_shape)


def _shape_of_row(line: Line) -> Shape:
    size = len(cells_of(line))
    try:
        return Shape.parse(f"{size}x{size}")
    except InputError as error:
        raise InputError(
            f"a row of {size} cells fits no shape", where=line.place(), expected=error.expected
        ) from None


def _check_gap(gaps: list[int], rows: list[Line], line: Line, shape: Shape) -> None:
    """A blank line inside a grid is a border between bands, or the grid was cut short."""
    band = shape.box[0] if shape.box else shape.size
    if sorted(set(gaps)) != list(range(band, len(rows) // band * band + 1, band)):
        raise _ends_early(rows[: gaps[-1]], shape)


def _ends_early(rows: list[Line], shape: Shape) -> InputError:
    return InputError(
        f"the grid ends after {len(rows)} row{'' if len(rows) == 1 else 's'}",
        where=rows[-1].place(),
        expected=f"{shape.size} rows for {shape}",
    )


def _puzzle(rows: list[Line], shape: Shape) -> Puzzle:
    blank = BlankSymbol()
    values: list[int] = []
    for line in rows:
        columns = cells_of(line)
        check_symbols(line, columns)
        if len(columns) != shape.size:
            last = columns[min(len(columns), shape.size) - 1][0] if columns else 0
            raise InputError(
                f"a row of {len(columns)} cells for {shape}",
                where=line.place(last),
                expected=f"{shape.size} cells",
            )
        values.extend(cell_values(line, columns, shape, blank))
    return Puzzle(shape, tuple(values))
