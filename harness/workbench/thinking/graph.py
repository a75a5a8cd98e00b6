"""The bilocation graph of a board, for a drawing."""

from msgspec import Struct

from harness.errors import PuzzleError
from harness.puzzles.puzzle import Puzzle
from harness.reasoning.bilocation import BilocationGraph
from harness.reasoning.board import Board
from harness.workbench.boards import shape_of


class BoardData(Struct, forbid_unknown_fields=True):
    """A board in the middle of reasoning."""

    shape: str
    values: tuple[int, ...]
    """The values placed, 0 for none."""
    candidates: tuple[int, ...]
    """The candidates of each cell as bits."""

    def board(self) -> Board:
        """The board, with exactly these values and candidates.

        Raises:
            PuzzleError: it is malformed.
        """
        shape = shape_of(self.shape)
        board = Board(Puzzle(shape, (0,) * shape.size**2))
        Puzzle(shape, self.values)  # checks number and range
        every = (1 << shape.size) - 1
        if len(self.candidates) != len(self.values):
            raise PuzzleError(
                f"candidates of {len(self.candidates)} cells", expected=f"{len(self.values)}"
            )
        if any(not 0 <= of <= every for of in self.candidates):
            raise PuzzleError(
                "candidates beyond the values of the shape", expected=f"up to {every}"
            )
        board.values[:] = self.values
        board.candidates[:] = self.candidates
        board.blanks = self.values.count(0)
        return board


def bilocation_links(data: BoardData) -> list[tuple[int, int, int]]:
    """The edges of the bilocation graph: two cells, and the value as the label.

    Raises:
        PuzzleError: the board is malformed.
    """
    graph = BilocationGraph(data.board())
    return [
        (link.source, link.target, link.value)
        for link in graph.every_link
        if link.source < link.target
    ]
