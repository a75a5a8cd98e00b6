"""Constraints as people draw them, as SVG elements: cages, lines, dots, clues outside of the grid.

Lengths are shares of the side of a cell. Points are complex numbers: the column is the real part,
the row the imaginary one. Marks `under` the lines of the grid are shades and lines through cells;
those `over` it are dots, cages and clues.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Final, NamedTuple

from harness.puzzles import Shape
from harness.puzzles.constraints import Constraint

# The lines, shades and outlines of the kinds.


class _Stroke(NamedTuple):
    """A line through the cells of each list."""

    colour: str
    width: float = 0.13
    ends: str = ""
    """The mark at both ends: ``ring`` or ``diamond``; or at the first only: ``bulb``."""
    hollow: bool = False
    with_dashes: bool = False


_GREY: Final = "#b9b9b9"
_DARK: Final = "#333333"
_INK: Final = "#111111"
_GENERIC: Final = _Stroke("#a8643c", 0.04, with_dashes=True)
_LINES: Final[dict[str, _Stroke]] = {
    "thermometer": _Stroke(_GREY, 0.26, "bulb"),
    "slow-thermometer": _Stroke(_GREY, 0.26, "bulb", hollow=True),
    "whisper": _Stroke("#6fcf6f"),
    "renban": _Stroke("#e07be0"),
    "nabner": _Stroke("#e3c93b"),
    "region-sum": _Stroke("#5cb6ee"),
    "equal-sums": _Stroke("#2f8f9d"),
    "zipper": _Stroke("#b09cf0"),
    "palindrome": _Stroke("#b4b4b4"),
    "modular": _Stroke("#3cc2ae"),
    "entropic": _Stroke("#f4b183"),
    "sum-line": _Stroke("#8aa4c8"),
    "between": _Stroke(_GREY, 0.06, "ring"),
    "double-arrow": _Stroke("#8c8c8c", 0.06, "ring"),
    "lockout": _Stroke("#7f8fd0", 0.09, "diamond"),
    "pair": _GENERIC,
    "pairs": _GENERIC,
    "automaton": _GENERIC,
}
_DUTCH_WHISPER: Final = "#f59a42"
"""The colour of a whisper with a value of its own that is less than the default."""
_SHADES: Final = {
    "clone": ("#dcdcdc", 1),
    "same-values": ("#e6dcc6", 1),
    "minimum": ("#e2e2e2", 1),
    "maximum": ("#e2e2e2", 1),
    "row-indexer": ("#f8d8d8", 1),
    "column-indexer": ("#d8efd8", 1),
    "box-indexer": ("#d8e4f8", 1),
    "even": ("#d4d4d4", 0.74),
}
"""The colour and the width of the squares in the cells."""
_OUTLINES: Final = {
    "killer": (_INK, "4 3", ""),
    "sum": ("#7a5230", "1.5 2.5", "\u03a3"),
    "distinct": ("#5b7fb5", "", ""),
    "count-distinct": ("#6b3fa0", "1.5 2.5", "#"),
    "lunchbox": ("#a8643c", "6 2", ""),
    "contains": ("#2e7d4f", "1.5 2.5", ""),
    "contains-exactly": ("#2e7d4f", "6 2", "="),
}
"""The colour and the dashes of the outline of cells, and the text before the value."""
_OUTSIDE: Final = ("sandwich", "x-sum", "skyscraper", "numbered-room", "little-killer")
_INSET: Final = 0.07
LABEL: Final = 0.21
"""The font size of labels in the corner of a cell."""

Position = tuple[int, int]
"""The row and the column of a cell, from 0; -1 and N are outside."""


def _place_outside(constraint: Constraint, size: int) -> Position | None:
    """The place of a clue outside of the grid; None if the constraint has no such place."""
    if constraint.kind not in _OUTSIDE:
        return None
    row, column = divmod(constraint.cells[0], size)
    moves = [(1, -1), (1, 1), (-1, 1), (-1, -1)]
    if len(constraint.cells) > 1:
        other = divmod(constraint.cells[1], size)
        moves = [(other[0] - row, other[1] - column)]
    for down, right in moves:
        place = row - down, column - right
        after = row + down, column + right
        if not _inside(place, size) and (len(moves) == 1 or not _inside(after, size)):
            return place
    return None


def _inside(place: Position, size: int) -> bool:
    return all(0 <= at < size for at in place)


_ROOM: Final = 0.9
"""The room for clues outside of the grid, as a share of the side of a cell."""


def rooms(shape: Shape) -> tuple[float, float, float, float]:
    """The room for clues of `shape` to the left of the grid, above, to the right and below."""
    places = {_place_outside(constraint, shape.size) for constraint in shape.constraints}
    rows = {place[0] for place in places if place}
    columns = {place[1] for place in places if place}
    sides = -1 in columns, -1 in rows, shape.size in columns, shape.size in rows
    left, above, right, below = (_ROOM * is_used for is_used in sides)
    return left, above, right, below


def marks_of(shape: Shape, side: float, label: float = LABEL) -> tuple[list[str], list[str]]:
    """The marks under the lines of the grid and over them.

    Args:
        shape: the shape with its constraints.
        side: the side of a cell.
        label: the font size of labels, as a share of the side of a cell.
    """
    artist = _Artist(shape.size, side, label)
    for constraint in shape.constraints:
        artist.draw(constraint)
    artist.finish()
    return [*artist.shades, *artist.under], artist.over


@dataclass
class _Artist:
    """Draws constraints; the corner of the grid is the origin."""

    size: int
    side: float
    label: float
    shades: list[str] = field(default_factory=list)
    under: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)
    _outside: dict[Position, list[Constraint]] = field(default_factory=lambda: defaultdict(list))
    _labels: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """The number of labels in the corner of each cell so far."""

    def draw(self, constraint: Constraint) -> None:
        """Draw a constraint; a rule for all cells has no marks."""
        kind, place = constraint.kind, _place_outside(constraint, self.size)
        if place is not None:
            self._outside[place].append(constraint)
        elif kind in _OUTSIDE:
            self._line(constraint.cells, _GENERIC)
            self._label(constraint.cells, constraint.value, _DARK)
        elif kind in _LINES:
            style, usual = _LINES[kind], (self.size + 1) // 2
            if kind == "whisper" and int(constraint.value or usual) < usual:
                style = style._replace(colour=_DUTCH_WHISPER)
            for cells in constraint.lists:
                self._line(cells, style)
            if kind == "zipper" and len(constraint.cells) % 2:
                middle = self._middle(constraint.cells[len(constraint.cells) // 2])
                self._circle(middle, 0.13, style.colour, self.under)
        elif kind in _OUTLINES:
            self._draw_outline(constraint)
        elif kind in _SHADES:
            self._shade(constraint)
        elif kind in ("difference", "ratio", "xv", "greater"):
            for first, second in pairwise(constraint.cells):
                self._dot(constraint, self._middle(first), self._middle(second))
        elif kind in _OTHERS:
            _OTHERS[kind](self, constraint)
        else:
            for cells in constraint.lists:
                self._line(cells, _GENERIC)
            if constraint.lists and constraint.value:
                self._label(constraint.cells, constraint.value, _GENERIC.colour)

    def finish(self) -> None:
        """Draw the clues outside of the grid; those of one place share it."""
        for (row, column), clues in self._outside.items():
            middle = complex(column + 0.5, row + 0.5)
            font = (0.42, 0.3, 0.24)[min(len(clues), 3) - 1]
            for number, clue in enumerate(clues):
                at = middle + 1.1j * font * (number - (len(clues) - 1) / 2)
                if clue.kind == "little-killer":
                    step = self._middle(clue.cells[0]) - middle
                    at -= complex(0.08 * step.real, 0.1 * step.imag)
                    ends = [middle + 0.22 * step, middle + 0.46 * step]
                    self._arrow(ends, 0.03, _DARK, self.over, head=0.12)
                self._text(clue.value, at, font, _DARK)

    # Kinds.

    def _draw_outline(self, constraint: Constraint) -> None:
        colour, dashes, before = _OUTLINES[constraint.kind]
        *numbers, cells = constraint.lists
        path = "".join(_outline({divmod(cell, self.size) for cell in cells}, self.side))
        for cell in (cell for own in numbers for cell in own):
            self._circle(self._middle(cell), 0.4, "none", self.under, colour)
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.over.append(
            f'<path class="{constraint.kind}" d="{path}" stroke="{colour}" stroke-width="1.2" '
            f'fill="none"{dash}/>'
        )
        total, _, coefficients = constraint.value.partition("*")
        if total:
            self._label(constraint.cells, before + total, colour)
        if coefficients:
            for text, cell in zip(coefficients.split(","), constraint.cells, strict=True):
                self._text(f"\u00d7{text}", self._middle(cell) + 0.28 + 0.36j, 0.17, colour)

    def _shade(self, constraint: Constraint) -> None:
        for cell in constraint.cells:
            middle = self._middle(cell)
            self._square(middle, *_SHADES[constraint.kind])
            # Arrowheads at the four sides point to the smaller value.
            for side in (1, -1, 1j, -1j) if constraint.kind in ("minimum", "maximum") else ():
                towards = -side if constraint.kind == "minimum" else side
                corners = _arrowhead(middle + 0.4 * side + 0.04 * towards, towards, 0.08, 0.09)
                self._path(corners, 0.03, _DARK, self.under)

    def _dot(self, constraint: Constraint, start: complex, end: complex) -> None:
        """A mark between two cells, which a line connects if they do not touch."""
        middle = (start + end) / 2
        if abs(start - end) > 1.5:
            self._path([start, end], 0.03, _GREY, self.under)
        if constraint.kind == "greater":
            step = end - start
            corners = _arrowhead(middle + 0.07 * step, step, 0.14, 0.1)
            self._path(corners, 0.09, "white", self.over)
            self._path(corners, 0.04, _DARK, self.over)
        elif constraint.kind == "xv":
            self._circle(middle, 0.12, "white", self.over)
            self._text(constraint.value.upper(), middle, 0.27, _INK)
        else:
            black = constraint.kind == "ratio"
            self._circle(middle, 0.13, _INK if black else "white", self.over, _INK)
            self._text(constraint.value, middle, 0.18, "white" if black else _INK)

    def _quadruple(self, constraint: Constraint) -> None:
        middle = sum(map(self._middle, constraint.cells)) / 4
        self._circle(middle, 0.25, "white", self.over, _INK)
        values = constraint.value.split(",")
        rows = [values[:2], values[2:]] if len(values) > 2 else [values]
        for number, row in enumerate(rows):
            at = middle + 0.19j * (number - (len(rows) - 1) / 2)
            self._text(" ".join(row), at, 0.19, _INK)

    def _draw_arrow(self, constraint: Constraint) -> None:
        """A circle, or a pill of several cells, and its shaft."""
        circle, shaft = ([*map(self._middle, cells)] for cells in constraint.lists)
        if len(circle) == 1:
            self._circle(circle[0], 0.385, "none", self.under, _DARK)
        else:
            self._path(circle, 0.8, _DARK, self.under)
            self._path(circle, 0.74, "white", self.under)
        near = min(circle, key=lambda at: abs(at - shaft[0]))
        start = near + 0.4 * _direction(near, shaft[0])
        self._arrow([start, *shaft], 0.045, "#8c8c8c", self.under, head=0.16)

    def _draw_circles(self, constraint: Constraint) -> None:
        for cell in constraint.cells:
            self._circle(self._middle(cell), 0.4, "none", self.under, "#5b7fb5")

    def _odd(self, constraint: Constraint) -> None:
        for cell in constraint.cells:
            self._circle(self._middle(cell), 0.38, "#d4d4d4", self.shades)

    def _line(self, cells: Sequence[int], style: _Stroke) -> None:
        points = [self._middle(cell) for cell in cells]
        for inset, colour in ((0.0, style.colour), (0.04, "white"))[: 1 + style.hollow]:
            width, dashes = style.width - 2 * inset, style.with_dashes
            self._path(points, width, colour, self.under, with_dashes=dashes)
            if style.ends == "bulb":
                self._circle(points[0], 0.34 - inset, colour, self.under)
        for at in (points[0], points[-1]) if style.ends in ("ring", "diamond") else ():
            if style.ends == "ring":
                self._circle(at, 0.38, "white", self.under, style.colour)
            else:
                corners = [at + 0.42 * side for side in (-1, -1j, 1, 1j, -1, -1j)]
                self._path(corners, 0.04, style.colour, self.under, "white")

    # Elements.

    def _middle(self, cell: int) -> complex:
        row, column = divmod(cell, self.size)
        return complex(column + 0.5, row + 0.5)

    def _path(
        self,
        points: Iterable[complex],
        width: float,
        colour: str,
        layer: list[str],
        fill: str = "none",
        *,
        with_dashes: bool = False,
    ) -> None:
        ends = [f"{at.real * self.side:.1f} {at.imag * self.side:.1f}" for at in points]
        data = "M" + "L".join(ends if len(ends) > 1 else ends * 2)
        dash = f' stroke-dasharray="{0.1 * self.side:.1f}"' if with_dashes else ""
        layer.append(
            f'<path d="{data}" stroke="{colour}" stroke-width="{width * self.side:.1f}" '
            f'stroke-linecap="round" stroke-linejoin="round" fill="{fill}"{dash}/>'
        )

    def _arrow(
        self, points: Sequence[complex], width: float, colour: str, layer: list[str], *, head: float
    ) -> None:
        self._path(points, width, colour, layer)
        wings = _arrowhead(points[-1], _direction(*points[-2:]), head, head)
        self._path(wings, width, colour, layer)

    def _circle(
        self, at: complex, radius: float, fill: str, layer: list[str], stroke: str = "none"
    ) -> None:
        layer.append(
            f'<circle cx="{at.real * self.side:.1f}" cy="{at.imag * self.side:.1f}" '
            f'r="{radius * self.side:.1f}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{0.03 * self.side:.1f}"/>'
        )

    def _square(self, at: complex, fill: str, width: float) -> None:
        x, y = ((along - width / 2) * self.side for along in (at.real, at.imag))
        edge = width * self.side
        self.shades.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{edge:.1f}" height="{edge:.1f}" fill="{fill}"/>'
        )

    def _label(self, cells: Iterable[int], text: str, colour: str) -> None:
        """A small text in the upper left corner of the first cell; further ones follow below."""
        cell = min(cells)
        row, column = divmod(cell, self.size)
        y = row + 0.04 + self._labels[cell] * 1.05 * self.label
        self._labels[cell] += 1
        width = 0.58 * self.label * len(text) + 0.03
        x, font = column + 0.04, self.label * self.side
        self.over.append(
            f'<rect x="{x * self.side:.1f}" y="{y * self.side:.1f}" class="behind" '
            f'width="{width * self.side:.1f}" height="{font:.1f}" fill="white"/>'
        )
        self._text(text, complex(x + width / 2, y + self.label / 2), self.label, colour)

    def _text(self, text: str, at: complex, font: float, colour: str) -> None:
        if text:
            x, y = at.real * self.side, (at.imag + 0.355 * font) * self.side
            self.over.append(
                f'<text class="clue" x="{x:.1f}" y="{y:.1f}" font-size="{font * self.side:.1f}" '
                f'text-anchor="middle" fill="{colour}">{escape(text)}</text>'
            )


_OTHERS: Final[dict[str, Callable[[_Artist, Constraint], None]]] = {
    "quadruple": _Artist._quadruple,
    "arrow": _Artist._draw_arrow,
    "counting-circles": _Artist._draw_circles,
    "odd": _Artist._odd,
}


def _direction(start: complex, end: complex) -> complex:
    """The step of length 1 from a point to another one; 0 if they are the same."""
    return (end - start) / (abs(end - start) or 1)


def _arrowhead(tip: complex, towards: complex, length: float, width: float) -> list[complex]:
    """The ends of both wings of an arrow, with its tip between them."""
    back, side = tip - length * towards, 1j * width * towards
    return [back + side, tip, back - side]


def _outline(cells: set[Position], side: float) -> Iterator[str]:
    """The outline of cells, a little inside of their border, as commands of an SVG path."""
    for row, column in sorted(cells):
        for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1)):
            if (row + down, column + right) in cells:
                continue
            ends = []
            for end in (-1, 1):
                beside = row + end * right, column + end * down
                around = beside[0] + down, beside[1] + right
                length = 0.5 + _INSET * ((around in cells) if beside in cells else -1)
                y = row + 0.5 + (0.5 - _INSET) * down + end * length * right
                x = column + 0.5 + (0.5 - _INSET) * right + end * length * down
                ends.append(f"{x * side:.1f} {y * side:.1f}")
            yield f"M{ends[0]}L{ends[1]}"
