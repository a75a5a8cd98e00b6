"""Tables for LaTeX with the package booktabs; any text in them compiles."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from harness.report.formatting import printable
from harness.report.table import Section, Table

MOST_ROWS: Final = 1000
"""Maximum number of rows of a table; the CSV has all."""

PREAMBLE: Final = r"""% Tables of sudoku-harness. Put the parts into a document that has
% \usepackage{booktabs}, or compile this file.
\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[a4paper,landscape,margin=1cm]{geometry}
\usepackage{booktabs}
\usepackage{longtable}
\setlength{\parindent}{0pt}
\begin{document}
\small
"""

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
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": r"{[}",  # at the start of a row it would be an argument of the row before
    "]": r"{]}",
    "*": r"{*}",  # so would this
}

_LIGATURES: Final = re.compile(r"([-,])(?=\1)")
"""Pairs of characters that the fonts would draw as one."""


def latex(sections: Sequence[Section]) -> str:
    """The sections as a complete document, each table as a `longtable`."""
    parts = [PREAMBLE]
    for section in sections:
        if section.title:
            parts.append(f"\\section*{{{escaped(section.title)}}}\n")
        parts += ["\n".join(_lines(table)) + "\n" for table in section.tables]
        if section.notes:
            parts.append("\n\n".join(map(escaped, section.notes)) + "\n")
    return "\n".join(parts) + "\n\\end{document}\n"


def escaped(text: str) -> str:
    """`text` as LaTeX that prints it.

    A character beyond ASCII becomes its number, ``[U+05D0]``: pdflatex stops at characters
    that its fonts lack.
    """
    return _LIGATURES.sub(r"\1{}", "".join(map(_escaped, printable(text))))


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isascii() else f"{{[}}U+{ord(char):04X}{{]}}"


def _lines(table: Table) -> Iterator[str]:
    # Commands are for copying: they are in the CSV, not on paper.
    columns = [column for column in table.columns if not column.whole]
    if table.title:
        yield f"\\subsection*{{{escaped(table.title)}}}"
    yield "% table: " + table.name
    yield f"\\begin{{longtable}}{{@{{}}{''.join('r' if c.number else 'l' for c in columns)}@{{}}}}"
    yield "\\toprule"
    yield _line([escaped(column.title) for column in columns])
    yield "\\midrule"
    yield "\\endhead"
    for row in table.rows(MOST_ROWS):
        yield _line([escaped(column.cell(row)) for column in columns])
    yield "\\bottomrule"
    yield "\\end{longtable}"
    for note in (*table.notes, table.hidden(MOST_ROWS)):
        if note:
            yield ""
            yield escaped(note)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
