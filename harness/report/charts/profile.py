"""Performance profile: share of instances answered within a factor of the fastest time."""

from typing import Final

import pandas as pd

from harness.analysis.profiles import performance_profile
from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.vega import Drawing, nominal, quantitative


def frame(run: Run, points: int) -> pd.DataFrame:
    """The curves of `harness.analysis.performance_profile` with at most `points` steps each."""
    steps = performance_profile(run.results, points=points)
    return pd.concat([steps, _ends(steps)], ignore_index=True) if len(steps) else steps


def _ends(steps: pd.DataFrame) -> pd.DataFrame:
    """For each curve its last share, at the end of the axis of its chart."""
    by_chart = steps.groupby(COMPARISON_GROUP, dropna=False, observed=True)
    end = _BEYOND * by_chart["tau"].transform("max")
    curves = steps.groupby([*COMPARISON_GROUP, "backend"], dropna=False, observed=True)
    return steps.assign(tau=end).loc[curves.tail(1).index]


_BEYOND: Final = 1.05
"""The end of the axis over the last step, so that the curve of a backend that is the fastest on
all instances has a length."""


def has_content(frame: pd.DataFrame) -> bool:
    """Whether there are two backends to compare."""
    return frame["backend"].nunique() > 1


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the share of instances answered within tau times the least time.

    Dolan and Moré, "Benchmarking optimization software with performance profiles", 2002.
    """
    time = theme.time_of(frame)
    spec = {
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
        "encoding": {
            "x": quantitative(
                "tau",
                title=f"{time} / fastest {time}",
                scale=theme.log_scale(domainMin=1),
                axis={"format": "~g", "tickCount": 6, "labelOverlap": "greedy"},
            ),
            "y": theme.share_axis(),
            "color": theme.colour(frame),
            "strokeDash": theme.dash(frame),
            "tooltip": [
                nominal("backend"),
                quantitative("tau", title="time / fastest"),
                quantitative("share", title="share of instances", format=".1%"),
            ],
        },
        "width": theme.WIDTH,
        "height": theme.HEIGHT,
    }
    return Drawing(spec, frame[["backend", "tau", "share"]])
