"""Puzzle files as streams of lines with positions, decompressed and decoded; and written whole.

A file that expands to much more than its size is refused (a "zip bomb"): a file of puzzles
shrinks to a third, and one of equal lines to a hundredth.
"""

import gzip
import io
import re
import sys
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

from harness.base import errors
from harness.base.errors import InputError, PuzzleError
from harness.base.files import LARGEST_BYTES, errors_named, no_text, read_beyond, replacing
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.solution_count import SolutionCount

# Lines of a text with their positions, and what is read from them.


_LINE_END: Final = re.compile(r"\r\n|\r|\n")
"""The ends of lines, as editors number them."""
NO_FIELDS: Final[Mapping[str, str]] = {}


located: Final = partial(errors.located, kind=PuzzleError)
"""Gives a `PuzzleError` of the block a place in the file."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of a puzzle text, without surrounding spaces."""

    text: str
    """Empty for a blank line and for a comment."""
    number: int
    """From 1."""
    indent: int
    """The number of leading spaces removed."""
    source: str
    """The file's name as the user gave it, or ``standard input``."""
    comment: bool = False
    """Whether the line is a comment (``#``)."""
    raw: str = field(default="", compare=False)
    """The line with its spaces and its comment."""

    def place(self, column: int | None = None) -> str:
        """``file:line``, or ``file:line:column`` from 1 for a column of `text` from 0."""
        place = f"{self.source}:{self.number}"
        return place if column is None else f"{place}:{self.indent + column + 1}"

    def error(self, problem: str, expected: str, column: int | None = None) -> PuzzleError:
        """An error in the line, at a column of `text` from 0."""
        return PuzzleError(problem, where=self.place(column), expected=expected)

    def part(self, start: int, end: int | None = None) -> "TextLine":
        """The part of the line between two columns of `text`, with its position."""
        return TextLine(self.text[start:end], self.number, self.indent + start, self.source)

    def until(self, ends: str, start: int = 0) -> "TextLine":
        """The part from a column on, up to the first of these characters."""
        at = (self.text.find(end, start) for end in ends)
        return self.part(start, min((end for end in at if end >= 0), default=None))


@dataclass(frozen=True)
class ParsedPuzzle:
    """A puzzle with its position in the file and the file's information about it."""

    puzzle: Puzzle
    place: str
    name: str
    """The name that the file gives, or the number of the puzzle in the file."""
    expected_count: SolutionCount | None = None
    source: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Further information by name: ratings, labels, comments."""


def _line_of_text(raw: str, number: int, source: str) -> TextLine:
    """The line with this text and `number` of the file called `source`."""
    content = raw.strip()
    comment = content.startswith("#")
    indent = len(raw) - len(raw.lstrip())
    return TextLine("" if comment else content, number, indent, source, comment, raw)


# Compressed puzzle files: gzip, zip and Zstandard, recognized by their first bytes.


_COMPRESSIONS: Final = {".gz": "a gzip file", ".zip": "a zip archive", ".zst": "a Zstandard file"}
"""The compressed files by suffix."""
_MOST_EXPANDED: Final = 64 * 2**30
"""Bytes that a compressed file may hold."""
_FREE: Final = 4 * 2**20
"""Bytes that any file may expand to."""
_MOST_RATIO: Final = 200
_MOST_SPOOLED: Final = 256 * 2**20
"""Bytes of an archive on standard input, which is kept because its index is at its end."""
_CHUNK: Final = 2**16
_FRAME_PIECE: Final = 2**8
"""Bytes of Zstandard that are expanded at once: to 8 MiB at most."""
_MAGIC: Final = {b"\x1f\x8b": ".gz", b"PK\x03\x04": ".zip", b"\x28\xb5\x2f\xfd": ".zst"}

Read = Callable[[int], bytes]


def kind_of(first: bytes) -> str | None:
    """The suffix of the compression of a file with these first bytes; None for a plain file."""
    return next((kind for magic, kind in _MAGIC.items() if first.startswith(magic)), None)


def bare_name(name: str) -> str:
    """`name` without the suffix of a compression."""
    return next((name[: -len(s)] for s in _COMPRESSIONS if name.lower().endswith(s)), name)


def expanded(file: BinaryIO, kind: str, name: str) -> Iterator[bytes]:
    """The pieces of a compressed file.

    Args:
        file: the file, at its start.
        kind: the suffix of the compression.
        name: the name of the file in errors.

    Raises:
        PuzzleError: the file is damaged, expands to too much, or needs a missing library.
    """
    counter = _Counted(file)
    with _file_errors(kind, name):
        if kind == ".zip":
            yield from _member(file, name)
        else:
            reader: Any = (
                gzip.GzipFile(fileobj=cast("Any", counter))
                if kind == ".gz"
                else _zstandard_reader(counter, name)
            )
            yield from _bound(reader.read, lambda: counter.number, name)


@contextmanager
def _compressing(file: BinaryIO, kind: str, member: str) -> Iterator[BinaryIO]:
    """A file whose bytes are written to `file` compressed.

    Args:
        file: the compressed file.
        kind: the suffix of the compression; empty for none.
        member: the name of the file inside a zip archive.

    Raises:
        PuzzleError: the library for `kind` is missing.
    """
    if kind == ".gz":
        # Without name and time the same puzzles give the same bytes.
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as output:
            yield cast("BinaryIO", output)
    elif kind == ".zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            info = zipfile.ZipInfo(member)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as output:
                yield cast("BinaryIO", output)
    elif kind == ".zst":
        with _zstandard(member).open(file, "wb") as output:
            yield output
    else:
        yield file


class _Counted:
    """A file that counts the bytes read from it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.number = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.number += len(data)
        return data


def _bound(read: Read, input_size: Callable[[], int], name: str) -> Iterator[bytes]:
    """The pieces that `read` returns, as long as `input_size` bytes may expand to them.

    Raises:
        PuzzleError: they are too many.
    """
    number = 0
    while piece := read(_CHUNK):
        number += len(piece)
        if number > max(_FREE, _MOST_RATIO * input_size()) or number > _MOST_EXPANDED:
            problem = f"expands from {input_size():,} to more than {number:,} bytes"
            expected = f"a file that expands at most {_MOST_RATIO} times"
            raise PuzzleError(problem, where=name, expected=expected)
        yield piece


def _member(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The pieces of the only file in a zip archive."""
    if not file.seekable():
        data = read_beyond(file, _MOST_SPOOLED)
        if len(data) > _MOST_SPOOLED:
            most = f"{_MOST_SPOOLED // 2**20} MiB"
            raise PuzzleError(f"has more than {most}", where=name, expected="a smaller archive")
        file = io.BytesIO(data)
    with zipfile.ZipFile(file) as archive:
        members = [
            member
            for member in archive.infolist()
            if not member.is_dir() and not member.filename.startswith("__MACOSX/")
        ]
        if len(members) != 1:
            raise PuzzleError(
                f"an archive of {len(members)} files", where=name, expected="one puzzle file"
            )
        yield from member_pieces(archive, members[0], name)


def member_pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Iterator[bytes]:
    """The pieces of a file in the zip archive called `name`.

    Raises:
        PuzzleError: it expands to too much, or is damaged.
    """
    with _file_errors(".zip", name), archive.open(member) as content:
        yield from _bound(content.read, lambda: member.compress_size, name)


@contextmanager
def _file_errors(kind: str, name: str) -> Iterator[None]:
    """Turn the errors of the libraries into errors with the name of the file.

    Raises:
        PuzzleError: a library reports damage.
    """
    try:
        yield
    except InputError:
        raise
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PuzzleError(
            f"damaged or encrypted: {reason}", where=name, expected=f"a {kind} file"
        ) from None
    except Exception as error:  # the libraries for Zstandard have errors of their own
        if "zstd" not in type(error).__module__ and "zstandard" not in type(error).__module__:
            raise
        raise PuzzleError(f"damaged: {error}", where=name, expected=f"a {kind} file") from None


class _Frames:
    """The frames of a file that the package zstandard expands.

    Its own reader does not notice that a file ends early.
    """

    def __init__(self, module: Any, file: _Counted) -> None:
        self._module = module
        self._file = file
        self._frame: Any = None
        self._rest = b""

    def read(self, _: int) -> bytes:
        """The next bytes, of any number; empty at the end."""
        while True:
            data = self._rest or self._file.read(_FRAME_PIECE)
            self._rest = b""
            if not data:
                if self._frame is not None:
                    raise EOFError("the file ends early")
                return b""
            if self._frame is None:
                self._frame = self._module.ZstdDecompressor().decompressobj()
            content: bytes = self._frame.decompress(data)
            if self._frame.eof:
                self._rest = self._frame.unused_data
                self._frame = None
            if content:
                return content


def _zstandard_reader(file: _Counted, name: str) -> Any:
    module = _zstandard(name)
    if hasattr(module, "ZstdFile"):  # that of Python 3.14
        return module.open(file, "rb")
    return _Frames(module, file)


def _zstandard(name: str) -> Any:
    """The library for Zstandard: that of Python 3.14, or the package zstandard.

    Raises:
        PuzzleError: there is none.
    """
    for module in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            return import_module(module)
        except ImportError:
            continue
    problem = "Zstandard needs the package zstandard, which is not installed"
    raise PuzzleError(problem, where=name, expected="pip install zstandard, or a .gz file")


# A puzzle file as a stream of lines: opened once, decompressed, decoded, in constant memory.


_LONGEST_LINE: Final = 2**20
"""Bytes of a line; the candidates of a 36x36 grid are 46,656 symbols."""
_MAGIC_BYTES: Final = 4
_MOST_SEEN: Final = 4
"""Blocks at the beginning of a file from which its format is detected."""


class TextBlock(NamedTuple):
    """Whole lines of a file in UTF-8."""

    data: bytes
    number: int
    """The number of the first line, from 1."""
    source: str

    def lines(self) -> Iterator[TextLine]:
        """The lines of the block.

        Raises:
            PuzzleError: the bytes are not UTF-8; with line and column.
        """
        raws = _LINE_END.split(self.text())
        if raws[-1] == "" and len(raws) > 1:
            del raws[-1]
        for number, raw in enumerate(raws, self.number):
            yield _line_of_text(raw, number, self.source)

    def text(self) -> str:
        """The text of the block.

        Raises:
            PuzzleError: the bytes are not UTF-8; with line and column.
        """
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            before = _LINE_END.split(self.data[: error.start].decode("utf-8"))
            where = f"{self.source}:{self.number + len(before) - 1}:{len(before[-1]) + 1}"
            problem, expected = no_text(self.data)
            raise PuzzleError(problem, where=where, expected=expected) from None


class TextSource:
    """A puzzle file as a stream. `blocks`, `lines` and `text` can be used once.

    `first_lines` looks at the beginning without using it up.
    """

    def __init__(
        self, name: str, chunks: Iterable[bytes], most: int | None = None, is_file: bool = True
    ) -> None:
        """Make a source of these bytes.

        Args:
            name: the name of the file in errors, ``standard input`` for that.
            chunks: the bytes, in pieces of any size.
            most: the largest number of bytes; None for any.
            is_file: whether a NUL byte ends the reading, as no text file has one.
        """
        self._is_file = is_file
        self.name = name
        self.suffix = Path(bare_name(name)).suffix.lower()
        self._most = most
        self._blocks = self._whole_lines(chunks)
        self._seen: deque[TextBlock] = deque()

    @staticmethod
    def of_text(text: str, name: str) -> "TextSource":
        """The source with this text; lone surrogates become `?`."""
        return TextSource(name, [text.encode("utf-8", "replace")], is_file=False)

    def blocks(self) -> Iterator[TextBlock]:
        """The file in blocks of whole lines of about 64 KiB.

        Raises:
            PuzzleError: a NUL byte, a line that is too long, or a file that is too large.
        """
        while self._seen:
            yield self._seen.popleft()
        yield from self._blocks

    def lines(self) -> Iterator[TextLine]:
        """The lines of the file.

        Raises:
            PuzzleError: as `blocks`, or bytes that are not UTF-8.
        """
        for block in self.blocks():
            yield from block.lines()

    def rows(self) -> Iterator[tuple[int, TextLine]]:
        """The lines that are neither blank nor comments, numbered from 1.

        Raises:
            PuzzleError: as `lines`.
        """
        return enumerate((line for line in self.lines() if line.text), 1)

    def text(self) -> str:
        """The whole text, for formats that cannot be read in pieces.

        Raises:
            PuzzleError: as `lines`, or the file is too large to be kept.
        """
        parts, size = [], 0
        for block in self.blocks():
            size += len(block.data)
            if size > (most := min(self._most or LARGEST_BYTES, LARGEST_BYTES)):
                raise self._too_large(most)
            parts.append(block.text())
        return "".join(parts)

    def first_lines(self, number: int = 40) -> list[TextLine]:
        """The first lines, at least this `number` with content if the first 256 KiB have them.

        Raises:
            PuzzleError: as `lines`.
        """
        lines = [line for block in self._seen for line in block.lines()]
        content = sum(1 for line in lines if line.text)
        while content < number and len(self._seen) < _MOST_SEEN:
            block = next(self._blocks, None)
            if block is None:
                break
            self._seen.append(block)
            new_lines = list(block.lines())
            content += sum(1 for line in new_lines if line.text)
            lines += new_lines
        return lines

    def _whole_lines(self, chunks: Iterable[bytes]) -> Iterator[TextBlock]:
        remainder, number, size = b"", 1, 0
        for chunk in chunks:
            if not size:
                chunk = chunk.removeprefix(b"\xef\xbb\xbf")
            size += len(chunk)
            if self._is_file and (nul := chunk.find(b"\0")) >= 0:
                before = TextBlock(remainder + chunk[:nul], number, self.name)
                ends = _LINE_END.split(before.text())
                where = f"{self.name}:{number + len(ends) - 1}:{len(ends[-1]) + 1}"
                raise PuzzleError("a NUL byte", where=where, expected="a text file")
            if self._most is not None and size > self._most:
                raise self._too_large(self._most)
            data = remainder + chunk
            # A carriage return at the end may be the first half of a line end.
            end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
            remainder = data[end:]
            if self._is_file and len(remainder) > _LONGEST_LINE:
                raise PuzzleError(
                    f"a line of more than {_LONGEST_LINE // 2**20} MiB",
                    where=f"{self.name}:{number + _ends(data[:end])}",
                    expected="a text file with shorter lines",
                )
            if end:
                yield (block := TextBlock(data[:end], number, self.name))
                number += _ends(block.data)
        if remainder:
            yield TextBlock(remainder, number, self.name)

    def _too_large(self, most: int) -> PuzzleError:
        problem = f"has more than {most // 2**20} MiB"
        return PuzzleError(problem, where=self.name, expected="a smaller file")


def _ends(data: bytes) -> int:
    """The number of line ends."""
    returns = data.count(b"\r")
    return data.count(b"\n") + (returns - data.count(b"\r\n") if returns else 0)


@contextmanager
def opened(path: Path | str, most: int | None = None, name: str = "") -> Iterator[TextSource]:
    """The file at `path`, or standard input for ``-``, as a source; perhaps compressed.

    Args:
        path: a plain file, or one compressed with gzip, zip or Zstandard.
        most: the largest number of bytes after decompression; None for any.
        name: the name of the file in errors and positions; by default its path.

    Raises:
        PuzzleError: the file cannot be read; inside the block, also where it is damaged.
    """
    if str(path) == "-":
        yield TextSource("standard input", _chunks(_standard_input(), "standard input"), most)
        return
    name = name or str(path)
    with errors_named(name, PuzzleError):
        file = Path(path).open("rb")  # noqa: SIM115  errors of the block are not of the file
    with file:
        yield TextSource(name, _chunks(file, name), most)


def _chunks(file: BinaryIO, name: str) -> Iterator[bytes]:
    with errors_named(name, PuzzleError):
        first = b""
        while len(first) < _MAGIC_BYTES and (more := file.read(_MAGIC_BYTES - len(first))):
            first += more
        if kind := kind_of(first):
            yield from expanded(
                _seekable(file) or cast("BinaryIO", _Prefixed(first, file)), kind, name
            )
            return
        for suffix, compression in _COMPRESSIONS.items():
            if name.lower().endswith(suffix):
                expected = f"a name without {suffix}, or a compressed file"
                raise PuzzleError(f"is not {compression}", where=name, expected=expected)
        yield first
        while chunk := file.read(_CHUNK):
            yield chunk


def _seekable(file: BinaryIO) -> BinaryIO | None:
    """The file at its start; None if it is a pipe."""
    if not file.seekable():
        return None
    file.seek(0)
    return file


class _Prefixed:
    """A pipe with the bytes put back that were read from it."""

    def __init__(self, first: bytes, file: BinaryIO) -> None:
        self._first = first
        self._file = file

    def read(self, size: int = -1) -> bytes:
        end = len(self._first) if size < 0 else size
        data, self._first = self._first[:end], self._first[end:]
        return data + self._file.read(-1 if size < 0 else size - len(data))

    def seekable(self) -> bool:
        return False


def _standard_input() -> BinaryIO:
    if sys.stdin is None:  # the process was started with a closed standard input
        raise PuzzleError("is closed", where="standard input", expected="a puzzle")
    binary: BinaryIO | None = getattr(sys.stdin, "buffer", None)
    return binary if binary is not None else io.BytesIO(sys.stdin.read().encode())


# A file that is written completely or not at all, perhaps compressed.


@contextmanager
def written(target: str) -> Iterator[BinaryIO]:
    """The file to write, under its name when the block ends without an error.

    It replaces another file as `harness.base.files.replacing` does.

    Args:
        target: the file; ``-`` for standard output. The suffix ``.gz``, ``.zip`` or
            ``.zst`` compresses it.

    Raises:
        HarnessError: the file cannot be written.
    """
    if target == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    if path.is_dir():
        raise InputError("is a directory", where=target, expected="a file")
    kind = next((suffix for suffix in _COMPRESSIONS if target.lower().endswith(suffix)), "")
    with replacing(path) as file, _compressing(file, kind, Path(bare_name(target)).name) as output:
        yield output
