"""How are the times of each backend spread?"""

from collections.abc import Iterator
from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from harness.analysis.measure import rows_frame
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.theme import Drawing

_QUANTILES: Final = {"low": 0.05, "lower": 0.25, "middle": 0.5, "upper": 0.75, "high": 0.95}

DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "kind": "string",
    **dict.fromkeys(_QUANTILES, "float64"),
    "time_s": "float64",
    "aside": "float64",
    "answered": "Int64",
    "failed": "string",
}


def frame(run: Run, points: int) -> pd.DataFrame:
    """For each comparison group and backend a row ``box`` with quantiles, and rows ``point``.

    Quantiles in seconds are over answered instances; ``failed`` says in words
    how many were not. Points are `points` answered instances at most, evenly
    chosen among the sorted ones, the extremes included; ``aside`` sets them apart.
    """
    return rows_frame(list(_rows(run.results, points)), DTYPES)


def _rows(results: pd.DataFrame, points: int) -> Iterator[dict[str, Any]]:
    by = [*COMPARISON_GROUP, "backend"]
    for key, table in results.groupby(by, dropna=False, observed=True, sort=False):
        base = dict(zip(by, key, strict=True))
        answered = table["answered"].to_numpy(dtype=bool)
        time = np.sort(table["time_s"].to_numpy(dtype=np.float64)[answered])
        failed = len(table) - len(time)
        told = f"{failed:,} of {len(table):,} not answered" if failed else ""
        box = {name: np.quantile(time, q) for name, q in _QUANTILES.items()} if len(time) else {}
        yield base | {"kind": "box", "answered": len(time), "failed": told} | box
        chosen = np.unique(np.linspace(0, len(time) - 1, min(len(time), points)).astype(int))
        for n, place in enumerate(chosen):
            # The golden ratio spreads neighbours as far apart as can be.
            yield base | {"kind": "point", "time_s": time[place], "aside": n * 0.618034 % 1}


def chart(frame: pd.DataFrame) -> Drawing:
    """Box: quartiles and median; whisker: 5 % to 95 %; points: single puzzles."""
    columns = ["backend", "kind", *_QUANTILES, "time_s", "aside", "failed", "answered"]
    base = alt.Chart(theme.data_of(frame[columns]))
    boxes = base.transform_filter("datum.kind == 'box' && datum.middle != null")
    axis = theme.times("time of a puzzle", "x")
    y = alt.Y("backend:N", title=None)
    scale = theme.log_scale()
    colour = theme.colour(frame, legend=False)
    points = (
        base.transform_filter("datum.kind == 'point'")
        .mark_circle(size=14, opacity=0.45)
        .encode(
            x=alt.X("time_s:Q", scale=scale, axis=axis),
            y=y,
            yOffset=alt.YOffset("aside:Q", scale=alt.Scale(domain=[-0.15, 1.15])),
            color=colour,
        )
    )
    tooltip = ["backend:N", *(alt.Tooltip(f"{n}:Q", format=".3s") for n in _QUANTILES)]
    whiskers = boxes.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q", y=y, color=colour
    )
    bodies = boxes.mark_bar(height=18, fillOpacity=0.25, strokeWidth=1.5).encode(
        x=alt.X("lower:Q", scale=scale, axis=axis),
        x2="upper:Q",
        y=y,
        color=colour,
        stroke=alt.Stroke("backend:N", scale=colour["scale"], legend=None),
        tooltip=tooltip,
    )
    middles = boxes.mark_tick(thickness=3, size=22).encode(
        x=alt.X("middle:Q", scale=scale, axis=axis), y=y, color=colour
    )
    failures = (
        base.transform_filter("datum.kind == 'box' && datum.failed != ''")
        .mark_text(align="right", dx=-2, dy=-20, fontSize=10)
        .encode(x=alt.value("width"), y=y, text="failed:N")
    )
    return alt.layer(points, whiskers, bodies, middles, failures).properties(
        width=theme.WIDTH, height=alt.Step(52)
    )
