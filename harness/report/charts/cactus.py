"""Cactus plot: instances answered over time."""

import altair as alt
import pandas as pd

from harness.analysis.profiles import cactus
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.theme import Drawing


def frame(run: Run, points: int) -> pd.DataFrame:
    """The curves of `harness.analysis.cactus` with at most `points` steps each."""
    return cactus(run.results, points=points)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the number of instances answered against the time per instance."""
    axis = theme.time_axis(f"{theme.time_of(frame)} per instance", "x")
    drawing: Drawing = (
        alt.Chart(theme.inline_data(frame[["backend", "answered", "time_s"]]))
        .mark_line(interpolate="step-after", strokeWidth=2, clip=True)
        .encode(
            x=alt.X("time_s:Q", scale=theme.log_scale(), axis=axis),
            y=alt.Y("answered:Q", title="instances answered", scale=alt.Scale(zero=True)),
            color=theme.colour(frame),
            strokeDash=theme.dash(frame),
            tooltip=[
                "backend:N",
                alt.Tooltip("answered:Q", title="instances answered"),
                alt.Tooltip("time_s:Q", title="time (s)", format=".3s"),
            ],
        )
        .properties(width=theme.WIDTH, height=theme.HEIGHT)
    )
    return drawing
