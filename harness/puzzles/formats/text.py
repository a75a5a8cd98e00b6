"""Puzzle texts: one puzzle per line, or grids with one row per line."""

from collections.abc import Iterator
from math import isqrt

from harness.errors import PuzzleError
from harness.puzzles.formats.grid import is_border, read_grids, row_length
from harness.puzzles.formats.line import read_line
from harness.puzzles.formats.source import Line, ParsedPuzzle, content_lines
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import LARGEST, value_of


def parse_puzzle(text: str, shape: Shape | None = None) -> Puzzle:
    """The single puzzle in `text`: a line, a grid or a boxed grid.

    Without a `shape` the length determines it.

    Raises:
        PuzzleError: `text` is malformed, or does not hold exactly one puzzle; with line
            and column.
    """
    parsed = list(read_text(text, shape, where="puzzle"))
    if len(parsed) != 1:
        raise PuzzleError(f"the text holds {len(parsed)} puzzles", expected="one puzzle")
    return parsed[0].puzzle


def read_text(text: str, shape: Shape | None = None, where: str = "text") -> Iterator[ParsedPuzzle]:
    """The puzzles in `text`, as lines or as grids.

    Args:
        text: see docs/puzzle-formats.md.
        shape: the shape of all puzzles; each puzzle's length determines it if None.
        where: the name of the source in errors.

    Raises:
        PuzzleError: a puzzle is malformed; with `where`, line and column.
    """
    lines = content_lines(text, where)
    if _is_grids(lines, shape):
        for number, (first, puzzle) in enumerate(read_grids(lines, shape), 1):
            yield ParsedPuzzle(puzzle, first.place(), str(number))
    else:
        for number, line in enumerate((line for line in lines if line.text), 1):
            yield ParsedPuzzle(read_line(line, shape), line.place(), str(number))


def _is_grids(lines: list[Line], shape: Shape | None) -> bool:
    """Whether each line is a row of a grid rather than a puzzle."""
    rows = [line for line in lines if line.text]
    if not rows:
        return False
    first = rows[0]
    if is_border(first):
        return True
    length = row_length(first)
    if length > LARGEST:
        return False
    if length != len(first.text):
        return True
    if shape is not None:
        return abs(length - shape.size) < abs(length - shape.size**2)
    if not _could_be_line(length):
        return True
    if [len(line.text) for line in rows[:length]] != [length] * length:
        return False
    # 16 lines of 16 symbols, or 36 of 36: a value too large for a line decides.
    side = isqrt(length)
    if any((value_of(symbol) or 0) > side for line in rows[:length] for symbol in line.text):
        return True
    raise PuzzleError(
        f"{length} lines of {length} symbols may be puzzles of {side}x{side} "
        f"or one grid of {length}x{length}",
        where=first.place(),
        expected=f"the shape by name: --shape {side}x{side} or --shape {length}x{length}",
    )


def _could_be_line(length: int) -> bool:
    try:
        Shape.of_length(length)
    except PuzzleError:
        return False
    return True
