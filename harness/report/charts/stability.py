"""Stability chart: spread of repeated times."""

from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.measure import rows_frame
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.run import Run
from harness.analysis.stability import UNSTABLE, spreads
from harness.report.charts import theme
from harness.report.charts.vega import Drawing, nominal, quantitative

_LEAST: Final = 0.001
"""The smallest spread that the logarithmic axis shows."""

DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "spread": "float64",
    "share": "float64",
}


def frame(run: Run, points: int) -> pd.DataFrame:
    """Share of the results of each backend whose spread is at most ``spread``.

    The spread of a result is as in `harness.analysis.stability`: the longest
    minus the shortest time of its correct answers, over their mean. A curve has
    at most `points` steps; results without a repetition and those of calls are omitted.
    """
    by = [*COMPARISON_GROUP, "backend"]
    results = spreads(run.eligible.common_answers)
    rows: list[dict[str, Any]] = []
    for key, table in results.groupby(by, dropna=False, observed=True, sort=False):
        base = dict(zip(by, key, strict=True))
        spread = np.sort(table["spread"].to_numpy(dtype=np.float64))
        kept = np.unique(np.linspace(0, len(spread) - 1, min(len(spread), points)).astype(int))
        rows += [
            base | {"spread": max(_LEAST, float(spread[n])), "share": (n + 1) / len(spread)}
            for n in kept
        ]
    return rows_frame(rows, DTYPES)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the share of instances against the spread of their times, and the limit of stability."""
    percent = {
        "title": f"(longest - shortest) / mean of the repeated {theme.time_of(frame)}s",
        "labelExpr": "format(datum.value, '~%')",
        "values": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
    }
    curves = {
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
        "encoding": {
            "x": quantitative("spread", scale=theme.log_scale(), axis=percent),
            "y": theme.share_axis(),
            "color": theme.colour(frame),
            "strokeDash": theme.dash(frame),
            "tooltip": [
                nominal("backend"),
                quantitative("spread", format=".1%"),
                quantitative("share", title="share of instances", format=".1%"),
            ],
        },
    }
    limit = {
        "data": {"values": [{"at": UNSTABLE}]},
        "mark": {"type": "rule", "color": theme.MUTED, "strokeDash": [4, 4]},
        "encoding": {"x": quantitative("at", axis=percent)},
    }
    spec = {"layer": [limit, curves], "width": theme.WIDTH, "height": theme.HEIGHT}
    return Drawing(spec, frame[["backend", "spread", "share"]])
