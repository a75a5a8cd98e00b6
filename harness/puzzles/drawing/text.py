"""A puzzle as a drawing for a terminal."""

from collections.abc import Callable, Sequence
from typing import Final

from harness.puzzles.drawing.layout import (
    candidate_grid,
    candidates_of,
    cells_of_kind,
    diagonals_of,
    is_border,
    regions_of,
)
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of

_JUNCTIONS: Final = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
"""By the lines that meet: 1 above, 2 below, 4 to the left, 8 to the right."""
_PLAIN_JUNCTIONS: Final = " |||-+++-+++-+++"
_STROKES: Final = "\u2572\u2571\u2573"
_PLAIN_STROKES: Final = "\\/X"
"""What stands in cells of the falling diagonal, the rising one and both."""
Styled = Callable[[int, str], str]


def _unstyled(_: int, text: str) -> str:
    return text


def drawn(
    puzzle: Puzzle,
    grid: Grid | None = None,
    *,
    unicode: bool = True,
    styled: Styled = _unstyled,
) -> list[str]:
    """The lines of a drawing of `puzzle`.

    Lines surround boxes and regions. Cells of diagonals have a stroke before their value, those
    of windows a colon. A puzzle with pencilmarks shows the candidates of each blank cell.

    Args:
        puzzle: a puzzle of any shape.
        grid: its solution, drawn in the place of blanks and pencilmarks.
        unicode: whether lines may have characters beyond ASCII.
        styled: adds colours to the text of a cell, for a terminal.
    """
    values = puzzle.givens if grid is None else grid
    marks = _Marks(puzzle.shape, unicode)
    if grid is None and puzzle.pencilmarks is not None:
        cells = _with_candidates(puzzle, marks, styled)
    else:
        cells = [
            [marks.of[cell] + styled(cell, symbol_of(value))] for cell, value in enumerate(values)
        ]
    return _Frame(puzzle.shape, unicode).around(cells, _width(puzzle, grid))


def width_of(puzzle: Puzzle, grid: Grid | None = None) -> int:
    """The number of columns of the drawing."""
    frame = _Frame(puzzle.shape, unicode=True)
    return frame.width(_width(puzzle, grid))


def _width(puzzle: Puzzle, grid: Grid | None) -> int:
    """The columns of the text of a cell."""
    is_large = grid is None and puzzle.pencilmarks is not None
    return 1 + candidate_grid(puzzle.shape)[1] if is_large else 2


class _Marks:
    """What stands before the value of each cell: a blank, a stroke of a diagonal, a colon."""

    def __init__(self, shape: Shape, unicode: bool) -> None:
        self.of = [" "] * shape.size**2
        for cell in cells_of_kind(shape, "window"):
            self.of[cell] = "░" if unicode else ":"
        falling, rising, both = _STROKES if unicode else _PLAIN_STROKES
        for stroke, cells in zip((falling, rising), diagonals_of(shape), strict=False):
            for cell in cells:
                self.of[cell] = both if self.of[cell] == falling else stroke


def _with_candidates(puzzle: Puzzle, marks: _Marks, styled: Styled) -> list[list[str]]:
    """The lines of each cell: its candidates in rows, or its given in the middle."""
    height, width = candidate_grid(puzzle.shape)
    found = []
    for cell, value in enumerate(puzzle.givens):
        if value:
            lines = [" " * width] * height
            before, after = (width - 1) // 2, width // 2
            lines[(height - 1) // 2] = " " * before + styled(cell, symbol_of(value)) + " " * after
        else:
            held = candidates_of(puzzle, cell)
            symbols = [symbol_of(v) if v in held else " " for v in range(1, height * width + 1)]
            starts = range(0, height * width, width)
            lines = [styled(cell, "".join(symbols[at : at + width])) for at in starts]
        found.append([(marks.of[cell] if not at else " ") + line for at, line in enumerate(lines)])
    return found


class _Frame:
    """The lines around boxes and regions."""

    def __init__(self, shape: Shape, unicode: bool) -> None:
        self._size = shape.size
        self._regions = regions_of(shape)
        self._junctions = _JUNCTIONS if unicode else _PLAIN_JUNCTIONS
        every = range(-1, shape.size)
        irregular = any(house.kind == "region" for house in shape.houses)
        self._columns = {
            column
            for column in every
            if irregular or any(self._border(row, column, below=False) for row in range(shape.size))
        }
        """The columns with a line at their right side somewhere; with regions all columns."""
        self._rows = {
            row
            for row in every
            if any(self._border(row, column, below=True) for column in range(shape.size))
        }

    def width(self, cell: int) -> int:
        """The columns of a drawing whose cells take `cell` columns."""
        return self._size * cell + 2 * len(self._columns) - 1

    def around(self, cells: Sequence[Sequence[str]], width: int) -> list[str]:
        """The drawing, with the lines of text of each cell, all of this width."""
        large = len(cells[0]) > 1
        found: list[str] = []
        for row in range(-1, self._size):
            of_row = cells[row * self._size : (row + 1) * self._size] if row >= 0 else []
            found += (self._row(row, texts) for texts in zip(*of_row, strict=True))
            if row in self._rows or (large and row < self._size - 1):
                found.append(self._line(row, width))
        return [line.rstrip() for line in found]

    def _border(self, row: int, column: int, *, below: bool) -> bool:
        return is_border(self._regions, self._size, row, column, below=below)

    def _row(self, row: int, texts: Sequence[str]) -> str:
        bar = self._junctions[3]
        parts = []
        for column in range(-1, self._size):
            if column >= 0:
                parts.append(texts[column])
            if column in self._columns:
                blank = "" if column < 0 else " "
                parts.append(blank + (bar if self._border(row, column, below=False) else " "))
        return "".join(parts)

    def _line(self, row: int, width: int) -> str:
        """The line below a row of cells."""
        dash, parts = self._junctions[12], []
        for column in range(-1, self._size):
            if column >= 0:
                parts.append((dash if self._border(row, column, below=True) else " ") * width)
            if column in self._columns:
                left = self._border(row, column, below=True) if column >= 0 else False
                meet = (
                    self._border(row, column, below=False)
                    + 2 * self._border(row + 1, column, below=False)
                    + 4 * left
                    + 8 * self._border(row, column + 1, below=True)
                )
                blank = "" if column < 0 else (dash if left else " ")
                parts.append(blank + self._junctions[meet])
        return "".join(parts)
