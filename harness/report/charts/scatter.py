"""Scatter plot: times of two backends, instance by instance."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.measure import rows_frame
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES
from harness.analysis.run import Run
from harness.analysis.times import limit_of, limits
from harness.records.verdict import Verdict
from harness.report.charts import theme
from harness.report.charts.vega import Drawing, Spec, nominal, quantitative
from harness.report.table import records

RAILS: Final = {str(Verdict.TIMEOUT): 2.0, str(Verdict.OUT_OF_MEMORY): 4.0}
"""The coordinate of each failure, as a multiple of the time limit."""
OTHER_RAIL: Final = 8.0
"""The coordinate of every failure that is not in `RAILS`, as a multiple of the time limit."""
_LABELS: Final = {2.0: "timeout", 4.0: "out of memory", 8.0: "other failure"}
_ALL_PAIRS: Final = 6
"""Up to this number of backends every pair has a chart; of more, each is paired with the
fastest."""

DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "other": "string",
    "name": "string",
    "x_s": "float64",
    "y_s": "float64",
    "x": "string",
    "y": "string",
    "faster": "string",
}


def frame(run: Run, points: int) -> pd.DataFrame:
    """Each pair of backends on the instances that both ran on, `points` of them at most.

    ``x_s`` and ``y_s`` are the times of ``backend`` and ``other``, or the rail of
    a failure; ``x`` and ``y`` are their verdicts; ``faster`` is the faster
    backend. Instances with a failure are kept first. A backend with a wrong
    answer has no pair.
    """
    return rows_frame(list(_rows(run.results, points)), DTYPES)


def _rows(results: pd.DataFrame, points: int) -> Iterator[dict[str, Any]]:
    texts = dict.fromkeys(("backend", "name", "verdict", "puzzle_id"), "string")
    for key, table in results.groupby(COMPARISON_GROUP, dropna=False, observed=True, sort=False):
        group: dict[str, Any] = dict(zip(COMPARISON_GROUP, key, strict=True))
        limit = limit_of(group)
        table = table.astype(texts).set_index("puzzle_id")
        table["at_s"] = table["time_s"].where(table["answered"], rails(table["verdict"], limit))
        table = table[["backend", "name", "verdict", "answered", "wrong", "at_s"]]
        parts = {str(backend): part for backend, part in table.groupby("backend", sort=True)}
        by_backend = {name: part for name, part in parts.items() if not part["wrong"].any()}
        for one, other in _pairs(by_backend):
            pair = by_backend[one], by_backend[other]
            both = pair[0].merge(pair[1], left_index=True, right_index=True, suffixes=("", "_2"))
            failed = ~(both["answered"] & both["answered_2"])
            for row in records(sampled(both, failed, points)):
                faster = other if row["at_s_2"] < row["at_s"] else one
                yield group | {
                    "backend": one,
                    "other": other,
                    "name": row["name"],
                    "x_s": row["at_s"],
                    "y_s": row["at_s_2"],
                    "x": row["verdict"],
                    "y": row["verdict_2"],
                    "faster": faster,
                }


def _pairs(by_backend: dict[str, pd.DataFrame]) -> list[tuple[str, str]]:
    order = sorted(by_backend, key=lambda name: (by_backend[name]["at_s"].sum(), name))
    if len(order) <= _ALL_PAIRS:
        return list(combinations(order, 2))
    return [(order[0], other) for other in order[1:]]


def rails(verdicts: "pd.Series[str]", limit_s: float) -> "pd.Series[float]":
    """The coordinate of each failure, in seconds."""
    return verdicts.map(RAILS).fillna(OTHER_RAIL).astype("float64") * limit_s


def sampled(rows: pd.DataFrame, failed: "pd.Series[bool]", points: int) -> pd.DataFrame:
    """At most `points` of the rows: up to half of them failures, the rest evenly spaced."""
    (failures,), (rest,) = np.nonzero(failed.to_numpy(bool)), np.nonzero(~failed.to_numpy(bool))
    failures = failures[_evenly(len(failures), points // 2)]
    rest = rest[_evenly(len(rest), points - len(failures))]
    return rows.iloc[np.concatenate([failures, rest])]


def _evenly(count: int, most: int) -> "np.ndarray[tuple[int], Any]":
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def draw(frame: pd.DataFrame) -> Drawing:
    """Draw the times of two backends; below the diagonal the backend of the y axis is faster."""
    one, other = str(frame["backend"].iloc[0]), str(frame["other"].iloc[0])
    by_winner = frame.rename(columns={"backend": "one", "faster": "backend"})
    time = theme.time_of(frame)
    titles = (f"{time} of {one}", f"{time} of {other}")
    return draw_points(by_winner, titles, ("x axis", "y axis"), legend=False)


def draw_points(
    frame: pd.DataFrame, titles: tuple[str, str], sides: tuple[str, str], *, legend: bool = True
) -> Drawing:
    """Draw two times of each instance against each other, coloured by backend.

    Lines mark equal times and factors of 2 and 10. Failures lie on rails beyond the limit.

    Args:
        frame: rows with ``name``, the coordinates ``x_s`` and ``y_s`` in seconds,
            the verdicts ``x`` and ``y``, ``backend`` as categories, and the columns of
            a comparison group.
        titles: the titles of both axes.
        sides: the names of both axes in a tooltip; text of this program, since
            Vega-Lite evaluates it.
        legend: whether to draw a legend of the backends.
    """
    limit = float(limits(frame.iloc[:1])[0])
    least = float(frame[["x_s", "y_s"]].min().min()) * 0.8
    most = OTHER_RAIL * limit * 1.3
    failing = frame["x_s"].max() > limit or frame["y_s"].max() > limit
    end = most if failing else float(frame[["x_s", "y_s"]].max().max()) * 1.25
    top = limit if failing else end
    scale = theme.log_scale(domain=[least, end])
    tooltip = [
        nominal("name", title="instance"),
        *([nominal("backend")] if legend else []),
        nominal("x", title=f"verdict, {sides[0]}"),
        theme.duration_tooltip("x_s", f"time, {sides[0]}"),
        nominal("y", title=f"verdict, {sides[1]}"),
        theme.duration_tooltip("y_s", f"time, {sides[1]}"),
    ]
    points = {
        "transform": theme.durations("x_s", "y_s"),
        "mark": {"type": "point", "filled": True, "size": 34, "opacity": 0.75},
        "encoding": {
            "x": quantitative("x_s", scale=scale, axis=theme.time_axis(titles[0], "x")),
            "y": quantitative("y_s", scale=scale, axis=theme.time_axis(titles[1])),
            "color": theme.colour(frame, legend=legend, points=True),
            "shape": theme.shape(frame) | ({} if legend else {"legend": None}),
            "tooltip": tooltip,
        },
    }
    lines = [*(_rail_lines(limit) if failing else []), *_factor_lines(least, top)]
    spec = {"layer": [*lines, points], "width": 420, "height": 420}
    return Drawing(spec, frame[["name", "x_s", "y_s", "x", "y", "backend"]])


def _factor_lines(least: float, top: float) -> list[Spec]:
    """The diagonal, and the lines of the factors 2 and 10, up to `top` seconds."""
    rows = [
        {"x": max(least, least / f), "y": max(least, least * f), "x2": min(top, top / f)}
        | {"y2": min(top, top * f), "factor": max(f, 1 / f)}
        for f in (1.0, 2.0, 0.5, 10.0, 0.1)
    ]
    kept = [row for row in rows if row["x"] < row["x2"] and row["y"] < row["y2"]]
    dashes = {"domain": [1.0, 2.0, 10.0], "range": [[1, 0], [5, 3], [1, 3]]}
    start = {"x": quantitative("x"), "y": quantitative("y")}
    line = {
        "data": {"values": kept},
        "mark": {"type": "rule", "color": theme.MUTED, "clip": True},
        "encoding": start
        | {
            "x2": {"field": "x2"},
            "y2": {"field": "y2"},
            "strokeDash": nominal("factor", legend=None, scale=dashes),
        },
    }
    place = {"align": "left", "dx": 8, "dy": -3}
    label = {
        "data": {"values": [row | {"label": f"x{row['factor']:g}"} for row in kept[1:]]},
        "mark": {"type": "text", "fontSize": 10, "color": theme.MUTED, "clip": True, **place},
        "encoding": start | {"text": nominal("label")},
    }
    return [line, label]


def _rail_lines(limit: float) -> list[Spec]:
    """The labelled lines that failures lie on."""
    data = {"values": [{"at": rail * limit, "label": name} for rail, name in _LABELS.items()]}
    rule = {"type": "rule", "color": theme.MUTED, "opacity": 0.6}
    text = {"type": "text", "baseline": "bottom", "fontSize": 9, "color": theme.MUTED}
    at, label = quantitative("at"), nominal("label")
    above = text | {"angle": 270, "align": "right", "dy": -2, "dx": -4}
    beside = text | {"align": "left", "dx": 4, "dy": -1}
    return [
        {"data": data, "mark": rule, "encoding": {"x": at}},
        {"data": data, "mark": rule, "encoding": {"y": at}},
        {"data": data, "mark": above, "encoding": {"x": at, "y": {"value": 0}, "text": label}},
        {"data": data, "mark": beside, "encoding": {"y": at, "x": {"value": 0}, "text": label}},
    ]
