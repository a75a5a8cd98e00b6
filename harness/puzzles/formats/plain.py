"""The second stage of reading: which of the layouts that a text allows reads all of it.

A text without a format of its own is lines or grids, of symbols, numbers or candidates, with one
of several delimiters. Each combination is tried on the first lines. The layout that reads them
all is taken; if none does, the error is that of the layout that came furthest; if two read
different puzzles, the text is refused.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby, pairwise, product
from typing import Final

from harness.base.errors import PuzzleError
from harness.base.text import shortened
from harness.puzzles.formats.candidates import text_of_candidates
from harness.puzzles.formats.format import (
    FILLERS,
    Format,
    Head,
    ReadSettings,
    Symbols,
    fail,
    letters_only,
    no_pencilmarks,
    with_candidates,
)
from harness.puzzles.formats.grids import grid_text, read_grids, text_of_numbers, with_box
from harness.puzzles.formats.lines import (
    LINE,
    fits,
    parse_lines,
    read_cells,
    read_lines,
    write_each_grid,
)
from harness.puzzles.formats.obstacles import obstacle
from harness.puzzles.formats.stream import ParsedPuzzle, TextLine, TextSource
from harness.puzzles.formats.tokens import (
    CellStyle,
    Unit,
    between_bars,
    is_array,
    is_text,
    rows_in,
    unfold,
)
from harness.puzzles.puzzle import Grid, Puzzle
from harness.puzzles.shape import LETTERED, Shape, value_of

_TRIED: Final = 110
"""Lines at the beginning of a text on which layouts are tried: a grid of the largest size."""
_MOST_AROUND: Final = 12
"""Lines beside a grid in which an error looks for text."""
_PLACE: Final = re.compile(r":([0-9]+)(?::[0-9]+)?$")
_DENSE: Final = re.compile(r"[\w.*@-]+", re.ASCII)
"""Symbols of cells without anything between them."""
_DIGITS: Final = re.compile(r"[\d.]{36,}")
"""A puzzle in a line, and nothing else."""
_FOOTER: Final = re.compile(r"\S+: \S+, [0-9]+ clues\b.*")
"""What the harness prints below the drawing of a puzzle."""
_CELLS: Final = re.compile(r"[\d.]{9}|(?:(?<![\d.])\d(?![\d.])\D+){4}")
"""What may be cells in a line of text."""
_MARKDOWN: Final = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
"""The line below the heading of a table."""
_WORD: Final = re.compile(r"[^\W\d_]{3}")
_SIZE: Final = re.compile(r"box|(?<!\d)(\d\d?)[ x\u00d7,]{1,3}(?!\1)\d\d?(?!\d)", re.IGNORECASE)
"""What may be a size of boxes in it."""
_NUMBERED: Final = re.compile(r"([0-9]{1,6})(?:[.):]\s*|\s+)(?=\S{16})|\[([0-9]{1,2}),\]\s*")
"""The number before a puzzle in a line, or before a row of a matrix of R."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Lines or grids in a style, as they are or in an array."""

    is_grid: bool
    style: CellStyle
    in_array: bool = False
    is_numbered: bool = False
    has_bars: bool = False
    """Whether bars in a line separate its rows."""
    lines: tuple[TextLine, ...] = ()
    """The lines of the only grid and all comments; empty if all lines of the text are read."""
    around: str = ""
    """The other lines."""
    shape: Shape | None = None
    """The shape of the only puzzle, if the number of its cells determines it."""

    def read(self, source: TextSource, reading: ReadSettings) -> Iterator[ParsedPuzzle]:
        """The puzzles of `source`.

        Raises:
            PuzzleError: a puzzle is malformed; with file, line and column.
        """
        if self == Layout(False, CellStyle()):
            return read_lines(source, reading)
        if self.is_numbered:
            kind = "row" if self.is_grid else "puzzle"
            reading.understand(f"passed over the number before each {kind}")
        if self.lines:
            reading.understand(f"passed over the text around the puzzle: {self.around}")
        reading = replace(reading, shape=reading.shape or self.shape)
        return self.parse(self.lines or source.lines(), reading)

    def parse(self, lines: Iterable[TextLine], reading: ReadSettings) -> Iterator[ParsedPuzzle]:
        """The puzzles of `lines`.

        Raises:
            PuzzleError: a puzzle is malformed; with file, line and column.
        """
        if self.in_array:
            lines = unfold(lines)
        if self.is_numbered:
            lines = map(_without_number, lines)
        if self.has_bars:
            lines = chain.from_iterable(map(_rows_between_bars, lines))
        if self.is_grid:
            return read_grids(lines, reading, self.style)
        return parse_lines(lines, reading, self.style.delimiter)

    def without(self, around: Sequence[TextLine], lines: Sequence[TextLine]) -> "Layout":
        """This layout for `lines`, which other lines stand `around`."""
        texts = (shortened(line.raw.strip(), 300) for line in around)
        others = " / ".join(filter(None, (*texts, self.around)))
        own = (line for line in self.lines or lines if line not in around)
        return replace(self, lines=tuple(own), around=others)

    @property
    def format_name(self) -> str:
        """The name of the format with this layout."""
        if not self.is_grid:
            return "line"
        return "grid" if self.style.unit is Unit.SYMBOLS else self.style.unit


_BETWEEN_SEMICOLONS: Final = re.compile(r"[^\s;][^;]*")
_PART: Final = re.compile(r"[^\s,;/\\\"']+")


def _rows_between_bars(line: TextLine) -> list[TextLine]:
    """The rows of a grid in one line; if the line is not such a grid, the line itself."""
    patterns = (_BETWEEN_SEMICOLONS, _PART)
    text = line.text.replace(r"\n", "  ")
    splits = ([line.part(*match.span()) for match in p.finditer(text)] for p in patterns)
    for parts in (between_bars(line), *splits):
        rows = [CellStyle.words(part) for part in parts]
        if len(rows) > 1 and all(len(rows) in (len(row), len("".join(row))) for row in rows):
            return parts
    return [line]


def _without_number(line: TextLine) -> TextLine:
    match = _NUMBERED.match(line.text)
    return line.part(match.end()) if match else line


@dataclass(slots=True)
class _Trial:
    """What became of the first lines of a text in a layout."""

    layout: Layout
    puzzles: list[Puzzle] = field(default_factory=list)
    error: PuzzleError | None = None

    def progress(self) -> tuple[bool, bool, int, int]:
        """How well the layout fits: without error, ambiguous only, by puzzles, by lines."""
        is_ambiguous = self.error is not None and " may be " in self.error.what
        return self.error is None, is_ambiguous, len(self.puzzles), self._line

    @property
    def _line(self) -> int:
        """The number of the line with the error."""
        match = _PLACE.search(self.error.where if self.error else "")
        return int(match[1]) if match else 0


def _try(
    layout: Layout, lines: Sequence[TextLine], is_whole: bool, reading: ReadSettings
) -> _Trial:
    trial, remaining = _Trial(layout), iter(lines)
    try:
        for parsed in layout.parse(remaining, reading):
            trial.puzzles.append(parsed.puzzle)
    except PuzzleError as error:
        if is_whole or next(remaining, None):  # a grid may go on after the last line
            trial.error = error
    return trial


def layout_of(head: Head, formats: Sequence[str] = ()) -> Layout:
    """The layout of a text with this beginning, of one of `formats` if there are any.

    Raises:
        PuzzleError: two layouts read different puzzles, or none reads the text because of an
            obstacle.
    """
    lines = head.lines[:_TRIED]
    is_whole = head.is_whole and len(lines) == len(head.lines)
    reading = replace(head.reading, is_trial=True, refuse=fail, understand=str)
    every = _layouts(lines, head.shape)
    layouts = [own for own in every if not formats or own.format_name in formats]
    grids = [layout for layout in layouts if layout.is_grid]
    dashed = (replace(layout, style=replace(layout.style, dashes=True)) for layout in grids)
    trials: list[_Trial] = []
    for group in (layouts, dashed):  # dashes are blanks in what cannot be read otherwise
        own = [_try(layout, lines, is_whole, reading) for layout in group]
        if readable := [trial for trial in own if trial.error is None and trial.puzzles]:
            break
        trials = trials or own
    if not readable:
        best = max(trials, key=_Trial.progress)
        if not is_whole and best.error is None:  # a grid longer than these lines
            return best.layout
        rows = [line for line in lines if line.text]
        if is_whole and not head.shape and (shape := _shape_of_line(lines)):
            known = replace(head, reading=replace(head.reading, shape=shape))
            return replace(layout_of(known, formats), shape=shape)
        if is_whole and _has_heading(rows):
            below = [line for line in lines if line is not rows[0]]
            return layout_of(replace(head, lines=below), formats).without(rows[:1], below)
        if is_whole and (line := _line_in_text(rows, lines)):
            return line
        if grid := _grid_in_text(rows, lines if is_whole else (), reading):
            return grid
        if error := obstacle(rows, is_whole):
            raise error
        return best.layout
    first = readable[0]
    for other in readable[1:]:
        if other.puzzles != first.puzzles:
            raise _ambiguous(first, other, head)
    return first.layout


def _shape_of_line(lines: Sequence[TextLine]) -> Shape | None:
    """The shape of a text with one line of 16 or 36 small numbers; None for any other.

    In a text with more lines, such a line may be a row of a larger grid.
    """
    lines = rows_in(lines) if is_array(lines) else lines
    rows = [line for line in lines if not CellStyle().between(line)]
    for delimiter in ("", *",;\t") if len(rows) == 1 else ():
        cells = CellStyle(Unit.NUMBERS, delimiter).cells(rows[0])
        values = [value_of(cell) if cell else 0 for _, cell in cells]
        if len(cells) in (16, 36) and all(v is not None and v**2 <= len(cells) for v in values):
            return Shape.of_length(len(cells))
    return None


def _line_in_text(rows: Sequence[TextLine], lines: Sequence[TextLine]) -> Layout | None:
    """The layout of the only line of digits between lines of text; None if there is none.

    Args:
        rows: the lines with content.
        lines: all lines of the text.
    """
    puzzles = [row for row in rows if _DIGITS.fullmatch(row.text) and fits(len(row.text))]
    around = [row for row in rows if row not in puzzles]
    has_words = all(re.search(r"[^\W\d_]{2}", row.text) for row in around)
    if len(puzzles) != 1 or not has_words or not all(map(_is_around, around)):
        return None
    return Layout(False, CellStyle()).without(around, lines)


def _grid_in_text(
    rows: Sequence[TextLine], lines: Sequence[TextLine], reading: ReadSettings
) -> Layout | None:
    """The layout of a grid that stands between lines of text; None if none does.

    Args:
        rows: the lines with content at the beginning of the text.
        lines: all lines of the text; empty if it is longer.
        reading: how a trial reads them.

    Raises:
        PuzzleError: the lines around the grid may have another meaning than text.
    """
    for dropped in range(1, min(len(rows) // 2, _MOST_AROUND) + 1):
        for first in range(dropped + 1):
            inside = rows[first : len(rows) - dropped + first]
            around = [*rows[:first], *rows[len(rows) - dropped + first :]]
            below = around[first:]
            is_text_below = all(re.search(r"[^\W\d_]{2}|[({[]", line.text) for line in below)
            if not is_text_below or any(_may_be_row(line, inside) for line in around):
                continue
            for layout in _layouts(inside, None):
                trial = _try(layout, inside, True, reading)
                if not layout.is_grid or trial.error or len(trial.puzzles) != 1:
                    continue
                digits = [line for line in inside if not re.search(r"[^\W\d_]", line.text)]
                is_clear = 2 * len(digits) > len(inside) and all(map(_is_around, around))
                if lines and is_clear:
                    return layout.without(around, lines)
                start, end = inside[0].number, inside[-1].number
                texts = [line.raw.strip() for line in around]
                problem = f"text or code beside a puzzle, {shortened(texts[0], 40)!r}"
                height, width = trial.puzzles[0].shape.box or (1, 1)
                other = f", with --shape box{width}x{height} for other boxes"
                is_size = height != width and not reading.shape and any(map(_SIZE.search, texts))
                boxes = other if is_size else ""
                expected = f"only the lines between {start} and {end}{boxes}"
                raise around[0].error(problem, expected, 0)
    return None


def _is_around(line: TextLine) -> bool:
    """Whether a line beside a grid of digits is text or code without cells."""
    is_code = re.search(r"[^\W\d_]{2}|^[^\w.]*$", line.text)
    text = _FOOTER.sub("", line.text)
    return is_code is not None and not (_CELLS.search(text) or _SIZE.search(text))


def _has_heading(rows: Sequence[TextLine]) -> bool:
    """Whether the first line of a table of Markdown is one more than it has columns."""
    borders = [at for at, row in enumerate(rows) if CellStyle().between(row) == "border"]
    is_table = borders == [1] and _MARKDOWN.fullmatch(rows[1].text) is not None
    return is_table and len(CellStyle(Unit.NUMBERS, "|").cells(rows[0])) == len(rows) - 2


def _may_be_row(line: TextLine, rows: Sequence[TextLine]) -> bool:
    """Whether a line beside `rows` may be another row, as it has their length and no word."""
    lengths = [len(row.text) for row in rows if not _WORD.search(row.text)]
    return 2 * len(line.text) > max(lengths, default=0) and not _WORD.search(line.text)


def _ambiguous(first: _Trial, second: _Trial, head: Head) -> PuzzleError:
    """The error of a text that two layouts read as different puzzles."""
    row = next(line for line in head.rows if not is_text(line))
    if first.layout.is_grid == second.layout.is_grid:
        names = sorted({trial.layout.format_name for trial in (first, second)})
        expected = " or ".join(f"--from {name}" for name in names)
        return row.error(f"the text may be of the format {' or '.join(names)}", expected)
    grid, line = (first, second) if first.layout.is_grid else (second, first)
    size, side = (trial.puzzles[0].shape.size for trial in (grid, line))
    return row.error(
        f"{size} lines of {size} symbols may be puzzles of {side}x{side} "
        f"or one grid of {size}x{size}",
        "the shape by name, with variants if it has any: "
        f"--shape {side}x{side} or --shape {size}x{size}, "
        f"or a first line such as # shape: {side}x{side}",
    )


def _layouts(lines: Sequence[TextLine], shape: Shape | None) -> Iterator[Layout]:
    """The layouts that a text with these first lines may have, the likeliest first."""
    in_array = is_array(lines)
    lines = rows_in(lines) if in_array else lines
    rows = [line for line in lines if not (CellStyle().between(line) or is_text(line))]
    has_bars = len(rows) == 1 and len(parts := _rows_between_bars(rows[0])) > 1
    rows = parts if has_bars else rows
    labels = [_NUMBERED.match(row.text) for row in rows]
    numbers = [int(label[1] or label[2]) if label else None for label in labels]
    start = numbers[0] if numbers else None
    is_numbered = start is not None and numbers == [*range(start, start + len(rows))]
    if len(rows) == 1:
        has_mark = re.match(r"[0-9]+(?:[):]|\.\s)", rows[0].text)
        is_numbered = has_mark is not None and fits(len(_without_number(rows[0]).text))
    delimiters = ["", *(d for d in "\t,;|" if rows and all(_has_fields(row, d) for row in rows))]
    is_matrix = is_numbered and all(label and label[2] for label in labels)
    rows = list(map(_without_number, rows)) if is_matrix else rows
    words = [word for row in rows for word in CellStyle.words(row)]
    in_lines = [Layout(False, CellStyle(delimiter=d), in_array, is_numbered) for d in delimiters]
    lengths = [*map(len, CellStyle.words(rows[0]))] if rows else [0]
    units = [Unit.SYMBOLS, Unit.NUMBERS]
    if LETTERED >= len(lengths) >= 10 and 1 < max(lengths) < 4:
        units.reverse()
    tabs = {row.raw.rstrip().count("\t") for row in rows} - {0}
    is_spaced = "\t" not in delimiters or len(tabs) < 2  # a tab more may be an empty field
    styles = (CellStyle(unit, d) for unit in units for d in delimiters if d or is_spaced)
    in_grids = [Layout(True, style, in_array, is_matrix, has_bars) for style in styles]
    if any(len(word) > 1 for word in words) and all(map(_may_be_candidates, words)):
        in_grids.append(Layout(True, CellStyle(Unit.CANDIDATES), in_array))
    length = len(rows[0].text) if rows else 0
    is_line = (length > LETTERED or fits(length)) and units[0] is Unit.SYMBOLS
    if shape is not None:
        is_line = abs(length - shape.size) > abs(length - shape.size**2)
    yield from (*in_lines, *in_grids) if is_line else (*in_grids, *in_lines)


def _has_fields(row: TextLine, delimiter: str) -> bool:
    """Whether a row has fields between delimiters, with at most one word in each."""
    if delimiter != "|":
        return max(row.raw.count(delimiter), row.text.count(delimiter)) > 2
    fields = [cell for _, cell in CellStyle(Unit.NUMBERS, "|").cells(row)]
    return len(fields) > 3 and all(len(field.split()) < 2 for field in fields)


def _may_be_candidates(word: str) -> bool:
    """Whether a word may be the candidates of a cell; one blank among groups is a mistake."""
    values = [value_of(symbol) or 0 for symbol in word]
    return values[0] > 0 and all(first < second for first, second in pairwise(values))


# The formats of lines and grids, and texts without a file.


def read_plain(
    source: TextSource, reading: ReadSettings, formats: Sequence[str] = ()
) -> Iterator[ParsedPuzzle]:
    """The puzzles of `source`, whatever its layout, or in one of `formats` if there are any.

    Raises:
        PuzzleError: a puzzle is malformed, or two layouts read different puzzles.
    """
    yield from layout_of(Head.from_source(source, reading), formats).read(source, reading)


GRID: Final = Format(
    name="grid",
    title="one row per line, with or without borders",
    read=partial(read_plain, formats=("grid", "numbers")),
    write=partial(
        write_each_grid,
        text=lambda parsed: grid_text(parsed.puzzle.givens, parsed.puzzle.shape),
        same=with_box,
    ),
    can_hold=no_pencilmarks,
    holds="every shape, without pencilmarks",
)
NUMBERS: Final = Format(
    name="numbers",
    title="one row of whole numbers per line, separated by blanks",
    read=partial(read_plain, formats=("numbers",)),
    write=partial(write_each_grid, text=text_of_numbers, symbols=False),
    can_hold=no_pencilmarks,
    holds="every shape, without pencilmarks",
)
CANDIDATES: Final = Format(
    name="candidates",
    title="a grid of the candidates of all cells, with or without borders",
    read=lambda source, reading: read_grids(source.lines(), reading, CellStyle(Unit.CANDIDATES)),
    write=partial(write_each_grid, text=text_of_candidates, same=with_box),
    can_hold=lambda parsed: letters_only(parsed.puzzle.shape) or with_candidates(parsed),
    holds="every shape up to 36x36, and pencilmarks; each cell has a candidate",
)


def plain_format(head: Head) -> Format:
    """The format of a text that has no format of its own: lines or grids.

    Raises:
        PuzzleError: two layouts read different puzzles.
    """
    layout = layout_of(head)
    formats = {format_.name: format_ for format_ in (LINE, GRID, NUMBERS, CANDIDATES)}
    return replace(formats[layout.format_name], read=layout.read)


def parse_plain(text: str, shape: Shape | None = None) -> Puzzle:
    """The single puzzle in `text`: a line, a grid, a boxed grid, or rows with bars between them.

    Raises:
        PuzzleError: `text` is malformed, or does not hold exactly one puzzle; with line
            and column.
    """
    reading = ReadSettings(shape, ambiguous=Symbols.LETTERS)
    if _DENSE.fullmatch(text) and fits(len(text), shape.size if shape else None):
        return read_cells(TextLine(text, 1, 0, "puzzle"), reading)  # needs no search for a layout
    return only(read_plain(TextSource.of_text(text, "puzzle"), reading)).puzzle


def only(puzzles: Iterable[ParsedPuzzle]) -> ParsedPuzzle:
    """The puzzle of a text that has one.

    Raises:
        PuzzleError: there is none, or there are several.
    """
    parsed = list(puzzles)
    if len(parsed) != 1:
        raise PuzzleError(f"the text holds {len(parsed)} puzzles", expected="one puzzle")
    return parsed[0]


# The output of programs: a solution among other lines.


_STYLES: Final = [CellStyle(), *(CellStyle(Unit.NUMBERS, between) for between in ("", ",", "|"))]


def solution_in(text: str, shape: Shape) -> Grid | None:
    """The first complete grid of `shape` in the output of a program; None without one.

    It is a line, or rows below each other, perhaps with borders or in an array.
    """
    source = TextSource.of_text(text, "output")
    every = [line for line in source.lines() if line.text]
    reading = ReadSettings(shape, ambiguous=Symbols.LETTERS, understand=str)
    for line in every:
        with suppress(PuzzleError):
            if all(grid := read_cells(line, reading).givens):
                return grid
    for lines, style in product((every, rows_in(every)), _STYLES):
        rows = (line for line in lines if style.between(line) != "border")
        for is_full, block in groupby(rows, partial(_is_full_row, style=style, size=shape.size)):
            with suppress(PuzzleError, StopIteration):
                if is_full:
                    return next(read_grids(block, reading, style)).puzzle.givens
    return None


def _is_full_row(line: TextLine, style: CellStyle, size: int) -> bool:
    """Whether a line has as many cells as a row, and none of them is a blank."""
    cells = style.cells(line)
    return len(cells) == size and all(cell.strip(FILLERS) for _, cell in cells)
