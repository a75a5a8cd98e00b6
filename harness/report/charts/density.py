"""Share answered and median time by clue density."""

from typing import Any, Final

import altair as alt
import pandas as pd

from harness.analysis.inference import share_interval
from harness.analysis.measure import rows_frame
from harness.analysis.results import GROUP_DTYPES
from harness.analysis.run import Run
from harness.report.charts import theme, transition
from harness.report.charts.clue_density import (
    TIME_DTYPES,
    density_axis,
    medians,
    times_of,
)
from harness.report.charts.theme import Drawing

DTYPES: Final[dict[str, str]] = {
    **TIME_DTYPES,
    "answered": "float64",
    "answered_low": "float64",
    "answered_high": "float64",
}


def frame(run: Run) -> pd.DataFrame:
    """Share answered and median time of each backend, for each bin of clue density.

    The clue density is the share of cells that are given. Both values have intervals at the
    level `CONFIDENCE`: see `share_interval` and `median_interval`. Groups that the chart of
    `transition` shows are left out.
    """
    rows: list[dict[str, Any]] = []
    for group, table, satisfiable in transition.groups_with_satisfiability(run):
        if not satisfiable.empty:
            continue
        for (_, backend), part in table.groupby(["bin", "backend"], observed=True):
            answered = int(part["answered"].sum())
            low, high = share_interval(answered, len(part))
            shares = {
                "answered": answered / len(part),
                "answered_low": low,
                "answered_high": high,
            }
            rows.append(group | {"backend": backend} | times_of(part) | shares)
    return rows_frame(rows, DTYPES)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the share answered at the top and the median time at the bottom, by clue density."""
    data = theme.inline_data(frame[["backend", *list(DTYPES)[len(GROUP_DTYPES) + 1 :]]])
    x = density_axis(frame)
    return alt.vconcat(_answered(frame, x.title(None)), medians(frame, x), data=data, spacing=8)


def _answered(frame: pd.DataFrame, x: alt.X) -> alt.LayerChart | alt.FacetChart:
    """The share answered of each backend with its interval."""
    base = alt.Chart().encode(x=x, color=theme.colour(frame, points=True))
    share = alt.Y(
        "answered:Q",
        title="answered",
        axis=alt.Axis(format="%", tickCount=3),
        scale=alt.Scale(domain=[0, 1]),
    )
    line = base.mark_line(strokeWidth=2).encode(y=share, strokeDash=theme.dash(frame))
    interval = base.mark_rule(strokeWidth=1, opacity=0.6).encode(
        y=alt.Y("answered_low:Q", title="answered"), y2=alt.Y2("answered_high:Q")
    )
    point = base.mark_point(filled=True, size=40, opacity=1).encode(
        y=share,
        shape=theme.shape(frame),
        tooltip=[
            alt.Tooltip("backend:N"),
            alt.Tooltip("density:Q", title="clue density", format=".1%"),
            alt.Tooltip("answered:Q", format=".0%"),
            alt.Tooltip("answered_low:Q", title="interval from", format=".0%"),
            alt.Tooltip("answered_high:Q", title="interval to", format=".0%"),
            alt.Tooltip("instances:Q"),
        ],
    )
    return alt.layer(interval, line, point, width=theme.WIDTH, height=110)
