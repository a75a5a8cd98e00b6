"""Why a board without a conflict between its givens has no solution."""

from harness.puzzles.symbols import symbol_of
from harness.reasoning.board import Board


def house_without_cell(board: Board) -> str:
    """A house of a board that has no cell for a value, in words; empty if there is none."""
    for house in board.shape.houses:
        for value in range(1, board.shape.size + 1):
            if not any(board.candidates[cell] >> value - 1 & 1 for cell in house.cells):
                return f"no cell for a value: {house} has no cell for {symbol_of(value)}"
    return ""
