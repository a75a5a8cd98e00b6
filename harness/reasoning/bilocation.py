"""The bilocation graph of a board, and its nonrepetitive walks.

The source is Eppstein, "Nonrepetitive paths and cycles in graphs with application to Sudoku"
(arXiv cs/0507053, 2005). The vertices are the cells with several candidates. An edge
with the label d joins two cells if some house has no other cell for d: one of both has d. Two
cells may have edges with several labels. A walk is nonrepetitive if consecutive labels differ;
it may visit cells and edges again.
"""

from collections import deque
from dataclasses import dataclass

from harness.puzzles.house import House
from harness.reasoning.board import Board


@dataclass(frozen=True, slots=True)
class Link:
    """An edge in the direction of a walk: if `source` has not the value, `target` has it."""

    source: int
    target: int
    value: int
    house: House
    """A house with no other cell for the value."""


class BilocationGraph:
    """The bilocation graph of a board, as it was when the graph was made."""

    def __init__(self, board: Board) -> None:
        candidates = board.candidates
        self.links: dict[int, list[Link]] = {}
        """The links that leave each cell, by house, then by value; cells without one are absent."""
        seen: set[tuple[int, int, int]] = set()
        for house in board.shape.houses:
            once = twice = more = 0
            for cell in house.cells:
                of = candidates[cell]
                more |= twice & of
                twice |= once & of
                once |= of
            twice &= ~more
            while twice:
                bit = twice & -twice
                twice ^= bit
                first, second = (cell for cell in house.cells if candidates[cell] & bit)
                edge = (first, second, bit.bit_length())
                if candidates[first] == bit or candidates[second] == bit or edge in seen:
                    continue
                seen.add(edge)
                for source, target in ((first, second), (second, first)):
                    link = Link(source, target, bit.bit_length(), house)
                    self.links.setdefault(source, []).append(link)

    @property
    def edges(self) -> int:
        """The number of edges."""
        return sum(map(len, self.links.values())) // 2

    def cycle_through(self, cell: int, value: int) -> tuple[Link, ...] | None:
        """A shortest closed walk from `cell` whose first and last label are `value`.

        All other consecutive labels differ. The walk is found by a breadth-first search over
        pairs of a cell and the label by which it was entered, so it takes linear time in the
        number of pairs of consecutive links.

        Returns:
            The links of the walk, None if there is no such walk.
        """
        entered: dict[tuple[int, int], Link] = {}
        before: dict[tuple[int, int], tuple[int, int] | None] = {}
        waiting: deque[tuple[int, int]] = deque()
        for link in self.links.get(cell, ()):
            state = (link.target, value)
            if link.value == value and state not in entered:
                entered[state], before[state] = link, None
                waiting.append(state)
        while waiting:
            state = waiting.popleft()
            at, label = state
            for link in self.links[at]:
                following = (link.target, link.value)
                if link.value == label or following in entered:
                    continue
                entered[following], before[following] = link, state
                if following == (cell, value):
                    return _walk(following, entered, before)
                waiting.append(following)
        return None


def _walk(
    last: tuple[int, int],
    entered: dict[tuple[int, int], Link],
    before: dict[tuple[int, int], tuple[int, int] | None],
) -> tuple[Link, ...]:
    """The links from the beginning of the search to the state `last`."""
    links = []
    state: tuple[int, int] | None = last
    while state is not None:
        links.append(entered[state])
        state = before[state]
    return tuple(reversed(links))
