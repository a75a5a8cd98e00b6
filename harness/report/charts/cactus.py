"""How many puzzles does each backend answer within a time?"""

import altair as alt
import pandas as pd

from harness.analysis.profiles import cactus
from harness.analysis.run import Run
from harness.report.charts import look
from harness.report.charts.look import Drawing


def frame(run: Run, points: int) -> pd.DataFrame:
    """The curves of `harness.analysis.cactus` with so many steps each."""
    return cactus(run.instances, points=points)


def chart(frame: pd.DataFrame) -> Drawing:
    """Puzzles answered against the time that each took: higher and further left is better."""
    drawn: Drawing = (
        alt.Chart(look.data_of(frame[["backend", "answered", "time_s"]]))
        .mark_line(interpolate="step-after", strokeWidth=2, clip=True)
        .encode(
            x=alt.X("time_s:Q", scale=look.log_scale(), axis=look.times("time of a puzzle", "x")),
            y=alt.Y("answered:Q", title="puzzles answered", scale=alt.Scale(zero=True)),
            color=look.colour(frame),
            strokeDash=look.dash(frame),
            tooltip=["backend:N", "answered:Q", alt.Tooltip("time_s:Q", format=".3s")],
        )
        .properties(width=look.WIDTH, height=look.HEIGHT)
    )
    return drawn
