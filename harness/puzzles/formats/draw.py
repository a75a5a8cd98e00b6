"""Grids as text with borders."""

from collections.abc import Callable

from harness.puzzles.puzzle import Grid
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of


def boxed(
    grid: Grid, shape: Shape, styled: Callable[[int, str], str] = lambda _, symbol: symbol
) -> str:
    """`grid` as lines with borders between the boxes; `parse_puzzle` reads it back.

    Args:
        grid: the values of the cells in row-major order, 0 for a blank.
        shape: its shape.
        styled: adds colours to the symbol of a cell, for a terminal.
    """
    size = shape.size
    height, width = shape.box or (size, size)
    border = "+".join("-" * (2 * width + 1) for _ in range(size // width))[1:-1]
    lines = []
    for row in range(size):
        if row and row % height == 0:
            lines.append(border)
        cells = range(row * size, (row + 1) * size)
        symbols = [styled(cell, symbol_of(grid[cell])) for cell in cells]
        stacks = (symbols[start : start + width] for start in range(0, size, width))
        lines.append(" | ".join(" ".join(stack) for stack in stacks))
    return "\n".join(lines)
