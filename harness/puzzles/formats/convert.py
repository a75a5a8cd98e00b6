"""Puzzles from a file of one format to a file of another, as a stream."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from harness.errors import PuzzleError
from harness.puzzles.formats.format import EVERYTHING, Format, Reading
from harness.puzzles.formats.reader import stream_file
from harness.puzzles.formats.source import ParsedPuzzle
from harness.puzzles.formats.target import writing, written

MOST_LISTED: Final = 20
"""Skipped puzzles that are listed."""
_WRITTEN_AT_ONCE: Final = 2**16


@dataclass(slots=True)
class Conversion:
    """What happened to the puzzles of a file."""

    written: int = 0
    skipped: int = 0
    listed: list[str] = field(default_factory=list)
    """The errors of the first puzzles skipped, at most `MOST_LISTED`."""
    left_out: Counter[str] = field(default_factory=Counter)
    """The information that the target format does not hold, with numbers of puzzles."""

    def skip(self, error: PuzzleError) -> None:
        """Count a puzzle that is not written."""
        self.skipped += 1
        if len(self.listed) < MOST_LISTED:
            self.listed.append(str(error))


@dataclass(frozen=True, slots=True)
class Input:
    """What is read."""

    path: str
    """The file; ``-`` for standard input."""
    format_name: str | None = None
    """Its format; None to detect it."""
    reading: Reading = field(default_factory=Reading)
    change: Callable[[Iterator[ParsedPuzzle]], Iterator[ParsedPuzzle]] = iter
    """Chooses or changes the puzzles before they are written."""
    name: str = ""
    """Its name in errors and positions; by default its path."""


def parsed_puzzles(source: Input, reading: Reading | None = None) -> Iterator[ParsedPuzzle]:
    """The puzzles of a file, as a stream.

    Args:
        source: the file.
        reading: how it is read; by default as `source` has it.

    Raises:
        PuzzleError: the file cannot be read or is malformed.
    """
    puzzles = stream_file(
        source.path, reading or source.reading, source.format_name, name=source.name
    )
    return source.change(puzzles)


def convert(
    source: Input,
    target: str,
    to: Format,
    skip_errors: bool = False,
    done: Conversion | None = None,
) -> Conversion:
    """Write the puzzles of `source` to the file `target` in the format `to`.

    The file appears under its name when it is complete, so an error leaves nothing, or the
    file that was there before.

    Args:
        source: what is read.
        target: the file; ``-`` for standard output. The suffix ``.gz``, ``.zip`` or
            ``.zst`` compresses it.
        to: the format.
        skip_errors: whether malformed puzzles, and those that `to` cannot hold, are left
            out and counted.
        done: what is updated and returned; by default a new object.

    Raises:
        PuzzleError: the source is malformed, or `to` cannot hold a puzzle.
        HarnessError: the target cannot be written.
    """
    done = done or Conversion()
    reading = source.reading
    if skip_errors:
        reading = Reading(reading.shape, reading.symbols, done.skip)
    puzzles = parsed_puzzles(source, reading)
    with written(target) as file:
        batch, size = [], 0
        for text in to.write(_held(puzzles, to, done, skip_errors)):
            batch.append(text)
            size += len(text)
            if size >= _WRITTEN_AT_ONCE:
                _write(file, batch, target)
                batch, size = [], 0
        _write(file, batch, target)
        if not done.written:
            raise PuzzleError(
                f"all {done.skipped} puzzles were skipped; the first: {done.listed[0]}"
                if done.listed
                else "no puzzle",
                where=source.name or source.path,
                expected="" if done.listed else f"a puzzle that the format {to.name} holds",
            )
    return done


def _held(
    puzzles: Iterator[ParsedPuzzle], to: Format, done: Conversion, skip_errors: bool
) -> Iterator[ParsedPuzzle]:
    """The puzzles that the format holds."""
    for number, parsed in enumerate(puzzles, 1):
        reason = to.can_hold(parsed)
        if to.single and done.written:
            reason = "holds one puzzle per file"
        if reason is not None:
            error = PuzzleError(f"the format {to.name} {reason}", where=parsed.place)
            if not skip_errors:
                raise error
            done.skip(error)
            continue
        done.written += 1
        if to.keeps is not EVERYTHING:
            _note_loss(parsed, to, done, number)
        yield parsed


def _note_loss(parsed: ParsedPuzzle, to: Format, done: Conversion, number: int) -> None:
    keeps = to.keeps
    count = parsed.expected_count
    lost = [key for key in parsed.fields if key not in keeps and "fields" not in keeps]
    keeps_name = "name" in keeps and (to.names is None or to.names.fullmatch(parsed.name))
    if parsed.name != str(number) and not keeps_name:
        lost.append("name")
    if count is not None and "count" not in keeps and count.solution is None:
        lost.append("count")
    if count is not None and count.solution is not None and "solution" not in keeps:
        lost.append("solution")
    if parsed.source is not None and "source" not in keeps:
        lost.append("source")
    for name in lost:
        if name in done.left_out or len(done.left_out) < MOST_LISTED:
            done.left_out[name] += 1


def _write(file: BinaryIO, texts: list[str], target: str) -> None:
    with writing(target):
        file.write("".join(texts).encode())
