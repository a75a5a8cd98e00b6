"""Performance profile: share of instances answered within a factor of the fastest time."""

import altair as alt
import pandas as pd

from harness.analysis.profiles import performance_profile
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.theme import Drawing


def frame(run: Run, points: int) -> pd.DataFrame:
    """The curves of `harness.analysis.performance_profile` with at most `points` steps each."""
    return performance_profile(run.results, points=points)


def has_content(frame: pd.DataFrame) -> bool:
    """Whether there are two backends to compare."""
    return frame["backend"].nunique() > 1


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the share of instances answered within tau times the least time.

    Dolan and Moré, "Benchmarking optimization software with performance profiles", 2002.
    """
    time = theme.time_of(frame)
    drawing: Drawing = (
        alt.Chart(theme.inline_data(frame[["backend", "tau", "share"]]))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X(
                "tau:Q",
                title=f"{time} / fastest {time}",
                scale=theme.log_scale(domainMin=1),
                axis=alt.Axis(format="~g", tickCount=6, labelOverlap="greedy"),
            ),
            y=theme.share_axis(),
            color=theme.colour(frame),
            strokeDash=theme.dash(frame),
            tooltip=[
                "backend:N",
                alt.Tooltip("tau:Q", title="time / fastest"),
                alt.Tooltip("share:Q", title="share of instances", format=".1%"),
            ],
        )
        .properties(width=theme.WIDTH, height=theme.HEIGHT)
    )
    return drawing
