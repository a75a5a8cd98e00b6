"""Delta debugging: the items of a list that are needed for a failure.

The algorithm is ddmin of Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
input" (IEEE Transactions on Software Engineering 28, 2002).
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


def needed(items: Sequence[_Item], fails: Callable[[list[_Item]], bool]) -> list[_Item]:
    """Items, in their order, that still fail together, and not if any single one is left out.

    Args:
        items: the items, which fail together.
        fails: whether some of the items, in their order, fail; deterministic.
    """
    left, parts = list(items), 2
    if left and fails([]):
        return []
    while len(left) >= 2:
        size = -(-len(left) // parts)
        for start in range(0, len(left), size):
            others = left[:start] + left[start + size :]
            if fails(others):
                left, parts = others, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(len(left), 2 * parts)
    return left
