"""Cactus plot: instances answered over time."""

from typing import Final

import altair as alt
import pandas as pd

from harness.analysis.profiles import cactus
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.theme import Drawing

_TICKS: Final = 8
"""The approximate maximum number of ticks of the axis of instances."""


def frame(run: Run, points: int) -> pd.DataFrame:
    """The curves of `harness.analysis.cactus` with at most `points` steps each."""
    return cactus(run.results, points=points)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the number of instances answered against the time per instance.

    A line at the top marks the number of all instances, which a perfect backend reaches.
    """
    rows = frame[["backend", "answered", "instances", "time_s"]]
    axis = theme.time_axis(f"{theme.time_of(frame)} per instance", "x")
    base = alt.Chart(theme.inline_data(rows))
    # No more ticks than instances: `tickMinStep` has no effect on the ticks of this scale.
    ticks = min(_TICKS, int(frame["instances"].max()))
    whole = alt.Axis(title="instances answered", tickCount=ticks)
    count = alt.Y("answered:Q", axis=whole, scale=alt.Scale(zero=True, nice=False))
    all_of_them = alt.Y("all:Q", axis=whole)
    curves = (
        base.transform_calculate(**theme.durations("time_s"))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("time_s:Q", scale=theme.log_scale(), axis=axis),
            y=count,
            color=theme.colour(frame),
            strokeDash=theme.dash(frame),
            tooltip=[
                alt.Tooltip("backend:N"),
                alt.Tooltip("answered:Q", title="instances answered"),
                theme.duration_tooltip("time_s", "time"),
            ],
        )
    )
    all_instances = base.transform_aggregate(all="max(instances)")
    end = all_instances.mark_rule(color=theme.MUTED, strokeDash=[4, 4]).encode(y=all_of_them)
    label = (
        all_instances.transform_calculate(
            label="format(datum.all, ',') + (datum.all == 1 ? ' instance' : ' instances')"
        )
        .mark_text(align="right", baseline="bottom", dy=-3, fontSize=10)
        .encode(x=theme.at_x("width"), y=all_of_them, text=alt.Text("label:N"))
    )
    drawing: Drawing = alt.layer(end, label, curves, width=theme.WIDTH, height=theme.HEIGHT)
    return drawing
