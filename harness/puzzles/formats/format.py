"""What a puzzle format is: how its files are recognized, read and written."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from harness.errors import PuzzleError
from harness.puzzles.formats.conventions import Symbols
from harness.puzzles.formats.source import Line, ParsedPuzzle
from harness.puzzles.formats.stream import Source
from harness.puzzles.shape import Shape

GROUP: Final = "harness.formats"
"""The group of the entry points of formats."""
Item = TypeVar("Item")

EVERYTHING: Final = frozenset({"name", "solution", "count", "source", "fields"})
"""The information beside a puzzle that a format may keep."""


def _raised(error: PuzzleError) -> None:
    raise error


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is read."""

    shape: Shape | None = None
    """The shape of all puzzles; None if the file determines it."""
    symbols: Symbols | None = None
    """The symbols of values above 9; None if the puzzles decide."""
    refuse: Callable[[PuzzleError], None] = _raised
    """Called for a malformed puzzle; if it returns, reading goes on after that puzzle."""

    def each(
        self, items: Iterable[Item], parse: Callable[[Item], ParsedPuzzle]
    ) -> Iterator[ParsedPuzzle]:
        """Parse `items`, which are independent of each other; refuse those with an error.

        Raises:
            PuzzleError: an item is malformed, unless `refuse` returns.
        """
        for item in items:
            try:
                parsed = parse(item)
            except PuzzleError as error:
                self.refuse(error)
            else:
                yield parsed


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file, from which its format is detected."""

    suffix: str
    """The suffix of its name in lower case, without that of a compression."""
    lines: list[Line]
    """The first lines, 40 with content or more."""
    rows: list[Line] = field(default_factory=list)
    """Those without comments and blank lines."""
    shape: Shape | None = None
    """The shape that the user chose."""

    @staticmethod
    def of(source: Source, shape: Shape | None = None) -> "Head":
        """The beginning of `source`.

        Raises:
            PuzzleError: it is no text.
        """
        lines = source.first_lines()
        return Head(source.suffix, lines, [line for line in lines if line.text], shape)

    @property
    def first(self) -> str:
        """The first line with content; empty if there is none."""
        return self.rows[0].text if self.rows else ""

    def starts(self, *beginnings: str) -> bool:
        """Whether the first line with content begins with one of these, in any case."""
        return self.first.lower().startswith(beginnings)


@dataclass(frozen=True, slots=True)
class Format:
    """A puzzle format. A module of a format has one, and an entry point names it."""

    name: str
    """The name for ``--format`` and ``--to``."""
    title: str
    """What a file of the format is, in a few words."""
    read: Callable[[Source, Reading], Iterator[ParsedPuzzle]]
    """The puzzles of a source, as a stream; raises `PuzzleError` with file, line and column."""
    write: Callable[[Iterable[ParsedPuzzle]], Iterator[str]]
    """The text of a file with these puzzles, in pieces."""
    can_hold: Callable[[ParsedPuzzle], str | None]
    """The reason why the format cannot hold a puzzle; None if it can."""
    detect: Callable[[Head], bool] = lambda _: False
    """Whether a file with this beginning is certainly of this format."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of names that only this format uses."""
    shared_suffixes: tuple[str, ...] = ()
    """Suffixes of files that are written in this format although others have them too."""
    keeps: frozenset[str] = frozenset()
    """The information that it keeps beside the puzzle: parts of `EVERYTHING`, names of fields."""
    names: re.Pattern[str] | None = None
    """The names that it keeps, as it writes other names for others; None if it keeps any."""
    holds: str = ""
    """The puzzles that it holds, for the documentation."""
    single: bool = False
    """Whether a file holds a single puzzle."""


def only_plain(shape: str, parsed: ParsedPuzzle) -> str | None:
    """The reason why a puzzle is not one of `shape` without pencilmarks; None if it is."""
    if parsed.puzzle.shape != Shape.parse(shape):
        return f"holds {shape} only, not {parsed.puzzle.shape}"
    return no_pencilmarks(parsed)


def no_pencilmarks(parsed: ParsedPuzzle) -> str | None:
    """The reason why a puzzle has pencilmarks; None if it has none."""
    return "holds no pencilmarks" if parsed.puzzle.pencilmarks is not None else None


def boxed_only(parsed: ParsedPuzzle) -> str | None:
    """The reason why the size alone does not determine the shape of a puzzle; None if it does."""
    shape = parsed.puzzle.shape
    if shape.box is None or shape != Shape.parse(f"box{shape.box[0]}x{shape.box[1]}"):
        return f"holds shapes with boxes and without variants only, not {shape}"
    if shape != Shape.of_side(shape.size):
        return f"holds boxes as square as possible only, not {shape}"
    return no_pencilmarks(parsed)
