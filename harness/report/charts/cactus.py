"""How many puzzles does each backend answer within a time?"""

import altair as alt
import pandas as pd

from harness.analysis.profiles import cactus
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.theme import Drawing


def frame(run: Run, points: int) -> pd.DataFrame:
    """The curves of `harness.analysis.cactus` with so many steps each."""
    return cactus(run.results, points=points)


def chart(frame: pd.DataFrame) -> Drawing:
    """Puzzles answered against the time that each took: higher and further left is better."""
    drawn: Drawing = (
        alt.Chart(theme.data_of(frame[["backend", "answered", "time_s"]]))
        .mark_line(interpolate="step-after", strokeWidth=2, clip=True)
        .encode(
            x=alt.X("time_s:Q", scale=theme.log_scale(), axis=theme.times("time of a puzzle", "x")),
            y=alt.Y("answered:Q", title="puzzles answered", scale=alt.Scale(zero=True)),
            color=theme.colour(frame),
            strokeDash=theme.dash(frame),
            tooltip=["backend:N", "answered:Q", alt.Tooltip("time_s:Q", format=".3s")],
        )
        .properties(width=theme.WIDTH, height=theme.HEIGHT)
    )
    return drawn
