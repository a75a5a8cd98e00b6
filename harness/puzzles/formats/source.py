"""Lines of a text with their places."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.puzzles.puzzle import Puzzle
from harness.puzzles.truth import Truth


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a puzzle text, without the spaces around it."""

    text: str
    number: int
    """From 1."""
    indent: int
    """Spaces taken from its front."""
    source: str
    """The file's name as it was given, or ``standard input``."""

    def place(self, column: int | None = None) -> str:
        """``file:line`` or, for a column of `text` from 0, ``file:line:column`` from 1."""
        place = f"{self.source}:{self.number}"
        return place if column is None else f"{place}:{self.indent + column + 1}"


@dataclass(frozen=True, slots=True)
class Read:
    """A puzzle as it was read: where it stood and what its file says of it."""

    puzzle: Puzzle
    place: str
    name: str
    truth: Truth | None = None
    source: str | None = None


def content_lines(text: str, source: str) -> list[Line]:
    """The lines of `text`; comments (``#``) left out, blank lines kept as ``""``."""
    return list(_lines(text, source))


def _lines(text: str, source: str) -> Iterator[Line]:
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        stripped = raw.strip()
        if not stripped.startswith("#"):
            yield Line(stripped, number, len(raw) - len(raw.lstrip()), source)
