"""Readings of a board, from the likeliest on.

A reading gives each cell one of its likely values. Its cost is how much less likely it is than the
first reading, in natural logarithms. The search is best first over vectors of ranks: the cells of
a reading have their likeliest values but for some, which have the next ones. A reading that cannot
be right names cells, and every reading that is right differs from it in one of them, so that only
the readings in which one of these cells takes its next value follow from it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from math import log
from typing import Final

Probabilities = Sequence[Sequence[float]]
"""For each cell the probabilities of a blank and of each value."""
Ranks = tuple[tuple[int, int], ...]
"""The cells that have not their likeliest value, ascending, with the rank of their value."""

MOST_COST: Final = 8.0
"""Readings that are over 3,000 times less likely than the first one are left out."""
_LEAST: Final = 1e-9


class Options:
    """The values of each cell, the likeliest first.

    Args:
        probabilities: for each cell those of a blank and of each value.
    """

    def __init__(self, probabilities: Probabilities) -> None:
        self._values: list[list[int]] = []
        self._costs: list[list[float]] = []
        for of in probabilities:
            logarithms = [log(max(p, _LEAST)) for p in of]
            order = sorted(range(len(of)), key=lambda value: -logarithms[value])
            costs = [logarithms[order[0]] - logarithms[value] for value in order]
            self._values.append(order)
            self._costs.append(costs)

    def values(self, ranks: Ranks) -> tuple[int, ...]:
        """The value of each cell, 0 for a blank."""
        found = [values[0] for values in self._values]
        for cell, rank in ranks:
            found[cell] = self._values[cell][rank]
        return tuple(found)

    def cost(self, ranks: Ranks) -> float:
        """How much less likely a reading is than the first."""
        return sum(self._costs[cell][rank] for cell, rank in ranks)

    def next(self, ranks: Ranks, cell: int) -> Ranks | None:
        """The reading in which a cell has its next value, None if it has none."""
        found = dict(ranks)
        found[cell] = found.get(cell, 0) + 1
        if found[cell] >= len(self._values[cell]):
            return None
        return tuple(sorted(found.items()))


def readings(
    options: Options, wrong_cells: Callable[[tuple[int, ...]], Iterable[int]], most: int
) -> Iterator[tuple[Ranks, tuple[int, ...]]]:
    """The readings that may be right, from the likeliest on.

    Args:
        options: the values of each cell.
        wrong_cells: cells of a reading, at least one with a wrong value; called after the
            reading was yielded.
        most: the number of readings to look at.

    Yields:
        Ranks and values.
    """
    heap: list[tuple[float, Ranks]] = [(0.0, ())]
    seen: set[Ranks] = {()}
    for _ in range(most):
        if not heap:
            return
        _, ranks = heappop(heap)
        values = options.values(ranks)
        yield ranks, values
        for cell in wrong_cells(values):
            following = options.next(ranks, cell)
            if following is None or following in seen:
                continue
            cost = options.cost(following)
            if cost <= MOST_COST:
                seen.add(following)
                heappush(heap, (cost, following))
