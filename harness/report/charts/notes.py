"""Notes on a chart of a run: backends that it leaves out, and what its values count."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.report import left_out
from harness.report.charts import theme
from harness.report.charts.nodes import counters


def disqualified(run: Run, key: Mapping[str, Any], _: pd.DataFrame) -> list[str]:
    """The backends with a wrong answer, which no chart shows.

    Args:
        run: the run that the chart shows.
        key: the values of the columns that have a single value within the chart.
    """
    if run.eligible is run:
        return []
    ranks = run.ranks()
    wrong = _of_chart(ranks[ranks["wrong"] > 0], key)
    if wrong.empty:
        return []
    names = theme.display_names(run.backends)
    pooled = "dataset" not in key
    found = left_out.disqualified(wrong, names.__getitem__, pooled=pooled)
    return _lines(left_out.DISQUALIFIED, found)


def counted(run: Run, key: Mapping[str, Any], frame: pd.DataFrame) -> list[str]:
    """`disqualified`, and what the backends of the chart of search steps count."""
    lines = disqualified(run, key, frame)
    for counter, names in counters(frame).items():
        lines += _lines(f"Steps counted as {counter}", names)
    return lines


def without_curve(run: Run, key: Mapping[str, Any], frame: pd.DataFrame) -> list[str]:
    """`disqualified`, and the backends that answered no instance and so have no curve."""
    names = theme.display_names(run.backends)
    ranks = run.ranks()
    none = left_out.without_answer(_of_chart(ranks[ranks["answered"] == 0], key), names.__getitem__)
    return [*disqualified(run, key, frame), *_lines(left_out.WITHOUT_ANSWER, none)]


def _of_chart(ranks: pd.DataFrame, key: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of the ranks that belong to a chart; of all datasets if it has no dataset."""
    found = np.ones(len(ranks), dtype=bool)
    for name in COMPARISON_GROUP:
        if len(ranks) and key.get(name) is not None:
            found &= (ranks[name] == key[name]).to_numpy(dtype=bool, na_value=False)
    return ranks[found]


def _lines(what: str, names: list[str]) -> list[str]:
    return theme.lines(left_out.listed(what, names))
