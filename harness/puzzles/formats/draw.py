"""Grids as text with borders."""

from harness.puzzles.puzzle import Grid
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of


def boxed(grid: Grid, shape: Shape) -> str:
    """`grid` as lines with borders between the boxes; `parse_puzzle` reads it back."""
    size = shape.size
    height, width = shape.box or (size, size)
    border = "+".join("-" * (2 * width + 1) for _ in range(size // width))[1:-1]
    lines = []
    for row in range(size):
        if row and row % height == 0:
            lines.append(border)
        symbols = [symbol_of(value) for value in grid[row * size : (row + 1) * size]]
        stacks = (symbols[start : start + width] for start in range(0, size, width))
        lines.append(" | ".join(" ".join(stack) for stack in stacks))
    return "\n".join(lines)
