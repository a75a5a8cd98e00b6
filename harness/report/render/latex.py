"""Tables for LaTeX with the package booktabs; they compile whatever stands in them."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from harness.report.formatting import printable
from harness.report.tables.table import Section, Table

MOST_ROWS: Final = 1000
"""Rows of a table that are written; all of them are in the CSV."""

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
    "[": r"{[}",  # at the beginning of a row it would be an argument of the row before
    "]": r"{]}",
    "*": r"{*}",  # so would this
}

_LIGATURES: Final = re.compile(r"([-,])(?=\1)")
"""What the fonts would draw as one character if it stood together."""


def latex(sections: Sequence[Section]) -> str:
    """The sections as a document that compiles as it is, a table each as `longtable`."""
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

    A character beyond ASCII is written as its number, ``[U+05D0]``: pdflatex
    stops at those that its fonts do not have.
    """
    return _LIGATURES.sub(r"\1{}", "".join(map(_escaped, printable(text))))


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isascii() else f"{{[}}U+{ord(char):04X}{{]}}"


def _lines(table: Table) -> Iterator[str]:
    # What is to be copied has no place in a table on paper, and is in the CSV.
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
