"""Puzzle files read by any registered format, with detection, and converted to another.

They are read when a file needs them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import BinaryIO, Final

from harness.base.compression import open_target
from harness.base.errors import PuzzleError, failures_described, not_among, require
from harness.base.files import LARGEST_BYTES, writing
from harness.base.plugins import Plugin, plugins
from harness.base.text import short_repr
from harness.puzzles.formats.format import (
    EVERYTHING,
    GROUP,
    Format,
    Head,
    ReadSettings,
    Symbols,
    symbols_named,
    warn,
)
from harness.puzzles.formats.lines import with_note
from harness.puzzles.formats.plain import only, plain_format
from harness.puzzles.formats.records import TOML
from harness.puzzles.formats.stream import ParsedPuzzle, TextSource, open_source
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape

# Formats of other packages: an error in their code becomes a message.


def guard(format_: Format, package: str) -> Format:
    """`format_` of the package called `package`, whose errors name the format.

    Its `read`, `write` and `can_hold` raise `PuzzleError` for every exception and for a value
    of a wrong type; its `detect` recognizes no file with which it fails.
    """
    failed = f"the format {format_.name!r} of the package {package} failed"
    guarded = partial(failures_described, failed, PuzzleError)

    def failure(problem: str, where: str, expected: str) -> PuzzleError:
        return PuzzleError(f"{failed}: {problem}", where=where, expected=expected)

    def read(source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
        expected = "puzzles, or a PuzzleError with file, line and column"
        with guarded(where=source.name, expected=expected):
            for parsed in format_.read(source, reading):
                if not isinstance(parsed, ParsedPuzzle):
                    raise failure(f"it read {short_repr(parsed)}", source.name, expected)
                yield parsed

    def write(puzzles: Iterable[ParsedPuzzle]) -> Iterator[str]:
        expected = "pieces of text"
        with guarded(expected=expected):
            for piece in format_.write(puzzles):
                if not isinstance(piece, str):
                    raise failure(f"it wrote {short_repr(piece)}", "", expected)
                yield piece

    def can_hold(parsed: ParsedPuzzle) -> str | None:
        expected = "None, or a reason as text"
        with guarded(where=parsed.place, expected=expected):
            reason = format_.can_hold(parsed)
            if not isinstance(reason, str | None):
                raise failure(f"can_hold returned {short_repr(reason)}", parsed.place, expected)
            return reason

    def detect(head: Head) -> bool:
        try:
            return bool(format_.detect(head))
        except (Exception, SystemExit):  # noqa: BLE001  other formats read the file
            return False

    return replace(format_, read=read, write=write, can_hold=can_hold, detect=detect)


# The formats that installed packages declare in the entry-point group ``harness.formats``.


def format_names() -> list[str]:
    """The names of all formats."""
    return [plugin.name for plugin in plugins(GROUP)]


@lru_cache(maxsize=256)
def format_named(name: str) -> Format:
    """The format called `name`.

    Raises:
        PuzzleError: no format has this name.
    """
    for plugin in plugins(GROUP):
        if plugin.name == name:
            return _load(plugin)
    raise not_among(PuzzleError, f"unknown format {name!r}", name, format_names())


def _load(plugin: Plugin) -> Format:
    """The format of an entry point.

    Raises:
        PuzzleError: its module cannot be imported, or has no format.
    """
    expected = f"a Format called {plugin.attribute} in {plugin.module}"
    result: Format = plugin.load(
        "format", expected, PuzzleError, lambda result: isinstance(result, Format)
    )
    return result if plugin.is_built_in else guard(result, plugin.package)


def loadable(suffix: str = "") -> list[Format]:
    """All formats but those that cannot be loaded; a warning names each of these once.

    Raises:
        PuzzleError: a format that cannot be loaded has the name of `suffix`, which none of the
            others has.
    """
    formats, failures = [], []
    for plugin in plugins(GROUP):
        try:
            formats.append(format_named(plugin.name))
        except PuzzleError as error:
            failures.append((plugin, error))
    if not any(suffix in (*format_.suffixes, *format_.shared_suffixes) for format_ in formats):
        for plugin, problem in failures:
            if suffix == f".{plugin.name}":
                raise problem
    for plugin, problem in failures:
        if not (plugin.is_built_in and plugin.is_absent):  # the harness works without extensions
            warn(str(problem))
    return formats


def detect_format(head: Head, name: str) -> Format:
    """The format of a file with this beginning.

    The suffix decides if it belongs to one format. Otherwise the first lines do, if they
    are certainly of one format. What remains is lines or grids.

    Args:
        head: the beginning of the file.
        name: the name of the file in an error.

    Raises:
        PuzzleError: the beginning may be of several formats, or a format with the name of the
            suffix cannot be loaded.
    """
    formats = loadable(head.suffix)
    matches = [format_ for format_ in formats if head.suffix and head.suffix in format_.suffixes]
    if len(matches) != 1 or any(head.suffix in format_.shared_suffixes for format_ in formats):
        matches = [format_ for format_ in formats if format_.detect(head)]
    if len(matches) > 1:
        choices = [format_.name for format_ in matches]
        problem = f"the text may be of the format {' or '.join(choices)}"
        expected = " or ".join(f"--from {choice}" for choice in choices)
        raise PuzzleError(problem, where=name, expected=expected)
    return matches[0] if matches else plain_format(head)


# Texts and puzzle files, read with detection of their format.


_PLAIN: Final = re.compile(r"[\w.*-]{1,512}|[\d. \r\n|+-]+", re.ASCII)
"""A line, or a grid of digits, which needs no search for formats."""


def parse_puzzle(
    text: str, shape: Shape | str | None = None, symbols: Symbols | str | None = None
) -> Puzzle:
    """The single puzzle in `text`: a line, a grid, a link, or a file of any format.

    Without a `shape`, or its name, the text determines it. Without `symbols`, those that several
    conventions share are of the harness: 1 to 9, then A = 10.

    Raises:
        PuzzleError: `text` is malformed, or does not hold exactly one puzzle; with line
            and column.
    """
    require(text, str, "text", "a puzzle as text; Puzzle.from_rows takes cells", PuzzleError)
    chosen = None if symbols is None else symbols_named(symbols)
    return only(parse_text(text, ReadSettings(Shape.choose(shape), chosen))).puzzle


def parse_text(text: str, reading: ReadSettings, where: str = "puzzle") -> Iterator[ParsedPuzzle]:
    """The puzzles in `text`, as `parse_puzzle` reads them; `where` is its name in errors.

    Raises:
        PuzzleError: a puzzle is malformed; with line and column.
    """
    reading = replace(reading, ambiguous=Symbols.LETTERS)
    source = TextSource.of_text(text, where)
    head = Head.from_source(source, reading)
    is_plain = _PLAIN.fullmatch(text.strip())
    format_ = plain_format(head) if is_plain else detect_format(head, where)
    return _read(format_, source, reading)


_RECORDS: Final = {".toml": TOML}
"""Suffixes that need no search for formats, so that the shipped datasets are read at once."""


def read_file(path: Path | str, reading: ReadSettings | None = None) -> list[ParsedPuzzle]:
    """The puzzles in the file at `path`, or on standard input for ``-``.

    See `stream_file` for formats.

    Raises:
        PuzzleError: the file cannot be read, is empty, is larger than 256 MiB, or holds a
            malformed puzzle; with file, line and column.
    """
    return list(stream_file(path, reading, most=LARGEST_BYTES))


def stream_file(
    path: Path | str,
    reading: ReadSettings | None = None,
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
    reading = reading or ReadSettings()
    refusals: list[None] = []
    notes: set[str] = set()

    def understand(text: str) -> None:
        if text not in notes:
            notes.add(text)
            reading.understand(f"{source.name}: {text}")

    def refuse(error: PuzzleError) -> None:
        reading.refuse(error)
        refusals.append(None)
        del refusals[1:]

    with open_source(path, most, name) as source:
        settings = replace(reading, refuse=refuse, understand=understand)
        puzzles = _read(_format(source, reading, format_name), source, settings)
        if first := next(puzzles, None):
            yield first
            yield from puzzles
        elif not refusals:
            raise PuzzleError(
                "no puzzle in the file", where=source.name, expected="at least one puzzle"
            )


def _read(format_: Format, source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
    puzzles = format_.read(source, reading)
    return with_note(puzzles, reading) if format_.keeps else puzzles


def _format(source: TextSource, reading: ReadSettings, name: str | None) -> Format:
    if name is None and source.suffix in _RECORDS:
        return _RECORDS[source.suffix]

    return (
        format_named(name)
        if name
        else detect_format(Head.from_source(source, reading), source.name)
    )


# Puzzles from a file of one format to a file of another, as a stream.


MOST_LISTED: Final = 20
"""Skipped puzzles that are listed."""
_WRITTEN_AT_ONCE: Final = 2**16


@dataclass(slots=True)
class Conversion:
    """What happened to the puzzles of a file."""

    written: int = 0
    skipped: int = 0
    errors: list[str] = field(default_factory=list)
    """The errors of the first puzzles skipped, at most `MOST_LISTED`."""
    notes: list[str] = field(default_factory=list)
    """How the reader understood the file, such as the columns of its header."""
    left_out: Counter[str] = field(default_factory=Counter)
    """The information that the target format does not hold, with numbers of puzzles."""

    def skip(self, error: PuzzleError) -> None:
        """Count a puzzle that is not written."""
        self.skipped += 1
        if len(self.errors) < MOST_LISTED:
            self.errors.append(str(error))


@dataclass(frozen=True, slots=True)
class Input:
    """What is read."""

    path: str
    """The file; ``-`` for standard input."""
    format_name: str | None = None
    """Its format; None to detect it."""
    reading: ReadSettings = field(default_factory=ReadSettings)
    change: Callable[[Iterator[ParsedPuzzle]], Iterator[ParsedPuzzle]] = iter
    """Chooses or changes the puzzles before they are written."""
    name: str = ""
    """Its name in errors and positions; by default its path."""

    def puzzles(self, reading: ReadSettings | None = None) -> Iterator[ParsedPuzzle]:
        """The puzzles of the file, as a stream.

        Args:
            reading: how it is read; by default as `self.reading`.

        Raises:
            PuzzleError: the file cannot be read or is malformed.
        """
        reading = reading or self.reading
        return self.change(stream_file(self.path, reading, self.format_name, name=self.name))

    def with_addresses(self, dataset: str) -> "Input":
        """This with the addresses of its puzzles in a `dataset` as their positions."""

        def change(puzzles: Iterator[ParsedPuzzle]) -> Iterator[ParsedPuzzle]:
            for number, parsed in enumerate(self.change(puzzles), 1):
                yield replace(parsed, place=f"{dataset}/{number}")

        return replace(self, change=change)


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
    reading = replace(source.reading, understand=done.notes.append)
    if skip_errors:
        reading = replace(reading, refuse=done.skip)
    puzzles = source.puzzles(reading)
    with open_target(target) as file:
        batch, size = [], 0
        for text in to.write(_holdable(puzzles, to, done, skip_errors)):
            batch.append(text)
            size += len(text)
            if size >= _WRITTEN_AT_ONCE:
                _write(file, batch, target)
                batch, size = [], 0
        _write(file, batch, target)
        if not done.written:
            raise PuzzleError(
                f"every puzzle was skipped ({done.skipped:,}); the first: {done.errors[0]}"
                if done.errors
                else "no puzzle",
                where=source.name or source.path,
                expected="" if done.errors else f"a puzzle that the format {to.name} holds",
            )
    return done


def _holdable(
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
    losses = [key for key in parsed.fields if key not in keeps and "fields" not in keeps]
    keeps_name = "name" in keeps and (to.names is None or to.names.fullmatch(parsed.name))
    if parsed.name != str(number) and not keeps_name:
        losses.append("name")
    if count is not None and "count" not in keeps and count.solution is None:
        losses.append("count")
    if count is not None and count.solution is not None and "solution" not in keeps:
        losses.append("solution")
    if parsed.source is not None and "source" not in keeps:
        losses.append("source")
    for name in losses:
        if name in done.left_out or len(done.left_out) < MOST_LISTED:
            done.left_out[name] += 1


def _write(file: BinaryIO, texts: list[str], target: str) -> None:
    with writing(target):
        file.write("".join(texts).encode())
