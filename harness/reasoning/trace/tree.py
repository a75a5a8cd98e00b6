"""A search tree as a drawing of characters."""

from collections.abc import Iterator
from typing import Final

from harness.puzzles.shape import Shape
from harness.reasoning.trace.branches import Outcome
from harness.reasoning.trace.search_tree import TreeNode, choose, label_of

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
    chosen = choose(root, rows)
    ends = {id(node.drawn[-1]) for node in chosen if node.drawn}
    for node in chosen:
        del lasts[max(node.level - 1, 0) :]
        before = "".join("   " if is_last else through for is_last in lasts)
        if node.level:
            lasts.append(id(node) in ends)
            before += last if lasts[-1] else more
        what = node.below or ("" if node.outcome is Outcome.BRANCHES else str(node.outcome))
        room = max(_WIDTH - len(before) - len(what) - 2, _NARROWEST)
        yield f"{before}{label_of(node, shape, room)}  {what}".rstrip()
