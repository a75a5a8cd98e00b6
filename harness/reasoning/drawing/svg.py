"""A board as an SVG drawing, with a conclusion, its walks, and a graph of links."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from harness.puzzles.drawing.layout import candidate_grid, features_in_words
from harness.puzzles.drawing.sheet import Point, Sheet
from harness.puzzles.puzzle import Grid
from harness.puzzles.symbols import symbol_of
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Conclusion, Elimination, Placement
from harness.reasoning.drawing.curves import TEXT_COST, Curve, Curves
from harness.reasoning.drawing.room import Room
from harness.reasoning.links import HasWalks, Link, LinkGraph

_SMALLEST_CELL: Final = 78
_CANDIDATE_WIDTH: Final = 18
_VALUE: Final = 0.26
"""The radius of a value, by the side of its cell."""
_WALKS: Final = (("#1f5fbf", "#e4edfa"), ("#b3500a", "#fbeadb"), ("#6b3fa0", "#efe8f7"))
"""The colours of the first, second and third walk, and of their cells."""
_CELL: Final = "#f3eecb"
"""The colour of cells of a reason without walks."""
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
) -> str:
    """A drawing of `board` as SVG, on white, so that it is readable on any page.

    A link is a curve between the candidates that it is about, with its label and, in a walk, an
    arrowhead; weak links are dashed. The links of `graph` are grey, those of each walk have a
    colour, and so have the cells of walks. A candidate that a conclusion places has a green
    disc, a candidate that it removes a red stroke.

    Args:
        board: a board of any shape, before the conclusion is applied.
        conclusion: a conclusion from the board; its reason may have walks.
        graph: a graph of links of the board.
        givens: the givens of the puzzle, which are bold; by default all values are.
        title: the title of the drawing, by default the name of the shape.
    """
    side = max(_SMALLEST_CELL, _CANDIDATE_WIDTH * max(candidate_grid(board.shape)))
    drawing = _Drawing(board, Sheet(board.shape, side))
    walks = _walks_of(conclusion)
    facts = [f"{board.shape}, {board.blanks} blank cells", *features_in_words(board.shape)]
    if conclusion is not None:
        facts.append(f"the conclusion holds: {conclusion.reason.words(board.shape)}")
    sheet = drawing.sheet
    parts = (
        *sheet.shades(),
        *drawing.cells(conclusion, walks),
        *sheet.diagonals(),
        *sheet.lines(),
        *drawing.conclusion(conclusion),
        *drawing.values(givens),
        *drawing.links(walks, graph),
    )
    return sheet.document(title or str(board.shape), facts, parts)


def _walks_of(conclusion: Conclusion | None) -> tuple[tuple[Link, ...], ...]:
    if conclusion is not None and isinstance(conclusion.reason, HasWalks):
        return conclusion.reason.walks
    return ()


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
            for candidate in () if value else _values_of(board, cell):
                room.take(sheet.place(cell, candidate), 0.42 * self._type, TEXT_COST)
        self._curves = Curves(room, sheet)

    def cells(
        self, conclusion: Conclusion | None, walks: Iterable[tuple[Link, ...]]
    ) -> Iterator[str]:
        """The cells of the walks, or those of a reason without walks."""
        colours: dict[int, str] = {}
        for number, walk in enumerate(walks):
            for link in walk:
                colours.setdefault(link.source, _colours(number)[1])
                colours.setdefault(link.target, _colours(number)[1])
        if conclusion is not None and not colours:
            colours = dict.fromkeys(conclusion.reason.cells, _CELL)
        for cell, colour in sorted(colours.items()):
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
            case Elimination(candidates):
                for cell, value in candidates:
                    x, y = self.sheet.place(cell, value)
                    yield (
                        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#f7d6d6"/>'
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
                yield from self.sheet.candidates(cell, _values_of(self._board, cell))

    def links(self, walks: Iterable[tuple[Link, ...]], graph: LinkGraph | None) -> Iterator[str]:
        """The links of walks, then those of the graph that no walk has; labels on top."""
        drawn: set[tuple[int, int, int]] = set()
        lines: list[str] = []
        labels: list[str] = []
        for number, walk in enumerate(walks):
            for link in walk:
                drawn |= {_key(link), _key(link, turned=True)}
                curve = self._curve(link)
                colour = _colours(number)[0]
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

    def _curve(self, link: Link) -> Curve:
        place = self.sheet.place
        return self._curves.lay(place(link.source, link.value), place(link.target, link.value))

    def _label_of(self, at: Point, value: int, colour: str) -> str:
        x, y = at
        radius = self._curves.radius
        font = 1.3 * radius
        return (
            f'<g class="label"><circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" '
            f'fill="{colour}" stroke="white" stroke-width="1"/><text x="{x:.1f}" '
            f'y="{y + 0.36 * font:.1f}" font-size="{font:.1f}" font-weight="bold" '
            f'fill="white">{escape(symbol_of(value))}</text></g>'
        )


def _values_of(board: Board, cell: int) -> list[int]:
    of = board.candidates[cell]
    return [value for value in range(1, board.shape.size + 1) if of >> value - 1 & 1]


def _colours(number: int) -> tuple[str, str]:
    return _WALKS[min(number, len(_WALKS) - 1)]


def _key(link: Link, *, turned: bool = False) -> tuple[int, int, int]:
    ends = (link.target, link.source) if turned else (link.source, link.target)
    return (*ends, link.value)


def _line(curve: Curve, link: Link, colour: str, *, width: float) -> str:
    dashes = "" if link.is_strong else ' stroke-dasharray="5 3"'
    return f'<path d="{curve.path}" stroke="{colour}" stroke-width="{width}" fill="none"{dashes}/>'
