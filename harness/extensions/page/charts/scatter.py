"""Charts of pairs: two backends instance by instance, and two runs."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis import Change, Comparison, Run
from harness.analysis.measures import (
    Bools,
    Floats,
    groups_of,
    limits,
    of_each_backend,
    rank_key,
)
from harness.analysis.measures import columns as col
from harness.base.text import printable, shortened
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.chart import ALL_DATASETS, ChartKind, chart_frame, evenly
from harness.extensions.page.charts.theme import (
    ChartDrawing,
    Spec,
    layer,
    nominal,
    quantitative,
    with_rows,
)
from harness.records import Verdict

# Scatter plot: times of two backends, instance by instance.


RAILS: Final = {str(Verdict.TIMEOUT): 2.0, str(Verdict.OUT_OF_MEMORY): 4.0}
"""The coordinate of each failure, as a multiple of the time limit."""
OTHER_RAIL: Final = 8.0
"""The coordinate of every failure that is not in `RAILS`, as a multiple of the time limit."""
_LABELS: Final = {2.0: "timeout", 4.0: "out of memory", 8.0: "other failure"}
_ALL_PAIRS: Final = 6
"""Up to this number of backends, every pair has a chart; with more, each backend is paired only
with the fastest."""


def frame(run: Run, points: int) -> pd.DataFrame:
    """Each pair of backends on the instances that both ran on, `points` of them at most.

    ``x_s`` and ``y_s`` are the times of ``backend`` and ``other``, or the rail of
    a failure; ``x`` and ``y`` are their verdicts; ``faster`` is the faster
    backend. Up to half of the points are instances with a failure. A backend
    with a wrong answer has no pair.
    """
    return chart_frame(_rows(run.results, points))


def _rows(results: pd.DataFrame, points: int) -> Iterator[dict[str, Any]]:
    is_answered, name = results["answered"].to_numpy(dtype=bool), results["name"].to_numpy()
    verdict = results["verdict"].to_numpy()
    at_s = np.where(is_answered, results["time_s"], rails(results["verdict"], limits(results)))
    wrong = results["wrong"].to_numpy() > 0
    backend, labels = pd.factorize(results["backend"])
    puzzle, puzzles = pd.factorize(results["puzzle_id"])
    for group, rows in groups_of(results, col.COMPARISON_GROUP):
        parts = {labels[n]: rows[backend[rows] == n] for n in np.unique(backend[rows])}
        rows_of = {name: part for name, part in parts.items() if not wrong[part].any()}
        keys = {name: rank_key(at_s[part], is_answered[part]) for name, part in rows_of.items()}
        for label, other in _pairs(keys):
            place = np.full(len(puzzles), -1)  # the row of each puzzle
            place[puzzle[rows_of[other]]] = rows_of[other]
            second = place[puzzle[rows_of[label]]]
            first, second = rows_of[label][second >= 0], second[second >= 0]
            positions = sample(~(is_answered[first] & is_answered[second]), points)
            for a, b in zip(first[positions].tolist(), second[positions].tolist(), strict=True):
                yield group | {
                    "backend": label,
                    "other": other,
                    "name": name[a],
                    "x_s": at_s[a],
                    "y_s": at_s[b],
                    "x": verdict[a],
                    "y": verdict[b],
                    "faster": other if at_s[b] < at_s[a] else label,
                }


def _pairs(keys: dict[str, tuple[int, float]]) -> list[tuple[str, str]]:
    order = sorted(keys, key=lambda name: (keys[name], name))
    if len(order) <= _ALL_PAIRS:
        return list(combinations(order, 2))
    return [(order[0], other) for other in order[1:]]


def rails(verdicts: "pd.Series[str]", limit_s: Floats) -> Floats:
    """The coordinate of each failure, in seconds, shape (n,)."""
    codes, names = pd.factorize(verdicts)
    coordinates: Floats = np.array([RAILS.get(name, OTHER_RAIL) for name in names])[codes] * limit_s
    return coordinates


def sample(is_failure: Bools, points: int) -> npt.NDArray[np.intp]:
    """Evenly spaced positions of at most `points` rows: up to half are failures, then the rest."""
    (failures,), (rest,) = np.nonzero(is_failure), np.nonzero(~is_failure)
    failures = failures[evenly(len(failures), points // 2)]
    rest = rest[evenly(len(rest), points - len(failures))]
    return np.concatenate([failures, rest])


def draw(frame: pd.DataFrame) -> ChartDrawing:
    """Draw the times of two backends; below the diagonal the backend of the y axis is faster."""
    backend, other = str(frame["backend"].iloc[0]), str(frame["other"].iloc[0])
    by_winner = frame.rename(columns={"backend": "one", "faster": "backend"})
    time = theme.time_of(frame)
    titles = (f"{time} of {backend}", f"{time} of {other}")
    return draw_points(by_winner, titles, ("x axis", "y axis"), legend=False)


def draw_points(
    frame: pd.DataFrame, titles: tuple[str, str], sides: tuple[str, str], *, legend: bool = True
) -> ChartDrawing:
    """Draw two times of each instance against each other, coloured by backend.

    Lines mark equal times and factors of 2 and 10. Failures lie on rails beyond the limit.

    Args:
        frame: rows with ``name``, the coordinates ``x_s`` and ``y_s`` in seconds,
            the verdicts ``x`` and ``y``, ``backend`` as categories, and the columns of
            a comparison group.
        titles: the titles of both axes.
        sides: the names of both axes in a tooltip; never text from outside, because
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
    encoding = {
        "x": quantitative("x_s", scale=scale, axis=theme.time_axis(titles[0], "x")),
        "y": quantitative("y_s", scale=scale, axis=theme.time_axis(titles[1])),
        "color": theme.colour(frame, legend=legend, points=True),
        "shape": theme.shape(frame) | ({} if legend else {"legend": None}),
        "tooltip": tooltip,
    }
    points = layer("point", encoding, theme.durations("x_s", "y_s"), **theme.points(34, 0.75))
    lines = [*(_rail_lines(limit) if failing else []), *_factor_lines(least, top)]
    spec = theme.layer_view(*lines, points, width=420, height=420)
    return ChartDrawing(spec, frame[["name", "x_s", "y_s", "x", "y", "backend"]])


def _factor_lines(least: float, top: float) -> list[Spec]:
    """The diagonal, and the lines of the factors 2 and 10, up to `top` seconds."""
    rows = [
        {"x": max(least, least / f), "y": max(least, least * f), "x2": min(top, top / f)}
        | {"y2": min(top, top * f), "factor": max(f, 1 / f)}
        for f in (1.0, 2.0, 0.5, 10.0, 0.1)
    ]
    inside = [row for row in rows if row["x"] < row["x2"] and row["y"] < row["y2"]]
    dashes = {"domain": [1.0, 2.0, 10.0], "range": [[1, 0], [5, 3], [1, 3]]}
    start = {"x": quantitative("x"), "y": quantitative("y")}
    end = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    dash = {"strokeDash": nominal("factor", legend=None, scale=dashes)}
    look: Spec = {"color": theme.MUTED, "clip": True}
    labels = [row | {"label": f"x{row['factor']:g}"} for row in inside[1:]]
    label = start | {"text": nominal("label")}
    return [
        with_rows(inside, layer("rule", start | end | dash, **look)),
        with_rows(labels, layer("text", label, fontSize=10, **look, align="left", dx=8, dy=-3)),
    ]


def _rail_lines(limit: float) -> list[Spec]:
    """The labelled lines that failures lie on."""
    rows = [{"at": rail * limit, "label": name} for rail, name in _LABELS.items()]
    rule: Spec = {"color": theme.MUTED, "opacity": 0.6}
    text: Spec = {"baseline": "bottom", "fontSize": 9, "color": theme.MUTED}
    at, end, label = quantitative("at"), {"value": 0}, {"text": nominal("label")}
    above = text | {"angle": 270, "align": "right", "dy": -2, "dx": -4}
    beside = text | {"align": "left", "dx": 4, "dy": -1}
    lines = [
        layer("rule", {"x": at}, **rule),
        layer("rule", {"y": at}, **rule),
        layer("text", {"x": at, "y": end} | label, **above),
        layer("text", {"y": at, "x": end} | label, **beside),
    ]
    return [with_rows(rows, line) for line in lines]


# Charts of a comparison of two runs: changes in time by backend and by instance.


def factors(comparison: Comparison, _: int) -> pd.DataFrame:
    """The rows of `Comparison.times` with a factor; one without an interval is its own interval."""
    times = comparison.times.dropna(subset=["factor"])
    several = times["dataset"].nunique() > 1

    def suffix(dataset: str) -> str:
        return f", {printable(shortened(dataset, 24))}"

    return times.assign(
        suffix=times["dataset"].map(suffix).astype("string") if several else "",
        low=times["factor_low"].fillna(times["factor"]),
        high=times["factor_high"].fillna(times["factor"]),
    )


def draw_factors(frame: pd.DataFrame, title: str = "") -> ChartDrawing:
    """Draw the factor of each backend and dataset with its interval; insignificant ones are pale.

    Lines mark equal times and the smallest factors that count.

    Args:
        frame: a row for each factor.
        title: what the factors are; by default times after over times before.
    """
    labels = frame["backend"].astype("string").str.cat(frame["suffix"])
    rows = frame.assign(**{theme.ROW_LABEL: labels})
    time = theme.time_of(frame)
    order = list(rows.sort_values("factor", ascending=False)[theme.ROW_LABEL])
    columns = ["backend", theme.ROW_LABEL, "change", "factor", "low", "high", "instances"]
    counts = float(frame["least_factor"].iloc[0])
    least = min(float(frame["low"].min()), 1 / counts) / 1.02
    most = max(float(frame["high"].max()), counts) * 1.02
    axis = {
        "title": title or f"{time} after / {time} before",
        "labelExpr": "format(datum.value, '.3~r') + 'x'",
        "tickCount": 6,
        "labelOverlap": "greedy",
    }
    x = {"scale": theme.log_scale(domain=[least, most]), "axis": axis}
    names = theme.name_axis(labelLimit=260)
    pale = {"test": f"datum.change == '{Change.NONE}'", "value": 0.45}
    encoding = {
        "y": nominal(theme.ROW_LABEL, title=None, sort=order, axis=names),
        "color": theme.colour(frame, legend=False),
        "opacity": {"condition": pale, "value": 1.0},
    }
    interval = {"x": quantitative("low", **x), "x2": {"field": "high"}}
    factor = {
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
    }
    spec = theme.layer_view(
        _reference_lines(counts),
        layer("rule", encoding | interval, strokeWidth=2),
        layer("point", encoding | factor, filled=True, size=70),
        height={"step": 26},
    )
    return ChartDrawing(spec, rows[columns])


def _reference_lines(least_factor: float) -> Spec:
    """A line at a factor of 1, and dashed lines at the smallest factors that count."""
    lines = [{"at": 1.0, "kind": "equal"}]
    lines += [{"at": at, "kind": "meaningful"} for at in (least_factor, 1 / least_factor)]
    dashes = {"domain": ["equal", "meaningful"], "range": [[1, 0], [4, 3]]}
    dash = {"strokeDash": nominal("kind", legend=None, scale=dashes)}
    rule = layer("rule", {"x": quantitative("at")} | dash, color=theme.MUTED)
    return with_rows(lines, rule)


def instances(comparison: Comparison, points: int) -> pd.DataFrame:
    """The time of each instance before and after, failures at their rails.

    Each backend and comparison group keeps at most `points` instances, up to half of them
    failures. A backend with a wrong answer in either run is left out.
    """
    parts: list[pd.DataFrame] = []
    for _, part in of_each_backend(comparison.pairs):
        if (part[["wrong_before", "wrong_after"]] > 0).any(axis=None):
            continue
        is_failure = ~(part["answered_before"] & part["answered_after"]).to_numpy(dtype=bool)
        parts.append(part.iloc[sample(is_failure, points)])
    table = pd.concat(parts, ignore_index=True) if parts else comparison.pairs.iloc[:0]
    coordinates: dict[str, Any] = {"x": table["before"], "y": table["after"]}
    for axis, side in (("x_s", "before"), ("y_s", "after")):
        edge = rails(table[side], limits(table))
        coordinates[axis] = table[f"{side}_s"].where(table[f"answered_{side}"], edge)
    return table[[*col.BACKEND_KEY, "name"]].assign(**coordinates)


def draw_instances(frame: pd.DataFrame) -> ChartDrawing:
    """Draw the time after against the time before; slower instances lie above the diagonal."""
    sides = ("before", "after")
    time = theme.time_of(frame)
    return draw_points(frame, (f"{time} before", f"{time} after"), sides)


CHANGES: Final[tuple[ChartKind[Comparison], ...]] = (
    ChartKind(
        name="factors",
        title="Change in time by backend",
        description="Geometric mean over instances of the time after / the time before, with a "
        "95 % bootstrap interval. Further right is slower. Dashed lines: the smallest "
        "factor that counts. Pale: no significant change.",
        curves=lambda comparison: len(comparison.times),
        frame=factors,
        draw=draw_factors,
        requires="a backend without a wrong answer in either run",
        by=ALL_DATASETS,
    ),
    ChartKind(
        name="instances",
        title="Change in time by instance",
        description="One point per instance; slower instances lie above the diagonal. Lines mark "
        "factors of 2 and 10. Failures lie on separate lines beyond the time limit.",
        curves=lambda comparison: len(comparison.times),
        frame=instances,
        draw=draw_instances,
        requires="instances that both runs contain, of a backend without a wrong answer",
        overlaid=True,
    ),
)
"""Every kind of chart of a comparison, in display order."""
