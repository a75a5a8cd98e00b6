"""Puzzle files as streams of lines with positions, decompressed and decoded."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from harness.base import errors
from harness.base.compression import bare_name, pieces
from harness.base.errors import PuzzleError
from harness.base.files import LARGEST_BYTES, errors_named, no_text, standard_input
from harness.puzzles.puzzle import Instance, Puzzle
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

    @property
    def instance(self) -> Instance:
        """The puzzle as an instance of a dataset."""
        return Instance(self.name, self.puzzle, self.expected_count, self.source, self.fields)


def _line_of_text(raw: str, number: int, source: str) -> TextLine:
    """The line with this text and `number` of the file called `source`."""
    content = raw.strip()
    comment = content.startswith("#") and content[2:4] != "A("  # an array of Lisp
    indent = len(raw) - len(raw.lstrip())
    return TextLine("" if comment else content, number, indent, source, comment, raw)


# A puzzle file as a stream of lines: opened once, decompressed, decoded, in constant memory.


_LONGEST_LINE: Final = 2**20
"""Bytes of a line; the candidates of a 36x36 grid are 46,656 symbols."""
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
        self.is_seen = False
        """Whether `first_lines` has seen the whole file."""

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
                self.is_seen = True
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
def open_source(path: Path | str, most: int | None = None, name: str = "") -> Iterator[TextSource]:
    """The file at `path`, or standard input for ``-``, as a source; perhaps compressed.

    Args:
        path: a plain file, or one compressed with gzip, zip or Zstandard.
        most: the largest number of bytes after decompression; None for any.
        name: the name of the file in errors and positions; by default its path.

    Raises:
        PuzzleError: the file cannot be read; inside the block, also where it is damaged.
    """
    if str(path) == "-":
        yield TextSource(
            "standard input", pieces(standard_input(PuzzleError), "standard input"), most
        )
        return
    name = name or str(path)
    with errors_named(name, PuzzleError):
        file = Path(path).open("rb")  # noqa: SIM115  errors of the block are not of the file
    with file:
        yield TextSource(name, pieces(file, name), most)
