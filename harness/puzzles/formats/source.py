"""Lines of a text with their positions, and what is read from them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.puzzle import Puzzle

LINE_END: Final = re.compile(r"\r\n|\r|\n")
"""The ends of lines, as editors number them."""
NO_FIELDS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Line:
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

    def part(self, start: int, end: int | None = None) -> "Line":
        """The part of the line between two columns of `text`, with its position."""
        return Line(self.text[start:end], self.number, self.indent + start, self.source)


@dataclass(frozen=True)
class ParsedPuzzle:
    """A puzzle with its position in the file and the file's information about it."""

    puzzle: Puzzle
    place: str
    name: str
    """The name that the file gives, or the number of the puzzle in the file."""
    expected_count: ExpectedCount | None = None
    source: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Further information by name: ratings, labels, comments."""


def line_of_text(raw: str, number: int, source: str) -> Line:
    """The line with this text and `number` of the file called `source`."""
    stripped = raw.strip()
    comment = stripped.startswith("#")
    indent = len(raw) - len(raw.lstrip())
    return Line("" if comment else stripped, number, indent, source, comment, raw)


def content_lines(text: str, source: str) -> list[Line]:
    """The lines of `text`, numbered as in editors: split at line feeds and carriage returns."""
    raws = LINE_END.split(text.removeprefix("\ufeff"))
    return [line_of_text(raw, number, source) for number, raw in enumerate(raws, 1)]
