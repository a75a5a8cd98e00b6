"""A puzzle file as a stream of lines: opened once, decompressed, decoded, in constant memory."""

import io
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, cast

from harness.errors import PuzzleError
from harness.files import LARGEST_BYTES, errors_named
from harness.puzzles.formats.compressed import bare_name, expanded, kind_of
from harness.puzzles.formats.source import LINE_END, Line, line_of_text

LONGEST_LINE: Final = 2**20
"""Bytes of a line; the candidates of a 36x36 grid are 46,656 symbols."""
_CHUNK: Final = 2**16
_MAGIC_BYTES: Final = 4
_MOST_SEEN: Final = 4
"""Blocks at the beginning of a file from which its format is detected."""


class Block(NamedTuple):
    """Whole lines of a file in UTF-8."""

    data: bytes
    number: int
    """The number of the first line, from 1."""
    source: str

    def lines(self) -> Iterator[Line]:
        """The lines of the block.

        Raises:
            PuzzleError: the bytes are not UTF-8; with line and column.
        """
        raws = LINE_END.split(self.text())
        if raws[-1] == "" and len(raws) > 1:
            del raws[-1]
        for number, raw in enumerate(raws, self.number):
            yield line_of_text(raw, number, self.source)

    def text(self) -> str:
        """The text of the block.

        Raises:
            PuzzleError: the bytes are not UTF-8; with line and column.
        """
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            before = LINE_END.split(self.data[: error.start].decode("utf-8"))
            where = f"{self.source}:{self.number + len(before) - 1}:{len(before[-1]) + 1}"
            raise PuzzleError("invalid UTF-8", where=where, expected="a text file") from None


class Source:
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
        self._seen: deque[Block] = deque()

    @staticmethod
    def of_text(text: str, name: str) -> "Source":
        """The source with this text; lone surrogates become `?`."""
        return Source(name, [text.encode("utf-8", "replace")], is_file=False)

    def blocks(self) -> Iterator[Block]:
        """The file in blocks of whole lines of about 64 KiB.

        Raises:
            PuzzleError: a NUL byte, a line that is too long, or a file that is too large.
        """
        while self._seen:
            yield self._seen.popleft()
        yield from self._blocks

    def lines(self) -> Iterator[Line]:
        """The lines of the file.

        Raises:
            PuzzleError: as `blocks`, or bytes that are not UTF-8.
        """
        for block in self.blocks():
            yield from block.lines()

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

    def first_lines(self, number: int = 40) -> list[Line]:
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
            added = list(block.lines())
            content += sum(1 for line in added if line.text)
            lines += added
        return lines

    def _whole_lines(self, chunks: Iterable[bytes]) -> Iterator[Block]:
        rest, number, size = b"", 1, 0
        for chunk in chunks:
            if not size:
                chunk = chunk.removeprefix(b"\xef\xbb\xbf")
            size += len(chunk)
            if self._is_file and (nul := chunk.find(b"\0")) >= 0:
                before = Block(rest + chunk[:nul], number, self.name)
                ends = LINE_END.split(before.text())
                where = f"{self.name}:{number + len(ends) - 1}:{len(ends[-1]) + 1}"
                raise PuzzleError("a NUL byte", where=where, expected="a text file")
            if self._most is not None and size > self._most:
                raise self._too_large(self._most)
            data = rest + chunk
            # A carriage return at the end may be the first half of a line end.
            end = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
            rest = data[end:]
            if self._is_file and len(rest) > LONGEST_LINE:
                raise PuzzleError(
                    f"a line of more than {LONGEST_LINE // 2**20} MiB",
                    where=f"{self.name}:{number + _ends(data[:end])}",
                    expected="a text file with shorter lines",
                )
            if end:
                yield (block := Block(data[:end], number, self.name))
                number += _ends(block.data)
        if rest:
            yield Block(rest, number, self.name)

    def _too_large(self, most: int) -> PuzzleError:
        what = f"has more than {most // 2**20} MiB"
        return PuzzleError(what, where=self.name, expected="a smaller file")


def _ends(data: bytes) -> int:
    """The number of line ends."""
    returns = data.count(b"\r")
    return data.count(b"\n") + (returns - data.count(b"\r\n") if returns else 0)


@contextmanager
def opened(path: Path | str, most: int | None = None, name: str = "") -> Iterator[Source]:
    """The file at `path`, or standard input for ``-``, as a source; perhaps compressed.

    Args:
        path: a plain file, or one compressed with gzip, zip or Zstandard.
        most: the largest number of bytes after decompression; None for any.
        name: the name of the file in errors and positions; by default its path.

    Raises:
        PuzzleError: the file cannot be read; inside the block, also where it is damaged.
    """
    if str(path) == "-":
        yield Source("standard input", _chunks(_standard_input(), "standard input"), most)
        return
    name = name or str(path)
    with errors_named(name, PuzzleError):
        file = Path(path).open("rb")  # noqa: SIM115  errors of the block are not of the file
    with file:
        yield Source(name, _chunks(file, name), most)


def _chunks(file: BinaryIO, name: str) -> Iterator[bytes]:
    with errors_named(name, PuzzleError):
        first = b""
        while len(first) < _MAGIC_BYTES and (more := file.read(_MAGIC_BYTES - len(first))):
            first += more
        if kind := kind_of(first):
            yield from expanded(
                _seeked(file) or cast("BinaryIO", _Prefixed(first, file)), kind, name
            )
            return
        yield first
        while chunk := file.read(_CHUNK):
            yield chunk


def _seeked(file: BinaryIO) -> BinaryIO | None:
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
