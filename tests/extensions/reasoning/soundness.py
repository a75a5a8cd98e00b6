"""Whether what rules conclude is true of a solution."""

from harness.extensions.reasoning.board import Conclusion, Placement
from harness.puzzles.puzzle import Grid


def agrees(conclusion: Conclusion, grid: Grid) -> bool:
    """Whether a conclusion holds in the solution `grid`."""
    if isinstance(conclusion, Placement):
        return grid[conclusion.cell] == conclusion.value
    return bool(conclusion.candidates) and all(grid[c] != v for c, v in conclusion.candidates)
