"""A plain search, independent of all backends, to verify what the suite expects."""

from harness.puzzles import Grid, Puzzle


def solutions(puzzle: Puzzle, limit: int) -> list[Grid]:
    """The solutions of a puzzle, up to `limit`: backtracking at the cell with the fewest values."""
    size, peers = puzzle.shape.size, puzzle.shape.peers
    grid, solutions = list(puzzle.givens), []
    if any(value and grid[peer] == value for c, value in enumerate(grid) for peer in peers[c]):
        return []
    every = range(1, size + 1)
    marks = [{value for value in every if bits >> value - 1 & 1} for bits in puzzle.allowed]

    def values(cell: int) -> set[int]:
        return marks[cell] - {grid[peer] for peer in peers[cell]}

    def fill(blank: set[int]) -> None:
        if not blank:
            solutions.append(tuple(grid))
            return
        cell = min(blank, key=lambda cell: len(values(cell)))
        for value in sorted(values(cell)):
            grid[cell] = value
            fill(blank - {cell})
            if len(solutions) == limit:
                break
        grid[cell] = 0

    fill({cell for cell, value in enumerate(grid) if not value})
    return solutions
