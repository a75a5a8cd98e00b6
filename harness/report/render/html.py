"""Tables as fragments of HTML without styles."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from harness.report.formatting import printable, shortened
from harness.report.table import Column, Row, Section, Table

MOST_ROWS: Final = 1000
"""Maximum number of rows of a table; the CSV has all."""


def fragment(table: Table, most: int | None = MOST_ROWS) -> str:
    """One table as ``<table>`` with its notes below, all texts escaped.

    Cells of numbers have the class ``number``. The ``data-value`` of a cell sorts it, values
    unrounded, empty if missing; the ``data-key`` of a header is the column of the frame.
    Texts are isolated in ``<bdi>``, so that none changes the direction of its row.
    """
    head = "".join(map(_head, table.columns))
    body = "".join(
        f"<tr>{''.join(_cell(column, row) for column in table.columns)}</tr>\n"
        for row in table.rows(most)
    )
    caption = f"<caption>{_text(table.title)}</caption>\n" if table.title else ""
    notes = [*table.notes, *filter(None, [table.hidden(most)])]
    return (
        f'<table class="measure" data-name="{escape(table.name)}">\n{caption}'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
        + "".join(f'<p class="note">{_text(note)}</p>\n' for note in notes)
    )


def fragments(
    sections: Sequence[Section], most: int | None = MOST_ROWS, *, hidden: bool = False
) -> str:
    """The sections, each as ``<section>`` with a heading of the second level.

    The section of a comparison group has its dataset, task, start and kind of time in
    ``data-dataset``, ``data-task``, ``data-start`` and ``data-time``.

    Args:
        sections: the sections to show.
        most: maximum number of rows of a table; None for all.
        hidden: whether the sections are hidden until a script shows them.
    """
    parts = []
    for section in sections:
        heading = f"<h2>{_text(section.title)}</h2>\n" if section.title else ""
        tables = "".join(fragment(table, most) for table in section.tables)
        notes = "".join(f"<li>{_text(note)}</li>\n" for note in section.notes)
        listed = f"<ul>\n{notes}</ul>\n" if notes else ""
        of = "".join(f' data-{name}="{escape(plain(value))}"' for name, value in section.of.items())
        of += " hidden" * hidden
        parts.append(f"<section{of}>\n{heading}{tables}{listed}</section>\n")
    return "".join(parts)


def _cell(column: Column, row: Row) -> str:
    tag = "code" if column.whole else "bdi"
    text = escape(column.cell(row))
    shown = text if column.number else f"<{tag}>{text}</{tag}>"
    value = "" if column.whole else escape(plain(column.value(row)))
    return f'<td{_class(column)} data-value="{value}">{shown}</td>'


def plain(value: Any) -> str:
    """A value for an attribute: numbers exact, texts printable and shortened."""
    if isinstance(value, float):
        return repr(float(value))
    return "" if value is None else printable(shortened(str(value)))


def _head(column: Column) -> str:
    key = escape(column.key)
    return f'<th scope="col"{_class(column)} data-key="{key}">{_text(column.title)}</th>'


def _class(column: Column) -> str:
    return ' class="number"' if column.number else ""


def _text(text: str) -> str:
    return escape(printable(text))
