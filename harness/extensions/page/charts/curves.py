"""Charts of times as curves: cactus plot, performance profile, scaling, search steps."""

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

import pandas as pd

from harness.analysis import SQUARE, Run, performance_profile, series_of
from harness.analysis.measures import columns as col
from harness.analysis.measures import of_each_backend
from harness.base.text import as_float
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.chart import chart_frame, evenly
from harness.extensions.page.charts.theme import (
    LABEL,
    ChartDrawing,
    aggregate,
    calculate,
    layer,
    nominal,
    ordinal,
    quantitative,
)
from harness.report import shape_name

# Cactus plot: instances answered over time.


def draw_cactus(frame: pd.DataFrame) -> ChartDrawing:
    """Draw the number of instances answered against the time per instance.

    A line at the top marks the number of all instances, which a perfect backend reaches.
    """
    # No more ticks than instances: `tickMinStep` has no effect on the ticks of this scale.
    ticks = min(8, int(frame["instances"].max()))
    axis = {"title": "instances answered", "tickCount": ticks}
    all_of_them = quantitative("all", axis=axis)
    time = theme.time_axis(f"{theme.time_of(frame)} per instance", "x")
    curves = theme.step_curve(
        frame,
        quantitative("time_s", scale=theme.log_scale(), axis=time),
        quantitative("answered", axis=axis, scale={"zero": True, "nice": False}),
        theme.durations("time_s"),
        tooltip=[
            quantitative("answered", title="instances answered"),
            theme.duration_tooltip("time_s", "time"),
        ],
    )
    all_instances = aggregate("max", {"instances": "all"})
    end = layer("rule", {"y": all_of_them}, [all_instances], color=theme.MUTED, strokeDash=[4, 4])
    name = "format(datum.all, ',') + (datum.all == 1 ? ' instance' : ' instances')"
    label = layer(
        "text",
        {"x": {"value": "width"}, "y": all_of_them, "text": nominal("label")},
        [all_instances, *calculate(label=name)],
        align="right",
        baseline="bottom",
        dy=-3,
        fontSize=10,
    )
    spec = theme.layer_view(end, label, curves)
    return ChartDrawing(spec, frame[["backend", "answered", "instances", "time_s"]])


# Performance profile: share of instances answered within a factor of the fastest time.


def profile_frame(run: Run, points: int) -> pd.DataFrame:
    """The curves of `harness.analysis.performance_profile`, each extended to the end of the axis.

    A curve has at most `points` steps and this end.
    """
    steps = performance_profile(run.results, points=points)
    if steps.empty:
        return steps
    by_chart = steps.groupby(col.COMPARISON_GROUP, dropna=False, observed=True)
    # Beyond the last step, even a backend that is the fastest on all instances has a curve.
    end = 1.05 * by_chart["tau"].transform("max")
    curves = steps.groupby(col.BACKEND_KEY, dropna=False, observed=True)
    return pd.concat([steps, steps.assign(tau=end).loc[curves.tail(1).index]], ignore_index=True)


def draw_profile(frame: pd.DataFrame) -> ChartDrawing:
    """Draw the share of instances answered within tau times the shortest time.

    Dolan and Moré, "Benchmarking optimization software with performance profiles", 2002.
    """
    time = theme.time_of(frame)
    x = quantitative(
        "tau",
        title=f"{time} / fastest {time}",
        scale=theme.log_scale(domainMin=1),
        axis=theme.number_axis("~g"),
    )
    share = quantitative("share", title="share of instances", format=".1%")
    tooltip = [quantitative("tau", title="time / fastest"), share]
    curves = theme.step_curve(frame, x, theme.share_axis(), tooltip=tooltip)
    return ChartDrawing(theme.with_size(curves), frame[["backend", "tau", "share"]])


# Scaling chart: time by puzzle size.


def scaling_frame(run: Run) -> pd.DataFrame:
    """The table `Run.scaling` without backends that gave a wrong answer.

    ``solved`` is the number of answered instances as text, ``series`` the `series_of` a shape,
    ``shape`` the short name of the shape, and ``position`` its label on the axis: the name and
    the number of instances.
    """
    table = run.scaling()
    chart = [name for name in col.COMPARISON_GROUP if name in table and name != "dataset"]
    wrong = table.groupby([*chart, "backend"], dropna=False)["wrong"].transform("sum")
    table = table[wrong == 0]
    # All backends of a chart have the same instances.
    names = table["shape"].astype("string").map(shape_name)
    n = names + "|n = " + table["instances"].astype("string")
    answers = table["answered"].astype("string") + " of " + table["instances"].astype("string")
    series = [
        series_of(shape, size) for shape, size in zip(table["shape"], table["size"], strict=True)
    ]
    return table.assign(shape=names, solved=answers, series=series, position=n)


def draw_scaling(frame: pd.DataFrame) -> ChartDrawing:
    """Draw the geometric mean of times (shift 1 ms, failures at the limit) by shape.

    Shapes of a series are side by side, by size, and lines connect only shapes of one series.
    """
    rows = frame.assign(other=~frame["series"].isin([SQUARE]))
    rows = rows.sort_values(["other", "series", "size", "shape"])
    positions = rows["position"].drop_duplicates().to_list()
    axis = {
        "labelAngle": 0 if LABEL * len(positions) <= theme.WIDTH else -90,
        "labelExpr": "split(datum.label, '|')",
        "labelPadding": 6,
    }
    encoding = {
        "x": ordinal("position", title="shape, n instances", sort=positions, axis=axis),
        "y": quantitative(
            "sgm_1ms_s",
            scale=theme.log_scale(),
            axis=theme.time_axis(f"geometric mean of {theme.time_of(frame)}s"),
        ),
        "color": theme.colour(frame, points=True),
    }
    times = theme.durations("sgm_1ms_s")
    in_series = {"strokeDash": theme.dash(frame), "detail": nominal("series")}
    line = layer("line", encoding | in_series, times, strokeWidth=2)
    tooltip = [
        nominal("backend"),
        nominal("shape"),
        theme.duration_tooltip("sgm_1ms_s", "mean"),
        nominal("solved"),
    ]
    looks = {"shape": theme.shape(frame), "tooltip": tooltip}
    point = layer("point", encoding | looks, times, **theme.points(50))
    columns = ["backend", "shape", "series", "position", "sgm_1ms_s", "solved"]
    return ChartDrawing(theme.layer_view(line, point), frame[columns])


# Search chart: time by number of search steps.


COUNTERS: Final = ("nodes", "branches", "decisions", "guesses", "conflicts")
"""Statistics that measure the size of a search, in order of preference."""


def nodes_frame(run: Run, points: int) -> pd.DataFrame:
    """The first correct answer of each backend on each instance, `points` of them at most.

    ``steps`` is one more than the first of `COUNTERS` that the answer reports,
    and ``counter`` the name of that counter. Answers without a counter are omitted.
    """
    answers = run.eligible.answers
    right = answers[answers["repetition"] == 1]
    return chart_frame(_nodes_rows(right, points))


def _nodes_rows(right: pd.DataFrame, points: int) -> Iterator[dict[str, Any]]:
    columns = ["name", "time_s", "stats"]
    for key, table in of_each_backend(right):
        rows = table[columns].iloc[evenly(len(table), points)]
        for name, wall, stats in rows.itertuples(index=False, name=None):
            counts = json.loads(stats)
            counter = next((name for name in COUNTERS if name in counts), None)
            steps = 0.0 if counter is None else as_float(counts[counter]) + 1
            if counter is not None and wall > 0 and isfinite(steps):
                row = {"name": name, "steps": steps, "counter": counter, "time_s": wall}
                yield key | row


def counters(frame: pd.DataFrame) -> dict[str, list[str]]:
    """The backends of a chart by the name of the counter of their steps."""
    pairs = frame.drop_duplicates(["backend", "counter"]).sort_values(["counter", "backend"])
    backends: dict[str, list[str]] = {}
    for backend, counter in zip(pairs["backend"], pairs["counter"], strict=True):
        backends.setdefault(str(counter), []).append(str(backend))
    return backends


def draw_nodes(frame: pd.DataFrame) -> ChartDrawing:
    """Draw time against search steps; the notes name the counter of each backend."""
    axis = theme.time_axis(f"{theme.time_of(frame)} per instance")
    steps = {"scale": theme.log_scale(), "axis": theme.number_axis(",")}
    encoding = {
        "x": quantitative("steps", title="search steps + 1", **steps),
        "y": quantitative("time_s", scale=theme.log_scale(), axis=axis),
        "color": theme.colour(frame, points=True),
        "shape": theme.shape(frame),
        "tooltip": [
            nominal("backend"),
            nominal("name", title="instance"),
            quantitative("steps", title="steps + 1", format=","),
            nominal("counter", title="counted as"),
            theme.duration_tooltip("time_s", "time"),
        ],
    }
    spec = layer("point", encoding, theme.durations("time_s"), **theme.points(34, 0.8))
    columns = ["backend", "name", "steps", "counter", "time_s"]
    return ChartDrawing(theme.with_size(spec), frame[columns])
