"""Box plot: distribution of the times of each backend."""

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
    "offset": "float64",
    "answered": "Int64",
    "failed": "string",
}


def frame(run: Run, points: int) -> pd.DataFrame:
    """One row ``box`` with quantiles for each backend of a comparison group, and rows ``point``.

    Quantiles are over the times of answered instances, in seconds; ``failed`` is
    the number of other instances as text. At most `points` answered instances are
    points, evenly spaced in the order of their times, with both extremes;
    ``offset`` separates them vertically.
    """
    return rows_frame(list(_rows(run.eligible.common_results, points)), DTYPES)


def _rows(results: pd.DataFrame, points: int) -> Iterator[dict[str, Any]]:
    by = [*COMPARISON_GROUP, "backend"]
    for key, table in results.groupby(by, dropna=False, observed=True, sort=False):
        base = dict(zip(by, key, strict=True))
        answered = table["answered"].to_numpy(dtype=bool)
        time = np.sort(table["time_s"].to_numpy(dtype=np.float64)[answered])
        failed = len(table) - len(time)
        text = f"{failed:,} of {len(table):,} without an answer" if failed else ""
        box = {name: np.quantile(time, q) for name, q in _QUANTILES.items()} if len(time) else {}
        yield base | {"kind": "box", "answered": len(time), "failed": text} | box
        kept = np.unique(np.linspace(0, len(time) - 1, min(len(time), points)).astype(int))
        for n, position in enumerate(kept):
            # Multiples of the golden ratio keep neighbours far apart.
            yield base | {"kind": "point", "time_s": time[position], "offset": n * 0.618034 % 1}


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw quartiles and median as a box, 5 % to 95 % as whiskers, instances as points."""
    columns = ["backend", "kind", *_QUANTILES, "time_s", "offset", "failed", "answered"]
    base = alt.Chart(theme.inline_data(frame[columns]))
    boxes = base.transform_filter(
        "datum.kind == 'box' && datum.middle != null"
    ).transform_calculate(**theme.durations(*_QUANTILES))
    axis = theme.time_axis(f"{theme.time_of(frame)} per instance", "x")
    y = alt.Y("backend:N", title=None, axis=theme.name_axis())
    scale = theme.log_scale()
    colour = theme.colour(frame, legend=False)
    points = (
        base.transform_filter("datum.kind == 'point'")
        .mark_circle(size=14, opacity=0.45)
        .encode(
            x=alt.X("time_s:Q", scale=scale, axis=axis),
            y=y,
            yOffset=alt.YOffset("offset:Q", scale=alt.Scale(domain=[-0.15, 1.15])),
            color=colour,
        )
    )
    tooltip = [
        alt.Tooltip("backend:N"),
        *(
            theme.duration_tooltip(name, "median" if q == 0.5 else f"{q:.0%}")
            for name, q in _QUANTILES.items()
        ),
    ]
    whiskers = boxes.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("low:Q", scale=scale, axis=axis), x2=alt.X2("high:Q"), y=y, color=colour
    )
    bodies = boxes.mark_bar(height=18, fillOpacity=0.25, strokeWidth=1.5).encode(
        x=alt.X("lower:Q", scale=scale, axis=axis),
        x2=alt.X2("upper:Q"),
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
        .encode(x=theme.at_x("width"), y=y, text=alt.Text("failed:N"))
    )
    return alt.layer(
        points, whiskers, bodies, middles, failures, width=theme.WIDTH, height=alt.Step(52)
    )
