"""How often is each backend within a factor of the fastest?"""

import altair as alt
import pandas as pd

from harness.analysis.profiles import performance_profile
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.theme import Drawing


def frame(run: Run, points: int) -> pd.DataFrame:
    """The curves of `harness.analysis.performance_profile` with so many steps each."""
    return performance_profile(run.results, points=points)


def worth(frame: pd.DataFrame) -> bool:
    """Whether there are two to compare."""
    return frame["backend"].nunique() > 1


def chart(frame: pd.DataFrame) -> Drawing:
    """The share of puzzles answered within tau times the least time (Dolan and More, 2002)."""
    drawn: Drawing = (
        alt.Chart(theme.data_of(frame[["backend", "tau", "share"]]))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X(
                "tau:Q",
                title="times as long as the fastest",
                scale=theme.log_scale(domainMin=1),
                axis=alt.Axis(format="~g", tickCount=6, labelOverlap="greedy"),
            ),
            y=theme.share_of_puzzles(),
            color=theme.colour(frame),
            strokeDash=theme.dash(frame),
            tooltip=["backend:N", alt.Tooltip("tau:Q"), alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(width=theme.WIDTH, height=theme.HEIGHT)
    )
    return drawn
