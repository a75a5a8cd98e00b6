"""Tables as fragments of HTML without styles."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import repeat
from typing import Any

from harness.analysis.measures import columns as col
from harness.base.text import printable, shortened
from harness.report import ReportTable, Section, sort_value

Link = Callable[[col.Column, Mapping[str, Any]], str]
"""The address to which a cell leads; empty for none."""


def fragment(table: ReportTable, most: int | None = None, link: Link | None = None) -> str:
    """One table as ``<table>`` with its notes below, all texts escaped.

    Cells of numbers have the class ``number``. The ``data-value`` of a cell sorts it, values
    unrounded, empty if missing; the ``data-key`` of a header is the column of the frame.
    Texts are isolated in ``<bdi>``, so that none changes the direction of its row.

    With `link` the table is for a page without scripts: cells have links, but no values to sort
    them, and the table scrolls in a box of its own.
    """
    head = "".join(
        f'<th scope="col"{_class(c)} data-key="{escape(c.key)}">{_text(c.title)}</th>'
        for c in table.columns
    )
    tags = [f"<td{_class(column)}" for column in table.columns]
    body = "".join(
        f"<tr>{''.join(map(_cell, table.columns, tags, repeat(row), cells, repeat(link)))}</tr>\n"
        for row, cells in table.rows(most)
    )
    caption = f"<caption>{_text(table.title)}</caption>\n" if table.title else ""
    notes = [*table.notes, *filter(None, [table.more_line(most)])]
    whole = (
        f'<table class="measure" data-name="{escape(table.name)}">\n{caption}'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
    )
    return (whole if link is None else scrolling(whole, table.title or table.name)) + (
        "".join(f'<p class="note">{_text(note)}</p>\n' for note in notes)
    )


def scrolling(content: str, label: str, kind: str = "scroll") -> str:
    """A box that scrolls its content, by keyboard too; a screen reader reads the label."""
    return (
        f'<div class="{kind}" role="group" aria-label="{_text(label)}" tabindex="0">\n'
        f"{content}</div>\n"
    )


def html_fragments(
    sections: Sequence[Section],
    most: int | None = None,
    *,
    is_hidden: bool = False,
    link: Link | None = None,
) -> str:
    """The sections, each as ``<section>`` with a heading of the second level.

    The section of a comparison group has its dataset, task, start and kind of time in
    ``data-dataset``, ``data-task``, ``data-start`` and ``data-time``.

    Args:
        sections: the sections to show.
        most: maximum number of rows of a table; None for all.
        is_hidden: whether the sections are hidden until a script shows them.
        link: the links of cells on a page without scripts; see `fragment`.
    """
    parts = []
    for section in sections:
        heading = f"<h2>{_text(section.title)}</h2>\n" if section.title else ""
        tables = "".join(fragment(table, most, link) for table in section.tables)
        notes = "".join(f"<li>{_text(note)}</li>\n" for note in section.notes)
        note_list = f"<ul>\n{notes}</ul>\n" if notes else ""
        attributes = "".join(
            f' data-{name}="{escape(plain(value))}"' for name, value in section.group.items()
        )
        attributes += " hidden" if is_hidden else ""
        parts.append(f"<section{attributes}>\n{heading}{tables}{note_list}</section>\n")
    return "".join(parts)


def _cell(
    column: col.Column, opening: str, row: Mapping[str, Any], text: str, link: Link | None
) -> str:
    """A cell, whose tag begins with `opening`."""
    tag = "code" if column.is_command else "bdi"
    content = escape(text) if opening != "<td" else f"<{tag}>{escape(text)}</{tag}>"
    if link is not None:
        address = link(column, row)
        anchor = f'<a href="{escape(address)}">{content}</a>' if address else content
        return f"{opening}>{anchor}</td>"
    value = "" if column.is_command else escape(plain(sort_value(column, row)))
    return f'{opening} data-value="{value}">{content}</td>'


def plain(value: Any) -> str:
    """A value for an attribute: numbers exact, texts printable and shortened."""
    if isinstance(value, float):
        return repr(float(value))
    return "" if value is None else printable(shortened(str(value)))


def _class(column: col.Column) -> str:
    return ' class="number"' if column.is_number else ""


def _text(text: str) -> str:
    return escape(printable(text))
