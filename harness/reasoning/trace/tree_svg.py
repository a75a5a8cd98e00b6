"""A search tree as an SVG drawing, from left to right."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from harness.puzzles.shape import Shape
from harness.reasoning.trace.branches import Outcome
from harness.reasoning.trace.search_tree import TreeNode, choose, label_of
from harness.text import number_of

_FONT: Final = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
_LABEL: Final = 26
"""Characters of a label."""
_CHARACTER: Final = 7.0
_GAP: Final = 28
_ROW: Final = 24
_HEIGHT: Final = 18
_MARGIN: Final = 10
_TEXT: Final = "#111111"
_QUIET: Final = "#666666"
_LINE: Final = "#999999"
_FILLS: Final = {
    Outcome.BRANCHES: "#ffffff",
    Outcome.DEAD_END: "#f6d5d0",
    Outcome.SOLUTION: "#c9e8c9",
    Outcome.OPEN: "#ececec",
}
Position = tuple[float, float]


def tree_svg(root: TreeNode, shape: Shape, rows: int) -> str:
    """A drawing of a tree: red nodes are dead ends, green ones solutions, grey ones open.

    Args:
        root: the tree; it keeps which nodes the drawing has.
        shape: the shape of the puzzle.
        rows: the most nodes.
    """
    nodes = choose(root, rows)
    labels = {id(node): label_of(node, shape, _LABEL) for node in nodes}
    places = _places(nodes, labels)
    beside = {id(node): node.below for node in nodes}
    width = max(
        places[key][0] + _width(labels[key]) + (_GAP / 2 + _width(beside[key])) * bool(beside[key])
        for key in places
    )
    height = max(y for _, y in places.values()) + _ROW / 2 + _MARGIN
    total = number_of(sum(root.counts.values()), "node")
    size = f"{width + _MARGIN:g} {height:g}"
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
        f'width="{width + _MARGIN:g}" height="{height:g}" role="img" '
        f'font-family="{escape(_FONT)}" font-size="11">'
    )
    parts = [
        opening,
        "<title>Search tree</title>",
        f"<desc>{escape(f'{shape}, {total}; {_summary(root)}')}</desc>",
        f'<rect width="{width + _MARGIN:g}" height="{height:g}" fill="white"/>',
        *_edges(nodes, labels, places),
    ]
    for node in nodes:
        parts += _box(node, labels[id(node)], places[id(node)])
    return "\n".join([*parts, "</svg>"]) + "\n"


def _summary(root: TreeNode) -> str:
    return ", ".join(
        number_of(root.counts.get(outcome, 0), str(outcome))
        for outcome in (Outcome.DEAD_END, Outcome.SOLUTION)
    )


def _places(nodes: Sequence[TreeNode], labels: dict[int, str]) -> dict[int, Position]:
    """The left end and the middle height of each node: a row for a leaf, columns by level."""
    widths: dict[int, float] = {}
    for node in nodes:
        widths[node.level] = max(widths.get(node.level, 0), _width(labels[id(node)]))
    left = {level: _MARGIN + sum(widths[at] + _GAP for at in range(level)) for level in widths}
    heights: dict[int, float] = {}
    row = _MARGIN + _ROW / 2
    for node in nodes:
        if not node.drawn:
            heights[id(node)] = row
            row += _ROW
    for node in reversed(nodes):
        if node.drawn:
            heights[id(node)] = (heights[id(node.drawn[0])] + heights[id(node.drawn[-1])]) / 2
    return {id(node): (left[node.level], heights[id(node)]) for node in nodes}


def _width(text: str) -> float:
    """The width of a box with this text."""
    return round(len(text) * _CHARACTER + 12, 1)


def _edges(
    nodes: Sequence[TreeNode], labels: dict[int, str], places: dict[int, Position]
) -> Iterator[str]:
    for node in nodes:
        x, y = places[id(node)]
        start = x + _width(labels[id(node)])
        for child in node.drawn:
            end, other = places[id(child)]
            middle = (start + end) / 2
            yield (
                f'<path d="M{start:g} {y:g}C{middle:g} {y:g} {middle:g} {other:g} {end:g} '
                f'{other:g}" stroke="{_LINE}" fill="none"/>'
            )


def _box(node: TreeNode, label: str, place: Position) -> Iterator[str]:
    x, y = place
    width = _width(label)
    yield (
        f'<rect x="{x:g}" y="{y - _HEIGHT / 2:g}" width="{width:g}" height="{_HEIGHT}" rx="4" '
        f'fill="{_FILLS[node.outcome]}" stroke="{_LINE}"/>'
    )
    yield (
        f'<text x="{x + width / 2:g}" y="{y + 4:g}" text-anchor="middle" '
        f'fill="{_TEXT}">{escape(label)}</text>'
    )
    if node.below:
        yield f'<text x="{x + width + 8:g}" y="{y + 4:g}" fill="{_QUIET}">{node.below}</text>'
