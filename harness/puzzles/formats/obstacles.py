"""What keeps a text from being read although a puzzle stands in it, and how to take it away.

The reader looks for obstacles only in a text that no layout reads, so they never change a puzzle.
"""

import re
from collections.abc import Sequence
from itertools import product
from math import isqrt
from typing import Final

from harness.base.errors import PuzzleError
from harness.puzzles.formats.lines import fits
from harness.puzzles.formats.stream import TextLine
from harness.puzzles.formats.tokens import (
    CellStyle,
    Unit,
    is_array,
    is_border,
    is_comment,
    is_text,
    rows_in,
)

_ONE_GRID: Final = "the left grid alone if another is its solution, else the grids below each other"
_OBSTACLES: Final = [
    (re.compile(pattern), problem, expected)
    for pattern, problem, expected in (
        (r"^>", "rows in a quotation", "all lines without > before them"),
        (r"(\*\*|__)\w\1", "marks around digits", "the givens without ** or __ around them"),
        (r"\|\.$", "a sudoku of LaTeX", "the rows alone, each without the point at its end"),
        (
            r"\b[a-z]\w*\(\d\d?,\s*\d\d?,\s*\d\d?\)",
            "facts of a row, a column and a value",
            "a grid or a line with . for blank cells",
        ),
        (
            r"\\begin|&.*\\\\$",
            "a table in LaTeX",
            r"the rows alone, without \begin, \hline, & and \\, and . for an empty cell",
        ),
        (r"<t(able|r|d)\b", "a table in HTML", "the text of the table, as a browser shows it"),
        (
            r"\bmatrix\(|\bdim = c\(",
            "a matrix of R, which may be column by column",
            "the numbers of c(...) alone, row by row and without L",
        ),
        (
            r"\d,0*;\s*\d+,0*(;|$)",
            "numbers with a decimal comma",
            "whole numbers, such as 5 in place of 5,0",
        ),
        (
            r"\b([A-Ia-i][1-9]|[Rr]\d+[Cc]\d+)\W{1,4}\d\b.*\b(?!\1)([A-I][1-9]|[Rr]\d+[Cc]\d+)\W{1,4}\d\b",
            "cells by name",
            "a grid or a line with . for blank cells",
        ),
        (r"\+ {2,}\+", "grids side by side", _ONE_GRID),
        (
            r"^(?:[*+\u2022] |- \S{4}|\+[\d.]{4})",
            "rows in a list",
            "the rows without a mark before them",
        ),
        (r"^([\"'])[\w.\\]*\1|\"{3}|'{3}", "rows in quotation marks", "the rows without marks"),
        (r"<\w+>[\d.]{2,36}<", "rows between tags", "the rows without tags"),
        (r"^(\[.\]\s*){2}", "brackets around cells", "the cells alone, with . for a blank"),
        (r"^\{\|", "a table of a wiki", "the cells alone, in rows such as |5| |3|"),
        (r"^version: \d$", "data of OpenSudoku without its file", "the whole file, or a grid"),
        (r"^\|(\s*\|){2,}$", "an empty heading of a table", "the rows below it"),
        (
            r"\[,1\]|^\[1,\]|^[Rr]ow\W?\d+\s*[:=]",
            "rows with a label or below a label",
            "the cells without labels",
        ),
        (r"\{\s*[A-Za-z_]\w*\s*:", "names without quotation marks", 'JSON, such as {"grid": ...}'),
        (r"^\w[^\[{]*(\[\[|\{\{)", "text before an array", "the array alone"),
        ("\u20e3", "digits on keycaps", "plain digits, and . for a blank"),
        (r"\b\d\d?:\d\d\b", "a time in a row", "the rows without times"),
        (
            r"^\[.*\d,? \.\.\.,? \d",
            "an array without the cells at ...",
            "all cells, as numpy.set_printoptions(threshold=sys.maxsize) prints them",
        ),
        (r"\b(Some\(|Just )", "values in Some or Just", "the numbers alone, and . for a blank"),
    )
]
_PUZZLE: Final = re.compile(
    r"(?:\[[\d/.:, ]+\] )?(?!\d)[\w\"'`=<].*(?<![\w.])([\d.]{16,})(?![\w.])"
)
"""A puzzle after other text in a line."""
_MARKS: Final = re.compile("[\u2571-\u2573\u2591]")
_MARKED: Final = re.compile(r"(?<!\S)(?:[(\[]\d[)\]]|\d[*'!?])(?!\S)")
"""A digit with a mark among other cells."""
_TRIPLE: Final = re.compile(r"\W*\d+[ ,;]+\d+[ ,;]+\d+\W*")
_SPACES: Final = re.compile(r"[^\S\t]{3}|[0-9][^\S\t]{2}[0-9]|\|[^\S\t]+\|")
_DELIMITED: Final = re.compile(r"[\w.,;\s]*\w?[,;]")
"""A row with a delimiter after its last cell."""
_LABELS: Final = [
    [f"{prefix}{first + at}" for at in range(40)] for prefix in ("", "R") for first in (0, 1)
] + [list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")]
"""What stands before the rows of a grid to count them."""


def obstacle(rows: Sequence[TextLine], is_whole: bool) -> PuzzleError | None:
    """The error of an obstacle in the first two or in half of the `rows` of a text, or None."""
    if len(rows) > 3 and all(_TRIPLE.fullmatch(row.text) for row in rows[1:]):
        problem = "rows of three numbers, perhaps the cells with clues"
        return rows[1].error(problem, "a grid or a line with . for blank cells", 0)
    if marked := next((row for row in rows if _MARKS.search(row.text)), None):
        expected = "the puzzle as harness datasets convert writes it"
        return marked.error("marks of a variant in a drawing", expected, 0)
    for row in rows if not is_array(rows) else ():
        if match := _MARKED.search(row.text):
            expected = "the digit alone if it is given, otherwise a blank"
            return row.error(f"a digit with a mark, {match[0]}", expected, match.start())
    for row in rows[:3]:
        match = _PUZZLE.match(row.text)
        if match and fits(len(match[1])):
            expected = f"the puzzle alone, which begins with {match[1][:9]}"
            return row.error("text around a puzzle", expected, match.start(1))
    plain = [row for row in rows if not (is_border(row) or is_comment(row) or is_text(row))]
    cells = [row for row in rows_in(rows) if row.text] if is_array(rows) else plain
    if is_whole and cells and (error := _several(cells)):
        return error
    for pattern, problem, expected in _OBSTACLES:
        matches = [(row, match) for row in rows if (match := pattern.search(row.text))]
        if matches and (matches[0][0] in rows[:2] or 2 * len(matches) >= len(rows)):
            row, match = matches[0]
            return row.error(problem, expected, match.start())
    if error := _glued(cells):
        return error
    if label := _label(plain):
        return label.error("rows with a label or below a label", "the cells without labels", 0)
    numbers = {len(CellStyle.words(row)) for row in rows if not is_border(row)}
    words = [word for row in rows for word in CellStyle.words(row)]
    widest = max(map(len, words), default=9)
    number = len(words) if widest < 4 else sum(map(len, words))
    side = isqrt(number)
    has_other_lines = len(rows) > 1 and number > 15 and fits(number) and side != len(rows)
    if has_other_lines and (widest < 4 or (side < widest and side % len(rows) == 0)):
        problem = f"{number} cells in {len(rows)} lines"
        return rows[0].error(problem, f"one line, or {side} lines of {side} cells")
    if len(plain) > 3 and {row.text.count("|") for row in plain} == {len(plain) - 1}:
        expected = "a bar at both ends of each row, or . for each blank cell"
        return plain[0].error("bars between cells only", expected, 0)
    spaced = next((row for row in rows if _SPACES.search(row.text)), None)
    fields = {len(CellStyle(delimiter="|").cells(row)) for row in plain}
    if spaced and (len(numbers) > 1 or len(rows) == 1) and (len(fields) > 1 or fields <= {1, 3}):
        expected = "a symbol such as . for each blank cell, because spaces are none"
        return spaced.error("spaces between some cells", expected, 0)
    if is_whole and (error := _uneven(cells)):
        return error
    if plain and all(_DELIMITED.fullmatch(row.text) for row in plain):
        problem = "a delimiter after the last cell of a row"
        return plain[0].error(problem, "delimiters between cells only", len(plain[0].text) - 1)
    return None


def _several(rows: Sequence[TextLine]) -> PuzzleError | None:
    """The error of rows that are several grids, or a grid in pieces; None if they are not."""
    parts = [re.split(r"[^\S\t]{3,}", row.text) for row in rows]
    sizes = {len(part.split()) for row in parts for part in row}
    if len({*map(len, parts)}) == len(sizes) == 1 < min(len(parts[0]), len(rows) - 1):
        return rows[0].error("grids side by side", _ONE_GRID, 0)
    words = {len(CellStyle.words(row)) for row in rows[rows[0].text.isdecimal() :]}
    if words == {9, 18, 21}:
        return rows[0].error("grids that overlap, which are no single puzzle", "one grid", 0)
    widths = {len(re.findall("[,;\t]", row.raw)) + 1 for row in rows}
    for size in (16, 25, 36):
        if {size} in (words, widths) and len(rows) != size:
            side = isqrt(size)
            problem = f"lines of {size} numbers, which may be puzzles of {side}x{side}"
            return rows[-1].error(problem, f"--shape {side}x{side}, or {size} rows", 0)
    empty = next((row for row in rows if re.fullmatch("[,;\t]{3,}", row.raw)), None)
    if empty and len(widths) == 1 and empty not in (rows[0], rows[-1]):
        expected = "the cells without empty rows and columns between them"
        return empty.error("an empty row of a table", expected, 0)
    return None


def _glued(rows: Sequence[TextLine]) -> PuzzleError | None:
    """The error of the first two numbers without a blank between them; None if there are none."""
    words = [(row, match) for row in rows for match in re.finditer(r"\d+", row.text)]
    widths = sorted(len(match[0]) for _, match in words)
    width = widths[len(widths) // 2] if widths else 0
    if width > 1 and {*widths} == {width, 2 * width}:
        row, match = next(pair for pair in words if len(pair[1][0]) > width)
        expected = f"numbers of {width} digits with blanks between them"
        return row.error(f"two numbers together, {match[0]!r}", expected, match.start())
    return None


def _uneven(rows: Sequence[TextLine]) -> PuzzleError | None:
    """The error of a row with another number of cells than there are rows; None if none has."""
    size = len(rows)
    lengths = {len(word) for row in rows for word in CellStyle.words(row)}
    is_padded = len(lengths) == 1 < max(lengths)
    for unit, delimiter in product(Unit, (*",;\t", "")):
        widths = [len(CellStyle(unit, delimiter).cells(row)) for row in rows]
        at = next((at for at, width in enumerate(widths) if width != size), 0)
        is_first = widths[:1] != [size] or ((delimiter or is_padded) and at)
        if size > 3 and size in widths and is_first and 2 * min(widths) > size:
            expected = f"{size} cells in each row, with the blanks and zeros at its ends"
            return rows[at].error(f"a row of {widths[at]} cells", expected, 0)
    return None


def _label(rows: Sequence[TextLine]) -> TextLine | None:
    """The first of `rows` with labels of rows or columns; None if they have none."""
    words = [_words(row) for row in rows]
    if len(rows) < 4 or not all(words):
        return None
    for labels in _LABELS:
        header = [word for word in words[0] if word]
        if header == labels[: len(header)] and len(rows) == len(header) + 1:
            return rows[0]
        for first, end in product((0, 1), (0, -1)):  # with a header or without, on either side
            ends = [row[end].rstrip(".:)") for row in words[first:]]
            others = [row[1:] if not end else row[:-1] for row in words[first:]]
            lengths = {length for row in others for length in (len(row), len("".join(row)))}
            if ends == labels[: len(ends)] and len(ends) in lengths:
                return rows[first]
    return None


def _words(row: TextLine) -> list[str]:
    """The fields of a row between its delimiters in capitals, or its words without any."""
    fields = re.split(r"[,;=\t]", row.raw.strip(" \n"))
    return [field.strip().upper() for field in fields] if fields[1:] else CellStyle.words(row)
