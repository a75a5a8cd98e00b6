"""Share answered and median time by clue density."""

from typing import Any, Final

import pandas as pd

from harness.analysis.inference import share_interval
from harness.analysis.measure import rows_frame
from harness.analysis.results import GROUP_DTYPES
from harness.analysis.run import Run
from harness.report.charts import theme, transition
from harness.report.charts.clue_density import (
    TIME_DTYPES,
    density_axis,
    medians,
    times_of,
)
from harness.report.charts.vega import Drawing, Spec, nominal, quantitative

DTYPES: Final[dict[str, str]] = {
    **TIME_DTYPES,
    "answered": "float64",
    "answered_low": "float64",
    "answered_high": "float64",
}


def frame(run: Run) -> pd.DataFrame:
    """Share answered and median time of each backend, for each bin of clue density.

    The clue density is the share of cells that are given. Both values have intervals at the
    level `CONFIDENCE`: see `share_interval` and `median_interval`. Groups that the chart of
    `transition` shows are left out.
    """
    rows: list[dict[str, Any]] = []
    for group, table, satisfiable in transition.groups_with_satisfiability(run):
        if not satisfiable.empty:
            continue
        for (_, backend), part in table.groupby(["bin", "backend"], observed=True):
            answered = int(part["answered"].sum())
            low, high = share_interval(answered, len(part))
            shares = {
                "answered": answered / len(part),
                "answered_low": low,
                "answered_high": high,
            }
            rows.append(group | {"backend": backend} | times_of(part) | shares)
    return rows_frame(rows, DTYPES)


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the share answered at the top and the median time at the bottom, by clue density."""
    spec = {"vconcat": [_answered(frame), medians(frame)], "spacing": 8}
    return Drawing(spec, frame[["backend", *list(DTYPES)[len(GROUP_DTYPES) + 1 :]]])


def _answered(frame: pd.DataFrame) -> Spec:
    """The share answered of each backend with its interval."""
    shared = {"x": density_axis(frame), "color": theme.colour(frame, points=True)}
    share = quantitative(
        "answered",
        title="answered",
        axis={"format": "%", "tickCount": 3},
        scale={"domain": [0, 1]},
    )
    interval = {
        "mark": {"type": "rule", "strokeWidth": 1, "opacity": 0.6},
        "encoding": shared
        | {
            "y": quantitative("answered_low", title="answered"),
            "y2": {"field": "answered_high"},
        },
    }
    line = {
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": shared | {"y": share, "strokeDash": theme.dash(frame)},
    }
    point = {
        "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
        "encoding": shared
        | {
            "y": share,
            "shape": theme.shape(frame),
            "tooltip": [
                nominal("backend"),
                quantitative("density", title="clue density", format=".1%"),
                quantitative("answered", format=".0%"),
                quantitative("answered_low", title="interval from", format=".0%"),
                quantitative("answered_high", title="interval to", format=".0%"),
                quantitative("instances"),
            ],
        },
    }
    return {"layer": [interval, line, point], "width": theme.WIDTH, "height": 110}
