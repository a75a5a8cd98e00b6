"""Does a backend need long because it searches much, or because each step is slow?"""

import json
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

COUNTERS: Final = ("nodes", "branches", "decisions", "guesses", "conflicts")
"""Under which names solvers tell the size of their search, the first one that is told."""

DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "name": "string",
    "steps": "float64",
    "counted": "string",
    "wall_s": "float64",
}


def frame(run: Run, points: int) -> pd.DataFrame:
    """The first right answer of each backend on `points` puzzles of each comparison group at most.

    ``steps`` is one more than the counter of `COUNTERS` that it tells, whose
    name is ``counted``; answers that tell none are left out.
    """
    right = run.answers[run.answers["repetition"] == 1]
    return rows_frame(list(_rows(right, points)), DTYPES)


def _rows(right: pd.DataFrame, points: int) -> Iterator[dict[str, Any]]:
    by = [*COMPARISON_GROUP, "backend"]
    columns = ["name", "wall_s", "stats"]
    for key, table in right.groupby(by, dropna=False, observed=True, sort=False):
        places = np.unique(np.linspace(0, len(table) - 1, min(len(table), points)).astype(int))
        base = dict(zip(by, key, strict=True))
        for name, wall, stats in table[columns].iloc[places].itertuples(index=False, name=None):
            told = json.loads(stats)
            counter = next((c for c in COUNTERS if c in told), None)
            if counter is not None and wall > 0:
                found = {"name": name, "steps": float(told[counter]) + 1, "counted": counter}
                yield base | found | {"wall_s": wall}


def worth(frame: pd.DataFrame) -> bool:
    """Whether any search had more than one step."""
    return bool(frame["steps"].max() > 1)


def chart(frame: pd.DataFrame) -> Drawing:
    """Time against the size of the search; what is counted differs by backend."""
    told = frame.drop_duplicates("backend")[["backend", "counted"]].to_dict("records")
    counted = ", ".join(f"{row['backend']}: {row['counted']}" for row in told)
    drawn: Drawing = (
        alt.Chart(theme.data_of(frame[["backend", "name", "steps", "counted", "wall_s"]]))
        .mark_point(filled=True, size=34, opacity=0.8)
        .encode(
            x=alt.X(
                "steps:Q",
                title=["1 + steps of the search", *_lines(counted)],
                scale=theme.log_scale(),
                axis=alt.Axis(format="~s", tickCount=6, labelOverlap="greedy"),
            ),
            y=alt.Y("wall_s:Q", scale=theme.log_scale(), axis=theme.times("time of a puzzle")),
            color=theme.colour(frame),
            shape=theme.shape(frame),
            tooltip=[
                "backend:N",
                alt.Tooltip("name:N", title="puzzle"),
                "steps:Q",
                alt.Tooltip("counted:N", title="counted as"),
                alt.Tooltip("wall_s:Q", title="time (s)", format=".3s"),
            ],
        )
        .properties(width=theme.WIDTH, height=theme.HEIGHT)
    )
    return drawn


def _lines(text: str, longest: int = 80) -> list[str]:
    lines = [""]
    for word in text.split(", "):
        if len(lines[-1]) + len(word) > longest and lines[-1]:
            lines.append("")
        lines[-1] += f"{', ' if lines[-1] else ''}{word}"
    return lines
