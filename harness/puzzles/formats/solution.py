"""Solutions that a file gives for its puzzles."""

from functools import lru_cache
from operator import itemgetter
from typing import Any

from harness.errors import PuzzleError
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.formats.format import Reading
from harness.puzzles.formats.line import read_cells
from harness.puzzles.formats.source import Line
from harness.puzzles.puzzle import Grid, Puzzle, line_of
from harness.puzzles.sanity import check
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import symbol_of


def solution_line(grid: Grid, puzzle: Puzzle) -> str:
    """The line of `grid`, which must be a solution of `puzzle`.

    Raises:
        PuzzleError: it is none, with the first cell or house that shows this.
    """
    allowed = puzzle.pencilmarks
    for cell, (given, value) in enumerate(zip(puzzle.givens, grid, strict=True)):
        if not value or given not in (0, value):
            has = f"the solution has {symbol_of(value)} at {puzzle.shape.cell_name(cell)}"
            where = f", where the puzzle has {symbol_of(given)}" if given else ""
            raise PuzzleError(has + where, expected="" if given else "a complete grid")
        if allowed is not None and not allowed[cell] >> value - 1 & 1:
            raise PuzzleError(
                f"the solution has {symbol_of(value)} at {puzzle.shape.cell_name(cell)}",
                expected="one of its pencilmarks",
            )
    if all(len({*of(grid)}) == puzzle.shape.size for of in _houses(puzzle.shape)) and all(
        grid[one] != grid[other] for one, other in puzzle.shape.pairs
    ):
        return line_of(grid)
    duplicate = check(Puzzle(puzzle.shape, grid)).duplicates[0]
    raise PuzzleError(
        f"the solution has {symbol_of(duplicate.value)} twice in {duplicate.house}",
        expected="every value once in each house",
    )


@lru_cache(maxsize=64)
def _houses(shape: Shape) -> tuple[Any, ...]:
    return tuple(itemgetter(*house.cells) for house in shape.houses)


def read_solution(line: Line, puzzle: Puzzle, reading: Reading) -> ExpectedCount:
    """The expected count of a puzzle whose unique solution is the text of `line`.

    Raises:
        PuzzleError: the text is no solution of the puzzle; with line and column.
    """
    solved = read_cells(line, Reading(puzzle.shape, reading.symbols))
    try:
        return ExpectedCount(1, True, solution_line(solved.givens, puzzle))
    except PuzzleError as error:
        raise error.at(line.place(0)) from None
