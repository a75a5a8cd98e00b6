"""Puzzles from a file of one format to a file of another, as a stream."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final
from uuid import uuid4

from harness.errors import InputError, PuzzleError, unwritable
from harness.puzzles.formats.compressed import SUFFIXES, bare_name, compressing
from harness.puzzles.formats.format import EVERYTHING, Format, Reading
from harness.puzzles.formats.reader import stream_file
from harness.puzzles.formats.source import ParsedPuzzle

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


def convert(source: Input, target: str, to: Format, skip_errors: bool = False) -> Conversion:
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

    Raises:
        PuzzleError: the source is malformed, or `to` cannot hold a puzzle.
        HarnessError: the target cannot be written.
    """
    done = Conversion()
    reading = source.reading
    if skip_errors:
        reading = Reading(reading.shape, reading.symbols, done.skip)
    puzzles = stream_file(source.path, reading, source.format_name)
    with _target(target) as file:
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
                where=source.path,
                expected=f"a puzzle that the format {to.name} holds",
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
    if parsed.name != str(number) and "name" not in keeps:
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
    with _writing(target):
        file.write("".join(texts).encode())


@contextmanager
def _target(target: str) -> Iterator[BinaryIO]:
    """The file to write, under its name when the block ends without an error."""
    if target == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    if path.is_dir():
        raise InputError("is a directory", where=target, expected="a file")
    if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
        with _writing(target), path.open("wb") as file:
            yield file
        return
    kind = next((suffix for suffix in SUFFIXES if target.lower().endswith(suffix)), "")
    part = path.with_name(f".{path.name[:100]}.{uuid4().hex[:8]}.part")
    try:
        with _writing(target):
            file = part.open("wb")
        with file:
            with compressing(file, kind, Path(bare_name(target)).name) as packed:
                yield packed
            with _writing(target):
                file.flush()
                os.fsync(file.fileno())
        with _writing(target):
            part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def _writing(target: str) -> Iterator[None]:
    """Turn errors of the file system into errors that name the target."""
    try:
        yield
    except BrokenPipeError:  # the reader of standard output closed it, as `head` does
        raise
    except OSError as error:
        raise unwritable(target, error) from None
