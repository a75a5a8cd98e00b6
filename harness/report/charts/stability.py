"""Can the times be repeated?"""

from typing import Any, Final

import altair as alt
import numpy as np
import pandas as pd

from harness.analysis.measure import rows_frame
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.run import Run
from harness.analysis.stability import UNSTABLE
from harness.report.charts import theme
from harness.report.charts.theme import Drawing

_LEAST: Final = 0.001
"""The smallest spread that is drawn."""

DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "spread": "float64",
    "share": "float64",
}


def frame(run: Run, points: int) -> pd.DataFrame:
    """For each comparison group and backend the share of puzzles whose spread is at most so much.

    The spread of a puzzle is as in `harness.analysis.stability`: the longest
    less the shortest time of its right answers, over their mean. `points`
    steps of a curve at most; nothing for trials that were not repeated.
    """
    by = [*COMPARISON_GROUP, "backend"]
    cell = [*by, "puzzle_id"]
    times = run.answers.groupby(cell, sort=False, dropna=False, observed=True)["wall_s"]
    cells = times.agg(["count", "min", "max", "mean"]).reset_index()
    cells = cells[cells["count"] > 1]
    cells["spread"] = (cells["max"] - cells["min"]) / cells["mean"]
    rows: list[dict[str, Any]] = []
    for key, table in cells.groupby(by, dropna=False, observed=True, sort=False):
        base = dict(zip(by, key, strict=True))
        spread = np.sort(table["spread"].to_numpy(dtype=np.float64))
        kept = np.unique(np.linspace(0, len(spread) - 1, min(len(spread), points)).astype(int))
        rows += [
            base | {"spread": max(_LEAST, float(spread[n])), "share": (n + 1) / len(spread)}
            for n in kept
        ]
    return rows_frame(rows, DTYPES)


def chart(frame: pd.DataFrame) -> Drawing:
    """The share of puzzles against the spread of their repetitions; further left is steadier.

    Beyond the line a puzzle counts as unstable.
    """
    percent = alt.Axis(
        title="spread of the repetitions, share of their mean",
        labelExpr="format(datum.value, '~%')",
        values=[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
    )
    curves = (
        alt.Chart(theme.data_of(frame[["backend", "spread", "share"]]))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("spread:Q", scale=theme.log_scale(), axis=percent),
            y=theme.share_of_puzzles(),
            color=theme.colour(frame),
            strokeDash=theme.dash(frame),
            tooltip=[
                "backend:N",
                alt.Tooltip("spread:Q", format=".1%"),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
    )
    limit = (
        alt.Chart(alt.InlineData(values=[{"at": UNSTABLE}]))
        .mark_rule(color=theme.QUIET, strokeDash=[4, 4])
        .encode(x=alt.X("at:Q", axis=percent))
    )
    return alt.layer(limit, curves).properties(width=theme.WIDTH, height=theme.HEIGHT)
