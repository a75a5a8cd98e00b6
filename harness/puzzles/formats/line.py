"""One puzzle per line: size^2 symbols, row by row, perhaps with a text after it.

A blank is one of ``. 0 * _ - X x``; a puzzle uses one of them. The text after a puzzle
begins with a blank, a comma, a semicolon, a bar, ``#`` or ``//``, and is kept as its comment.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.cells import BlankSymbol, cell_values, check_symbols
from harness.puzzles.formats.conventions import FILLERS, Symbols, decided
from harness.puzzles.formats.directives import Directives, directives
from harness.puzzles.formats.format import Format, Reading
from harness.puzzles.formats.lines import parse_lines
from harness.puzzles.formats.source import NO_FIELDS, Line, ParsedPuzzle
from harness.puzzles.formats.stream import Block, Source
from harness.puzzles.puzzle import Puzzle, values_of_line
from harness.puzzles.shape import Shape
from harness.puzzles.symbols import LARGEST

_TAIL: Final = re.compile(r"[\s,;|#]|//")
_BEFORE_COMMENT: Final = " \t,;|#/"
_NINE: Final = frozenset("123456789.")
_NINE_ZERO: Final = frozenset("1234567890")


def read_line(line: Line, shape: Shape | None) -> Puzzle:
    """The puzzle on `line` in the symbols of the harness.

    Without a `shape` the length determines it.

    Raises:
        PuzzleError: an invalid symbol, a wrong length, a value out of range, or two
            blank symbols; with file, line and column.
    """
    return read_cells(line, Reading(shape, Symbols.LETTERS))


def read_cells(line: Line, reading: Reading) -> Puzzle:
    """The puzzle whose cells are the symbols of `line`.

    Raises:
        PuzzleError: as `read_line`, or two conventions read different puzzles.
    """
    text = line.text
    shape = reading.shape
    if len(text) == 81 and (shape is None or shape.size == 9):
        used = set(text)
        if used <= _NINE or used <= _NINE_ZERO:
            return Puzzle(shape or Shape.parse("9x9"), values_of_line(text.replace("0", ".")))
    columns = list(enumerate(text[: LARGEST**2 + 1]))  # a longer line fits no shape
    check_symbols(line, columns, FILLERS)
    if shape is None:
        try:
            shape = Shape.of_length(len(text))
        except PuzzleError as error:
            raise PuzzleError(
                f"no shape fits a line of {_characters(len(text))}",
                where=line.place(len(text)),
                expected=error.expected,
            ) from None
    cells = shape.size**2
    if len(text) != cells:
        raise PuzzleError(
            f"a line of {_characters(len(text))} for {shape}",
            where=line.place(min(len(text), cells)),
            expected=f"{cells} characters",
        )
    symbols = reading.symbols or decided([text], shape.size, line.place())
    values = cell_values(line, columns, shape, BlankSymbol(), symbols)
    return Puzzle(shape, tuple(values))


def split(line: Line, shape: Shape | None) -> tuple[Line, str]:
    """The part of `line` with the puzzle, and the comment after it.

    The comment is empty, and the part is the whole line, if the part before a separator
    has not the length of a puzzle.
    """
    match = _TAIL.search(line.text)
    if match is None or not _fits(match.start(), shape.size if shape else None):
        return line, ""
    return line.part(0, match.start()), line.text[match.start() :].lstrip(_BEFORE_COMMENT)


@lru_cache(maxsize=1024)
def _fits(length: int, size: int | None) -> bool:
    if size is not None:
        return length == size * size
    try:
        Shape.of_length(length)
    except PuzzleError:
        return False
    return True


def read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    """The puzzles of `source`, one per line.

    Raises:
        PuzzleError: a puzzle is malformed; with file, line and column.
    """
    found = Directives(reading)
    number = 0
    for block in source.blocks():
        shape = found.reading.shape or Shape.parse("9x9")
        if shape.size == 9 and (plain := _plain_lines(block)):
            yield from _unchecked(plain, block, shape, number)
            number += len(plain)
            continue
        if block.data.isspace():
            continue
        number = yield from parse_lines(block.lines(), found, _read, number)


def _read(line: Line, reading: Reading, name: str) -> ParsedPuzzle:
    cells, comment = split(line, reading.shape)
    puzzle = read_cells(cells, reading)
    fields = {"comment": comment} if comment else NO_FIELDS
    return ParsedPuzzle(puzzle, line.place(), name, fields=fields)


# Lines of 81 symbols and nothing else are read many times faster than others: a whole block
# is checked at once, and its puzzles need no further check.

_ZERO_LINE: Final = b"0123456789\n"
_DOT_LINE: Final = b".123456789\n"
_VALUES: Final = bytes(max(byte - 48, 0) if byte != 46 else 0 for byte in range(256))
"""The value of each symbol, a table for `bytes.translate`."""
_LENGTHS: Final = {81}


def _plain_lines(block: Block) -> list[bytes] | None:
    """The lines of a block of plain 9x9 puzzles; None if it has anything else."""
    data = block.data
    if data.translate(None, _DOT_LINE) and data.translate(None, _ZERO_LINE):
        return None
    lines = data.removesuffix(b"\n").split(b"\n")
    return lines if {*map(len, lines)} == _LENGTHS else None


def _unchecked(
    lines: list[bytes], block: Block, shape: Shape, before: int
) -> Iterator[ParsedPuzzle]:
    """The puzzles of lines that are known to be right, without the checks of `Puzzle`."""
    new = object.__new__
    place = f"{block.source}:"
    for number, line in enumerate(lines):
        puzzle = new(Puzzle)
        content = puzzle.__dict__
        content["shape"] = shape
        content["givens"] = tuple(line.translate(_VALUES))
        content["pencilmarks"] = None
        parsed = new(ParsedPuzzle)
        content = parsed.__dict__
        content["puzzle"] = puzzle
        content["place"] = f"{place}{block.number + number}"
        content["name"] = str(before + number + 1)
        content["expected_count"] = content["source"] = None
        content["fields"] = NO_FIELDS
        yield parsed


def write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    """The lines of `puzzles`, with comments that name shapes where lengths do not."""
    shape = None
    for parsed in puzzles:
        if parsed.puzzle.shape is not shape:
            yield from _announced(parsed.puzzle.shape, shape)
            shape = parsed.puzzle.shape
        comment = parsed.fields.get("comment")
        yield f"{parsed.puzzle.line} {comment}\n" if comment else f"{parsed.puzzle.line}\n"


def _announced(shape: Shape, before: Shape | None) -> Iterator[str]:
    """The directives before the first puzzle of `shape`, if it needs them."""
    if shape == before:
        return
    yield directives(shape, named=before is not None or not by_length(shape) or may_be_row(shape))


def may_be_row(shape: Shape) -> bool:
    """Whether a puzzle in one line is as long as the row of a larger grid."""
    return shape.size**2 <= LARGEST


@lru_cache(maxsize=256)
def by_length(shape: Shape) -> bool:
    """Whether the number of cells determines the shape."""
    try:
        return Shape.of_length(shape.size**2) == shape
    except PuzzleError:
        return False


def can_hold(parsed: ParsedPuzzle) -> str | None:
    """The reason why a line cannot hold a puzzle; None if it can."""
    if parsed.puzzle.pencilmarks is not None:
        return "holds no pencilmarks"
    return comment_problem(parsed)


def comment_problem(parsed: ParsedPuzzle) -> str | None:
    """The reason why a line cannot hold the comment of a puzzle; None if it can."""
    comment = parsed.fields.get("comment", "")
    if comment.strip(_BEFORE_COMMENT) and comment == comment.strip().lstrip(_BEFORE_COMMENT):
        return None if comment.isprintable() else "holds comments of printable characters only"
    return "holds comments without blanks and separators around them only" if comment else None


FORMAT: Final = Format(
    name="line",
    shared_suffixes=(".txt",),
    title="one puzzle per line, perhaps with a comment after it",
    read=read,
    write=write,
    can_hold=can_hold,
    keeps=frozenset({"comment"}),
    holds="every shape, without pencilmarks",
)


def _characters(number: int) -> str:
    return f"{number} character{'' if number == 1 else 's'}"
