"""Tables for a terminal."""

import re
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Final

from rich.console import Console

from harness.report.formatting import printable
from harness.report.render import grid
from harness.report.render.fold import Cells, parts
from harness.report.render.grid import GridColumn
from harness.report.style import PLAIN, Style, Theme
from harness.report.table import Column, Row, Section, Table

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
"""Columns whose numbers, and texts of cells, that report a failure."""
_GOOD: Final = frozenset({"fixed", "faster"})
_ALERT_LINE: Final = re.compile(
    r"(REGRESSION|DISAGREEMENT|SLOWDOWN|UNFINISHED RUN|PARTIAL COMPARISON)\b|.* was WRONG on "
)


def text(sections: Sequence[Section], width: int = WIDTH, theme: Theme = PLAIN) -> str:
    """The sections for a terminal of `width` columns."""
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
    names = _Names(width)
    for section in sections:
        if section.title:
            if out.getvalue() and not out.getvalue().endswith("\n\n"):
                console.print()
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


class _Names:
    """Short names of backends whose options are too long for a narrow table."""

    def __init__(self, width: int) -> None:
        self._wide = width > WIDTH + 40
        self._numbers: dict[str, int] = {}
        self._explained = 0

    def short(self, cell: str) -> str:
        """``cnf (1)`` for a long ``cnf[...]`` or ``cnf.py:Cnf``, other cells unchanged."""
        long = _LONG_NAME.fullmatch(cell)
        if self._wide or not long or len(cell) <= _LONGEST_NAME:
            return cell
        return f"{long['name']} ({self._numbers.setdefault(cell, len(self._numbers) + 1)})"

    def new(self) -> Iterator[str]:
        """A line on each short name that was not explained before."""
        for cell, number in list(self._numbers.items())[self._explained :]:
            yield f"({number}) {cell}"
        self._explained = len(self._numbers)


def _print(console: Console, table: Table, names: _Names, theme: Theme) -> None:
    below = [column for column in table.columns if column.whole]
    if below:
        for line in _listed(table, MOST_ROWS):
            console.print(line, soft_wrap=True)
    else:
        console.file.writelines(f"{line}\n" for line in _folded(table, console, names, theme))
        for line in (*names.new(), *filter(None, [table.hidden(MOST_LINES)])):
            console.print(line, soft_wrap=True)
    for note in table.notes:
        console.print(printable(note))
    console.print()


def _listed(table: Table, most: int) -> Iterator[str]:
    for row in table.rows(most):
        yield ", ".join(
            cell for c in table.columns if not c.whole and (cell := c.cell(row)) not in ("", "-")
        )
        for column in table.columns:
            if column.whole and column.cell(row):
                yield f"  {column.title}: {column.cell(row)}"
    if hidden := table.hidden(most):
        yield hidden


def _folded(table: Table, console: Console, names: _Names, theme: Theme) -> Iterator[str]:
    """The table in parts that fit into the terminal, all columns in one of them."""
    rows = list(table.rows(MOST_LINES))
    narrow = console.width <= WIDTH + 40
    cells = [
        Cells(
            (column.short or column.title) if narrow else column.title,
            [names.short(column.cell(row)) for row in rows],
            is_label=column.label,
            wraps=not column.number,
            block=column.block,
        )
        for column in table.columns
    ]
    styles = [[_style(column, row) for row in rows] for column in table.columns]
    for part in parts(cells, console.width):
        columns = [
            GridColumn(cells[n].title, cells[n].texts, styles[n], width, table.columns[n].number)
            for n, width in zip(part.columns, part.widths, strict=True)
        ]
        yield from grid.lines(columns, theme)


def _line_style(line: str) -> Style:
    return Style.BAD if _ALERT_LINE.match(line) else Style.PLAIN


def _style(column: Column, row: Row) -> Style:
    """The style of a cell."""
    value = column.value(row)
    if value in _GOOD:
        return Style.GOOD
    failed = column.number and column.key in _ALERTS and bool(value)
    return Style.BAD if failed or value in _ALERTS else Style.PLAIN
