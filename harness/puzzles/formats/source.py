"""Lines of a text with their positions."""

import re
from dataclasses import dataclass

from harness.puzzles.expected_count import ExpectedCount
from harness.puzzles.puzzle import Puzzle


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

    def place(self, column: int | None = None) -> str:
        """``file:line``, or ``file:line:column`` from 1 for a column of `text` from 0."""
        place = f"{self.source}:{self.number}"
        return place if column is None else f"{place}:{self.indent + column + 1}"


@dataclass(frozen=True, slots=True)
class ParsedPuzzle:
    """A puzzle with its position in the file and the file's information about it."""

    puzzle: Puzzle
    place: str
    name: str
    expected_count: ExpectedCount | None = None
    source: str | None = None


def content_lines(text: str, source: str) -> list[Line]:
    """The lines of `text`, numbered as in editors: split at line feeds and carriage returns."""
    lines = []
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), 1):
        stripped = raw.strip()
        comment = stripped.startswith("#")
        indent = len(raw) - len(raw.lstrip())
        lines.append(Line("" if comment else stripped, number, indent, source, comment))
    return lines
