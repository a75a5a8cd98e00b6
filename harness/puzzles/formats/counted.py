"""``puzzle:count:solution``, the format of the tests of tdoku.

The solution stands after the number 1; after another number the field is empty.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.formats.format import Format, Head, Reading, no_pencilmarks
from harness.puzzles.formats.line import by_length, read_cells
from harness.puzzles.formats.lines import read_each_line, write_each_line
from harness.puzzles.formats.solution import read_solution
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source

_FORM: Final = re.compile(r"[^:\s]{4,}:[0-9]*(:[^:\s]*)?")


def _parse(line: Line, reading: Reading, name: str) -> ParsedPuzzle:
    parts = line.text.split(":")
    if len(parts) not in (2, 3):
        raise PuzzleError(
            f"{len(parts)} fields",
            where=line.place(len(parts[0])),
            expected="puzzle:count:solution",
        )
    puzzle = read_cells(line.part(0, len(parts[0])), reading)
    start = len(parts[0]) + 1
    try:
        count = ExpectedCount.parse(parts[1])
    except PuzzleError as error:
        raise error.at(line.place(start)) from None
    if len(parts) == 3 and parts[2]:
        start += len(parts[1]) + 1
        if (count.count, count.exact) != (1, True):
            raise PuzzleError(
                f"the solution of a puzzle with {count}",
                where=line.place(start),
                expected="no solution, or the number 1",
            )
        count = read_solution(line.part(start), puzzle, reading)
    return ParsedPuzzle(puzzle, line.place(), name, count)


def _read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    return read_each_line(source, reading, _parse)


def _text(parsed: ParsedPuzzle) -> str:
    count = parsed.expected_count
    assert count is not None
    return f"{parsed.puzzle.line}:{count.count}:{count.solution or ''}"


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    return write_each_line(puzzles, _text, by_length)


def _can_hold(parsed: ParsedPuzzle) -> str | None:
    if parsed.expected_count is None or not parsed.expected_count.exact:
        return "holds puzzles with a known number of solutions only"
    return no_pencilmarks(parsed)


def _detect(head: Head) -> bool:
    return bool(_FORM.fullmatch(head.first))


FORMAT: Final = Format(
    name="counted",
    title="puzzle:count:solution, as in the tests of tdoku",
    read=_read,
    write=_write,
    can_hold=_can_hold,
    detect=_detect,
    keeps=frozenset({"count", "solution"}),
    holds="every shape, without pencilmarks, with a number of solutions",
)
