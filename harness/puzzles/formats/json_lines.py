"""JSON Lines: a record in JSON on each line, read and written as a stream.

The records are those of the format `json`, and may differ in their fields.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from harness.errors import PuzzleError
from harness.files import parse_json
from harness.puzzles.formats.format import EVERYTHING, Format, Reading
from harness.puzzles.formats.records import can_hold, is_json_lines, read_record, record_of
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source


def _lines(source: Source) -> Iterator[tuple[int, Line]]:
    number = 0
    for line in source.lines():
        if line.text:
            number += 1
            yield number, line


def _read(source: Source, reading: Reading) -> Iterator[ParsedPuzzle]:
    def parse(item: tuple[int, Line]) -> ParsedPuzzle:
        number, line = item
        try:
            record = parse_json(line.text, "", PuzzleError)
        except PuzzleError as error:
            column = error.where.rpartition(":")[2]
            raise error.at(line.place(int(column) - 1 if column else None)) from None
        return read_record(record, number, reading.shape, line.place())

    yield from reading.each(_lines(source), parse)


def _write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
    for parsed in puzzles:
        yield json.dumps(record_of(parsed), ensure_ascii=False) + "\n"


FORMAT: Final = Format(
    name="jsonl",
    title="a record in JSON on each line",
    read=_read,
    write=_write,
    can_hold=can_hold,
    detect=is_json_lines,
    suffixes=(".jsonl", ".ndjson"),
    keeps=EVERYTHING,
    holds="every shape and pencilmarks",
)
