"""Cactus plots of a run for a terminal."""

import string
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pandas as pd

from harness.analysis.run import Run
from harness.report import left_out
from harness.report.formatting import printable, shortened, shown_backend
from harness.report.render.plot import Curve, plot
from harness.report.tables.contents import group_of, group_title, split

LETTERS: Final = string.ascii_uppercase + string.ascii_lowercase
"""The marks of curves; further backends are listed as not drawn."""
_LONGEST_NAME: Final = 40


def cactus(run: Run, width: int) -> str:
    """The cactus plot of each comparison group, with a legend, in lines of `width` columns.

    A curve shows how many instances a backend answered within a time each; it ends at its
    slowest answer. Backends and instances are those of `harness.analysis.profiles.cactus`.
    """
    marks = dict(zip(run.backends, LETTERS, strict=False))
    several_hosts = len(run.hosts) > 1
    frames = {_key(key): rows for key, rows in split(run.cactus())}
    parts = []
    for key, ranks in split(run.ranks()):
        title = group_title(group_of(key, run), None, several_hosts)
        lines = textwrap.wrap(f"-- Cactus plot: {printable(title)}", width)
        rows = frames.get(_key(key))
        if rows is not None:
            lines += _plotted(rows, marks, width)
        wrong = left_out.disqualified(ranks, _name)
        lines += _sentence(left_out.DISQUALIFIED, wrong, width)
        none = left_out.without_answer(ranks, _name)
        lines += _sentence(left_out.WITHOUT_ANSWER, none, width)
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _plotted(rows: pd.DataFrame, marks: Mapping[str, str], width: int) -> Iterator[str]:
    total = int(rows["instances"].max())
    curves: dict[str, Curve] = {}
    names, hidden = [], []
    for label, part in rows.groupby("backend", sort=True):
        mark = marks.get(str(label))
        if mark is None:
            hidden.append(_name(str(label)))
            continue
        curves[mark] = list(zip(part["time_s"], part["answered"], strict=True))
        names.append(f"{mark} {_name(str(label))} ({int(part['answered'].max()):,})")
    yield from plot(curves, total, width)
    yield from _wrapped(names, width)
    yield from _sentence("Not drawn", hidden, width)


def _wrapped(entries: Sequence[str], width: int) -> Iterator[str]:
    """The entries in lines of at most `width` columns, several in a line if they fit."""
    line = ""
    for entry in entries:
        if line and len(line) + 3 + len(entry) > width:
            yield line
            line = ""
        line += f"{'   ' if line else ''}{entry}"
    if line:
        yield line


def _sentence(what: str, names: list[str], width: int) -> list[str]:
    return textwrap.wrap(left_out.listed(what, names), width, break_on_hyphens=False)


def _name(label: str) -> str:
    return printable(shortened(shown_backend(label), _LONGEST_NAME))


def _key(key: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(map(str, key))
