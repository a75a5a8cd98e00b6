"""Project Euler 96: ``Grid 01`` before nine rows of nine digits, 0 for a blank."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.formats.format import Format, Head, Reading, only_plain
from harness.puzzles.formats.grid import read_grids
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.shape import Shape

_TITLE: Final = re.compile(r"grid\s+(\S.*)", re.IGNORECASE)


def _sections(source: Source) -> Iterator[list[Line]]:
    """The lines from one title to the next."""
    lines: list[Line] = []
    for line in source.lines():
        if _TITLE.fullmatch(line.text) and lines:
            yield lines
            lines = []
        if line.text:
            lines.append(line)
    if lines:
        yield lines


def _parse(lines: list[Line], reading: Reading) -> ParsedPuzzle:
    title = _TITLE.fullmatch(lines[0].text)
    if not title:
        raise PuzzleError("no title", where=lines[0].place(), expected="'Grid 01'")
    chosen = Reading(reading.shape or Shape.parse("9x9"), reading.symbols)
    found = list(read_grids(lines[1:], chosen))
    if len(found) != 1:
        where = found[1][0].place() if found else lines[0].place()
        raise PuzzleError(f"{len(found)} puzzles below a title", where=where, expected="one puzzle")
    return ParsedPuzzle(found[0][1], found[0][0].place(), title[1])


def _read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    return reading.each(_sections(source), lambda lines: _parse(lines, reading))


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        name = parsed.name
        yield f"Grid {name.zfill(2) if name.isascii() and name.isdigit() else name}\n"
        for row in parsed.puzzle.rows():
            yield "".join(map(str, row)) + "\n"


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    name = parsed.name
    if not name.strip() or name != name.strip() or not name.isprintable():
        return "holds printable names without blanks around them only"
    return only_plain("9x9", parsed)


def _detect(head: Head) -> bool:
    return bool(_TITLE.fullmatch(head.first))


FORMAT: Final = Format(
    name="euler",
    title="Project Euler 96: a title above each puzzle",
    read=_read,
    write=_write,
    can_hold=_can_hold,
    detect=_detect,
    keeps=frozenset({"name"}),
    holds="9x9",
)
