"""The shapes of the conformance suite, a complete grid of each, and transcribed puzzles.

The puzzles were generated for the suite. The tests count the solutions of each with a plain
search. Those with 17 clues are isomorphic to puzzles of Gordon Royle's collection of minimum
Sudoku.
"""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from harness.base.errors import PuzzleError
from harness.puzzles import Grid, Puzzle, Shape, fills_houses, pattern_grid, values_of_line

# The shapes of the conformance suite, and a complete grid of each.


JIGSAW: Final = "jigsaw:1112122233343444"
"""A 4x4 jigsaw with four irregular regions."""
SHAPES: Final = ("4x4", JIGSAW, "6x6", "9x9", "16x16", "latin5", "6x6+antiking")
"""The default shapes of an examination, with all series."""
BRIEF_SHAPES: Final = (
    *("latin2", "latin3", "latin4", "box3x2", "latin6", "latin7", "8x8", "box4x2", "latin9"),
    *("10x10", "box5x2", "latin11", "12x12", "box4x3", "box6x2", "latin13", "14x14", "15x15"),
    *("18x18", "20x20", "25x25", "36x36"),
    *("6x6+diagonal", "9x9+diagonal", "12x12+diagonal", "9x9+windoku", "9x9+antiking"),
    *("9x9+antiknight", "8x8+antiknight", "latin7+antiknight"),
    "jigsaw:111222113322133332455556445566444666",
    "jigsaw:111111122333341222353441262353346662555544662577774468557974668777999988999988888",
)
"""The shapes with a few questions each in a default examination: a fault may be in one size or
one kind of houses only. In none of them does one diagonal follow from the other."""


@cache
def known_grid(shape: Shape) -> Grid:
    """A fixed complete grid of `shape`.

    Raises:
        PuzzleError: the shape has no complete grid, or none was found.
    """
    for puzzle, _ in transcribed("grid", shape):
        return puzzle.givens
    if not shape.pairs:
        with suppress(PuzzleError):
            return pattern_grid(shape)
    if grid := _rotated_grid(shape):
        return grid
    from harness.puzzles.search import solver_of  # takes time, and only further shapes need it

    result = solver_of(shape).search_puzzle(Puzzle(shape, (0,) * shape.size**2), 1, 100_000)
    if result.solution is None:
        reason = "has no complete grid" + ", or none that is soon found" * (not result.exact)
        raise PuzzleError(f"{shape} {reason}", expected="another shape")
    return result.solution


def _rotated_grid(shape: Shape) -> Grid | None:
    """A grid whose rows are rotations of the first; None if none is found soon."""
    size, peers, choices = shape.size, shape.peers, 0
    earlier = [[peer for peer in peers[cell] if peer < cell] for cell in range(size**2)]
    grid: list[int] = []

    def fill() -> bool:
        nonlocal choices
        if len(grid) == size**2:
            return True
        for offset in range(size):
            choices += 1
            start = len(grid)
            grid.extend((column + offset) % size + 1 for column in range(size))
            cells = range(start, start + size)
            fits = all(grid[peer] != grid[cell] for cell in cells for peer in earlier[cell])
            if choices < 600 and fits and fill():
                return True
            del grid[start:]
        return False

    return tuple(grid) if fill() and fills_houses(shape, grid) else None


# Transcribed puzzles of the conformance suite.


_LINES: Final = Path(__file__).with_name("puzzles.txt").read_text("utf-8").splitlines()


def transcribed(kind: str, shape: Shape) -> list[tuple[Puzzle, int]]:
    """The puzzles of a kind and a shape in ``puzzles.txt``, with their numbers of solutions."""
    entries = [line.split(" ") for line in _LINES if line.startswith(f"{kind} {shape.definition} ")]
    return [(Puzzle(shape, values_of_line(line)), int(number)) for _, _, number, line in entries]
