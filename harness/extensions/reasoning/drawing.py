"""A board as an SVG drawing, with a step, its walks, and a graph of links.

Every element that a step adds has a class, so that a page can restyle it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import product
from math import floor, hypot
from typing import Final

from harness.extensions.drawings.svg import Point, Sheet, wide_enough
from harness.extensions.reasoning.board import Board, Candidate, Conclusion, Link, sentence
from harness.extensions.reasoning.graphs import LinkGraph
from harness.extensions.reasoning.step import Marks, ReasoningStep, marks_of, step_of
from harness.puzzles import Grid, candidate_grid, features_in_words, values_in

# The free room of a drawing: circles that are taken, with the cost of overlapping them.


class Room:
    """Circles on a sheet, indexed by the grid square of their centre."""

    def __init__(self, largest: float) -> None:
        """An empty sheet for circles whose radius is at most `largest`."""
        self._square = 2 * largest
        self._taken: dict[tuple[int, int], list[tuple[Point, float, int]]] = {}

    def take(self, at: Point, radius: float, cost: int) -> None:
        """Take a circle; overlapping it costs `cost`."""
        self._taken.setdefault(self._key(at), []).append((at, radius, cost))

    def cost(self, at: Point, radius: float) -> int:
        """The cost of all circles that overlap with this one."""
        column, row = self._key(at)
        near = product((column - 1, column, column + 1), (row - 1, row, row + 1))
        return sum(
            cost
            for square in near
            for (x, y), other, cost in self._taken.get(square, ())
            if hypot(x - at[0], y - at[1]) < radius + other
        )

    def _key(self, at: Point) -> tuple[int, int]:
        return floor(at[0] / self._square), floor(at[1] / self._square)


# Labelled curves between candidates, laid where they overlap little.


_BENDS: Final = (0.12, -0.12, 0.22, -0.22, 0.04, -0.04, 0.34, -0.34, 0.5, -0.5)
"""The distance of a curve's middle from the straight line, as a share of the line's length."""
_PLACES: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)
"""The positions of a label on its curve, from 0 to 1."""
_SAMPLES: Final = tuple(number / 14 for number in range(2, 13))
_LINE: Final = 2.5
"""The radius of the room around each point of a curve."""

LABEL_COST: Final = 1000
LINE_COST: Final = 1
TEXT_COST: Final = 2


@dataclass(frozen=True, slots=True)
class Curve:
    """A quadratic Bézier curve with a place for its label."""

    start: Point
    control: Point
    end: Point
    label: Point

    @property
    def path(self) -> str:
        """The data of an SVG path."""
        (x1, y1), (x2, y2), (x3, y3) = self.start, self.control, self.end
        return f"M{x1:.1f} {y1:.1f}Q{x2:.1f} {y2:.1f} {x3:.1f} {y3:.1f}"

    def head(self, size: float) -> str:
        """The corners of an arrowhead at the end, for an SVG polygon."""
        (x, y), (cx, cy) = self.end, self.control
        length = hypot(x - cx, y - cy) or 1.0
        dx, dy = (x - cx) / length * size, (y - cy) / length * size
        corners = ((x, y), (x - dx - dy / 2, y - dy + dx / 2), (x - dx + dy / 2, y - dy - dx / 2))
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)


class Curves:
    """Lays curves one after the other, each where it overlaps least with earlier content."""

    def __init__(self, room: Room, sheet: Sheet) -> None:
        """Curves on `sheet`; `room` has its content so far, and each curve is added to it."""
        self._room = room
        self._size, self._side = sheet.shape.size, sheet.side
        self.radius = 0.46 * sheet.candidate_font
        """The radius of a label."""
        self._gap = 0.6 * sheet.candidate_font
        """The distance of a curve from its candidates."""

    def lay(self, start: Point, end: Point, *, has_label: bool = True) -> Curve:
        """Lay the curve between two candidates that overlaps least, and return it.

        Without `has_label`, only the curve takes room.
        """
        best: tuple[float, Curve] | None = None
        for rank, bend in enumerate(_BENDS):
            start_, control, end_ = self._bent(start, end, bend)
            points = [_point(start_, control, end_, t) for t in _SAMPLES]
            cost = sum(self._cost(point, _LINE) for point in points) + rank / 4
            if best is not None and cost >= best[0]:
                continue
            for number, t in enumerate(_PLACES if has_label else _PLACES[:1]):
                label = _point(start_, control, end_, t)
                total = cost + number / 8
                if has_label:
                    total += self._cost(label, self.radius)
                if best is None or total < best[0]:
                    best = total, Curve(start_, control, end_, label)
        assert best is not None
        curve = best[1]
        for t in _SAMPLES:
            self._room.take(_point(curve.start, curve.control, curve.end, t), _LINE, LINE_COST)
        if has_label:
            self._room.take(curve.label, self.radius, LABEL_COST)
        return curve

    def _cost(self, at: Point, radius: float) -> int:
        is_inside = all(radius <= along <= self._size * self._side - radius for along in at)
        return self._room.cost(at, radius) + (0 if is_inside else LABEL_COST)

    def _bent(self, start: Point, end: Point, bend: float) -> tuple[Point, Point, Point]:
        (x1, y1), (x2, y2) = start, end
        dx, dy = x2 - x1, y2 - y1
        # Of the length of a line, at most 2.5 cells count.
        bend *= min(1.0, 2.5 * self._side / (hypot(dx, dy) or 1.0))
        control = (x1 + x2) / 2 - bend * 2 * dy, (y1 + y2) / 2 + bend * 2 * dx
        return self._towards(start, control), control, self._towards(end, control)

    def _towards(self, at: Point, other: Point) -> Point:
        """The point from `at` towards `other`, at most the gap away."""
        dx, dy = other[0] - at[0], other[1] - at[1]
        share = min(0.4, self._gap / (hypot(dx, dy) or 1.0))
        return at[0] + share * dx, at[1] + share * dy


def _point(start: Point, control: Point, end: Point, t: float) -> Point:
    """The point of the curve at `t`, from 0 to 1."""
    a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
    return (a * start[0] + b * control[0] + c * end[0], a * start[1] + b * control[1] + c * end[1])


# The marks of a step: its houses, its cells, and its candidates.


_WALKS: Final = ("#1f5fbf", "#b3500a", "#6b3fa0")
"""The colours of the first and second walk or group, and of all further ones."""
_FILLS: Final = {
    "base": "#fbf8e8",
    "cover": "#eaf1fb",
    "crossing": "#e3eadb",
    "reason": "#f3eecb",
    "walk0": "#e4edfa",
    "walk1": "#fbeadb",
    "walk2": "#efe8f7",
}
"""The colours of cells: in houses of a reason, in those that lose candidates, in both, of the
reason itself, and of walks and groups."""
_GROUPS: Final = {
    "group": ("#f4cf5d", "#8a6d00"),
    "group0": ("#a9cbf7", _WALKS[0]),
    "group1": ("#f8c48f", _WALKS[1]),
    "group2": ("#d3bff0", _WALKS[2]),
}
"""Fill and border of candidates: of an only group, or of the first, second and further ones."""


def _rank(number: int) -> int:
    """The number of the style of a walk or group, from 0."""
    return min(number, len(_WALKS) - 1)


def cell_fills(marks: Marks) -> dict[int, str]:
    """The kind of fill of each cell that a reason is about.

    The cells of walks and of groups of candidates have the colour of their walk or group, and
    other cells of the reason have one colour. The houses of the reason are lighter.
    """
    fills: dict[int, str] = {}
    if marks.walks:
        # Only the cells of walks: the reason may include all cells of a house.
        for number, walk in enumerate(marks.walks):
            for link in walk:
                for cell in link.cells:
                    fills.setdefault(cell, f"walk{_rank(number)}")
    else:
        for number, houses in enumerate(marks.houses):
            earlier = frozenset(fills)
            for cell in (cell for house in houses for cell in house):
                fills[cell] = "crossing" if cell in earlier else "cover" if number else "base"
        fills |= dict.fromkeys(marks.cells, "reason")
    if len(marks.candidates) > 1:
        groups = [{cell for cell, _ in group} for group in marks.candidates]
        for number, cells in enumerate(groups):
            for cell in cells:
                is_shared = sum(cell in group for group in groups) > 1
                fills[cell] = "reason" if is_shared else f"walk{_rank(number)}"
    return fills


def _form(number: int, middle: Point, radius: float, look: str) -> str:
    """A disc for the first walk or group, a square for the second, a rhombus for others."""
    x, y = middle
    rank, edge = _rank(number), 0.9 * radius
    if rank == 1:
        sides = f"h{2 * edge:.1f}v{2 * edge:.1f}h{-2 * edge:.1f}z"
        return f'<path d="M{x - edge:.1f} {y - edge:.1f}{sides}" {look}/>'
    if rank == 2:
        edge = 1.2 * radius
        sides = f"l{edge:.1f} {edge:.1f}l{-edge:.1f} {edge:.1f}l{-edge:.1f} {-edge:.1f}z"
        return f'<path d="M{x:.1f} {y - edge:.1f}{sides}" {look}/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {look}/>'


# A board as an SVG drawing, with a step, its walks, and a graph of links.


_VALUE: Final = 0.26
"""The radius of a value, as a share of the side of its cell."""
_GRAPH: Final = "#8a8a8a"


def svg(
    board: Board,
    conclusion: Conclusion | None = None,
    graph: LinkGraph | None = None,
    *,
    givens: Grid | None = None,
    title: str = "",
    caption: str = "",
) -> str:
    """A drawing of `board` as SVG, on white, so that it is readable on any page.

    A link is a curve between the candidates that it is about, with its label and, in a walk, an
    arrowhead; weak links are dashed. The links of `graph` are grey; those of each walk have a
    colour, as do the cells of walks. The candidates of a reason without walks are on
    discs, those of its second group on squares; a line joins the two candidates of a pair. A
    candidate that the conclusion places has a green disc, and one that it removes has a red
    stroke. Rows and columns are labelled.

    Args:
        board: a board of any shape, before the conclusion is applied.
        conclusion: a conclusion from the board; its reason may have walks.
        graph: a graph of links of the board.
        givens: the givens of the puzzle, which are bold; by default all values are.
        title: the title of the drawing, by default the name of the shape.
        caption: the text below the grid, by default the conclusion as a sentence.
    """
    step = None if conclusion is None else step_of(conclusion, board)
    sheet = _sheet(board)
    drawing = _Drawing(board, sheet, step)
    facts = [f"{board.shape}, {board.blanks} blank cells", *features_in_words(board.shape)]
    if conclusion is not None:
        facts.append(f"the conclusion holds: {conclusion.reason.words(board.shape)}")
        caption = caption or sentence(conclusion, board.shape)
    parts = (
        *sheet.layers(drawing.fills()),
        *drawing.under(),
        *drawing.values(givens),
        *drawing.over(graph),
    )
    return sheet.document(title or str(board.shape), facts, parts, with_names=True, text=caption)


def layers(board: Board, step: ReasoningStep | None, graph: LinkGraph | None) -> tuple[str, str]:
    """What `svg` draws of a step and a graph below the values of `board`, and above them.

    Each is an SVG document whose corners are those of the grid.

    Raises:
        KeyError: the step has a cell, a value or a house that the board does not have.
    """
    sheet = _sheet(board)
    drawing = _Drawing(board, sheet, step)
    side = board.shape.size * sheet.side
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" text-anchor="middle">'
    )
    parts = ([*drawing.fills(), *drawing.under()], drawing.over(graph))
    under, over = ("\n".join([opening, *layer, "</svg>"]) for layer in parts)
    return under, over


def _sheet(board: Board) -> Sheet:
    least = max(78, 18 * max(candidate_grid(board.shape)))
    return Sheet(board.shape, wide_enough(least, board.shape))


class _Drawing:
    """The elements of a drawing, from the lowest layer to the highest."""

    def __init__(self, board: Board, sheet: Sheet, step: ReasoningStep | None) -> None:
        self._sheet = sheet
        self._board = board
        self._type = sheet.candidate_font
        self._marks = Marks() if step is None else marks_of(step, board.shape)

    @cached_property
    def _curves(self) -> Curves:
        """Curves that stay clear of values and candidates."""
        sheet = self._sheet
        room = Room(_VALUE * sheet.side)
        for cell, value in enumerate(self._board.values):
            if value:
                x, y = sheet.corner(cell)
                room.take((x + sheet.side / 2, y + sheet.side / 2), _VALUE * sheet.side, TEXT_COST)
            for candidate in () if value else values_in(self._board.candidates[cell]):
                room.take(sheet.place(cell, candidate), 0.42 * self._type, TEXT_COST)
        return Curves(room, sheet)

    def fills(self) -> Iterator[str]:
        """The cells of the reason in their colours."""
        side = self._sheet.side
        for cell, kind in sorted(cell_fills(self._marks).items()):
            x, y = self._sheet.corner(cell)
            yield (
                f'<rect class="fill {kind}" x="{x}" y="{y}" width="{side}" height="{side}" '
                f'fill="{_FILLS[kind]}"/>'
            )

    def under(self) -> Iterator[str]:
        """Borders of houses, forms behind candidates, and strokes through removed ones."""
        for number, houses in enumerate(self._marks.houses):
            for house in houses:
                yield self._border(frozenset(house), is_cover=number > 0)
        yield from self._candidates()
        radius = 0.6 * self._type
        if self._marks.placed is not None:
            look = 'class="placed" fill="#bfe6c4" stroke="#2e8b3d" stroke-width="2"'
            yield _form(0, self._sheet.place(*self._marks.placed), radius, look)
        candidates = {candidate for group in self._marks.candidates for candidate in group}
        for candidate in self._marks.removed:
            x, y = self._sheet.place(*candidate)
            if candidate not in candidates:
                yield _form(0, (x, y), radius, 'class="removed" fill="#f7d6d6"')
            yield (
                f'<path class="stroke" d="M{x - radius:.1f} {y + radius:.1f}L{x + radius:.1f} '
                f'{y - radius:.1f}" stroke="#c62828" stroke-width="2"/>'
            )

    def _border(self, house: frozenset[int], *, is_cover: bool) -> str:
        """The border of a house, dashed if it loses candidates."""
        size, side = self._board.shape.size, self._sheet.side
        gap, parts = round(0.05 * side), []
        for cell in sorted(house):
            x, y = self._sheet.corner(cell)
            if cell < size or cell - size not in house:
                parts.append(f"M{x} {y + gap}h{side}")
            if cell + size not in house:
                parts.append(f"M{x} {y + side - gap}h{side}")
            if cell % size == 0 or cell - 1 not in house:
                parts.append(f"M{x + gap} {y}v{side}")
            if cell % size == size - 1 or cell + 1 not in house:
                parts.append(f"M{x + side - gap} {y}v{side}")
        look = 'class="border base" stroke="#8a6d00"'
        if is_cover:
            look = 'class="border cover" stroke="#1f5fbf" stroke-dasharray="12 9"'
        return f'<path {look} d="{"".join(parts)}" stroke-width="4" fill="none"/>'

    def _candidates(self) -> Iterator[str]:
        """A form behind each candidate of the reason; each group has a form and a colour."""
        groups = self._marks.candidates
        cells_drawn: set[Candidate] = set()
        for number, group in enumerate(groups):
            kind = "group" if len(groups) == 1 else f"group{_rank(number)}"
            fill, border = _GROUPS[kind]
            look = f'class="candidate {kind}" fill="{fill}" stroke="{border}" stroke-width="1.2"'
            for candidate in group:
                if candidate not in cells_drawn:
                    cells_drawn.add(candidate)
                    yield _form(number, self._sheet.place(*candidate), 0.58 * self._type, look)

    def values(self, givens: Grid | None) -> Iterator[str]:
        """Values placed, and candidates of blank cells."""
        for cell, value in enumerate(self._board.values):
            if value:
                is_given = givens is None or bool(givens[cell])
                yield self._sheet.value(cell, value, is_given=is_given)
            else:
                yield from self._sheet.candidates(cell, values_in(self._board.candidates[cell]))

    def over(self, graph: LinkGraph | None) -> Iterator[str]:
        """A line for each pair, the links of walks, and other links of the graph; labels on top."""
        for link in self._marks.pairs:
            yield _line(self._curve(link, has_label=False), link, "pair", "#444444", width=2)
        keys: set[tuple[frozenset[int], int]] = set()
        lines: list[str] = []
        labels: list[str] = []
        for number, walk in enumerate(self._marks.walks):
            kind, colour = f"walk{_rank(number)}", _WALKS[_rank(number)]
            for link in walk:
                keys.add(_key(link))
                curve = self._curve(link)
                lines.append(_line(curve, link, kind, colour, width=2.4))
                lines.append(
                    f'<polygon class="head {kind}" points="{curve.head(9)}" fill="{colour}"/>'
                )
                labels.append(self._label(curve.label, link.value, number, kind, colour))
        for link in graph.every_link if graph is not None else ():
            if _key(link) not in keys:
                keys.add(_key(link))
                curve = self._curve(link)
                lines.insert(0, _line(curve, link, "graph", _GRAPH, width=1.1))
                labels.append(self._label(curve.label, link.value, 0, "graph", _GRAPH))
        yield from lines
        yield from labels

    def _curve(self, link: Link, *, has_label: bool = True) -> Curve:
        ends = (self._sheet.place(cell, link.value) for cell in link.cells)
        return self._curves.lay(*ends, has_label=has_label)

    def _label(self, middle: Point, value: int, number: int, kind: str, colour: str) -> str:
        """The value of a link, on the form of its walk."""
        radius = self._curves.radius
        font = 1.3 * radius
        form = _form(number, middle, radius, f'fill="{colour}" stroke="white" stroke-width="1"')
        return (
            f'<g class="label {kind}">{form}<text x="{middle[0]:.1f}" '
            f'y="{middle[1] + 0.36 * font:.1f}" font-size="{font:.1f}" font-weight="bold" '
            f'fill="white">{escape(self._sheet.shape.symbol(value))}</text></g>'
        )


def _key(link: Link) -> tuple[frozenset[int], int]:
    """What a link and the same link in the other direction have in common."""
    return frozenset(link.cells), link.value


def _line(curve: Curve, link: Link, kind: str, colour: str, *, width: float) -> str:
    dashes = "" if link.is_strong else ' stroke-dasharray="5 3"'
    return (
        f'<path class="link {kind}" d="{curve.path}" stroke="{colour}" stroke-width="{width}" '
        f'fill="none"{dashes}/>'
    )
