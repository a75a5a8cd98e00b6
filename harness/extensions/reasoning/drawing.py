"""A board as an SVG drawing, with a conclusion, its walks, and a graph of links."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from math import floor, hypot
from typing import Final

from harness.extensions.reasoning.board import (
    Board,
    Candidate,
    Conclusion,
    Elimination,
    HasCandidates,
    HasHouses,
    HasPairs,
    HasWalks,
    Link,
    LinkGraph,
    Placement,
    Reason,
    sentence,
)
from harness.puzzles.drawing import Point, Sheet, candidate_grid, features_in_words, wide_enough
from harness.puzzles.puzzle import Grid, values_in

# The room that a drawing has left: circles that are taken, with what an overlap costs.


class Room:
    """Circles on a sheet, found by the square that has their middle."""

    def __init__(self, largest: float) -> None:
        """An empty sheet for circles whose radius is at most `largest`."""
        self._square = 2 * largest
        self._taken: dict[tuple[int, int], list[tuple[Point, float, int]]] = {}

    def take(self, at: Point, radius: float, cost: int) -> None:
        """Take a circle; to overlap with it costs `cost`."""
        self._taken.setdefault(self._key(at), []).append((at, radius, cost))

    def cost(self, at: Point, radius: float) -> int:
        """The cost of all circles that overlap with this one."""
        return sum(
            cost
            for (x, y), other, cost in self._near(at)
            if hypot(x - at[0], y - at[1]) < radius + other
        )

    def _near(self, at: Point) -> Iterator[tuple[Point, float, int]]:
        column, row = self._key(at)
        for x in (column - 1, column, column + 1):
            for y in (row - 1, row, row + 1):
                yield from self._taken.get((x, y), ())

    def _key(self, at: Point) -> tuple[int, int]:
        return floor(at[0] / self._square), floor(at[1] / self._square)


# Curves between candidates with labels, laid where few other things are.


_BENDS: Final = (0.12, -0.12, 0.22, -0.22, 0.04, -0.04, 0.34, -0.34, 0.5, -0.5)
"""How far the curve is from the straight line, as a share of its length up to `_FULL` cells."""
_FULL: Final = 2.5
_PLACES: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)
"""Where a label may be on its curve."""
_SAMPLES: Final = tuple(number / 14 for number in range(2, 13))
_LABEL: Final = 0.46
_GAP: Final = 0.6
"""The radius of a label, and the distance of a curve from its candidates, by their type."""
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
    """Lays curves one after the other, each where it overlaps least with what is there."""

    def __init__(self, room: Room, sheet: Sheet) -> None:
        """Curves on `sheet`, where `room` has what is there; each curve is added to it."""
        self._room = room
        self._size, self._side = sheet.shape.size, sheet.side
        self.radius = _LABEL * sheet.candidate_font
        """The radius of a label."""
        self._gap = _GAP * sheet.candidate_font

    def lay(self, start: Point, end: Point, *, labelled: bool = True) -> Curve:
        """The curve between two candidates that overlaps least; it takes its room.

        If the curve is not `labelled`, its label takes no room.
        """
        best: tuple[float, Curve] | None = None
        for rank, bend in enumerate(_BENDS):
            start_, control, end_ = self._bent(start, end, bend)
            points = [_point(start_, control, end_, t) for t in _SAMPLES]
            cost = sum(self._cost(point, _LINE) for point in points) + rank / 4
            if best is not None and cost >= best[0]:
                continue
            for number, t in enumerate(_PLACES if labelled else _PLACES[:1]):
                label = _point(start_, control, end_, t)
                total = cost + number / 8
                if labelled:
                    total += self._cost(label, self.radius)
                if best is None or total < best[0]:
                    best = total, Curve(start_, control, end_, label)
        assert best is not None
        self._take(best[1], labelled=labelled)
        return best[1]

    def _cost(self, at: Point, radius: float) -> int:
        is_inside = all(radius <= along <= self._size * self._side - radius for along in at)
        return self._room.cost(at, radius) + (0 if is_inside else LABEL_COST)

    def _bent(self, start: Point, end: Point, bend: float) -> tuple[Point, Point, Point]:
        (x1, y1), (x2, y2) = start, end
        dx, dy = x2 - x1, y2 - y1
        bend *= min(1.0, _FULL * self._side / (hypot(dx, dy) or 1.0))
        control = (x1 + x2) / 2 - bend * 2 * dy, (y1 + y2) / 2 + bend * 2 * dx
        return self._towards(start, control), control, self._towards(end, control)

    def _towards(self, at: Point, other: Point) -> Point:
        """The point at the distance of the gap."""
        dx, dy = other[0] - at[0], other[1] - at[1]
        share = min(0.4, self._gap / (hypot(dx, dy) or 1.0))
        return at[0] + share * dx, at[1] + share * dy

    def _take(self, curve: Curve, *, labelled: bool) -> None:
        for t in _SAMPLES:
            self._room.take(_point(curve.start, curve.control, curve.end, t), _LINE, LINE_COST)
        if labelled:
            self._room.take(curve.label, self.radius, LABEL_COST)


def _point(start: Point, control: Point, end: Point, t: float) -> Point:
    """The point of the curve at `t`, from 0 to 1."""
    a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
    return (
        a * start[0] + b * control[0] + c * end[0],
        a * start[1] + b * control[1] + c * end[1],
    )


# The fills of a reason: its houses, its cells, and its candidates.


WALKS: Final = (("#1f5fbf", "#e4edfa"), ("#b3500a", "#fbeadb"), ("#6b3fa0", "#efe8f7"))
"""The colours of the first, second and third walk or group, and of their cells."""
_CELL: Final = "#f3eecb"
"""The colour of cells of a reason without walks."""
_HOUSES: Final = ("#fbf8e8", "#eaf1fb")
"""The colours of the houses of a reason, and of those that lose candidates."""
_CROSSING: Final = "#e3eadb"
"""The colour of cells that are in houses of both kinds."""
_ONE_GROUP: Final = ("#f4cf5d", "#8a6d00")
_GROUPS: Final = (("#a9cbf7", "#1f5fbf"), ("#f8c48f", "#b3500a"), ("#d3bff0", "#6b3fa0"))
"""Fill and border of the candidates of a reason with one group, and with several."""


def colours_of(number: int) -> tuple[str, str]:
    """The colours of the walk or group with this number from 0, and of its cells."""
    return WALKS[min(number, len(WALKS) - 1)]


def walks_of(reason: Reason) -> tuple[tuple[Link, ...], ...]:
    """The walks of a reason, if it is made of walks."""
    return reason.walks if isinstance(reason, HasWalks) else ()


def candidates_of(reason: Reason, board: Board) -> list[list[Candidate]]:
    """The candidates of a reason that the board has, by their groups."""
    groups = reason.candidates if isinstance(reason, HasCandidates) else ()
    return [
        [(cell, value) for cell, value in group if board.candidates[cell] >> value - 1 & 1]
        for group in groups
    ]


def cell_fills(reason: Reason, board: Board) -> dict[int, str]:
    """The colour of each cell that a reason is about.

    The cells of walks and of groups of candidates have the colour of their walk or group, and
    other cells of the reason have one colour. Its houses are lighter.
    """
    fills = _house_fills(reason)
    fills |= dict.fromkeys(reason.cells, _CELL)
    walks = walks_of(reason)
    if any(walks):
        # Only the cells of walks: the reason may include all cells of a house.
        fills = {}
        for number, walk in enumerate(walks):
            for link in walk:
                fills.setdefault(link.source, colours_of(number)[1])
                fills.setdefault(link.target, colours_of(number)[1])
    groups = candidates_of(reason, board)
    if len(groups) > 1:
        for cell, numbers in _groups_of_cells(groups).items():
            fills[cell] = colours_of(*numbers)[1] if len(numbers) == 1 else _CELL
    return fills


def candidate_marks(reason: Reason, board: Board, sheet: Sheet) -> Iterator[str]:
    """Discs behind the candidates of the first group, squares behind those of the second.

    The third group has discs again. Every group has a colour of its own.
    """
    groups = candidates_of(reason, board)
    radius = 0.58 * sheet.candidate_font
    seen: set[Candidate] = set()
    for number, group in enumerate(groups):
        look = _ONE_GROUP if len(groups) == 1 else _GROUPS[min(number, len(_GROUPS) - 1)]
        style = f'class="candidate" fill="{look[0]}" stroke="{look[1]}" stroke-width="1.2"'
        for cell, value in group:
            if (cell, value) in seen:
                continue
            seen.add((cell, value))
            x, y = sheet.place(cell, value)
            if number % 2:
                edge = 0.9 * radius
                yield (
                    f'<path d="M{x - edge:.1f} {y - edge:.1f}h{2 * edge:.1f}v{2 * edge:.1f}'
                    f'h{-2 * edge:.1f}z" {style}/>'
                )
            else:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {style}/>'


def _house_fills(reason: Reason) -> dict[int, str]:
    fills: dict[int, str] = {}
    groups = reason.houses if isinstance(reason, HasHouses) else ()
    for number, houses in enumerate(groups):
        colour = _HOUSES[min(number, len(_HOUSES) - 1)]
        earlier = frozenset(fills)
        for house in houses:
            for cell in house.cells:
                fills[cell] = _CROSSING if cell in earlier else colour
    return fills


def _groups_of_cells(groups: Iterable[Iterable[Candidate]]) -> dict[int, list[int]]:
    """The numbers of the groups that have a candidate of each cell."""
    found: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for cell in {cell for cell, _ in group}:
            found.setdefault(cell, []).append(number)
    return found


# A board as an SVG drawing, with a conclusion, its walks, and a graph of links.


_SMALLEST_CELL: Final = 78
_CANDIDATE_WIDTH: Final = 18
_VALUE: Final = 0.26
"""The radius of a value, by the side of its cell."""
_PAIR: Final = "#444444"
_GRAPH: Final = "#8a8a8a"
_PLACED: Final = "#2e8b3d"
_REMOVED: Final = "#c62828"


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
    arrowhead; weak links are dashed. The links of `graph` are grey, those of each walk have a
    colour, and so have the cells of walks. The candidates of a reason without walks are on
    discs, those of its second group on squares; two candidates of a pair have a line between
    them. A candidate that a conclusion places has a green disc, a candidate that it removes a
    red stroke. Rows and columns have their names.

    Args:
        board: a board of any shape, before the conclusion is applied.
        conclusion: a conclusion from the board; its reason may have walks.
        graph: a graph of links of the board.
        givens: the givens of the puzzle, which are bold; by default all values are.
        title: the title of the drawing, by default the name of the shape.
        caption: the text below the grid, by default the conclusion as a sentence.
    """
    least = max(_SMALLEST_CELL, _CANDIDATE_WIDTH * max(candidate_grid(board.shape)))
    side = wide_enough(least, board.shape)
    drawing = _Drawing(board, Sheet(board.shape, side))
    reason = None if conclusion is None else conclusion.reason
    walks = () if reason is None else walks_of(reason)
    facts = [f"{board.shape}, {board.blanks} blank cells", *features_in_words(board.shape)]
    if conclusion is not None:
        facts.append(f"the conclusion holds: {conclusion.reason.words(board.shape)}")
        caption = caption or sentence(conclusion, board.shape)
    sheet = drawing.sheet
    parts = (
        *sheet.layers(drawing.cells(reason)),
        *(candidate_marks(reason, board, sheet) if reason is not None else ()),
        *drawing.conclusion(conclusion),
        *drawing.values(givens),
        *(drawing.pairs(reason) if reason is not None else ()),
        *drawing.links(walks, graph),
    )
    return sheet.document(title or str(board.shape), facts, parts, with_names=True, text=caption)


class _Drawing:
    """The elements of a drawing, from the lowest layer to the highest."""

    def __init__(self, board: Board, sheet: Sheet) -> None:
        self.sheet = sheet
        self._board = board
        self._type = sheet.candidate_font
        room = Room(_VALUE * sheet.side)
        for cell, value in enumerate(board.values):
            if value:
                x, y = sheet.corner(cell)
                room.take((x + sheet.side / 2, y + sheet.side / 2), _VALUE * sheet.side, TEXT_COST)
            for candidate in () if value else values_in(board.candidates[cell]):
                room.take(sheet.place(cell, candidate), 0.42 * self._type, TEXT_COST)
        self._curves = Curves(room, sheet)

    def cells(self, reason: Reason | None) -> Iterator[str]:
        """The cells of a reason in their colours."""
        fills = {} if reason is None else cell_fills(reason, self._board)
        for cell, colour in sorted(fills.items()):
            yield self.sheet.filled(cell, colour)

    def conclusion(self, conclusion: Conclusion | None) -> Iterator[str]:
        """Discs behind placed candidates, strokes through removed ones."""
        radius = 0.6 * self._type
        match conclusion:
            case Placement(cell, value):
                x, y = self.sheet.place(cell, value)
                yield (
                    f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#bfe6c4" '
                    f'stroke="{_PLACED}" stroke-width="2"/>'
                )
            case Elimination(candidates, reason):
                marked = {one for group in candidates_of(reason, self._board) for one in group}
                for cell, value in candidates:
                    x, y = self.sheet.place(cell, value)
                    if (cell, value) not in marked:
                        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#f7d6d6"/>'
                    yield (
                        f'<path d="M{x - radius:.1f} {y + radius:.1f}L{x + radius:.1f} '
                        f'{y - radius:.1f}" stroke="{_REMOVED}" stroke-width="2"/>'
                    )

    def values(self, givens: Grid | None) -> Iterator[str]:
        """Values placed, and candidates of blank cells."""
        for cell, value in enumerate(self._board.values):
            if value:
                is_given = givens is None or bool(givens[cell])
                yield self.sheet.value(cell, value, is_given=is_given)
            else:
                yield from self.sheet.candidates(cell, values_in(self._board.candidates[cell]))

    def pairs(self, reason: Reason) -> Iterator[str]:
        """A line between the two candidates of each pair."""
        for link in reason.links if isinstance(reason, HasPairs) else ():
            yield _line(self._curve(link, labelled=False), link, _PAIR, width=2)

    def links(self, walks: Iterable[tuple[Link, ...]], graph: LinkGraph | None) -> Iterator[str]:
        """The links of walks, then those of the graph that no walk has; labels on top."""
        drawn: set[tuple[int, int, int]] = set()
        lines: list[str] = []
        labels: list[str] = []
        for number, walk in enumerate(walks):
            for link in walk:
                drawn |= {_key(link), _key(link, turned=True)}
                curve = self._curve(link)
                colour = colours_of(number)[0]
                lines.append(_line(curve, link, colour, width=2.4))
                lines.append(f'<polygon points="{curve.head(9)}" fill="{colour}"/>')
                labels.append(self._label_of(curve.label, link.value, colour))
        for link in graph.every_link if graph is not None else ():
            if _key(link) not in drawn:
                drawn |= {_key(link), _key(link, turned=True)}
                curve = self._curve(link)
                lines.insert(0, _line(curve, link, _GRAPH, width=1.1))
                labels.append(self._label_of(curve.label, link.value, _GRAPH))
        return iter([*lines, *labels])

    def _curve(self, link: Link, *, labelled: bool = True) -> Curve:
        start, end = (self.sheet.place(cell, link.value) for cell in (link.source, link.target))
        return self._curves.lay(start, end, labelled=labelled)

    def _label_of(self, at: Point, value: int, colour: str) -> str:
        x, y = at
        radius = self._curves.radius
        font = 1.3 * radius
        return (
            f'<g class="label"><circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" '
            f'fill="{colour}" stroke="white" stroke-width="1"/><text x="{x:.1f}" '
            f'y="{y + 0.36 * font:.1f}" font-size="{font:.1f}" font-weight="bold" '
            f'fill="white">{escape(self.sheet.shape.symbol(value))}</text></g>'
        )


def _key(link: Link, *, turned: bool = False) -> tuple[int, int, int]:
    ends = (link.target, link.source) if turned else (link.source, link.target)
    return (*ends, link.value)


def _line(curve: Curve, link: Link, colour: str, *, width: float) -> str:
    dashes = "" if link.is_strong else ' stroke-dasharray="5 3"'
    return f'<path d="{curve.path}" stroke="{colour}" stroke-width="{width}" fill="none"{dashes}/>'
