"""The puzzle bank of Sudoku Exchange: records of 100 bytes.

A digest of 12 hexadecimal digits, the 81 cells with 0 for a blank, and a rating such as
`` 7.1`` of Sukaku Explainer.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.format import Format, Head, Reading, only_plain
from harness.puzzles.formats.line import read_cells
from harness.puzzles.formats.lines import read_each_line, write_each_line
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.shape import Shape

_NAME: Final = re.compile(r"[0-9a-f]{12}")
_RATING: Final = re.compile(r"[0-9]{1,2}\.[0-9]")
_EXPECTED: Final = "12 hexadecimal digits, a blank, 81 digits, a blank and a rating such as 7.1"


def _parse(line: Line, reading: Reading, _: str) -> ParsedPuzzle:
    parts = line.text.split()
    if len(parts) != 3 or not _NAME.fullmatch(parts[0]) or not _RATING.fullmatch(parts[2]):
        raise PuzzleError(
            f"a record of {len(parts)} fields" if len(parts) != 3 else "a malformed record",
            where=line.place(0),
            expected=_EXPECTED,
        )
    start = line.text.index(parts[1], 12)
    cells = line.part(start, start + len(parts[1]))
    puzzle = read_cells(cells, Reading(reading.shape or Shape.parse("9x9")))
    return ParsedPuzzle(puzzle, line.place(), parts[0], fields={"rating": parts[2]})


def _read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    return read_each_line(source, reading, _parse)


def _text(parsed: ParsedPuzzle) -> str:
    cells = parsed.puzzle.line.replace(".", "0")
    name = parsed.name
    if not _NAME.fullmatch(name):
        name = hashlib.sha1(cells.encode(), usedforsecurity=False).hexdigest()[:12]
    return f"{name} {cells} {parsed.fields['rating']:>4}"


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    return write_each_line(puzzles, _text, lambda _: True)


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    if not _RATING.fullmatch(parsed.fields.get("rating", "")):
        return "holds puzzles with a rating from 0.0 to 99.9 only"
    return only_plain("9x9", parsed)


def _detect(head: Head) -> bool:
    return bool(re.fullmatch(r"[0-9a-f]{12} +[0-9.]{81} +[0-9]{1,2}\.[0-9]", head.first))


FORMAT: Final = Format(
    name="bank",
    title="the puzzle bank of Sudoku Exchange: digest, puzzle and rating in 100 bytes",
    read=_read,
    write=_write,
    can_hold=_can_hold,
    detect=_detect,
    keeps=frozenset({"name", "rating"}),
    names=_NAME,
    holds="9x9 with a rating",
)
