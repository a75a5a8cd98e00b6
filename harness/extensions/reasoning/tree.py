"""The tree of a search, as a drawing of characters and as SVG."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from html import escape
from typing import Final

from harness.base.text import number_of
from harness.extensions.reasoning.trace import ROOT, Node, NodeOutcome
from harness.puzzles import Shape

# The tree of a search, and the part of it that a drawing has room for.


_MOST_KEPT: Final = 100_000
"""Nodes that are kept; further ones are only counted."""
_LEVELS: Final = 16
"""Levels of a drawing."""


@dataclass(slots=True)
class TreeNode:
    """A node of a drawing: nodes of the search that follow each other without an alternative."""

    level: int
    steps: list[tuple[int, int]]
    """The guesses from the parent: cells with their values; those of the puzzle itself none."""
    outcome: NodeOutcome
    """The outcome of the last of the nodes."""
    options: int = 0
    """Its number of alternatives."""
    children: list["TreeNode"] = field(default_factory=list)
    counts: dict[NodeOutcome, int] = field(default_factory=dict)
    """The nodes of the search of each outcome, here and below."""
    drawn: list["TreeNode"] = field(default_factory=list)
    """The children that the drawing has: all or none."""

    def add(self, node: Node) -> None:
        """Let this one end with `node`."""
        self.outcome, self.options = node.outcome, node.options
        if node.path:
            self.steps.append(node.path[-1])

    def count(self, outcome: NodeOutcome, number: int = 1) -> None:
        """Count nodes of the search."""
        self.counts[outcome] = self.counts.get(outcome, 0) + number

    @property
    def below(self) -> str:
        """What the drawing leaves out below this one, in words; empty if nothing."""
        nodes = sum(self.counts.values()) - len(self.steps) - (self.level == 0)
        if self.drawn or not nodes:
            return ""
        parts = [
            number_of(self.counts[outcome], str(outcome))
            for outcome in (NodeOutcome.DEAD_END, NodeOutcome.SOLUTION)
            if self.counts.get(outcome)
        ]
        return f"{number_of(nodes, 'node')} below: {', '.join(parts) or 'all open'}"


def tree_of(nodes: Iterable[Node], most: int = _MOST_KEPT) -> TreeNode:
    """The tree of `nodes`, parents before children.

    Nodes after the first `most` are counted at their closest ancestor, so the memory is bounded.
    """
    root = TreeNode(0, [], NodeOutcome.OPEN)
    pairs: list[tuple[TreeNode, TreeNode]] = []
    for node in nodes:
        closest, depth = _closest(root, node)
        if depth == len(node.branch) - 1 and len(pairs) < most:
            if closest.options != 1:
                child = TreeNode(closest.level + 1, [], node.outcome)
                closest.children.append(child)
                pairs.append((closest, child))
                closest = child
            closest.add(node)
        elif not node.branch:
            root.add(node)
        closest.count(node.outcome)
    for parent, child in reversed(pairs):
        for outcome, number in child.counts.items():
            parent.count(outcome, number)
    return root


def _closest(root: TreeNode, node: Node) -> tuple[TreeNode, int]:
    """The closest ancestor that is kept, and the length of its branch."""
    closest, branch = root, node.branch
    depth = len(root.steps)
    while depth < len(branch) and closest.options != 1:
        number = branch[depth]
        if number > len(closest.children):
            break
        closest = closest.children[number - 1]
        depth += len(closest.steps)
    return closest, depth


def choose(root: TreeNode, rows: int) -> list[TreeNode]:
    """Choose the nodes of a drawing with this number of `rows`, and return them in preorder.

    The way to a solution comes first, then the levels from the top. A node that has no room for
    all its children has none.
    """
    waiting = [_priority(root, 0)]
    nodes, rows_left = [root], rows - 1
    while waiting:
        number = heappop(waiting)[-1]
        node = nodes[number]
        if not 0 < len(node.children) <= rows_left or node.level + 1 >= _LEVELS:
            continue
        rows_left -= len(node.children)
        node.drawn = node.children
        for child in node.drawn:
            heappush(waiting, _priority(child, len(nodes)))
            nodes.append(child)
    return _preorder(root)


def label_of(node: TreeNode, shape: Shape, width: int) -> str:
    """The guesses of a node in at most `width` characters: the first and the last ones."""
    texts = [f"{shape.cell_name(cell)}={shape.symbol(value)}" for cell, value in node.steps]
    if not node.level:
        texts.insert(0, ROOT)
    whole = " ".join(texts)
    if len(whole) <= width:
        return whole
    return f"{texts[0]} ..{len(texts) - 2}.. {texts[-1]}"


def _priority(node: TreeNode, number: int) -> tuple[bool, int, int]:
    return not node.counts.get(NodeOutcome.SOLUTION), node.level, number


def _preorder(root: TreeNode) -> list[TreeNode]:
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(reversed(node.drawn))
    return order


# A search tree as a drawing of characters.


_LINES: Final = ("├─ ", "└─ ", "│  ")
_PLAIN_LINES: Final = ("|- ", "`- ", "|  ")
_WIDTH: Final = 80
_NARROWEST: Final = 8


def tree_lines(root: TreeNode, shape: Shape, rows: int, *, unicode: bool = True) -> Iterator[str]:
    """The lines of the drawing of a tree, of at most 80 columns.

    Args:
        root: the tree; it keeps which nodes the drawing has.
        shape: the shape of the puzzle.
        rows: the most lines.
        unicode: whether lines may have characters beyond ASCII.
    """
    more, last, through = _LINES if unicode else _PLAIN_LINES
    lasts: list[bool] = []
    nodes = choose(root, rows)
    ends = {id(node.drawn[-1]) for node in nodes if node.drawn}
    for node in nodes:
        del lasts[max(node.level - 1, 0) :]
        before = "".join("   " if is_last else through for is_last in lasts)
        if node.level:
            lasts.append(id(node) in ends)
            before += last if lasts[-1] else more
        outcome = node.below or ("" if node.outcome is NodeOutcome.BRANCHES else str(node.outcome))
        room = max(_WIDTH - len(before) - len(outcome) - 2, _NARROWEST)
        yield f"{before}{label_of(node, shape, room)}  {outcome}".rstrip()


# A search tree as an SVG drawing, from left to right.


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
    NodeOutcome.BRANCHES: "#ffffff",
    NodeOutcome.DEAD_END: "#f6d5d0",
    NodeOutcome.SOLUTION: "#c9e8c9",
    NodeOutcome.OPEN: "#ececec",
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
        places[key][0] + _width(label) + (_GAP / 2 + _width(beside[key]) if beside[key] else 0)
        for key, label in labels.items()
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
        for outcome in (NodeOutcome.DEAD_END, NodeOutcome.SOLUTION)
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
