"""Formats with one puzzle per line: what their readers and writers share."""

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.directives import Directives, directives
from harness.puzzles.formats.format import Reading
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.shape import Shape

WORD: Final = re.compile(r"[^\s,;|]+")
"""A name that any line can hold."""


def read_each_line(
    source: Source, reading: Reading, parse: Callable[[Line, Reading, str], ParsedPuzzle]
) -> Iterator[ParsedPuzzle]:
    """The puzzles of `source`, which `parse` reads from a line, how to read it and a number.

    Raises:
        PuzzleError: a puzzle is malformed; with file, line and column.
    """
    yield from parse_lines(source.lines(), Directives(reading), parse, 0)


def parse_lines(
    lines: Iterable[Line],
    found: Directives,
    parse: Callable[[Line, Reading, str], ParsedPuzzle],
    number: int,
) -> Generator[ParsedPuzzle, None, int]:
    """The puzzles of `lines`, each read as the comments before it say.

    Args:
        lines: lines of a file, comments and blank lines too.
        found: how they are read, from the lines before; it follows their comments.
        parse: reads a puzzle from a line, how to read it and its number.
        number: the number of the puzzle before.

    Returns:
        The number of the last puzzle.

    Raises:
        PuzzleError: a puzzle is malformed; with file, line and column.
    """
    for line in lines:
        if line.comment:
            found.note(line)
        if not line.text:
            continue
        number += 1
        try:
            parsed = parse(line, found.reading, str(number))
        except PuzzleError as error:
            found.reading.refuse(error if error.where else error.at(line.place()))
        else:
            yield parsed
    return number


def write_each_line(
    puzzles: Iterable[ParsedPuzzle],
    text: Callable[[ParsedPuzzle], str],
    determined: Callable[[Shape], bool],
) -> Iterator[str]:
    """The lines that `text` makes, with comments that name shapes and symbols.

    Args:
        puzzles: what is written.
        text: the line of a puzzle.
        determined: whether the lines alone determine a shape.
    """
    before: Shape | None = None
    for parsed in puzzles:
        shape = parsed.puzzle.shape
        if before is None or (shape is not before and shape != before):
            yield directives(shape, before is not None or not determined(shape))
            before = shape
        yield f"{text(parsed)}\n"
