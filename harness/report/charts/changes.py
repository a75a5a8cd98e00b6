"""Charts of a comparison of two runs: changes in time by backend and by instance."""

from typing import Any, Final

import pandas as pd

from harness.analysis.changes import SAME
from harness.analysis.comparison import Comparison
from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.times import limits
from harness.report.charts import scatter, theme
from harness.report.charts.chart import ChartKind
from harness.report.charts.vega import Drawing, Spec, nominal, quantitative
from harness.report.formatting import printable, shortened

_ALL_DATASETS: Final = tuple(name for name in COMPARISON_GROUP if name != "dataset")
_LONGEST: Final = 24


def factors(comparison: Comparison, _: int) -> pd.DataFrame:
    """The rows of `Comparison.times` with a factor; without an interval it is its own interval."""
    times = comparison.times.dropna(subset=["factor"])
    several = times["dataset"].nunique() > 1
    return times.assign(
        suffix=times["dataset"].map(_suffix).astype("string") if several else "",
        low=times["factor_low"].fillna(times["factor"]),
        high=times["factor_high"].fillna(times["factor"]),
    )


def draw_factors(frame: pd.DataFrame) -> Drawing:
    """Draw the factor of each backend and dataset with its interval; insignificant ones pale.

    Lines mark equal times and the least factors that count.
    """
    labels = frame["backend"].astype("string").str.cat(frame["suffix"])
    rows = frame.assign(**{theme.ROW_LABEL: labels})
    time = theme.time_of(frame)
    order = list(rows.sort_values("factor", ascending=False)[theme.ROW_LABEL])
    columns = ["backend", theme.ROW_LABEL, "change", "factor", "low", "high", "instances"]
    counts = float(frame["least_factor"].iloc[0])
    least = min(float(frame["low"].min()), 1 / counts) / 1.02
    most = max(float(frame["high"].max()), counts) * 1.02
    x = {
        "scale": theme.log_scale(domain=[least, most]),
        "axis": {
            "title": f"{time} after / {time} before",
            "labelExpr": "format(datum.value, '.3~r') + 'x'",
            "tickCount": 6,
            "labelOverlap": "greedy",
        },
    }
    axis = theme.name_axis(labelLimit=260)
    shared = {
        "y": nominal(theme.ROW_LABEL, title=None, sort=order, axis=axis),
        "color": theme.colour(frame, legend=False),
        "opacity": {
            "condition": {"test": f"datum.change == '{SAME}'", "value": 0.45},
            "value": 1.0,
        },
    }
    interval = {
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": shared | {"x": quantitative("low", **x), "x2": {"field": "high"}},
    }
    point = {
        "mark": {"type": "point", "filled": True, "size": 70},
        "encoding": shared
        | {
            "x": quantitative("factor", **x),
            "shape": theme.shape(frame) | {"legend": None},
            "tooltip": [
                nominal(theme.ROW_LABEL, title="backend"),
                nominal("change"),
                quantitative("factor", title="factor", format=".3r"),
                quantitative("low", title="interval from", format=".3r"),
                quantitative("high", title="interval to", format=".3r"),
                quantitative("instances"),
            ],
        },
    }
    layers = [_reference_lines(counts), interval, point]
    spec = {"layer": layers, "width": theme.WIDTH, "height": {"step": 26}}
    return Drawing(spec, rows[columns])


def _reference_lines(least_factor: float) -> Spec:
    """A line at a factor of 1, and dashed lines at the least factors that count."""
    lines = [{"at": 1.0, "kind": "equal"}]
    lines += [{"at": at, "kind": "meaningful"} for at in (least_factor, 1 / least_factor)]
    dashes = {"domain": ["equal", "meaningful"], "range": [[1, 0], [4, 3]]}
    return {
        "data": {"values": lines},
        "mark": {"type": "rule", "color": theme.MUTED},
        "encoding": {
            "x": quantitative("at"),
            "strokeDash": nominal("kind", legend=None, scale=dashes),
        },
    }


def _suffix(dataset: str) -> str:
    return f", {printable(shortened(dataset, _LONGEST))}"


def instances(comparison: Comparison, points: int) -> pd.DataFrame:
    """The time of each instance before and after, failures at their rails.

    Each backend and comparison group keeps at most `points` instances, failures first. A
    backend with a wrong answer in either run is left out.
    """
    parts: list[pd.DataFrame] = []
    by = [*COMPARISON_GROUP, "backend"]
    for _, part in comparison.pairs.groupby(by, dropna=False, observed=True, sort=False):
        if (part[["wrong_before", "wrong_after"]] > 0).any(axis=None):
            continue
        failed = ~(part["answered_before"] & part["answered_after"]).to_numpy(dtype=bool)
        parts.append(part.iloc[scatter.sample(failed, points)])
    table = pd.concat(parts, ignore_index=True) if parts else comparison.pairs.iloc[:0]
    coordinates: dict[str, Any] = {"x": table["before"], "y": table["after"]}
    for axis, side in (("x_s", "before"), ("y_s", "after")):
        rails = scatter.rails(table[side], limits(table))
        coordinates[axis] = table[f"{side}_s"].where(table[f"answered_{side}"], rails)
    return table[[*by, "name"]].assign(**coordinates)


def draw_instances(frame: pd.DataFrame) -> Drawing:
    """Draw the time after against the time before; slower instances lie above the diagonal."""
    sides = ("before", "after")
    time = theme.time_of(frame)
    return scatter.draw_points(frame, (f"{time} before", f"{time} after"), sides)


CHANGES: Final[tuple[ChartKind[Comparison], ...]] = (
    ChartKind(
        name="factors",
        title="Change in time by backend",
        description="Geometric mean over instances of the time after / the time before, with a "
        "95 % bootstrap interval. Further right is slower. Dashed lines: the least "
        "factor that counts. Pale: no significant change.",
        frame=factors,
        draw=draw_factors,
        requires="a backend without a wrong answer in either run",
        by=_ALL_DATASETS,
    ),
    ChartKind(
        name="instances",
        title="Change in time by instance",
        description="One point per instance; slower instances lie above the diagonal. Lines mark "
        "factors of 2 and 10. Failures lie on separate lines beyond the time limit.",
        frame=instances,
        draw=draw_instances,
        requires="instances that both runs contain, of a backend without a wrong answer",
        overlaid=True,
    ),
)
"""Every kind of chart of a comparison, in display order."""
