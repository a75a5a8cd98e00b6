"""Chart of a trend: a value of each configuration over the runs, with its steps marked."""

from typing import Any, Final

import pandas as pd

from harness.analysis import Change
from harness.analysis.measures import columns as col
from harness.base.text import printable, shortened
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.chart import Chart, ChartKind
from harness.extensions.page.charts.theme import ChartDrawing, layer, nominal, quantitative
from harness.extensions.page.trend_of_runs import VERSION, Trend
from harness.extensions.page.trend_tables import (
    MACHINE_CHANGED,
    SERIES_GROUP,
    TrendMeasure,
    series_key,
)
from harness.report import ratio

_LONGEST: Final = 20
_MARKS: Final = {
    Change.SLOWER: "triangle-up",
    Change.FASTER: "triangle-down",
    Change.SLOWER_UNEQUAL: "cross",
    Change.FASTER_UNEQUAL: "square",
    MACHINE_CHANGED: "diamond",
}


def kind_of(trend: Trend) -> ChartKind[Trend]:
    """The kind of chart that shows the values of a trend."""
    measure, by_version = trend.measure, trend.by == VERSION
    return ChartKind(
        name="trend",
        title=f"{measure.title} over the {trend.by}s",
        description=f"{measure.title} of each backend in each run, over the instances that all "
        "runs have in common. Marks are steps of its times, with the factor of time after over "
        "time before. Dashed: the machine changed.",
        curves=lambda trend: trend.values["backend"].nunique(),
        frame=lambda trend, _: frame(trend),
        draw=lambda rows: draw(rows, measure, by_version=by_version),
        requires="three runs with a common instance",
        by=tuple(SERIES_GROUP),
        overlaid=not by_version,
    )


def charts(trend: Trend) -> list[Chart]:
    """The charts of a trend, one for each comparison group."""
    labels = sorted(map(str, trend.values["backend"].unique()))
    return list(kind_of(trend).charts(trend, theme.display_names(labels)))


def frame(trend: Trend) -> pd.DataFrame:
    """One row for each configuration and run that has a value."""
    steps = {(row["run"], series_key(row)): row for row in trend.steps.to_dict("records")}
    runs = {row["run"]: row for row in trend.runs.to_dict("records")}
    rows: list[dict[Any, Any]] = []
    for row in trend.values.to_dict("records"):
        step, run = steps.get((row["run"], series_key(row))), runs[row["run"]]
        name = printable(shortened(str(run["folder"]).rpartition("/")[2], _LONGEST))
        rows.append(
            {
                **row,
                "place": row["run"],
                "run": f"{row['run']} {name}",
                "started": run["started"],
                "value": row[trend.measure.column],
                "step": step["change"] if step else "",
                "mark": ratio(step["factor"]) if step else "",
                "machine": bool(run["machine_changed"]),
            }
        )
    table = pd.DataFrame(rows)
    return table[table["value"].notna()].astype({"value": "float64"})


def draw(rows: pd.DataFrame, measure: TrendMeasure, *, by_version: bool = False) -> ChartDrawing:
    """Draw a line for each backend, a mark at each step, a rule where the machine changed.

    By version, each backend has a panel with its own versions and its own scale of values.
    """
    in_seconds = measure.kind is col.ValueKind.SECONDS
    order = list(rows.sort_values("place")["run"].drop_duplicates())
    label = {"labelExpr": "slice(datum.label, indexof(datum.label, '@') + 1)"} if by_version else {}
    axis = {"labelAngle": -35, "labelLimit": 140, **label}
    x = nominal("run", title=None, sort=order, axis=axis)
    if measure.kind is col.ValueKind.COUNT:
        y = quantitative("value", title=f"instances {measure.title}", scale={"zero": True})
    else:
        y = quantitative("value", scale=theme.log_scale(padding=12))
        time = f"{measure.title}, {theme.time_of(rows)}"
        y |= {"axis": theme.time_axis(time)} if in_seconds else {"title": measure.title}
    if in_seconds:
        value = theme.duration_tooltip("value", measure.title)
    else:
        value = quantitative("value", title=measure.title, format=".3~r")
    times = theme.durations("value") if in_seconds else []
    encoding = {"x": x, "y": y, "color": theme.colour(rows)}
    tooltip = [nominal("backend"), nominal("run"), nominal("started"), nominal("step"), value]
    steps = [*times, {"filter": "datum.step !== ''"}]
    marks = {step: mark for step, mark in _MARKS.items() if (rows["step"] == step).any()}
    shape = nominal(
        "step",
        title=None,
        scale={"domain": list(marks), "range": list(marks.values())},
        legend={"symbolFillColor": theme.MUTED, "symbolStrokeColor": theme.MUTED}
        if marks
        else None,
    )
    machine = [*times, {"filter": "datum.machine"}]
    factor = encoding | {"text": nominal("mark")}
    # This layer is invisible, but it widens the scale, so that noise looks small.
    room = {"x": x, "y": y | {"field": "least"}, "y2": {"field": "most"}}
    bounds = theme.calculate(least="datum.value / 1.2", most="datum.value * 1.2")
    spec = theme.layer_view(
        layer("rule", {"x": x}, machine, color=theme.MUTED, strokeDash=[4, 3]),
        layer("rule", room, bounds, opacity=0),
        layer("line", encoding | {"strokeDash": theme.dash(rows)}, times, strokeWidth=2),
        layer("point", encoding | {"tooltip": tooltip}, times, **theme.points(40)),
        layer("point", encoding | {"shape": shape}, steps, **theme.points(170)),
        layer("text", factor, steps, align="left", dx=9, dy=-9, fontSize=11),
    )
    if by_version:
        own = {"x": "independent", "y": "independent"}
        spec = theme.small_multiples(spec) | {"resolve": {"scale": own}}
        spec["spec"]["layer"] = [part for part in spec["spec"]["layer"] if "data" not in part]
    columns = ["backend", "place", "run", "started", "value", "step", "mark", "machine"]
    return ChartDrawing(spec, rows[columns])
