"""Puzzles as SVG drawings: files without scripts, style sheets and fonts of their own."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import Final

from harness.base.text import printable
from harness.extensions.drawings.marks import LABEL, marks_of, rooms
from harness.puzzles import (
    Grid,
    Pencilmarks,
    Puzzle,
    Shape,
    candidate_grid,
    features_in_words,
    is_border,
    values_in,
)

# Text around the grid: the names of rows and columns, and a caption.


_NAME: Final = "#666666"
_CHARACTER: Final = 0.6
"""The width of a character as a share of the font size; few texts exceed it on average."""
_LEADING: Final = 1.35
_SMALLEST: Final = 13.0


def _line_names(size: int, side: int, font: float, left: int, above: int) -> Iterator[str]:
    """The names R1, R2 and so on to the left of a grid at the origin, C1, C2 and so on above.

    The `left` units beside the grid and the `above` units over it are left free for clues.
    """
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


def _caption(lines: Sequence[str], font: float, top: int) -> Iterator[str]:
    """The lines of a text that begins `top` units below the origin."""
    for number, line in enumerate(lines, 1):
        yield (
            f'<text class="caption" x="0" y="{top + number * _LEADING * font:.1f}" '
            f'font-size="{font:.1f}" text-anchor="start" fill="{_GIVEN}">{escape(line)}</text>'
        )


# The parts of a drawing: the grid, its values and candidates.


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
        side, font = size * self.side, max(_SMALLEST, 0.22 * self.side)
        left, above, right, below = (round(room * self.side) for room in rooms(self.shape))
        width = side + room + left + right + 2 * _MARGIN
        height = side + room + above + below + 2 * _MARGIN
        columns = max(1, int(side / (_CHARACTER * font)))
        if lines := textwrap.wrap(printable(text), columns, break_on_hyphens=False):
            height += round((len(lines) + 0.5) * _LEADING * font)
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
            *(_line_names(size, self.side, 0.85 * font, left, above) if with_names else ()),
            *_caption(lines, font, side + below),
            "</g>",
            "</svg>",
        ]
        return "\n".join(elements) + "\n"

    def corner(self, cell: int) -> tuple[int, int]:
        """The coordinates of the upper left corner of `cell`."""
        row, column = divmod(cell, self.shape.size)
        return column * self.side, row * self.side

    def shades(self) -> Iterator[str]:
        """Shades of disjoint groups and windows."""
        shades = {
            cell: f"hsl({(house.number - 1) * 360 // self.shape.size}, 70%, 91%)"
            for house in self.shape.houses
            if house.kind == "group"
            for cell in house.cells
        }
        shades |= dict.fromkeys(chain.from_iterable(self.shape.cells_of_kind("window")), _WINDOW)
        side = self.side
        for cell, shade in sorted(shades.items()):
            x, y = self.corner(cell)
            yield f'<rect x="{x}" y="{y}" width="{side}" height="{side}" fill="{shade}"/>'

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
        for cells in self.shape.cells_of_kind("diagonal"):
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
        font = min(0.56, 1.2 / self.shape.digits) * side
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
        return min(width * 1.25 / self.shape.digits, height * 0.95)

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


# A puzzle as a drawing.


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
