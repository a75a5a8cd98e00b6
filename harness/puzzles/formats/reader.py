"""Puzzle files, read with detection of their format."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from harness.errors import PuzzleError
from harness.files import LARGEST_BYTES
from harness.puzzles.formats.format import Format, Head, Reading
from harness.puzzles.formats.records import TOML
from harness.puzzles.formats.source import ParsedPuzzle
from harness.puzzles.formats.stream import Source, opened
from harness.puzzles.shape import Shape

_RECORDS: Final = {".toml": TOML}
"""Suffixes that need no search for formats, so that the shipped datasets are read at once."""


def read_file(path: Path | str, shape: Shape | None = None) -> list[ParsedPuzzle]:
    """The puzzles in the file at `path`, or on standard input for ``-``.

    See `stream_file` for formats.

    Raises:
        PuzzleError: the file cannot be read, is empty, is larger than 256 MiB, or holds a
            malformed puzzle; with file, line and column.
    """
    return list(stream_file(path, Reading(shape), most=LARGEST_BYTES))


def stream_file(
    path: Path | str,
    reading: Reading | None = None,
    format_name: str | None = None,
    most: int | None = None,
    name: str = "",
) -> Iterator[ParsedPuzzle]:
    """The puzzles in the file at `path`, or on standard input for ``-``, as a stream.

    The suffix and the first lines determine the format. The file may be compressed with
    gzip, zip or Zstandard.

    Args:
        path: the file.
        reading: how it is read; by default each puzzle determines its shape, and the
            first malformed one ends the reading.
        format_name: the name of the format; None to detect it.
        most: the largest number of bytes; None for any.
        name: the name of the file in errors and positions; by default its path.

    Raises:
        PuzzleError: the file cannot be read, is empty, or holds a malformed puzzle; with
            file, line and column.
    """
    reading = reading or Reading()
    refused: list[None] = []

    def refuse(error: PuzzleError) -> None:
        reading.refuse(error)
        refused.append(None)
        del refused[1:]

    with opened(path, most, name) as source:
        counted = Reading(reading.shape, reading.symbols, refuse)
        puzzles = _format(source, reading, format_name).read(source, counted)
        if first := next(puzzles, None):
            yield first
            yield from puzzles
        elif not refused:
            raise PuzzleError(
                "no puzzle in the file", where=source.name, expected="at least one puzzle"
            )


def _format(source: Source, reading: Reading, name: str | None) -> Format:
    if name is None and source.suffix in _RECORDS:
        return _RECORDS[source.suffix]
    from harness.puzzles.formats.registry import detected, format_named

    return format_named(name) if name else detected(Head.of(source, reading.shape), source.name)
