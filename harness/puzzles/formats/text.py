"""Puzzle texts: one puzzle per line, or grids with one row per line."""

from collections.abc import Iterator
from itertools import takewhile
from math import isqrt

from harness.arguments import require
from harness.errors import PuzzleError
from harness.puzzles.formats import grid, line
from harness.puzzles.formats.conventions import Symbols
from harness.puzzles.formats.directives import Directives
from harness.puzzles.formats.format import Format, Head, Reading
from harness.puzzles.formats.grid import is_border, row_length
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import LARGEST, value_of


def parse_puzzle(text: str, shape: Shape | str | None = None) -> Puzzle:
    """The single puzzle in `text`: a line, a grid or a boxed grid.

    Without a `shape`, or its name, the length determines it.

    Raises:
        PuzzleError: `text` is malformed, or does not hold exactly one puzzle; with line
            and column.
    """
    require(text, str, "text", "a puzzle as text", PuzzleError)
    parsed = list(read_text(text, Shape.chosen(shape), where="puzzle"))
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
    source = Source.of_text(text, where)
    yield from plain_format(Head.of(source, shape)).read(source, Reading(shape, Symbols.LETTERS))


def plain_format(head: Head) -> Format:
    """The format of a text that is lines or grids: one of the two.

    Raises:
        PuzzleError: its first lines may be either.
    """
    shape = head.shape or _shape_before_rows(head.lines)
    return grid.FORMAT if _is_grids(head.rows, shape) else line.FORMAT


def _shape_before_rows(lines: list[Line]) -> Shape | None:
    """The shape that a comment before the first row names."""
    found = Directives(Reading())
    for comment in takewhile(lambda line: not line.text, lines):
        if comment.comment:
            found.note(comment)
    return found.reading.shape


def _is_grids(rows: list[Line], shape: Shape | None) -> bool:
    """Whether each line is a row of a grid rather than a puzzle."""
    if not rows:
        return False
    first = rows[0]
    if is_border(first):
        return True
    if len(first.text) > 16 and line.split(first, shape)[1]:
        return False
    length = row_length(first)
    if length > LARGEST:
        return False
    if length != len(first.text):
        return True
    if shape is not None:
        return abs(length - shape.size) < abs(length - shape.size**2)
    if not _could_be_line(length):
        return True
    if [len(row.text) for row in rows[:length]] != [length] * length:
        return False
    # 16 lines of 16 symbols, or 36 of 36: a value too large for a line decides.
    side = isqrt(length)
    if any((value_of(symbol) or 0) > side for row in rows[:length] for symbol in row.text):
        return True
    raise PuzzleError(
        f"{length} lines of {length} symbols may be puzzles of {side}x{side} "
        f"or one grid of {length}x{length}",
        where=first.place(),
        expected="the shape by name, with variants if it has any: "
        f"--shape {side}x{side} or --shape {length}x{length}, "
        f"or a first line such as # shape: {side}x{side}",
    )


def _could_be_line(length: int) -> bool:
    try:
        Shape.of_length(length)
    except PuzzleError:
        return False
    return True
