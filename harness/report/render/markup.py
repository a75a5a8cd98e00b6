r"""Tables as Markdown and LaTeX.

A LaTeX table is a fragment for ``\input`` in a document of the user, with a caption, a label and
comments that name the packages it needs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Final

from harness.base.text import printable
from harness.report.formatting import file_name
from harness.report.table import ReportTable, Section

MOST_ROWS: Final = 1000
"""Maximum number of rows of a table; the CSV has all."""

# Tables for GitHub-flavoured Markdown.

_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~$#!])")


def markdown(sections: Sequence[Section]) -> str:
    """The sections, each with a heading of the second level."""
    parts = []
    for section in sections:
        if section.title:
            parts.append(f"## {escaped_for_markdown(section.title)}")
        for table in section.tables:
            if table.title:
                parts.append(f"### {escaped_for_markdown(table.title)}")
            parts.append("\n".join(_lines_markdown(table)))
            parts += [escaped_for_markdown(note) for note in table.notes]
        if section.notes:
            parts.append("\n".join(f"- {escaped_for_markdown(note)}" for note in section.notes))
    return "\n\n".join(parts) + "\n"


def escaped_for_markdown(text: str) -> str:
    """`text` with everything escaped that has a meaning in Markdown or HTML."""
    text = _SPECIAL.sub(r"\\\1", printable(text))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("://", ":&#47;/")


def _code(text: str) -> str:
    """`text` as code in a cell, in a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    inner = f" {text} " if text.startswith("`") or text.endswith("`") else text
    return f"{fence}{inner}{fence}".replace("|", "\\|") if text else ""


def _lines_markdown(table: ReportTable) -> Iterator[str]:
    yield _line_markdown([escaped_for_markdown(column.title) for column in table.columns])
    yield _line_markdown(["---:" if column.is_number else "---" for column in table.columns])
    escapes = [_code if column.is_command else escaped_for_markdown for column in table.columns]
    for _, cells in table.rows(MOST_ROWS):
        yield _line_markdown([escape(cell) for escape, cell in zip(escapes, cells, strict=True)])
    if line := table.more_line(MOST_ROWS):
        yield ""
        yield escaped_for_markdown(line)


def _line_markdown(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


# Tables for LaTeX with the packages booktabs and graphicx; any text in them compiles.

_PART: Final = 40
"""Number of rows that fit on a page. A longer table is a sequence of parts, one on a page, which
have the same width and therefore the same scale."""

_ESCAPES: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # \textquotedbl needs the encoding T1
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": r"{[}",  # at the start of a row it would be an argument of the row before
    "]": r"{]}",
    "*": r"{*}",  # so would this
    "µ": r"\textmu{}",
}

_LIGATURES: Final = re.compile(r"([-,])(?=\1)")
"""Pairs of characters that the fonts would draw as one."""


@dataclass(frozen=True, slots=True)
class Fragment:
    r"""A table that a document reads with ``\input``."""

    name: str
    """The name of its file without ``.tex``, and of its label after ``tab:``; ``[a-z0-9-]+``."""
    text: str


def latex_fragments(sections: Sequence[Section], remarks: Sequence[str] = ()) -> list[Fragment]:
    """One fragment for each table.

    Args:
        sections: the sections of the report.
        remarks: notes that are below every table, since each can be used on its own.
    """
    fragments: list[Fragment] = []
    names: set[str] = set()
    for section in sections:
        for table in section.tables:
            group = (
                section.group[key] for key in ("dataset", "task", "start") if key in section.group
            )
            name = file_name((table.name, *group), names)
            fragments.append(
                Fragment(name, "\n".join(_lines_latex(table, section, name, remarks)) + "\n")
            )
    return fragments


def escaped_for_latex(text: str) -> str:
    """`text` as LaTeX that prints it.

    A character beyond ASCII becomes its number, ``[U+05D0]``: pdflatex stops at characters
    that its fonts lack.
    """
    return _LIGATURES.sub(r"\1{}", "".join(map(_escape, printable(text))))


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isascii() else f"{{[}}U+{ord(char):04X}{{]}}"


def _lines_latex(
    table: ReportTable, section: Section, name: str, remarks: Sequence[str]
) -> Iterator[str]:
    # Commands are for copying: they are in the CSV, not on paper.
    is_printed = [not column.is_command for column in table.columns]
    columns = list(compress(table.columns, is_printed))
    alignment = "r" if not columns else "".join("r" if c.is_number else "l" for c in columns)
    head = [
        r"\toprule",
        _line_latex([escaped_for_latex(column.title) for column in columns]),
        r"\midrule",
    ]
    cells_of = [
        [*map(escaped_for_latex, compress(cells, is_printed))] for _, cells in table.rows(MOST_ROWS)
    ]
    rows = [_line_latex(cells) for cells in cells_of]
    title = table.title or table.name.capitalize()
    where = section.title if section.group else ""
    caption = f"\\caption{{{escaped_for_latex('. '.join(filter(None, [title, where])))}.}}"
    label = f"\\label{{tab:{name}}}"
    notes = [
        escaped_for_latex(n) for n in (*remarks, *table.notes, table.more_line(MOST_ROWS)) if n
    ]
    yield f"% Table {name} of sudoku-harness, for \\input{{{name}}} in a document with"
    yield r"% \usepackage{booktabs} \usepackage{graphicx}"
    yield "% and, if LaTeX is older than 2020, \\usepackage{textcomp}"
    yield from (f"% {escaped_for_latex(remark)}" for remark in remarks)
    top = (r"\centering", caption, label, r"\par\smallskip\small")
    below = [rf"\par\smallskip{{\footnotesize\raggedright {note}\par}}" for note in notes]
    if len(rows) <= _PART:
        lines = _tabular(alignment, [*head, *rows])
        yield from (r"\begin{table}", *top, *lines, *below, r"\end{table}")
        return
    widest = [r"\hphantom{" + max(cells, key=len) + "}" for cells in zip(*cells_of, strict=True)]
    level = " & ".join(widest) + r" \\[-\normalbaselineskip]"
    parts = (rows[at : at + _PART] for at in range(0, len(rows), _PART))
    first, *more = (_tabular(alignment, [*head, *part, level]) for part in parts)
    yield r"{\par\makeatletter\def\@captype{table}\makeatother\centering"
    yield from (r"\noindent\begin{minipage}{\linewidth}", *top, *first, r"\end{minipage}")
    for part in more:
        yield from (r"\par\bigskip\small", *part)
    yield from (*below, r"\par}")


def _tabular(alignment: str, lines: Sequence[str]) -> Iterator[str]:
    """A tabular with these columns; one that is wider than the line is scaled down to it."""
    yield rf"\sbox0{{\begin{{tabular}}{{@{{}}{alignment}@{{}}}}"
    yield from (*lines, r"\bottomrule", r"\end{tabular}}%")
    yield r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi"


def _line_latex(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
