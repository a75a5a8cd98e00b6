r"""Tables for LaTeX with the packages booktabs and graphicx; any text in them compiles.

A table is a fragment for ``\input`` in a document of the user, with a caption, a label and
comments that name the packages it needs. `document` puts the fragments into a document.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from harness.report.formatting import printable
from harness.report.table import Section, Table

MOST_ROWS: Final = 1000
"""Maximum number of rows of a table; the CSV has all."""
_PART: Final = 40
"""Number of rows that fit a page. A longer table is a sequence of parts, one on a page, which
have the same width and therefore the same scale."""

_PREAMBLE: Final = r"""% Tables of sudoku-harness. Compile this file with pdflatex.
\documentclass{article}
\usepackage[a4paper,landscape,margin=1.5cm]{geometry}
\usepackage{booktabs}
\usepackage{float}
\usepackage{graphicx}
\floatplacement{table}{H}
\setlength{\parindent}{0pt}
\begin{document}
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
    '"': r"\symbol{34}",  # \textquotedbl needs the encoding T1
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": r"{[}",  # at the start of a row it would be an argument of the row before
    "]": r"{]}",
    "*": r"{*}",  # so would this
}

_LIGATURES: Final = re.compile(r"([-,])(?=\1)")
"""Pairs of characters that the fonts would draw as one."""


@dataclass(frozen=True, slots=True)
class Fragment:
    r"""A table that a document reads with ``\input``."""

    name: str
    """The name of its file without ``.tex``, and of its label after ``tab:``; ``[a-z0-9-]+``."""
    text: str


def fragments(sections: Sequence[Section], remarks: Sequence[str] = ()) -> list[Fragment]:
    """One fragment for each table.

    Args:
        sections: the sections of the report.
        remarks: notes that are below every table, since each can be used on its own.
    """
    found: list[Fragment] = []
    taken: set[str] = set()
    for section in sections:
        for table in section.tables:
            name = _name(table, section, taken)
            found.append(Fragment(name, "\n".join(_lines(table, section, name, remarks)) + "\n"))
    return found


def document(sections: Sequence[Section]) -> str:
    """A complete document: the fragments under the headings of their sections, with all notes."""
    texts = iter(fragments(sections))
    parts = [_PREAMBLE]
    for section in sections:
        if section.title:
            parts.append(f"\\section*{{{escaped(section.title)}}}\n")
        parts += [next(texts).text for _ in section.tables]
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


def _name(table: Table, section: Section, taken: set[str]) -> str:
    """A name that is unique among `taken`, where it is added: ``ranks-seeds-solve-cold``."""
    parts = (table.name, *(section.of[key] for key in _NAMED if key in section.of))
    slugs = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")[:40] for part in parts)
    name = "-".join(filter(None, slugs))
    number, unique = 1, name
    while unique in taken:
        number += 1
        unique = f"{name}-{number}"
    taken.add(unique)
    return unique


_NAMED: Final = ("dataset", "task", "start")


def _lines(table: Table, section: Section, name: str, remarks: Sequence[str]) -> Iterator[str]:
    # Commands are for copying: they are in the CSV, not on paper.
    columns = [column for column in table.columns if not column.whole]
    of = "r" if not columns else "".join("r" if c.number else "l" for c in columns)
    head = [r"\toprule", _line([escaped(column.title) for column in columns]), r"\midrule"]
    cells_of = [[escaped(c.cell(row)) for c in columns] for row in table.rows(MOST_ROWS)]
    rows = [_line(cells) for cells in cells_of]
    title = table.title or table.name.capitalize()
    where = section.title if section.of else ""
    caption = f"\\caption{{{escaped('. '.join(filter(None, [title, where])))}.}}"
    label = f"\\label{{tab:{name}}}"
    notes = [escaped(n) for n in (*remarks, *table.notes, table.hidden(MOST_ROWS)) if n]
    yield f"% Table {name} of sudoku-harness, for \\input{{{name}}} in a document with"
    yield r"% \usepackage{booktabs} \usepackage{graphicx}"
    yield "% and, if LaTeX is older than 2020, \\usepackage{textcomp}"
    yield from (f"% {escaped(remark)}" for remark in remarks)
    top = (r"\centering", caption, label, r"\par\smallskip\small")
    below = [rf"\par\smallskip{{\footnotesize\raggedright {note}\par}}" for note in notes]
    if len(rows) <= _PART:
        yield from (r"\begin{table}", *top, *_scaled(of, [*head, *rows]), *below, r"\end{table}")
        return
    widest = [r"\hphantom{" + max(cells, key=len) + "}" for cells in zip(*cells_of, strict=True)]
    level = " & ".join(widest) + r" \\[-\normalbaselineskip]"
    parts = (rows[at : at + _PART] for at in range(0, len(rows), _PART))
    first, *more = (_scaled(of, [*head, *part, level]) for part in parts)
    yield r"{\par\makeatletter\def\@captype{table}\makeatother\centering"
    yield from (r"\noindent\begin{minipage}{\linewidth}", *top, *first, r"\end{minipage}")
    for part in more:
        yield from (r"\par\bigskip\small", *part)
    yield from (*below, r"\par}")


def _scaled(of: str, lines: Sequence[str]) -> Iterator[str]:
    """A tabular with these columns; one that is wider than the line is scaled down to it."""
    yield rf"\sbox0{{\begin{{tabular}}{{@{{}}{of}@{{}}}}"
    yield from (*lines, r"\bottomrule", r"\end{tabular}}%")
    yield r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi"


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
