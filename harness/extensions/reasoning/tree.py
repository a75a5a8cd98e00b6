"""The tree of a search as a drawing of characters."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from harness.base.text import number_of
from harness.extensions.reasoning.trace import ROOT, Node, NodeOutcome
from harness.puzzles import Shape

# The tree of a search, and the part of it that a drawing has room for.


@dataclass(slots=True)
class TreeNode:
    """A node of a drawing: nodes of the search that follow each other without an alternative."""

    level: int
    steps: list[tuple[int, int]]
    """The guesses from the parent: cells with their values; the puzzle itself has none."""
    outcome: NodeOutcome
    """The outcome of the last of the nodes."""
    options: int = 0
    """The number of alternatives at the last of the nodes."""
    children: list["TreeNode"] = field(default_factory=list)
    counts: Counter[NodeOutcome] = field(default_factory=Counter)
    """The number of nodes of the search by outcome, here and below."""
    drawn: list["TreeNode"] = field(default_factory=list)
    """The children that the drawing has: all or none."""

    def add(self, node: Node) -> None:
        """Extend this one by `node`, which becomes its last node."""
        self.outcome, self.options = node.outcome, node.options
        if node.path:
            self.steps.append(node.path[-1])

    @property
    def below(self) -> str:
        """What the drawing leaves out below this node, in words; empty if nothing."""
        nodes = sum(self.counts.values()) - len(self.steps) - (self.level == 0)
        if self.drawn or not nodes:
            return ""
        parts = [
            number_of(self.counts[outcome], str(outcome))
            for outcome in (NodeOutcome.DEAD_END, NodeOutcome.SOLUTION)
            if self.counts[outcome]
        ]
        return f"{number_of(nodes, 'node')} below: {', '.join(parts) or 'all open'}"


def tree_of(nodes: Iterable[Node], most: int = 100_000) -> TreeNode:
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
        closest.counts[node.outcome] += 1
    for parent, child in reversed(pairs):
        parent.counts += child.counts
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

    Nodes with a solution below come first, then the levels from the top. A node without room for
    all its children is drawn without any. A drawing has at most 16 levels.
    """
    waiting = [_priority(root, 0)]
    nodes, rows_left = [root], rows - 1
    while waiting:
        number = heappop(waiting)[-1]
        node = nodes[number]
        if not 0 < len(node.children) <= rows_left or node.level >= 15:
            continue
        rows_left -= len(node.children)
        node.drawn = node.children
        for child in node.drawn:
            heappush(waiting, _priority(child, len(nodes)))
            nodes.append(child)
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(node.drawn))
    return order


def label_of(node: TreeNode, shape: Shape, width: int) -> str:
    """The guesses of a node; only the first and the last if all need more than `width`."""
    texts = [f"{shape.cell_name(cell)}={shape.symbol(value)}" for cell, value in node.steps]
    if not node.level:
        texts.insert(0, ROOT)
    whole = " ".join(texts)
    if len(whole) <= width:
        return whole
    return f"{texts[0]} ..{len(texts) - 2}.. {texts[-1]}"


def _priority(node: TreeNode, number: int) -> tuple[bool, int, int]:
    return not node.counts[NodeOutcome.SOLUTION], node.level, number


# A search tree as a drawing of characters.


def tree_lines(root: TreeNode, shape: Shape, rows: int, *, unicode: bool = True) -> Iterator[str]:
    """The lines of the drawing of a tree, of at most 80 columns.

    Args:
        root: the tree; its nodes keep which of their children are drawn.
        shape: the shape of the puzzle.
        rows: the maximum number of lines.
        unicode: whether lines may have characters beyond ASCII.
    """
    more, last, through = ("├─ ", "└─ ", "│  ") if unicode else ("|- ", "`- ", "|  ")
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
        room = max(80 - len(before) - len(outcome) - 2, 8)
        yield f"{before}{label_of(node, shape, room)}  {outcome}".rstrip()
