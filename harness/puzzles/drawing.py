"""Puzzles as drawings for a terminal and as SVG."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, pairwise
from math import isqrt
from string import ascii_lowercase, ascii_uppercase
from typing import Final

from harness.base.text import printable
from harness.puzzles.constraints import KINDS
from harness.puzzles.marks import LABEL, marks_of, rooms
from harness.puzzles.puzzle import Grid, Pencilmarks, Puzzle, values_in
from harness.puzzles.shape import Shape

# What is drawn of a puzzle: its regions, marked cells, and the candidates in a cell.


def _cells_of_kind(shape: Shape, kind: str) -> dict[int, int]:
    """The cells in houses of a kind, each with the number of the last of these houses."""
    houses = [house for house in shape.houses if house.kind == kind]
    return {cell: house.number for house in houses for cell in house.cells}


def _diagonals_of(shape: Shape) -> list[tuple[int, ...]]:
    """The cells of the houses that are diagonals: the falling one, then the rising one."""
    return [house.cells for house in shape.houses if house.kind == "diagonal"]


def candidate_grid(shape: Shape) -> tuple[int, int]:
    """Rows and columns of the candidates in a cell of `shape`: a box, or nearly a square."""
    if shape.box is not None and shape.box[0] <= shape.box[1]:
        return shape.box
    columns = isqrt(shape.size - 1) + 1
    return (shape.size + columns - 1) // columns, columns


def _digits_of(shape: Shape) -> int:
    """The characters of the longest value."""
    return len(shape.symbol(shape.size))


def is_border(regions: Sequence[int], size: int, row: int, column: int, *, below: bool) -> bool:
    """Whether a region ends below a cell, or to the right of it.

    Rows and columns count from 0; -1 and `size` stand for the outside.
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
    prefixes, digits = _prefixes(puzzle.shape, unicode), _digits_of(puzzle.shape)
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
    return before + (_candidates_width if is_large else _digits_of)(puzzle.shape)


def _candidates_width(shape: Shape) -> int:
    """The columns of the candidates of a cell, with a blank between numbers."""
    columns, digits = candidate_grid(shape)[1], _digits_of(shape)
    return columns if digits == 1 else columns * (digits + 1) - 1


def _prefixes(shape: Shape, unicode: bool) -> list[str]:
    """The character before the value of each cell: a blank, a stroke of a diagonal, or a shade.

    With cages, the letter of the cell's cage or a blank follows.
    """
    prefixes = [" "] * shape.size**2
    for cell in _cells_of_kind(shape, "window"):
        prefixes[cell] = "░" if unicode else ":"
    falling, rising, crossing = _STROKES if unicode else _PLAIN_STROKES
    for stroke, cells in zip((falling, rising), _diagonals_of(shape), strict=False):
        for cell in cells:
            prefixes[cell] = crossing if prefixes[cell] == falling else stroke
    if letters := _letters_of(shape):
        letter = {c: symbol for n, symbol in letters.items() for c in shape.constraints[n].cells}
        return [prefix + letter.get(cell, " ") for cell, prefix in enumerate(prefixes)]
    return prefixes


def _with_candidates(puzzle: Puzzle, prefixes: list[str], style: Styled) -> list[list[str]]:
    """The lines of each cell: its candidates in rows, or its given in the middle."""
    (height, columns), symbol = candidate_grid(puzzle.shape), puzzle.shape.symbol
    width, between = _candidates_width(puzzle.shape), " " if _digits_of(puzzle.shape) > 1 else ""
    cells = []
    for cell, value in enumerate(puzzle.givens):
        if value:
            lines = [" " * width] * height
            before, after = (width - len(symbol(value))) // 2, (width - len(symbol(value)) + 1) // 2
            lines[(height - 1) // 2] = " " * before + style(cell, symbol(value)) + " " * after
        else:
            candidates = values_in(puzzle.allowed[cell])
            symbols = [
                (symbol(v) if v in candidates else "").rjust(_digits_of(puzzle.shape))
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


# Text around the grid of an SVG drawing: the names of rows and columns, and a caption.


_TEXT: Final = "#111111"
_NAME: Final = "#666666"
_CHARACTER: Final = 0.6
"""The width of a character as a share of the font size; few texts exceed it on average."""
_LEADING: Final = 1.35
_SMALLEST: Final = 13.0


def _line_names(size: int, side: int, left: int, above: int) -> Iterator[str]:
    """The names R1, R2 and so on to the left of a grid at the origin, C1, C2 and so on above.

    The `left` units beside the grid and the `above` units over it are left free for clues.
    """
    font = 0.85 * _font(side)
    for at in range(size):
        middle = (at + 0.5) * side
        for text, x, y, anchor in (
            (f"C{at + 1}", middle, -0.14 * side - above, "middle"),
            (f"R{at + 1}", -0.09 * side - left, middle + 0.36 * font, "end"),
        ):
            yield (
                f'<text class="name" x="{x:.1f}" y="{y:.1f}" font-size="{font:.1f}" '
                f'text-anchor="{anchor}" fill="{_NAME}">{text}</text>'
            )


def caption(text: str, size: int, side: int, below: int) -> Iterator[str]:
    """The lines of a text below a grid at the origin, not wider than the grid.

    The first `below` units under the grid are left free for clues.
    """
    font = _font(side)
    for number, line in enumerate(_lines_of(text, size, side), 1):
        yield (
            f'<text class="caption" x="0" y="{size * side + below + number * _LEADING * font:.1f}" '
            f'font-size="{font:.1f}" text-anchor="start" fill="{_TEXT}">{escape(line)}</text>'
        )


def _font(side: int) -> float:
    """The font size of names and captions beside cells with this side."""
    return max(_SMALLEST, 0.22 * side)


def _lines_of(text: str, size: int, side: int) -> list[str]:
    width = max(1, int(size * side / (_CHARACTER * _font(side))))
    return textwrap.wrap(printable(text), width, break_on_hyphens=False)


# The parts of an SVG drawing of a puzzle: the grid, its values and candidates.


_SMALLEST_CELL: Final = 40
_SMALLEST_WITH_CLUES: Final = 52
_CANDIDATE_WIDTH: Final = 14
_CLUE_ROOM: Final = 0.16
"""The room for clues at the border of a cell with candidates, as a share of its side."""
_MARGIN: Final = 4
_GIVEN: Final = "#111111"
_FOUND: Final = "#1f5fbf"
_CANDIDATE: Final = "#555555"
_THIN: Final = "#999999"
_DIAGONAL: Final = "#e3aaaa"
_WINDOW: Final = "#dde6f3"
_FONT: Final = "Helvetica, Arial, 'DejaVu Sans', sans-serif"

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A white sheet for the cells of `shape`."""

    shape: Shape
    side: int
    """The side of a cell."""

    def document(
        self,
        title: str,
        facts: Iterable[str],
        parts: Iterable[str],
        *,
        with_names: bool = False,
        text: str = "",
    ) -> str:
        """The SVG file with these elements, whose origin is the corner of the grid.

        Args:
            title: the title of the file.
            facts: the statements of its description.
            parts: the elements.
            with_names: whether rows and columns have their names beside the grid.
            text: a caption below the grid.
        """
        size, room = self.shape.size, round(0.5 * self.side) if with_names else 0
        left, above, right, below = (round(room * self.side) for room in rooms(self.shape))
        width = size * self.side + room + left + right + 2 * _MARGIN
        height = size * self.side + room + above + below + 2 * _MARGIN
        if lines := _lines_of(text, size, self.side):
            height += round((len(lines) + 0.5) * _LEADING * _font(self.side))
        root = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" font-family="{escape(_FONT)}" '
            'text-anchor="middle">'
        )
        elements = [
            root,
            f"<title>{escape(printable(title))}</title>",
            f"<desc>{escape(printable('; '.join(facts)))}</desc>",
            f'<rect width="{width}" height="{height}" fill="white"/>',
            f'<g transform="translate({_MARGIN + room + left} {_MARGIN + room + above})">',
            *parts,
            *(_line_names(size, self.side, left, above) if with_names else ()),
            *caption(text, size, self.side, below),
            "</g>",
            "</svg>",
        ]
        return "\n".join(elements) + "\n"

    def corner(self, cell: int) -> tuple[int, int]:
        """The coordinates of the upper left corner of `cell`."""
        row, column = divmod(cell, self.shape.size)
        return column * self.side, row * self.side

    def fill(self, cell: int, colour: str) -> str:
        """`cell` in this `colour`."""
        x, y = self.corner(cell)
        return f'<rect x="{x}" y="{y}" width="{self.side}" height="{self.side}" fill="{colour}"/>'

    def shades(self) -> Iterator[str]:
        """Shades of disjoint groups and windows."""
        groups = _cells_of_kind(self.shape, "group")
        shades = {
            cell: f"hsl({(group - 1) * 360 // self.shape.size}, 70%, 91%)"
            for cell, group in groups.items()
        }
        shades |= dict.fromkeys(_cells_of_kind(self.shape, "window"), _WINDOW)
        for cell, shade in sorted(shades.items()):
            yield self.fill(cell, shade)

    def layers(self, *between: Iterable[str], with_candidates: bool = True) -> Iterator[str]:
        """Shades, marks of constraints and the lines of the grid.

        Args:
            between: further elements, above the shades.
            with_candidates: whether cells have candidates, next to which labels are smaller.
        """
        under, over = marks_of(self.shape, self.side, 0.15 if with_candidates else LABEL)
        yield from self.shades()
        yield from chain.from_iterable(between)
        yield from under
        yield from self.diagonals()
        yield from self.lines()
        yield from over

    def diagonals(self) -> Iterator[str]:
        """The diagonals that are houses."""
        side = self.side
        half = side / 2
        for cells in _diagonals_of(self.shape):
            (x1, y1), (x2, y2) = self.corner(cells[0]), self.corner(cells[-1])
            slope = half if x1 < x2 else -half
            yield (
                f'<line x1="{x1 + half - slope:g}" y1="{y1}" x2="{x2 + half + slope:g}" '
                f'y2="{y2 + side}" stroke="{_DIAGONAL}" stroke-width="2"/>'
            )

    def lines(self) -> Iterator[str]:
        """Thin lines between all cells, then thick ones around regions and the grid."""
        size = self.shape.size
        cell = self.side
        side = size * cell
        thin = [f"M{at} 0V{side}M0 {at}H{side}" for at in range(cell, side, cell)]
        yield f'<path d="{"".join(thin)}" stroke="{_THIN}" stroke-width="1" fill="none"/>'
        regions, thick = self.shape.region_of, []
        for line in range(-1, size):
            for at in range(size):
                if is_border(regions, size, line, at, below=True):
                    thick.append(f"M{at * cell} {(line + 1) * cell}h{cell}")
                if is_border(regions, size, at, line, below=False):
                    thick.append(f"M{(line + 1) * cell} {at * cell}v{cell}")
        yield (
            f'<path d="{"".join(thick)}" stroke="{_GIVEN}" stroke-width="3" '
            'stroke-linecap="square" fill="none"/>'
        )

    def value(self, cell: int, value: int, *, is_given: bool) -> str:
        """The `value` of `cell`: bold if `is_given`, else blue."""
        x, y = self.corner(cell)
        side = self.side
        look = f'font-weight="bold" fill="{_GIVEN}"' if is_given else f'fill="{_FOUND}"'
        font = min(0.56, 1.2 / _digits_of(self.shape)) * side
        return (
            f'<text x="{x + side / 2:g}" y="{y + 0.69 * side:g}" '
            f'font-size="{font:g}" {look}>{escape(self.shape.symbol(value))}</text>'
        )

    def candidates(self, cell: int, values: Iterable[int]) -> Iterator[str]:
        """The candidate `values` of `cell` in small type, each at the place of its value."""
        font = self.candidate_font
        for value in values:
            x, y = self.place(cell, value)
            yield (
                f'<text x="{x:.1f}" y="{y + 0.36 * font:.1f}" font-size="{font:.1f}" '
                f'fill="{_CANDIDATE}">{escape(self.shape.symbol(value))}</text>'
            )

    @property
    def candidate_font(self) -> float:
        """The font size of candidates."""
        width, height = self._candidate_size
        return min(width * 1.25 / _digits_of(self.shape), height * 0.95)

    def place(self, cell: int, value: int) -> Point:
        """The middle of the candidate `value` in `cell`."""
        row, column = divmod(value - 1, candidate_grid(self.shape)[1])
        width, height = self._candidate_size
        left, top = self.corner(cell)
        inset = self._inset
        return left + inset + (column + 0.5) * width, top + inset + (row + 0.5) * height

    @property
    def _inset(self) -> float:
        """The space between the border of a cell and its candidates, with room for totals."""
        return _CLUE_ROOM * self.side if self.shape.constraints else 3

    @property
    def _candidate_size(self) -> Point:
        rows, columns = candidate_grid(self.shape)
        room = self.side - 2 * self._inset
        return room / columns, room / rows


# A puzzle as an SVG drawing: one file without scripts, style sheets and fonts of its own.


def svg(
    puzzle: Puzzle,
    grid: Grid | None = None,
    title: str = "",
    candidates: Pencilmarks | None = None,
) -> str:
    """A drawing of `puzzle` as SVG.

    Boxes and regions have thick borders, diagonals a line, windows and disjoint groups
    a shade, constraints their customary marks. Givens are bold, and candidates of
    pencilmarks small.

    Args:
        puzzle: a puzzle of any shape.
        grid: its solution; the values of blank cells are blue.
        title: the title of the drawing, by default the name of the shape.
        candidates: what blank cells show as bits, by default the pencilmarks of the puzzle.
    """
    marks = puzzle.pencilmarks if candidates is None else candidates
    shape, side = puzzle.shape, _SMALLEST_WITH_CLUES if puzzle.shape.constraints else _SMALLEST_CELL
    if marks is not None:  # room for all candidates
        side = max(side, wide_enough(_CANDIDATE_WIDTH * max(candidate_grid(shape)), shape))
    sheet = Sheet(shape, side)
    parts = [*sheet.layers(with_candidates=marks is not None)]
    for cell, clue in enumerate(puzzle.givens):
        value = clue or (grid[cell] if grid is not None else 0)
        if value:
            parts.append(sheet.value(cell, value, is_given=bool(clue)))
        elif marks is not None:
            parts += sheet.candidates(cell, values_in(marks[cell]))
    facts = [f"{shape}, {puzzle.clues} givens", *features_in_words(shape)]
    return sheet.document(title or str(shape), facts, parts)


def wide_enough(side: int, shape: Shape) -> int:
    """The side of a cell of `shape` with room for clues beside candidates that need this `side`."""
    return round(side / (1 - 2 * _CLUE_ROOM)) if shape.constraints else side
