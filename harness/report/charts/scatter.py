"""Scatter plot: times of two backends, instance by instance."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.measure import rows_frame
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES, Bools, Floats, groups_of
from harness.analysis.run import Run
from harness.analysis.times import TIME_S, limits
from harness.records.verdict import Verdict
from harness.report.charts import theme
from harness.report.charts.vega import Drawing, Spec, nominal, quantitative

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
    answered, name = results["answered"].to_numpy(dtype=bool), results["name"].to_numpy()
    verdict = results["verdict"].to_numpy()
    at_s = np.where(answered, results[TIME_S], rails(results["verdict"], limits(results)))
    wrong = results["wrong"].to_numpy() > 0
    backend, labels = pd.factorize(results["backend"])
    puzzle, puzzles = pd.factorize(results["puzzle_id"])
    for group, rows in groups_of(results, COMPARISON_GROUP):
        parts = {labels[n]: rows[backend[rows] == n] for n in np.unique(backend[rows])}
        rows_of = {name: part for name, part in parts.items() if not wrong[part].any()}
        for one, other in _pairs({name: at_s[part].sum() for name, part in rows_of.items()}):
            place = np.full(len(puzzles), -1)  # the row of each puzzle
            place[puzzle[rows_of[other]]] = rows_of[other]
            second = place[puzzle[rows_of[one]]]
            first, second = rows_of[one][second >= 0], second[second >= 0]
            kept = sample(~(answered[first] & answered[second]), points)
            for a, b in zip(first[kept].tolist(), second[kept].tolist(), strict=True):
                yield group | {
                    "backend": one,
                    "other": other,
                    "name": name[a],
                    "x_s": at_s[a],
                    "y_s": at_s[b],
                    "x": verdict[a],
                    "y": verdict[b],
                    "faster": other if at_s[b] < at_s[a] else one,
                }


def _pairs(total_s: dict[str, float]) -> list[tuple[str, str]]:
    order = sorted(total_s, key=lambda name: (total_s[name], name))
    if len(order) <= _ALL_PAIRS:
        return list(combinations(order, 2))
    return [(order[0], other) for other in order[1:]]


def rails(verdicts: "pd.Series[str]", limit_s: Floats) -> Floats:
    """The coordinate of each failure, in seconds, shape (n,)."""
    codes, names = pd.factorize(verdicts)
    found: Floats = np.array([RAILS.get(name, OTHER_RAIL) for name in names])[codes] * limit_s
    return found


def sample(failed: Bools, points: int) -> npt.NDArray[np.intp]:
    """Positions of at most `points` rows: up to half of them failures, the rest evenly spaced."""
    (failures,), (rest,) = np.nonzero(failed), np.nonzero(~failed)
    failures = failures[_evenly(len(failures), points // 2)]
    rest = rest[_evenly(len(rest), points - len(failures))]
    return np.concatenate([failures, rest])


def _evenly(count: int, most: int) -> npt.NDArray[np.intp]:
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.intp))


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
    times = frame[["x_s", "y_s"]].to_numpy(dtype=np.float64)
    least = float(np.nanmin(times)) * 0.8
    failing = bool(np.nanmax(times) > limit)
    end = OTHER_RAIL * limit * 1.3 if failing else float(np.nanmax(times)) * 1.25
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
