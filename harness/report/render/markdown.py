"""Tables for GitHub-flavoured Markdown."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from harness.report.formatting import printable
from harness.report.table import Section, Table

MOST_ROWS: Final = 1000
"""Maximum number of rows of a table; the CSV has all."""

_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~$#!])")


def markdown(sections: Sequence[Section]) -> str:
    """The sections, each with a heading of the second level."""
    parts = []
    for section in sections:
        if section.title:
            parts.append(f"## {escaped(section.title)}")
        for table in section.tables:
            if table.title:
                parts.append(f"### {escaped(table.title)}")
            parts.append("\n".join(_lines(table)))
            parts += [escaped(note) for note in table.notes]
        if section.notes:
            parts.append("\n".join(f"- {escaped(note)}" for note in section.notes))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """`text` with everything escaped that has a meaning in Markdown or HTML."""
    text = _SPECIAL.sub(r"\\\1", printable(text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("://", ":&#47;/")


def _code(text: str) -> str:
    """`text` as code in a cell, in a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    inner = f" {text} " if text.startswith("`") or text.endswith("`") else text
    return f"{fence}{inner}{fence}".replace("|", "\\|") if text else ""


def _lines(table: Table) -> Iterator[str]:
    yield _line([escaped(column.title) for column in table.columns])
    yield _line(["---:" if column.number else "---" for column in table.columns])
    for row in table.rows(MOST_ROWS):
        yield _line(
            [
                _code(column.cell(row)) if column.whole else escaped(column.cell(row))
                for column in table.columns
            ]
        )
    if hidden := table.hidden(MOST_ROWS):
        yield ""
        yield escaped(hidden)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
