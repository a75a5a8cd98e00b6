"""The bilocation graph of a board.

The source is Eppstein, "Nonrepetitive paths and cycles in graphs with application to Sudoku"
(arXiv cs/0507053, 2005). The vertices are the cells with several candidates. An edge
with the label d joins two cells if some house has no other cell for d: one of both has d. Two
cells may have edges with several labels.
"""

from collections.abc import Iterator

from harness.reasoning.board import Board
from harness.reasoning.links import Link, LinkGraph


class BilocationGraph(LinkGraph):
    """The bilocation graph of a board, as it was when the graph was made."""

    def __init__(self, board: Board) -> None:
        """The graph of `board`; the links of a cell are in the order of houses, then values."""
        super().__init__(_links(board))


def _links(board: Board) -> Iterator[Link]:
    candidates = board.candidates
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
            value = bit.bit_length()
            first, second = (cell for cell in house.cells if candidates[cell] & bit)
            edge = (first, second, value)
            if candidates[first] == bit or candidates[second] == bit or edge in seen:
                continue
            seen.add(edge)
            yield Link(first, second, value, value, house)
            yield Link(second, first, value, value, house)
