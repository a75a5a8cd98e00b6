"""Results in bins of clue density; their median times, and how they are drawn."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.inference import median_interval
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.run import Run
from harness.puzzles.shape import Shape
from harness.report.charts import theme
from harness.report.charts.vega import Spec, nominal, quantitative

BIN: Final = 0.025
"""The width of a bin of clue density; a multiple of it is in the middle of a bin."""
FEWEST_BINS: Final = 4
FEWEST_INSTANCES: Final = 3
"""Instances of a bin."""

TIME_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "density": "float64",
    "instances": "int64",
    "median_s": "float64",
    "median_low_s": "float64",
    "median_high_s": "float64",
}
"""The columns of `times_of`; ``instances`` is the number of results behind the median."""


def groups_of(run: Run) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """The comparison groups with their results on common instances, in bins of clue density.

    ``density`` is the mean clue density of the instances of the ``bin``. Bins with fewer than
    `FEWEST_INSTANCES` instances are left out, and so are groups with fewer than `FEWEST_BINS`
    bins and backends with a wrong answer.
    """
    table = run.eligible.common_results
    cells = table["shape"].astype("string").map(lambda spec: Shape.parse(spec).size ** 2)
    density = table["clues"].to_numpy(dtype=np.float64) / cells.to_numpy(dtype=np.float64)
    table = table.assign(density=density, bin=np.floor(density / BIN + 0.5 + 1e-9))
    for key, part in table.groupby(COMPARISON_GROUP, dropna=False, observed=True, sort=False):
        sizes = part.drop_duplicates("puzzle_id").groupby("bin").size()
        large = sizes.index[sizes >= FEWEST_INSTANCES]
        if len(large) >= FEWEST_BINS:
            group: dict[str, Any] = dict(zip(COMPARISON_GROUP, key, strict=True))
            kept = part[part["bin"].isin(large)]
            yield group, kept.assign(density=kept.groupby("bin")["density"].transform("mean"))


def times_of(part: pd.DataFrame) -> dict[str, Any]:
    """Density, number and median time of the results of a backend in a bin."""
    time = part["time_s"].to_numpy(dtype=np.float64)
    low, high = median_interval(time)
    return {
        "density": float(part["density"].iloc[0]),
        "instances": len(time),
        "median_s": float(np.median(time)),
        "median_low_s": low,
        "median_high_s": high,
    }


def density_axis(frame: pd.DataFrame, title: str | None = None) -> Spec:
    """The axis of clue density, over the densities of these rows."""
    least, most = float(frame["density"].min()), float(frame["density"].max())
    return quantitative(
        "density",
        title=title,
        axis={"format": ".0%", "tickCount": 8, "labelOverlap": "greedy"},
        scale={"domain": [least - BIN / 2, most + BIN / 2], "nice": False},
    )


def medians(frame: pd.DataFrame) -> Spec:
    """The median time of each backend with its interval, below another part."""
    y = {
        "scale": theme.log_scale(),
        "axis": theme.time_axis(f"median {theme.time_of(frame)}", "concat_1_y"),
    }
    times = theme.durations("median_s", "median_low_s", "median_high_s")
    shared = {
        "x": density_axis(frame, "clue density"),
        "color": theme.colour(frame, points=True),
    }
    interval = {
        "transform": [*times, {"filter": "isValid(datum.median_low_s)"}],
        "mark": {"type": "rule", "strokeWidth": 1, "opacity": 0.6},
        "encoding": shared
        | {"y": quantitative("median_low_s", **y), "y2": {"field": "median_high_s"}},
    }
    line = {
        "transform": times,
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": shared | {"y": quantitative("median_s", **y), "strokeDash": theme.dash(frame)},
    }
    point = {
        "transform": times,
        "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
        "encoding": shared
        | {
            "y": quantitative("median_s", **y),
            "shape": theme.shape(frame),
            "tooltip": [
                nominal("backend"),
                quantitative("density", title="clue density", format=".1%"),
                theme.duration_tooltip("median_s", "median"),
                theme.duration_tooltip("median_low_s", "interval from"),
                theme.duration_tooltip("median_high_s", "interval to"),
                quantitative("instances"),
            ],
        },
    }
    intervals = [interval] if frame["median_low_s"].notna().any() else []
    return {"layer": [*intervals, line, point], "width": theme.WIDTH, "height": 220}
