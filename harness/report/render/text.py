"""Tables for a terminal."""

import re
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable

from harness.report.formatting import printable
from harness.report.render.fold import Cells, parts
from harness.report.table import Section, Table

WIDTH: Final = 80
_LONG_NAME: Final = re.compile(r"(?P<name>[^\[\s]+)(\.py:\w+(\[.*\])?|\[.*\])")
_LONGEST_NAME: Final = 12
"""Maximum number of letters of a backend in a narrow table."""
MOST_ROWS: Final = 12
"""Maximum number of rows of a table with a command for each row."""
MOST_LINES: Final = 60
"""Maximum number of rows of any other table; thirty backends make 435 pairs."""


def text(sections: Sequence[Section], width: int = WIDTH) -> str:
    """The sections for a terminal of `width` columns."""
    out = StringIO()
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False)
    names = _Names(width)
    for section in sections:
        if section.title:
            console.print(printable(section.title))
        for table in section.tables:
            if table.title:
                console.print(f"-- {printable(table.title)}")
            _print(console, table, names)
        for note in section.notes:
            # A command to copy is not wrapped.
            console.print(printable(note), soft_wrap=note.lstrip().startswith("again: "))
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


def _print(console: Console, table: Table, names: _Names) -> None:
    below = [column for column in table.columns if column.whole]
    if below:
        for line in _listed(table, MOST_ROWS):
            console.print(line, soft_wrap=True)
    else:
        for part in _folded(table, console.width, names):
            console.print(part)
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


def _folded(table: Table, width: int, names: _Names) -> Iterator[RichTable]:
    """The table in parts that fit into the terminal, all columns in one of them."""
    rows = list(table.rows(MOST_LINES))
    narrow = width <= WIDTH + 40
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
    for part in parts(cells, width):
        rich = RichTable(box=SIMPLE_HEAD, padding=0, show_edge=False)
        for n, own in zip(part.columns, part.widths, strict=True):
            if table.columns[n].number:
                rich.add_column(cells[n].title, justify="right", no_wrap=True, width=own)
            else:
                rich.add_column(cells[n].title, overflow="fold", width=own)
        for number in range(len(rows)):
            rich.add_row(*(cells[n].texts[number] for n in part.columns))
        yield rich
