"""A board as an SVG drawing, with a conclusion, its walks, and a graph of links."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from harness.puzzles.drawing.layout import candidate_grid, features_in_words
from harness.puzzles.drawing.sheet import Point, Sheet
from harness.puzzles.puzzle import Grid
from harness.puzzles.symbols import symbol_of
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Conclusion, Elimination, Placement, Reason
from harness.reasoning.drawing.curves import TEXT_COST, Curve, Curves
from harness.reasoning.drawing.marks import (
    candidate_marks,
    candidates_of,
    cell_fills,
    colours_of,
    walks_of,
)
from harness.reasoning.drawing.room import Room
from harness.reasoning.explanation import sentence
from harness.reasoning.links import Link, LinkGraph
from harness.reasoning.marks import HasPairs

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
    side = max(_SMALLEST_CELL, _CANDIDATE_WIDTH * max(candidate_grid(board.shape)))
    drawing = _Drawing(board, Sheet(board.shape, side))
    reason = None if conclusion is None else conclusion.reason
    walks = () if reason is None else walks_of(reason)
    facts = [f"{board.shape}, {board.blanks} blank cells", *features_in_words(board.shape)]
    if conclusion is not None:
        facts.append(f"the conclusion holds: {conclusion.reason.words(board.shape)}")
        caption = caption or sentence(conclusion, board.shape)
    sheet = drawing.sheet
    parts = (
        *sheet.shades(),
        *drawing.cells(reason),
        *sheet.diagonals(),
        *sheet.lines(),
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
            for candidate in () if value else _values_of(board, cell):
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
                yield from self.sheet.candidates(cell, _values_of(self._board, cell))

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
            f'fill="white">{escape(symbol_of(value))}</text></g>'
        )


def _values_of(board: Board, cell: int) -> list[int]:
    of = board.candidates[cell]
    return [value for value in range(1, board.shape.size + 1) if of >> value - 1 & 1]


def _key(link: Link, *, turned: bool = False) -> tuple[int, int, int]:
    ends = (link.target, link.source) if turned else (link.source, link.target)
    return (*ends, link.value)


def _line(curve: Curve, link: Link, colour: str, *, width: float) -> str:
    dashes = "" if link.is_strong else ' stroke-dasharray="5 3"'
    return f'<path d="{curve.path}" stroke="{colour}" stroke-width="{width}" fill="none"{dashes}/>'
