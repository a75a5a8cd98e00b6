"""The bivalue graph of a board.

The source is Eppstein, "Nonrepetitive paths and cycles in graphs with application to Sudoku"
(arXiv cs/0507053, 2005). The vertices are the cells with two candidates. An edge with the
label d joins two peers that both have the candidate d: at most one of both has d.
"""

from collections.abc import Iterator

from harness.reasoning.board import Board
from harness.reasoning.cells import house_of_both
from harness.reasoning.links import Link, LinkGraph

_TWO = 2


class BivalueGraph(LinkGraph):
    """The bivalue graph of a board, as it was when the graph was made."""

    def __init__(self, board: Board) -> None:
        """The graph of `board`; the links of a cell are in the order of targets, then values."""
        super().__init__(_links(board))


def other_value(candidates: int, value: int) -> int | None:
    """The candidate beside `value` in a cell with two `candidates`, given as bits.

    None if the cell has more or fewer, or has not the value.
    """
    rest = candidates ^ 1 << value - 1
    is_one_of_two = candidates.bit_count() == _TWO and rest.bit_count() == 1
    return rest.bit_length() if is_one_of_two else None


def _links(board: Board) -> Iterator[Link]:
    candidates, shape = board.candidates, board.shape
    bivalue = {cell for cell, of in enumerate(candidates) if of.bit_count() == _TWO}
    for source in sorted(bivalue):
        for target in shape.peers[source]:
            common = candidates[source] & candidates[target] if target in bivalue else 0
            if common:
                house = house_of_both(shape, source, target)
            while common:
                bit = common & -common
                common ^= bit
                after = (candidates[target] ^ bit).bit_length()
                yield Link(source, target, bit.bit_length(), after, house)
