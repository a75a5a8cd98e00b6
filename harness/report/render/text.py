"""Tables for a terminal.

No column is left out at any width: a table that is too wide has parts, and each part repeats the
columns that label the rows.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from harness.analysis.measures import columns as col
from harness.base.text import printable
from harness.report.formatting import PLAIN, Style, Theme, shown_backend
from harness.report.table import ReportTable, Row, Section, sort_value

# Columns of a table for a terminal, and its lines.


_FOLD_NARROWEST: Final = 8
"""Minimum width of a column of text that is wrapped."""


@dataclass(frozen=True, slots=True)
class TerminalColumn:
    """A column: its title, the texts of its cells, and how it may be laid out."""

    title: str
    texts: Sequence[str]
    styles: Sequence[Style] = ()
    is_number: bool = False
    """Whether its texts are aligned to the right and have one line each."""
    is_label: bool = False
    """Whether the column labels the rows, so that every part has it."""
    block: str = ""
    """Columns of the same block stay in one part if possible."""

    @property
    def width(self) -> int:
        """The width of the longest text, in columns of the terminal."""
        return max(map(cell_len, (self.title, *self.texts)))

    @property
    def least(self) -> int:
        """The minimum width of the column."""
        if self.is_number:
            return self.width
        return min(self.width, max(_FOLD_NARROWEST, cell_len(self.title)))

    def align(self, text: str, width: int) -> str:
        """The text, padded with blanks to a width."""
        blanks = " " * (width - cell_len(text))
        return blanks + text if self.is_number else text + blanks

    def lines(self, text: str, width: int) -> list[str]:
        """The text in lines of at most `width`; in one line if it must not be wrapped."""
        if self.is_number or cell_len(text) <= width:
            return [text]
        wrapped_lines = Text(text).wrap(Console(), width, overflow="fold")
        return [line.plain for line in wrapped_lines]


def lines(columns: Sequence[tuple[TerminalColumn, int]], theme: Theme) -> Iterator[str]:
    """The titles, a rule and the rows of columns with their widths, a blank between columns."""
    titles = (column.align(column.title, width) for column, width in columns)
    yield " ".join(theme.styled(title, Style.GIVEN) for title in titles)
    yield ("\u2500" if theme.unicode else "-") * _total(width for _, width in columns)
    texts = zip(*(column.texts for column, _ in columns), strict=True)
    styles = zip(*(column.styles for column, _ in columns), strict=True)
    for row, looks in zip(texts, styles, strict=True):
        cells = [
            column.lines(text, width) for (column, width), text in zip(columns, row, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            yield " ".join(
                theme.styled(column.align(part, width), look)
                for (column, width), part, look in zip(columns, parts, looks, strict=True)
            )


# Layout of a table in a terminal: columns that do not fit go into further parts.


def parts(columns: Sequence[TerminalColumn], width: int) -> list[dict[int, int]]:
    """Divide a table into parts of at most `width` columns of the terminal.

    Columns have a blank between them. Texts wrap if nothing else fits; a number that is wider
    than the terminal keeps its width, and labels never get narrower than their titles.

    Returns:
        The parts, each as the widths of its columns by their positions.
    """
    everything = range(len(columns))
    if _total(column.width for column in columns) <= width:
        return [{n: columns[n].width for n in everything}]
    last = max((n for n in everything if columns[n].is_label), default=0)
    labels, others = everything[: last + 1], everything[last + 1 :]
    label_columns = [columns[n] for n in labels]
    if others:
        # Labels on two lines are easier to read than a table in two parts.
        own = _widths_in([columns[n] for n in others], 0)
        widths = _label_widths(label_columns, width - _total(own) - 1)
        halves = all(2 * w >= label.width for w, label in zip(widths, label_columns, strict=True))
        if halves and _total([*widths, *own]) <= width:
            own = _widths_in([columns[n] for n in others], width - _total(widths) - 1)
            return [dict(zip(everything, (*widths, *own), strict=True))]
    widest = max((columns[n].least for n in others), default=-1)
    widths = _label_widths(label_columns, min(width // 2 if others else width, width - widest - 1))
    room = width - _total(widths) - 1
    parts_of_table = []
    for places in _division([columns[n] for n in others], room):
        positions = [others[n] for n in places]
        own = _widths_in([columns[n] for n in positions], room)
        parts_of_table.append(dict(zip((*labels, *positions), (*widths, *own), strict=True)))
    return parts_of_table or [dict(zip(labels, widths, strict=True))]


def _total(widths: Iterable[int]) -> int:
    """The width of columns with a blank between them."""
    every = list(widths)
    return sum(every) + len(every) - 1


def _label_widths(labels: Sequence[TerminalColumn], most: int) -> list[int]:
    """Widths of labels that take up at most `most` in all, if their minimum widths allow that."""
    widths = [label.width for label in labels]
    while _total(widths) > most:
        shrinkable = [n for n, w in enumerate(widths) if w > labels[n].least]
        if not shrinkable:
            break
        widths[max(shrinkable, key=lambda n: widths[n])] -= 1
    return widths


def _division(columns: Sequence[TerminalColumn], room: int) -> list[tuple[int, ...]]:
    """The positions of the columns of each part.

    It has the fewest parts of at most `room`, then the fewest blocks cut, then the narrowest widest
    part. A column wider than `room` is alone.
    """
    # For each number of columns the cost of their best division, and where its last part begins.
    best: list[tuple[tuple[int, int, int], int]] = [((0, 0, 0), 0)]
    for end in range(1, len(columns) + 1):
        divisions = []
        for begin in range(end - 1, -1, -1):
            width = _total(column.least for column in columns[begin:end])
            if width > room and end - begin > 1:
                break
            (count, cuts, widest), _ = best[begin]
            cuts_block = begin > 0 and columns[begin - 1].block == columns[begin].block
            divisions.append(((count + 1, cuts + cuts_block, max(widest, width)), begin))
        best.append(min(divisions))
    parts_of_best: list[tuple[int, ...]] = []
    end = len(columns)
    while end:
        begin = best[end][1]
        parts_of_best.insert(0, tuple(range(begin, end)))
        end = begin
    return parts_of_best


def _widths_in(columns: Sequence[TerminalColumn], room: int) -> list[int]:
    """The widths of the columns of a part: wrapped texts get the room that is left."""
    widths = [column.least for column in columns]
    while _total(widths) < room:
        short = [n for n, w in enumerate(widths) if w < columns[n].width]
        if not short:
            break
        widths[min(short, key=lambda n: widths[n])] += 1
    return widths


# Tables for a terminal.


WIDTH: Final = 80
_LONG_NAME: Final = re.compile(r"(?P<name>[^\[\s]+)(\.py:\w+(\[.*\])?|\[.*\])")
_LONGEST_NAME: Final = 12
"""Maximum number of letters of a backend in a narrow table."""
MOST_ROWS: Final = 12
"""Maximum number of rows of a table with a command for each row."""
MOST_LINES: Final = 60
"""Maximum number of rows of any other table; thirty backends make 435 pairs."""


_ALERTS: Final = frozenset(
    {"wrong", "crashed", "now wrong", "new failure", "more failures at the limit", "slower"}
)
"""Columns whose numbers report a failure, and texts of cells that report one."""
_GOOD: Final = frozenset({"fixed", "faster"})
_ALERT_LINE: Final = re.compile(
    r"(REGRESSION|DISAGREEMENT|SLOWDOWN|UNFINISHED RUN|PARTIAL COMPARISON)\b|.* was WRONG on |"
    r".*\bWRONG answers|answers DISAGREE"
)


def text(
    sections: Sequence[Section],
    width: int = WIDTH,
    theme: Theme = PLAIN,
    backends: Iterable[str] = (),
) -> str:
    """The sections for a terminal of `width` columns.

    Args:
        sections: the sections.
        width: the columns of the terminal.
        theme: its colours and letters.
        backends: the labels of all backends; the long names among them are numbered in this order,
            whether or not the tables show them.
    """
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=theme.colour,
        color_system="standard" if theme.colour else None,
    )
    names = _Names(width, backends)
    for section in sections:
        if out.getvalue() and (section.title or section.tables):
            console.print()
        if section.title:
            console.print(printable(section.title), style=_line_style(section.title))
        for table in section.tables:
            if table.title:
                console.print(f"-- {printable(table.title)}")
            _print(console, table, names, theme)
        for note in section.notes:
            # A command to copy is not wrapped.
            is_command = note.lstrip().startswith("again: ")
            console.print(printable(note), style=_line_style(note), soft_wrap=is_command)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


_MOST_ROWS: Final = 16
_MOST_NAMED_ROWS: Final = 20
"""Maximum number of rows on a first screen, including the lines for their long names."""


def most_rows(backends: Iterable[str]) -> int:
    """Maximum number of rows of a table on a first screen: fewer if long names have own lines."""
    names = sum(_long(shown_backend(name)) is not None for name in backends)
    return max(_MOST_NAMED_ROWS // 2, min(_MOST_ROWS, _MOST_NAMED_ROWS - names))


def _long(name: str) -> re.Match[str] | None:
    return _LONG_NAME.fullmatch(name) if len(name) > _LONGEST_NAME else None


class _Names:
    """Short names of backends whose options are too long for a narrow table."""

    def __init__(self, width: int, backends: Iterable[str]) -> None:
        self._wide = width > WIDTH + 40
        labels = sorted({printable(shown_backend(label)) for label in backends})
        self._numbers = {name: n for n, name in enumerate(filter(_long, labels), 1)}
        self._unexplained: set[str] = set()
        self._explained: set[str] = set()

    def short(self, cell: str) -> str:
        """``cnf (1)`` for a long ``cnf[...]`` or ``cnf.py:Cnf``, other cells unchanged."""
        long = _long(cell)
        if self._wide or not long:
            return cell
        self._unexplained |= {cell} - self._explained
        return f"{long['name']} ({self._numbers.setdefault(cell, len(self._numbers) + 1)})"

    def new(self) -> Iterator[str]:
        """A line about each short name that was not explained before."""
        for cell in sorted(self._unexplained, key=self._numbers.__getitem__):
            yield f"({self._numbers[cell]}) {cell}"
        self._explained |= self._unexplained
        self._unexplained.clear()


def _print(console: Console, table: ReportTable, names: _Names, theme: Theme) -> None:
    below = [column for column in table.columns if column.is_command]
    if below:
        for line in _command_lines(table, MOST_ROWS):
            console.print(line, soft_wrap=True)
    else:
        console.file.writelines(f"{line}\n" for line in _table_lines(table, console, names, theme))
        for line in (*names.new(), *filter(None, [table.more_line(MOST_LINES)])):
            console.print(line, soft_wrap=True)
    for note in table.notes:
        console.print(printable(note))
    console.print()


def _command_lines(table: ReportTable, most: int) -> Iterator[str]:
    for _, cells in table.rows(most):
        pairs = list(zip(table.columns, cells, strict=True))
        yield ", ".join(cell for c, cell in pairs if not c.is_command and cell not in ("", "-"))
        yield from (f"  {c.title}: {cell}" for c, cell in pairs if c.is_command and cell)
    if line := table.more_line(most):
        yield line


def _table_lines(
    table: ReportTable, console: Console, names: _Names, theme: Theme
) -> Iterator[str]:
    """The table in parts that fit into the terminal, without a column left out."""
    rows = list(table.rows(MOST_LINES))
    narrow = console.width <= WIDTH + 40
    columns = [
        TerminalColumn(
            (column.short or column.title) if narrow else column.title,
            [names.short(cells[n]) for _, cells in rows],
            [_style(column, row) for row, _ in rows],
            is_number=column.is_number,
            is_label=column.is_label,
            block=column.kind.value,
        )
        for n, column in enumerate(table.columns)
    ]
    for part in parts(columns, console.width):
        yield from lines([(columns[n], width) for n, width in part.items()], theme)


def _line_style(line: str) -> Style:
    return Style.BAD if _ALERT_LINE.match(line) else Style.PLAIN


def _style(column: col.Column, row: Row) -> Style:
    """The style of a cell."""
    value = sort_value(column, row)
    if value in _GOOD:
        return Style.GOOD
    is_failure = column.is_number and column.key in _ALERTS and bool(value)
    return Style.BAD if is_failure or value in _ALERTS else Style.PLAIN
