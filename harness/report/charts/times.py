"""Box plot: distribution of the times of each backend."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.measure import rows_frame
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.run import Run
from harness.report.charts import theme
from harness.report.charts.vega import Drawing, Spec, nominal, quantitative

_QUANTILES: Final = {"low": 0.05, "lower": 0.25, "middle": 0.5, "upper": 0.75, "high": 0.95}

DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "kind": "string",
    **dict.fromkeys(_QUANTILES, "float64"),
    "time_s": "float64",
    "offset": "float64",
    "answered": "Int64",
    "failed": "string",
}


def frame(run: Run, points: int) -> pd.DataFrame:
    """One row ``box`` with quantiles for each backend of a comparison group, and rows ``point``.

    Quantiles are over the times of answered instances, in seconds; ``failed`` is
    the number of other instances as text. At most `points` answered instances are
    points, evenly spaced in the order of their times, with both extremes;
    ``offset`` separates them vertically.
    """
    return rows_frame(list(_rows(run.eligible.common_results, points)), DTYPES)


def _rows(results: pd.DataFrame, points: int) -> Iterator[dict[str, Any]]:
    by = [*COMPARISON_GROUP, "backend"]
    for key, table in results.groupby(by, dropna=False, observed=True, sort=False):
        base = dict(zip(by, key, strict=True))
        answered = table["answered"].to_numpy(dtype=bool)
        time = np.sort(table["time_s"].to_numpy(dtype=np.float64)[answered])
        failed = len(table) - len(time)
        text = f"{failed:,} of {len(table):,} without an answer" if failed else ""
        box = {name: np.quantile(time, q) for name, q in _QUANTILES.items()} if len(time) else {}
        yield base | {"kind": "box", "answered": len(time), "failed": text} | box
        kept = np.unique(np.linspace(0, len(time) - 1, min(len(time), points)).astype(int))
        for n, position in enumerate(kept):
            # Multiples of the golden ratio keep neighbours far apart.
            yield base | {"kind": "point", "time_s": time[position], "offset": n * 0.618034 % 1}


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw quartiles and median as a box, 5 % to 95 % as whiskers, instances as points."""
    columns = ["backend", "kind", *_QUANTILES, "time_s", "offset", "failed", "answered"]
    y = nominal("backend", title=None, axis=theme.name_axis())
    colour = theme.colour(frame, legend=False)
    at = {
        "scale": theme.log_scale(),
        "axis": theme.time_axis(f"{theme.time_of(frame)} per instance", "x"),
    }
    points = {
        "transform": [{"filter": "datum.kind == 'point'"}],
        "mark": {"type": "circle", "size": 14, "opacity": 0.45},
        "encoding": {
            "x": quantitative("time_s", **at),
            "y": y,
            "yOffset": quantitative("offset", scale={"domain": [-0.15, 1.15]}),
            "color": colour,
        },
    }

    def of_box(mark: Spec, **channels: Any) -> Spec:
        box = {"filter": "datum.kind == 'box' && datum.middle != null"}
        return {
            "transform": [box, *theme.durations(*_QUANTILES)],
            "mark": mark,
            "encoding": {"y": y, "color": colour, **channels},
        }

    whiskers = of_box(
        {"type": "rule", "strokeWidth": 1.5}, x=quantitative("low", **at), x2={"field": "high"}
    )
    bodies = of_box(
        {"type": "bar", "height": 18, "fillOpacity": 0.25, "strokeWidth": 1.5},
        x=quantitative("lower", **at),
        x2={"field": "upper"},
        stroke=nominal("backend", scale=colour["scale"], legend=None),
        tooltip=[
            nominal("backend"),
            *(
                theme.duration_tooltip(name, "median" if q == 0.5 else f"{q:.0%}")
                for name, q in _QUANTILES.items()
            ),
        ],
    )
    middles = of_box({"type": "tick", "thickness": 3, "size": 22}, x=quantitative("middle", **at))
    failures = {
        "transform": [{"filter": "datum.kind == 'box' && datum.failed != ''"}],
        "mark": {"type": "text", "align": "right", "dx": -2, "dy": -20, "fontSize": 10},
        "encoding": {"x": {"value": "width"}, "y": y, "text": nominal("failed")},
    }
    layers = [points, whiskers, bodies, middles, failures]
    spec = {"layer": layers, "width": theme.WIDTH, "height": {"step": 52}}
    return Drawing(spec, frame[columns])
