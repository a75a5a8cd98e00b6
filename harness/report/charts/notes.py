"""Notes on a chart of a run: backends that it leaves out, and why."""

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, Final

import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.nodes import counters
from harness.report.formatting import number_of, printable, shortened

_WIDTH: Final = 90
"""Maximum number of characters of a line below the title of a chart."""
_MOST_NAMES: Final = 12
_LONGEST: Final = 40


def disqualified(run: Run, key: Mapping[str, Any], _: pd.DataFrame) -> list[str]:
    """The backends with a wrong answer, which no chart shows.

    Args:
        run: the run that the chart shows.
        key: the values of the columns that have a single value within the chart.
    """
    ranks = _of_chart(run, key)
    names = theme.display_names(run.backends)
    found = []
    for backend, rows in ranks[ranks["wrong"] > 0].groupby("backend", sort=True):
        count = number_of(int(rows["wrong"].sum()), "instance")
        datasets = [] if "dataset" in key else sorted(map(str, rows["dataset"].unique()))
        of = f" of {', '.join(printable(shortened(name, _LONGEST)) for name in datasets)}"
        found.append(f"{names[str(backend)]} ({count}{of if datasets else ''})")
    return _lines("Disqualified for wrong answers", found)


def counted(run: Run, key: Mapping[str, Any], frame: pd.DataFrame) -> list[str]:
    """`disqualified`, and what the backends of the chart of search steps count."""
    lines = disqualified(run, key, frame)
    for counter, names in counters(frame).items():
        lines += _lines(f"Steps counted as {counter}", names)
    return lines


def without_curve(run: Run, key: Mapping[str, Any], frame: pd.DataFrame) -> list[str]:
    """`disqualified`, and the backends that answered no instance and so have no curve."""
    ranks = _of_chart(run, key)
    none = ranks[(ranks["wrong"] == 0) & (ranks["answered"] == 0)]["backend"]
    names = theme.display_names(run.backends)
    unanswered = sorted(names[str(backend)] for backend in none)
    return [*disqualified(run, key, frame), *_lines("No instance answered", unanswered)]


def _of_chart(run: Run, key: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of the ranks that belong to a chart; of all datasets if it has no dataset."""
    ranks = run.ranks()
    for name in COMPARISON_GROUP:
        if key.get(name) is not None:
            ranks = ranks[ranks[name] == key[name]]
    return ranks


def _lines(what: str, names: Iterable[str]) -> list[str]:
    """``what: a, b, c``, in lines that fit below a title; nothing without names."""
    listed = list(names)
    if not listed:
        return []
    further = len(listed) - _MOST_NAMES
    more = [f"and {further} more"] if further > 0 else []
    text = f"{what}: {', '.join([*listed[:_MOST_NAMES], *more])}"
    return textwrap.wrap(text, _WIDTH, break_on_hyphens=False)
