"""The parts of an SVG drawing of a puzzle: the grid, its values and candidates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from harness.puzzles.drawing.caption import caption, caption_height, line_names, name_room
from harness.puzzles.drawing.layout import (
    candidate_grid,
    cells_of_kind,
    diagonals_of,
    is_border,
    regions_of,
)
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of
from harness.text import printable

SMALLEST_CELL: Final = 40
CANDIDATE_WIDTH: Final = 14
_MARGIN: Final = 4
_GIVEN: Final = "#111111"
_FOUND: Final = "#1f5fbf"
_CANDIDATE: Final = "#555555"
_THIN: Final = "#999999"
_DIAGONAL: Final = "#e3aaaa"
_WINDOW: Final = "#dde6f3"
_SATURATION: Final = 70
_LIGHTNESS: Final = 91
_FONT: Final = "Helvetica, Arial, 'DejaVu Sans', sans-serif"

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A white sheet for the cells of a shape."""

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
            facts: what its description states.
            parts: the elements.
            with_names: whether rows and columns have their names beside the grid.
            text: a caption below the grid.
        """
        size, room = self.shape.size, name_room(self.side) if with_names else 0
        width = size * self.side + room + 2 * _MARGIN
        height = width + caption_height(text, size, self.side)
        root = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" font-family="{escape(_FONT)}" '
            'text-anchor="middle">'
        )
        lines = [
            root,
            f"<title>{escape(printable(title))}</title>",
            f"<desc>{escape(printable('; '.join(facts)))}</desc>",
            f'<rect width="{width}" height="{height}" fill="white"/>',
            f'<g transform="translate({_MARGIN + room} {_MARGIN + room})">',
            *parts,
            *(line_names(size, self.side) if with_names else ()),
            *caption(text, size, self.side),
            "</g>",
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def corner(self, cell: int) -> tuple[int, int]:
        """The left and the upper side of a cell."""
        row, column = divmod(cell, self.shape.size)
        return column * self.side, row * self.side

    def filled(self, cell: int, colour: str) -> str:
        """A cell in a colour."""
        x, y = self.corner(cell)
        return f'<rect x="{x}" y="{y}" width="{self.side}" height="{self.side}" fill="{colour}"/>'

    def shades(self) -> Iterator[str]:
        """Shades of disjoint groups and windows."""
        groups = cells_of_kind(self.shape, "group")
        shades = {
            cell: f"hsl({(group - 1) * 360 // self.shape.size}, {_SATURATION}%, {_LIGHTNESS}%)"
            for cell, group in groups.items()
        }
        shades |= dict.fromkeys(cells_of_kind(self.shape, "window"), _WINDOW)
        for cell, shade in sorted(shades.items()):
            yield self.filled(cell, shade)

    def diagonals(self) -> Iterator[str]:
        """The diagonals that are houses."""
        side = self.side
        half = side / 2
        for cells in diagonals_of(self.shape):
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
        regions, thick = regions_of(self.shape), []
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
        """The value of a cell: bold if it is a given, else blue."""
        x, y = self.corner(cell)
        side = self.side
        look = f'font-weight="bold" fill="{_GIVEN}"' if is_given else f'fill="{_FOUND}"'
        return (
            f'<text x="{x + side / 2:g}" y="{y + 0.69 * side:g}" '
            f'font-size="{0.56 * side:g}" {look}>{escape(symbol_of(value))}</text>'
        )

    def candidates(self, cell: int, values: Iterable[int]) -> Iterator[str]:
        """The candidates of a cell in small type, each at the place of its value."""
        font = self.candidate_font
        for value in values:
            x, y = self.place(cell, value)
            yield (
                f'<text x="{x:.1f}" y="{y + 0.36 * font:.1f}" font-size="{font:.1f}" '
                f'fill="{_CANDIDATE}">{escape(symbol_of(value))}</text>'
            )

    @property
    def candidate_font(self) -> float:
        """The size of the type of candidates."""
        width, height = self._candidate_size
        return min(width * 1.25, height * 0.95)

    def place(self, cell: int, value: int) -> Point:
        """The middle of a candidate in its cell."""
        row, column = divmod(value - 1, candidate_grid(self.shape)[1])
        width, height = self._candidate_size
        left, top = self.corner(cell)
        return left + 3 + (column + 0.5) * width, top + 3 + (row + 0.5) * height

    @property
    def _candidate_size(self) -> Point:
        rows, columns = candidate_grid(self.shape)
        return (self.side - 6) / columns, (self.side - 6) / rows
