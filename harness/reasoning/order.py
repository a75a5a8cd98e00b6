"""Orders of branching: the cell at which a search branches."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

from harness.reasoning.board import Board


class Order(StrEnum):
    """How a search chooses the cell for its next guess."""

    FEWEST = "fewest"
    """The fewest candidates; among equals the first, row by row (Tsinghua project, 2013)."""
    FEWEST_BY_NAME = "fewest-by-name"
    """The fewest candidates; among equals the first by its name, such as A1, A10, A2 (a Python
    agent after Norvig, "Solving Every Sudoku Puzzle")."""
    FIRST = "first"
    """The first blank cell, row by row."""


def _blanks(board: Board) -> list[int]:
    return [cell for cell, value in enumerate(board.values) if not value]


def _fewest(board: Board) -> int:
    candidates = board.candidates
    return min(_blanks(board), key=lambda cell: candidates[cell].bit_count())


def _fewest_by_name(board: Board) -> int:
    candidates, size = board.candidates, board.shape.size
    return min(
        _blanks(board), key=lambda cell: (candidates[cell].bit_count(), _name_of(cell, size))
    )


def _name_of(cell: int, size: int) -> str:
    """The name with a letter for the row: ``A1``; ``AA1`` follows ``Z26``."""
    row, column = divmod(cell, size)
    letters = chr(ord("A") + row % 26)
    return f"{'A' * (row // 26)}{letters}{column + 1}"


def _first(board: Board) -> int:
    return board.values.index(0)


CHOOSE: Final[dict[Order, Callable[[Board], int]]] = {
    Order.FEWEST: _fewest,
    Order.FEWEST_BY_NAME: _fewest_by_name,
    Order.FIRST: _first,
}
"""The function of each order: the cell of a board with a blank."""
