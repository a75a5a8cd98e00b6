"""What a puzzle format is: how its files are recognized, read and written; symbols of values.

Several conventions share letters, so a text may be readable in more than one of them. The
symbols of a puzzle decide if exactly one convention reads them, or all read the same
values; otherwise `ReadSettings.symbols_for` raises an error.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeVar

from harness.base.errors import PuzzleError, one_of, require
from harness.base.text import short_repr, shortened
from harness.puzzles.formats.stream import ParsedPuzzle, TextLine, TextSource
from harness.puzzles.shape import LETTERED, VALUES, Shape, describe

FILLERS: Final = ".0*_-Xx\u00b7"
"""The symbols of a blank cell in lines; a puzzle uses one of them."""
_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NINE_LETTERS: Final = frozenset("ABCDEFGHIabcdefghi")


class Symbols(StrEnum):
    """A convention for the symbols of values."""

    LETTERS = "letters"
    """1 to 9, then A = 10: that of the harness, which has numbers above 36x36."""
    HEX = "hex"
    """0 to 9, then A to F, for the values 1 to 16 of a 16x16."""
    ALPHABET = "alphabet"
    """A = 1 to Z = 26."""
    ZERO = "from-zero"
    """0 to 9, then A = 10, for the values from 1; or numbers from 0."""


def symbols_named(name: str) -> Symbols:
    """The convention called `name`.

    Raises:
        PuzzleError: none has this name.
    """
    require(name, str, "symbols", one_of([*Symbols]), PuzzleError)
    if name not in [*Symbols]:
        raise PuzzleError(f"unknown symbols {shortened(name, 40)!r}", expected=one_of([*Symbols]))
    return Symbols(name)


@lru_cache(maxsize=256)
def table(symbols: Symbols, size: int, width: int = 0) -> dict[str, int]:
    """The value of each symbol of a grid of `size`, 0 for a blank; empty if it has none.

    Args:
        symbols: the convention.
        size: the number of rows.
        width: 0 for a symbol for each cell; for numbers the digits of every cell, 1 if they
            differ.
    """
    zero = symbols is Symbols.ZERO
    values: Sequence[str]
    if width or size > LETTERED:
        values = [str(value - zero).zfill(width) for value in range(1, size + 1)]
    elif symbols is Symbols.LETTERS:
        values = VALUES[:size]
    elif zero or (symbols is Symbols.HEX and size == 16):
        values = f"0{VALUES}"[:size]
    elif symbols is Symbols.ALPHABET and size <= len(_ALPHABET):
        values = _ALPHABET[:size]
    else:
        return {}
    value_of = {symbol: value for value, symbol in enumerate(values, 1)}
    value_of |= {symbol.lower(): value for symbol, value in value_of.items()}
    blanks = ["", *(filler * max(width, 1) for filler in FILLERS), *(["-1"] if width else [])]
    return dict.fromkeys((blank for blank in blanks if blank not in value_of), 0) | value_of


def _symbols_of(text: str, size: int, ambiguous: Symbols | None, where: str) -> Symbols:
    """The convention of the symbols in `text`, the cells of a puzzle of `size`.

    Raises:
        PuzzleError: two conventions read different puzzles.
    """
    if size <= 9 and _NINE_LETTERS.isdisjoint(text):
        return Symbols.LETTERS
    readings: dict[tuple[int, ...], Symbols] = {}
    for symbols in (Symbols.LETTERS, Symbols.HEX, Symbols.ALPHABET):
        values = _values(text, symbols, size)
        if values is not None:
            readings.setdefault(values, symbols)
    if len(readings) > 1 and ambiguous and ambiguous in readings.values():
        return ambiguous
    if len(readings) > 1:
        names = list(readings.values())
        problem = f"the symbols may be those of {' or '.join(names)}"
        expected = " or ".join(f"--symbols {name}" for name in names)
        raise PuzzleError(problem, where=where, expected=expected)
    return next(iter(readings.values()), Symbols.LETTERS)


def _values(text: str, symbols: Symbols, size: int) -> tuple[int, ...] | None:
    """The values of `text` in a convention; None if it has other symbols or two blanks."""
    values_of = table(symbols, size)
    characters = set(text)
    if not characters <= values_of.keys() or sum(not values_of[s] for s in characters) > 1:
        return None
    values = tuple(values_of[symbol] for symbol in text)
    if symbols is Symbols.ALPHABET and len({*values, 0}) < 3:  # a single letter is a mistake
        return None
    # Zeros that are blanks are read as a complete grid of hexadecimal digits: such a grid has
    # each value in each row.
    is_full = symbols is Symbols.HEX and 0 not in values and len(values) == size * size
    if is_full and any(len({*values[at : at + size]}) < size for at in range(0, size * size, size)):
        return None
    return values


def symbols_in_words(symbols: Symbols, size: int, numbers: bool = False) -> str:
    """The symbols of a grid of `size`, for error messages."""
    zero = symbols in (Symbols.HEX, Symbols.ZERO)
    if numbers:
        return f"{1 - zero}-{size - zero}"
    if zero:
        return f"0-{min(size - 1, 9)}" + (f" or A-{VALUES[size - 2]}" if size > 10 else "")
    if symbols is Symbols.ALPHABET:
        return f"A-{_ALPHABET[min(size, len(_ALPHABET)) - 1]}"
    return describe(size)


def letters_only(shape: Shape) -> str | None:
    """Why a format with a symbol for each value cannot hold the shape; None if it can."""
    return f"holds at most {LETTERED} rows, not {shape.size}" if shape.size > LETTERED else None


# Fields beside a puzzle that may change it.


_RULE: Final = re.compile(
    "cage|region|constraint|rule|diag|variant|thermo|arrow|killer|jigsaw|knight|king|consec|kropki"
    "|xv|greater|^gt|even|odd|palindrom|whisper|renban|sandwich|box|block|area|zone|layout|hyper"
    "|windoku|type$|^mode|^kind|description|^fixed|^initial|^given|^blank|^empty|^zero|^min"
    "|^order|transpose|column.?major|^axis|^index|less|compar|inequal|sign",
    re.IGNORECASE,
)
_USUAL: Final = ("", "0", "false", "none", "[]", "{}", "classic", "standard", "normal", "sudoku")
"""Values of such fields that change nothing."""


def refuse_rules(fields: Mapping[str, object], shape: Shape) -> None:
    """Refuse fields that may state rules or how cells are read, where no shape is named.

    Args:
        fields: the fields by name.
        shape: the shape of the puzzle, whose boxes they may describe.

    Raises:
        PuzzleError: there is such a field.
    """
    square = str(shape.box[0]) if shape.box and shape.box[0] == shape.box[1] else ""
    for key, value in fields.items():
        if not may_be_rule(key):
            continue
        if key.startswith("min") or str(value).lower() not in (*_USUAL, square):
            problem = f"the field {short_repr(key)} may change the rules"
            raise PuzzleError(problem, expected="no such field, or the rules as --shape")


@lru_cache(maxsize=1024)
def may_be_rule(name: str) -> bool:
    """Whether a field with this name may state rules."""
    return _RULE.search(name) is not None


# What a puzzle format is: how its files are recognized, read and written.


GROUP: Final = "harness.formats"
"""The group of the entry points of formats."""
Item = TypeVar("Item")

EVERYTHING: Final = frozenset({"name", "solution", "count", "source", "fields"})
"""The information beside a puzzle that a format may keep."""


def fail(error: PuzzleError) -> None:
    """Raise `error`."""
    raise error


@lru_cache(maxsize=256)
def warn(text: str) -> None:
    """Log a warning, once for each text; by default that prints it on standard error."""
    _LOG.warning("warning: %s", text)


def note(text: str) -> None:
    """Log how a text is understood; by default that prints it on standard error."""
    _LOG.warning("note: %s", text)


def forbid(text: str) -> None:
    """Refuse a text that needs a note.

    Raises:
        PuzzleError: always.
    """
    raise PuzzleError(text, expected="a text without it, or reading without --strict")


_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How a file is read."""

    shape: Shape | None = None
    """The shape of all puzzles; None if the file determines it."""
    symbols: Symbols | None = None
    """The symbols of values above 9; None if the puzzles decide."""
    ambiguous: Symbols | None = None
    """The symbols of a puzzle that several conventions read; None for an error."""
    is_trial: bool = False
    """Whether the text is read to see its layout, however doubtful its size is."""
    refuse: Callable[[PuzzleError], None] = fail
    """Called for a malformed puzzle; if it returns, reading goes on after that puzzle."""
    understand: Callable[[str], object] = note
    """Called with how the text is understood, such as the columns of its header, and with what is
    passed over: `note`, `forbid`, or a function that keeps the texts."""

    def symbols_for(self, texts: Iterable[str], size: int, where: str) -> Symbols:
        """The convention of the symbols in `texts`, the cells of a puzzle of `size`.

        Args:
            texts: the symbols, in pieces.
            size: the number of rows; above 36 all conventions are the same.
            where: the place of the puzzle in an error.

        Raises:
            PuzzleError: two conventions read different puzzles.
        """
        if self.symbols or size > LETTERED:
            return self.symbols or Symbols.LETTERS
        symbols = _symbols_of("".join(texts), size, self.ambiguous, where)
        if symbols is not Symbols.LETTERS:
            self.understand(f"symbols: {symbols}, {symbols_in_words(symbols, size)} for 1-{size}")
        return symbols

    def require_shape(self, shape: Shape) -> None:
        """Check that a puzzle whose text determines its `shape` has the chosen one.

        Raises:
            PuzzleError: it has another.
        """
        if self.shape not in (None, shape):
            raise PuzzleError(f"the shape is {shape}", expected=str(self.shape))

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
    lines: list[TextLine]
    """The first lines, 40 with content or more."""
    rows: list[TextLine] = field(default_factory=list)
    """Those without comments and blank lines."""
    reading: ReadSettings = field(default_factory=ReadSettings)
    """How the file is read."""
    is_whole: bool = False
    """Whether the file has no further lines."""

    @staticmethod
    def from_source(source: TextSource, reading: ReadSettings | None = None) -> "Head":
        """The beginning of `source`.

        Raises:
            PuzzleError: it is no text.
        """
        lines = source.first_lines()
        rows = [line for line in lines if line.text]
        return Head(source.suffix, lines, rows, reading or ReadSettings(), source.is_seen)

    @property
    def shape(self) -> Shape | None:
        """The shape that the user chose."""
        return self.reading.shape

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
    """The name for ``--from`` and ``--to``."""
    title: str
    """What a file of the format is, in a few words."""
    read: Callable[[TextSource, ReadSettings], Iterator[ParsedPuzzle]]
    """The puzzles of a source, as a stream; raises `PuzzleError` with file, line and column."""
    write: Callable[[Iterable[ParsedPuzzle]], Iterator[str]]
    """The text of a file with these puzzles, in pieces."""
    can_hold: Callable[[ParsedPuzzle], str | None]
    """Why the format cannot hold a puzzle; None if it can."""
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


def only_of(shape: str, parsed: ParsedPuzzle) -> str | None:
    """Why a format of `shape` cannot hold the puzzle; None if it can."""
    if parsed.puzzle.shape != Shape.parse(shape) or parsed.puzzle.shape.constraints:
        return f"holds {shape} only, not {parsed.puzzle.shape}"
    return None


def only_plain(shape: str, parsed: ParsedPuzzle) -> str | None:
    """Why a format of `shape` without pencilmarks cannot hold the puzzle; None if it can."""
    return only_of(shape, parsed) or no_pencilmarks(parsed)


def no_pencilmarks(parsed: ParsedPuzzle) -> str | None:
    """Why a format without pencilmarks cannot hold the puzzle; None if it can."""
    return "holds no pencilmarks" if parsed.puzzle.pencilmarks is not None else None


def with_candidates(parsed: ParsedPuzzle) -> str | None:
    """Why a format in which each cell has a candidate cannot hold the puzzle; None if it can."""
    return None if all(parsed.puzzle.allowed) else "holds no cell without candidates"


def is_printable(*texts: str) -> bool:
    """Whether these texts have printable characters only and no blanks around them."""
    return all(text == text.strip() and text.isprintable() for text in texts)
