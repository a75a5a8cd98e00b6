"""Search chart: time by number of search steps."""

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.measure import rows_frame
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.run import Run
from harness.analysis.times import TIME_S
from harness.integers import as_float
from harness.report.charts import theme
from harness.report.charts.vega import Drawing, nominal, quantitative

COUNTERS: Final = ("nodes", "branches", "decisions", "guesses", "conflicts")
"""Statistics that measure the size of a search, the preferred one first."""

DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "name": "string",
    "steps": "float64",
    "counter": "string",
    TIME_S: "float64",
}


def frame(run: Run, points: int) -> pd.DataFrame:
    """The first correct answer of each backend on each instance, `points` of them at most.

    ``steps`` is one more than the first of `COUNTERS` that the answer reports,
    and ``counter`` its name. Answers without a counter are omitted.
    """
    answers = run.eligible.answers
    right = answers[answers["repetition"] == 1]
    return rows_frame(list(_rows(right, points)), DTYPES)


def _rows(right: pd.DataFrame, points: int) -> Iterator[dict[str, Any]]:
    by = [*COMPARISON_GROUP, "backend"]
    columns = ["name", TIME_S, "stats"]
    for key, table in right.groupby(by, dropna=False, observed=True, sort=False):
        kept = np.unique(np.linspace(0, len(table) - 1, min(len(table), points)).astype(int))
        base = dict(zip(by, key, strict=True))
        for name, wall, stats in table[columns].iloc[kept].itertuples(index=False, name=None):
            counts = json.loads(stats)
            counter = next((name for name in COUNTERS if name in counts), None)
            steps = 0.0 if counter is None else as_float(counts[counter]) + 1
            if counter is not None and wall > 0 and isfinite(steps):
                row = {"name": name, "steps": steps, "counter": counter, TIME_S: wall}
                yield base | row


def counters(frame: pd.DataFrame) -> dict[str, list[str]]:
    """The backends of a chart by the name of the counter of their steps."""
    pairs = frame.drop_duplicates(["backend", "counter"]).sort_values(["counter", "backend"])
    found: dict[str, list[str]] = {}
    for backend, counter in zip(pairs["backend"], pairs["counter"], strict=True):
        found.setdefault(str(counter), []).append(str(backend))
    return found


def has_content(frame: pd.DataFrame) -> bool:
    """Whether any search has more than one step."""
    return bool(frame["steps"].max() > 1)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw time against search steps; the notes name the counter of each backend."""
    axis = theme.time_axis(f"{theme.time_of(frame)} per instance")
    spec = {
        "transform": theme.durations(TIME_S),
        "mark": {"type": "point", "filled": True, "size": 34, "opacity": 0.8},
        "encoding": {
            "x": quantitative(
                "steps",
                title="search steps + 1",
                scale=theme.log_scale(),
                axis={"format": "~s", "tickCount": 6, "labelOverlap": "greedy"},
            ),
            "y": quantitative(TIME_S, scale=theme.log_scale(), axis=axis),
            "color": theme.colour(frame, points=True),
            "shape": theme.shape(frame),
            "tooltip": [
                nominal("backend"),
                nominal("name", title="instance"),
                quantitative("steps", title="steps + 1"),
                nominal("counter", title="counted as"),
                theme.duration_tooltip(TIME_S, "time"),
            ],
        },
        "width": theme.WIDTH,
        "height": theme.HEIGHT,
    }
    return Drawing(spec, frame[["backend", "name", "steps", "counter", TIME_S]])
