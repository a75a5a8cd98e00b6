"""The first stage of reading: lines become rows of cells, with what stands between them.

A `CellStyle` says how the cells of a text are written. The second stage tries the styles that its
first lines allow, and takes the style that reads all of them (see `plain`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Final

from harness.base.errors import PuzzleError
from harness.base.text import shortened
from harness.puzzles.formats.stream import TextLine
from harness.puzzles.shape import LARGEST

_UPRIGHT: Final = "|\u2502\u2503\u2506\u2507\u250a\u250b\u2551\u254e\u254f\u2575\u2577\u2579\u257b"
"""Borders at the sides of cells."""
# Dashes and crossings; or three and more dashes between the corners of some programs.
_BORDER: Final = re.compile(
    rf"[{_UPRIGHT} ]*:?(?![{_UPRIGHT}])[-=+\u2500-\u257f][-=+\u2500-\u257f|: ]*"
    r"|[.:'*+|]?(?:[-=]{3,}[.:'*+|])*[-=]{3,}[.:'*+|]?"
)
_BLANK_ROW: Final = re.compile(rf"-+|[{_UPRIGHT} ]*(?:-[{_UPRIGHT} ]+)+-?")
"""A row of blank cells with a dash each, together or apart."""
_COMMENT: Final = re.compile(
    r"%|//|!|```|<\?|\?>|\[,1\]|~~~|>>> (?!.*\d)|\[/?[a-z]+\]$"
    r"|(?:[\w ]{1,40}=\s*)?[\"'`]{1,3};?$|(?:;|-- )(?=.*[^\W\d_]{3})"
    r"|(?:Simple Sudoku|Version [0-9][0-9a-z.]*)$"
)
"""The beginning of a comment besides ``#``, and what Simple Sudoku puts below a grid."""
_WORD: Final = re.compile(r"[(\"']?([^\W\d_]{3,}(?:['\u2019-][^\W\d_]+)*)[.,:;!?)\"']*")
_FACT: Final = re.compile(
    r"(?:[^\W\d][\w -]{2,40}: |\w[\w -]{2,40}: (?=.*[^\W\d_]{3}))(?!.*[\d.]{9})"
    r"|(?!\S*://).*\b(?:sudoku|puzzle)\b(?!.*[\d.]{9})(?![^=]*[=\[{<])",
    re.IGNORECASE,
)
"""A name before a fact of a puzzle, such as ``source: a club``; or what calls it a puzzle."""
_LONGEST_WORD: Final = 30
_CELL: Final = re.compile(rf"[^\s{_UPRIGHT}]+")
_BETWEEN: Final = frozenset(f" \t{_UPRIGHT}")
NOTHING: Final = frozenset({"null", "NULL", "None", "nan", "NaN", "NA", "nil", "undefined"})
"""Words for an empty cell in the arrays of programs."""


Cells = Sequence[tuple[int, str]]
"""Cells with their columns from 0."""


class Unit(StrEnum):
    """What a cell is written with."""

    SYMBOLS = "symbols"
    NUMBERS = "numbers"
    CANDIDATES = "candidates"


@dataclass(frozen=True, slots=True)
class CellStyle:
    """How the cells of a text are written."""

    unit: Unit = Unit.SYMBOLS
    delimiter: str = ""
    """What stands between cells, so that an empty field is a blank; empty for blanks and bars."""
    dashes: bool = False
    """Whether ``-`` is a blank cell rather than a border."""

    @staticmethod
    def words(line: TextLine) -> list[str]:
        """The texts between blanks and bars, and between commas after every text."""
        return _CELL.findall(_without_commas(line.text))

    def cells(self, line: TextLine, most: int = LARGEST) -> Cells:
        """The cells of a row, up to one more than `most`."""
        if self.delimiter:
            cells = _fields(line, self.delimiter)
        elif self.unit is Unit.SYMBOLS:
            text = _without_commas(line.text)
            symbols = [(at, symbol) for at, symbol in enumerate(text) if symbol not in _BETWEEN]
            return symbols[: most + 1]
        else:
            text = _without_commas(line.text)
            matches = _CELL.finditer(text)
            cells = ((m.start(), "" if m[0] in NOTHING else m[0]) for m in matches)
        return list(islice(cells, most + 1))

    def between(self, line: TextLine) -> str | None:
        """The kind of a line between rows: ``comment``, ``blank`` or ``border``; None for a row."""
        if line.comment or is_comment(line):
            return "comment"
        if not line.text and not (self.delimiter == "\t" and "\t" in line.raw):
            return "blank"
        is_blank_row = self.dashes and _BLANK_ROW.fullmatch(line.text)
        return "border" if is_border(line) and not is_blank_row else None


_QUOTED: Final = re.compile(r"([\"'])\s*([^\"']*?)\s*\1")
_FRACTION: Final = re.compile(r"(?<=[0-9])\.0*(?=[\s,]|$)")
"""A fraction of zero after a number."""


def _without_commas(text: str) -> str:
    """A text with blanks in place of the commas, if it has one after each of several cells."""
    if "," not in text:
        return text
    fields = text.split(",")
    cells = [field.strip("| \t") for field in fields]
    separate = all(cells[:-1]) and (len(cells) > 2 or all(cells[1:]))
    parts = (part for field in fields for part in field.split("|"))
    return " ".join(fields) if separate and all(len(p.split()) < 2 for p in parts) else text


def _fields(line: TextLine, delimiter: str) -> Iterator[tuple[int, str]]:
    """The fields of a line between delimiters, without quotation marks; empty for no cell."""
    text = line.raw if delimiter == "\t" else line.text
    at = -line.indent if delimiter == "\t" else 0
    if delimiter == "|":
        text = re.sub(f"[{_UPRIGHT}]", "|", text)
        at = len(text) - len(text := text.removeprefix("|"))
        text = text.removesuffix("|")
    for field in text.split(delimiter):
        cell = field.strip()
        text = "" if cell in NOTHING else _FRACTION.sub("", _QUOTED.sub(r"\2", cell))
        yield at + field.find(cell), text
        at += len(field) + 1


def has_bar(line: TextLine) -> bool:
    """Whether a line has a bar."""
    return not _BARS.isdisjoint(line.text)


def between_bars(line: TextLine) -> list[TextLine]:
    """The parts of a line between bars, without blanks around them."""
    return [line.part(*match.span()) for match in _PART_OF_ROW.finditer(line.text)]


_BARS: Final = frozenset(_UPRIGHT)
_PART_OF_ROW: Final = re.compile(rf"[^\s{_UPRIGHT}](?:[^{_UPRIGHT}]*[^\s{_UPRIGHT}])?")


def is_comment(line: TextLine) -> bool:
    """Whether `line` is a comment of another program than the harness, or its signature."""
    return _COMMENT.match(line.text) is not None


def is_border(line: TextLine) -> bool:
    """Whether `line` is a border between bands, such as ``------+------``."""
    return _BORDER.fullmatch(line.text) is not None


def is_text(line: TextLine) -> bool:
    """Whether a line is a heading or other text rather than cells.

    Words are most of it, and they repeat a letter or have capitals and small letters, unlike the
    row of a puzzle in letters; a whole puzzle in letters is longer than a word.
    """
    text = line.text
    if "://" in text:
        return False
    if _FACT.match(text) or (text.endswith(":") and text.replace(" ", "")[:-1].isalpha()):
        return True
    words = (word[1] for word in map(_WORD.fullmatch, text.split()) if word)
    letters = "".join(word for word in words if word not in NOTHING)
    is_repeating = len({*letters.casefold()}) < len(letters)
    is_mixed = letters not in (letters.lower(), letters.upper())
    has_words = 2 * len(letters) > len(text) and (is_repeating or is_mixed)
    return has_words and (len(text) <= _LONGEST_WORD or " " in text)


# Arrays as programs write them: brackets around rows, perhaps with marks of quotation.


_OPEN: Final = "[({"
_CLOSE: Final = "])}"
_ARRAY: Final = re.compile(
    r"(?!\[1,\])(?:- )?"
    r"(?:[$\w .*]{1,80}(?:\[[\d ,]{0,9}\]){0,3}(?:: ?[^=:]{1,40})? {0,9}:?= {0,9})?"
    r"(?:(?:public|private|protected|static|final|const|readonly) )*(?:[\w.]{1,40}!?)?[\[({]"
)
"""The beginning of an array: ``int grid[9][9] = {``, ``np.array([[``."""
_PART: Final = re.compile(r"[\[\](){};]|\"[^\"]*\"|'[^']*'|[^\[\](){}\"';]+|[\"']")
_IGNORED: Final = re.compile(
    r"(?<=\w): ?[^=:]*(?== *(?:\w*!? ?[\[({]|$))|(?<=\w\()[^\[({]*(?=\[\[)"
    r"|(?<=[\w\]])\[[0-9 ,]*\]|(?<== )(?:\[\d+\])+(?=\w)|#\dA(?=\()|/\*.*?\*/|(?://|#).*|(?<=[;,])\s*\.\.\.$"
)
"""The type of an array, ``: [[u8; 9]; 9] =``, or its size, ``grid[9][9]``; what stands before it
after a bracket, ``p(1, ``; a comment, or three points, after a row."""
_AFTER_ARRAY: Final = re.compile(r"[^=]*=\s*|.*dtype=.*|'<U\d+'")
"""What has digits outside of the brackets of an array: its name, or the type of its cells."""
_STRING: Final = re.compile(r"[^\s,\"']+")
_EMPTY: Final = re.compile(rf"\b(?:{'|'.join(NOTHING)})\b|([\"'])\s*\1")
_NO_SYMBOL: Final = re.compile(_FRACTION.pattern + r"|[\"']")
"""A fraction of zero after a number, and marks of quotation."""
_SHORTEST_STRING: Final = 4
"""Symbols of a string that is a row or a puzzle; a number has at most three digits."""


def is_array(lines: Iterable[TextLine]) -> bool:
    """Whether the first line with content that is no text begins an array."""
    for line in lines:
        match = _ARRAY.match(line.text)
        if line.text and not is_comment(line) and (match or not is_text(line)):
            return match is not None
    return False


def unfold(lines: Iterable[TextLine]) -> Iterator[TextLine]:
    """The rows of arrays: the text of each innermost pair of brackets.

    A blank line stands after each array of rows. A string of several symbols is a row of its own.

    Raises:
        PuzzleError: a bracket is not closed, or digits stand outside of the innermost brackets.
    """
    depth, has_rows = 0, False
    pieces: list[TextLine] | None = None
    last = None
    for line in lines:
        last = line
        if not depth and (is_text(line) or is_comment(line)) and _is_closed(line.text):
            yield line
            continue
        text = _IGNORED.sub(lambda match: " " * len(match[0]), line.text)
        for match in _PART.finditer(text):
            part = match[0]
            piece = TextLine(part, line.number, line.indent + match.start(), line.source)
            if part in _OPEN:
                if pieces and any(map(str.isdigit, "".join(p.text for p in pieces))):
                    problem = f"{shortened(pieces[0].text, 40)!r} beside a bracket"
                    raise pieces[0].error(problem, "cells between the innermost brackets", 0)
                depth, pieces = depth + 1, []
            elif part in _CLOSE:
                if not depth:
                    raise piece.error(
                        f"{part!r} without a bracket before it", "pairs of brackets", 0
                    )
                depth -= 1
                if pieces:
                    yield from _rows(pieces)
                elif has_rows:
                    yield TextLine("", line.number, 0, line.source)
                has_rows = bool(pieces)
                pieces = None
            elif part == ";":
                if pieces:  # a row of a matrix of MATLAB
                    yield from _rows(pieces)
                    pieces = []
            elif pieces is not None:
                pieces.append(piece)
            elif any(map(str.isdigit, part)) and not _AFTER_ARRAY.fullmatch(part):
                raise piece.error(
                    f"{shortened(part, 40)!r} outside of brackets", "rows between brackets", 0
                )
    if depth and last is not None:
        raise last.error("a bracket is not closed", "pairs of brackets")


def rows_in(lines: Iterable[TextLine]) -> list[TextLine]:
    """The rows of arrays, up to the first error."""
    rows: list[TextLine] = []
    with suppress(PuzzleError):
        rows.extend(unfold(lines))
    return rows


def _is_closed(text: str) -> bool:
    """Whether a text closes every bracket that it opens."""
    pairs = zip(_OPEN, _CLOSE, strict=True)
    return all(text.count(start) <= text.count(end) for start, end in pairs)


def _rows(pieces: Sequence[TextLine]) -> Iterator[TextLine]:
    """The rows of the text of innermost brackets, which may go over several lines."""
    first = pieces[0]
    text = "".join(
        f"{' ' * (piece.number != before.number)}{piece.text}"
        for piece, before in zip(pieces, [first, *pieces], strict=False)
    )
    strings = [match for match in _STRING.finditer(text) if match[0] not in NOTHING]
    if any(len(match[0]) < _SHORTEST_STRING for match in strings):
        text = _EMPTY.sub(lambda match: ".".center(len(match[0])), text)
        text = _NO_SYMBOL.sub(lambda match: " " * len(match[0]), text)
    row = TextLine(
        text.strip(), first.number, first.indent + len(text) - len(text.lstrip()), first.source
    )
    if strings and all(len(match[0]) >= _SHORTEST_STRING for match in strings):
        for match in strings:
            yield TextLine(match[0], row.number, first.indent + match.start(), row.source)
    elif text.strip():
        yield row
