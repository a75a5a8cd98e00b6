"""Puzzles as drawings for a terminal."""

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from math import isqrt
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from harness.puzzles.constraints import KINDS
from harness.puzzles.puzzle import Grid, Puzzle, values_in
from harness.puzzles.shape import Shape

# What is drawn of a puzzle: its regions, marked cells, and the candidates in a cell.


def candidate_grid(shape: Shape) -> tuple[int, int]:
    """Rows and columns of the candidates in a cell of `shape`: a box, or nearly a square."""
    if shape.box is not None and shape.box[0] <= shape.box[1]:
        return shape.box
    columns = isqrt(shape.size - 1) + 1
    return (shape.size + columns - 1) // columns, columns


def is_border(regions: Sequence[int], size: int, row: int, column: int, *, below: bool) -> bool:
    """Whether a region ends at the right side of a cell, or at the lower one.

    Args:
        regions: the number of the region of each cell.
        size: the number of rows and columns.
        row: the row of the cell, from 0; -1 and `size` stand for the outside.
        column: its column, from 0, with the same numbers for the outside.
        below: whether the lower side is meant.
    """
    other = (row + 1, column) if below else (row, column + 1)
    inside = [0 <= at < size for at in (row, column, *other)]
    if not all(inside):
        # One of the two cells is outside: the frame, unless both are.
        return (inside[0] and inside[1]) != (inside[2] and inside[3])
    return regions[row * size + column] != regions[other[0] * size + other[1]]


def features_in_words(shape: Shape) -> list[str]:
    """Rules of `shape` beyond rows, columns, boxes and regions."""
    kinds = [house.kind for house in shape.houses]
    words = {
        "diagonal": "both diagonals are houses",
        "window": f"{kinds.count('window')} windows are houses",
        "group": "cells at the same place of each box are a house",
        "house": "it has houses of its own",
    }
    rules = [text for kind, text in words.items() if kind in kinds]
    if pairs := shape.without_constraints.pairs:
        rules.append(f"{len(pairs)} pairs of cells differ")
    kinds_used = {constraint.kind for constraint in shape.constraints}
    return [
        *rules,
        *(f"{name}: {kind.title}" for name, kind in KINDS.items() if name in kinds_used),
    ]


def _letters_of(shape: Shape) -> dict[int, str]:
    """The letters of the cages of a shape in a drawing for a terminal, by number of constraint.

    Cages that overlap earlier ones have none, nor do those for which no letter is left, nor those
    of a shape larger than 16x16.
    """
    letters = iter(ascii_lowercase + (ascii_uppercase if shape.size <= 9 else ""))
    letter_of: dict[int, str] = {}
    cells: set[int] = set()
    for number, constraint in enumerate(shape.constraints if shape.size <= 16 else ()):
        if constraint.kind == "killer" and cells.isdisjoint(constraint.cells):
            cells.update(constraint.cells)
            letter = next(letters, "")
            if letter:
                letter_of[number] = letter
    return letter_of


def constraints_in_words(shape: Shape) -> list[str]:
    """The constraints of `shape`; cages by their letters in a drawing for a terminal.

    Constraints of the same kind share a text: ``killer: a=15; b=3``.
    """
    letters = _letters_of(shape)
    texts: dict[str, list[str]] = {}
    for number, constraint in enumerate(shape.constraints):
        cells = " / ".join(_cells_in_words(own, shape) for own in constraint.lists)
        text = f"{constraint.value} {cells}".strip()
        if number in letters:
            text = f"{letters[number]}={constraint.value}".rstrip("=")
        texts.setdefault(constraint.kind, []).append(text)
    return [f"{kind}: {'; '.join(parts)}".rstrip(": ") for kind, parts in texts.items()]


def _cells_in_words(cells: Sequence[int], shape: Shape) -> str:
    """The names of cells; four or more in a straight line by the first and the last."""
    places = [divmod(cell, shape.size) for cell in cells]
    moves = {(after[0] - at[0], after[1] - at[1]) for at, after in pairwise(places)}
    if len(cells) > 3 and len(moves) == 1:
        return f"{shape.cell_name(cells[0])} to {shape.cell_name(cells[-1])}"
    return " ".join(map(shape.cell_name, cells))


# A puzzle as a drawing for a terminal.


_JUNCTIONS: Final = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
"""Characters by the lines that meet: 1 above, 2 below, 4 to the left, 8 to the right."""
_PLAIN_JUNCTIONS: Final = " |||-+++-+++-+++"
_STROKES: Final = "\u2572\u2571\u2573"
_PLAIN_STROKES: Final = "\\/X"
"""The strokes in cells of the falling diagonal, the rising one and both."""
Styled = Callable[[int, str], str]


def _plain(_: int, text: str) -> str:
    return text


def draw(
    puzzle: Puzzle,
    grid: Grid | None = None,
    *,
    unicode: bool = True,
    style: Styled = _plain,
) -> list[str]:
    """The lines of a drawing of `puzzle`.

    Lines surround boxes and regions. Cells of diagonals have a stroke before their value, those
    of windows a shade, in ASCII a colon, and those of cages the letter of `constraints_in_words`.
    A puzzle with pencilmarks shows the candidates of each blank cell.

    Args:
        puzzle: a puzzle of any shape.
        grid: its solution, drawn instead of blanks and pencilmarks.
        unicode: whether lines may have characters beyond ASCII.
        style: adds colours to the text of a cell, for a terminal.
    """
    values = puzzle.givens if grid is None else grid
    prefixes, digits = _prefixes(puzzle.shape, unicode), puzzle.shape.digits
    if grid is None and puzzle.pencilmarks is not None:
        cells = _with_candidates(puzzle, prefixes, style)
    else:
        cells = [
            [prefixes[cell] + style(cell, puzzle.shape.symbol(value).rjust(digits))]
            for cell, value in enumerate(values)
        ]
    return _Frame(puzzle.shape, unicode).around(cells, _width(puzzle, grid))


def width_of(puzzle: Puzzle, grid: Grid | None = None) -> int:
    """The number of columns of the drawing of `puzzle`, with the values of `grid`."""
    frame = _Frame(puzzle.shape, unicode=True)
    return frame.width(_width(puzzle, grid))


def _width(puzzle: Puzzle, grid: Grid | None) -> int:
    """The columns of the text of a cell."""
    is_large = grid is None and puzzle.pencilmarks is not None
    before = 2 if _letters_of(puzzle.shape) else 1
    return before + (_candidates_width(puzzle.shape) if is_large else puzzle.shape.digits)


def _candidates_width(shape: Shape) -> int:
    """The columns of the candidates of a cell, with a blank between numbers."""
    columns, digits = candidate_grid(shape)[1], shape.digits
    return columns if digits == 1 else columns * (digits + 1) - 1


def _prefixes(shape: Shape, unicode: bool) -> list[str]:
    """The character before the value of each cell: a blank, a stroke of a diagonal, or a shade.

    With cages, the letter of the cell's cage or a blank follows.
    """
    prefixes = [" "] * shape.size**2
    for cell in chain.from_iterable(shape.cells_of_kind("window")):
        prefixes[cell] = "░" if unicode else ":"
    falling, rising, crossing = _STROKES if unicode else _PLAIN_STROKES
    for stroke, cells in zip((falling, rising), shape.cells_of_kind("diagonal"), strict=False):
        for cell in cells:
            prefixes[cell] = crossing if prefixes[cell] == falling else stroke
    if letters := _letters_of(shape):
        letter = {c: symbol for n, symbol in letters.items() for c in shape.constraints[n].cells}
        return [prefix + letter.get(cell, " ") for cell, prefix in enumerate(prefixes)]
    return prefixes


def _with_candidates(puzzle: Puzzle, prefixes: list[str], style: Styled) -> list[list[str]]:
    """The lines of each cell: its candidates in rows, or its given in the middle."""
    (height, columns), symbol = candidate_grid(puzzle.shape), puzzle.shape.symbol
    width, between = _candidates_width(puzzle.shape), " " if puzzle.shape.digits > 1 else ""
    cells = []
    for cell, value in enumerate(puzzle.givens):
        if value:
            lines = [" " * width] * height
            before, after = (width - len(symbol(value))) // 2, (width - len(symbol(value)) + 1) // 2
            lines[(height - 1) // 2] = " " * before + style(cell, symbol(value)) + " " * after
        else:
            candidates = values_in(puzzle.allowed[cell])
            symbols = [
                (symbol(v) if v in candidates else "").rjust(puzzle.shape.digits)
                for v in range(1, height * columns + 1)
            ]
            starts = range(0, height * columns, columns)
            lines = [style(cell, between.join(symbols[at : at + columns])) for at in starts]
        starting = [prefixes[cell], *[" " * len(prefixes[cell])] * (height - 1)]
        cells.append([mark + line for mark, line in zip(starting, lines, strict=True)])
    return cells


class _Frame:
    """The lines around boxes and regions."""

    def __init__(self, shape: Shape, unicode: bool) -> None:
        self._size = shape.size
        self._regions = shape.region_of
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
        """The drawing of cells, each given as its lines of text, all of this width."""
        large = len(cells[0]) > 1
        lines: list[str] = []
        for row in range(-1, self._size):
            of_row = cells[row * self._size : (row + 1) * self._size] if row >= 0 else []
            lines += (self._row(row, texts) for texts in zip(*of_row, strict=True))
            if row in self._rows or (large and row < self._size - 1):
                lines.append(self._line(row, width))
        return [line.rstrip() for line in lines]

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
