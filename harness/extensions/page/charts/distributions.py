"""Charts of distributions: box plot, stability, phases, heat map."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis import UNSTABLE, Run, spreads
from harness.analysis.measures import columns as col
from harness.analysis.measures import of_each_backend
from harness.base.text import printable, shortened
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.chart import chart_frame, evenly
from harness.extensions.page.charts.theme import (
    ChartDrawing,
    layer,
    nominal,
    quantitative,
    with_rows,
)
from harness.report import duration

# Box plot: distribution of the times of each backend.


_QUANTILES: Final = {"low": 0.05, "lower": 0.25, "middle": 0.5, "upper": 0.75, "high": 0.95}


def times_frame(run: Run, points: int) -> pd.DataFrame:
    """One row ``box`` with quantiles for each backend of a comparison group, and rows ``point``.

    Quantiles are over the times of answered instances, in seconds; ``failed`` is
    the number of other instances as text. At most `points` answered instances are
    points, evenly spaced in the order of their times, with both extremes;
    ``offset`` separates them vertically.
    """
    return chart_frame(_times_rows(run.eligible.common_results, points))


def _times_rows(results: pd.DataFrame, points: int) -> Iterator[dict[str, Any]]:
    for base, table in of_each_backend(results):
        is_answered = table["answered"].to_numpy(dtype=bool)
        time = np.sort(table["time_s"].to_numpy(dtype=np.float64)[is_answered])
        failures = len(table) - len(time)
        text = f"{failures:,} of {len(table):,} without an answer" if failures else ""
        box = {name: np.quantile(time, q) for name, q in _QUANTILES.items()} if len(time) else {}
        yield base | {"kind": "box", "failed": text} | box
        for n, position in enumerate(evenly(len(time), points)):
            # Multiples of the golden ratio keep neighbours far apart.
            yield base | {"kind": "point", "time_s": time[position], "offset": n * 0.618034 % 1}


def draw_times(frame: pd.DataFrame) -> ChartDrawing:
    """Draw quartiles and median as a box, 5 % to 95 % as whiskers, instances as points."""
    y = theme.name_rows()
    colour = theme.colour(frame, legend=False)
    at = {
        "scale": theme.log_scale(),
        "axis": theme.time_axis(f"{theme.time_of(frame)} per instance", "x"),
    }
    dots = {
        "x": quantitative("time_s", **at),
        "y": y,
        "yOffset": quantitative("offset", scale={"domain": [-0.15, 1.15]}),
        "color": colour,
    }
    box = {"y": y, "color": colour}
    box_rows = [
        {"filter": "datum.kind == 'box' && datum.middle != null"},
        *theme.durations(*_QUANTILES),
    ]
    whiskers = box | {"x": quantitative("low", **at), "x2": {"field": "high"}}
    tooltip = [
        theme.duration_tooltip(name, "median" if q == 0.5 else f"{q:.0%}")
        for name, q in _QUANTILES.items()
    ]
    body = box | {
        "x": quantitative("lower", **at),
        "x2": {"field": "upper"},
        "stroke": nominal("backend", scale=colour["scale"], legend=None),
        "tooltip": [nominal("backend"), *tooltip],
    }
    middle = box | {"x": quantitative("middle", **at)}
    failures = {"x": {"value": "width"}, "y": y, "text": nominal("failed")}
    only_failures = [{"filter": "datum.kind == 'box' && datum.failed != ''"}]
    spec = theme.layer_view(
        layer(
            "circle",
            dots,
            [{"filter": "datum.kind == 'point'"}],
            size=14,
            opacity=1,
            fillOpacity=0.45,
        ),
        layer("rule", whiskers, box_rows, strokeWidth=1.5),
        layer("bar", body, box_rows, height=18, fillOpacity=0.25, strokeWidth=1.5),
        layer("tick", middle, box_rows, thickness=3, size=22),
        layer("text", failures, only_failures, align="right", dx=-2, dy=-20, fontSize=10),
        height={"step": 52},
    )
    return ChartDrawing(spec, frame)


# Stability chart: spread of repeated times.


def stability_frame(run: Run, points: int) -> pd.DataFrame:
    """Share of the results of each backend whose spread is at most ``spread``.

    The spread of a result is as in `harness.analysis.timing`: the longest
    minus the shortest time of its correct answers, over their mean. A curve has
    at most `points` steps; results without a repetition and answers of batch calls are omitted.
    """
    rows: list[dict[str, Any]] = []
    for base, table in of_each_backend(spreads(run.eligible.common_answers)):
        spread = np.sort(table["spread"].to_numpy(dtype=np.float64))
        rows += [
            # 0.001 is the smallest spread that the logarithmic axis shows.
            base | {"spread": max(0.001, float(spread[n])), "share": (n + 1) / len(spread)}
            for n in evenly(len(spread), points)
        ]
    return chart_frame(rows)


def draw_stability(frame: pd.DataFrame) -> ChartDrawing:
    """Draw the share of instances against the spread of their times, and the limit of stability."""
    percent = {
        "title": f"(longest - shortest) / mean of the repeated {theme.time_of(frame)}s",
        "labelExpr": "format(datum.value, '~%')",
        "values": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
    }
    share = quantitative("share", title="share of instances", format=".1%")
    curves = theme.step_curve(
        frame,
        quantitative("spread", scale=theme.log_scale(), axis=percent),
        theme.share_axis(),
        tooltip=[quantitative("spread", format=".1%"), share],
    )
    at = {"x": quantitative("at", axis=percent)}
    rule = layer("rule", at, color=theme.MUTED, strokeDash=[4, 4])
    spec = theme.layer_view(with_rows([{"at": UNSTABLE}], rule), curves)
    return ChartDrawing(spec, frame)


# Phase chart: share of build, encode, search and decode in the time of an answer.


def phases_frame(run: Run) -> pd.DataFrame:
    """Mean seconds and share of each phase over the correct answers of each backend.

    The phase ``other`` is wall time that belongs to no reported phase. Backends
    that report no phase are omitted.
    """
    phases = run.eligible.phases()
    rows: list[dict[str, Any]] = []
    for row in phases[phases["rest_share"] < 1].to_dict("records"):
        base = {name: row[name] for name in col.BACKEND_KEY} | {"total": duration(row["mean_s"])}
        # Overlapping phases can exceed the wall time; then nothing is left for `other`.
        row["other_share"] = max(0.0, row["rest_share"])
        for position, phase in enumerate(theme.PHASES):
            share = row[f"{phase}_share"]
            times = {"mean_s": share * row["mean_s"], "share": share}
            rows.append(base | {"phase": phase, "position": position} | times)
    return chart_frame(rows)


def draw_phases(frame: pd.DataFrame) -> ChartDrawing:
    """Draw a bar per backend with the share of each phase, and the mean time beside it."""
    widest = max(1.0, float(frame.groupby("backend", observed=True)["share"].sum().max()))
    colours = {"domain": list(theme.PHASES), "range": list(theme.PHASES.values())}
    bars = {
        "x": quantitative(
            "share",
            title="share of the mean wall time",
            axis={"format": "%", "values": [0.25 * n for n in range(int(4 * widest) + 1)]},
            scale={"domain": [0, 0.2 + widest]},
        ),
        "y": theme.name_rows(),
        "color": nominal("phase", title=None, scale=colours),
        "order": quantitative("position"),
        "tooltip": [
            nominal("backend"),
            nominal("phase"),
            theme.duration_tooltip("mean_s", "mean"),
            quantitative("share", format=".1%"),
        ],
    }
    totals = {
        "x": {"datum": widest, "type": "quantitative"},
        "y": nominal("backend"),
        "text": nominal("total"),
    }
    first = [{"filter": "datum.position == 0"}]
    spec = theme.layer_view(
        layer("bar", bars, theme.durations("mean_s")),
        layer("text", totals, first, align="left", dx=4, fontSize=11),
        height={"step": 34},
    )
    return ChartDrawing(spec, frame)


# Heat map: PAR-2 of each backend on each dataset.


def heat_frame(run: Run) -> pd.DataFrame:
    """PAR-2 of each backend in each comparison group, and its ratio to the best of the group.

    One chart shows the rows of all datasets. ``par2`` is PAR-2 as text, and ``dataset_name``
    the display name of the dataset. A backend with a wrong answer has no row in its group.
    """
    table = run.summary()
    table = table[table["wrong"] == 0][[*col.BACKEND_KEY, "par2_s", "ratio", "instances"]]
    par2 = table["par2_s"].map(duration)
    names = table["dataset"].map(lambda name: printable(shortened(str(name), 40)))
    return table.assign(par2=par2.astype("string"), dataset_name=names.astype("string"))


def draw_heat(frame: pd.DataFrame) -> ChartDrawing:
    """Draw a cell per backend and dataset; darker is further behind the best of the dataset."""
    columns = ["backend", "dataset_name", "par2_s", "ratio", "par2", "instances", "text_colour"]
    rows = frame.assign(text_colour=_text_colours(frame["ratio"]))[columns]
    datasets = frame["dataset_name"].nunique()
    width = max(theme.WIDTH, 72 * datasets)  # a column fits a time and most names
    axis = {"orient": "top", "labelAngle": 0, "labelLimit": min(130, width // datasets - 4)}
    place = {"x": nominal("dataset_name", title=None, axis=axis), "y": theme.name_rows()}
    colour = quantitative(
        "ratio",
        title=[f"PAR-2 of {theme.time_of(frame)}", "/ best on the dataset"],
        scale={"type": "log", "domainMin": 1, "range": ["#fdf3d8", "#e8a33d", "#8c2d04"]},
        legend={"format": "~g", "gradientLength": 200, "tickCount": 4},
    )
    tooltip = [
        nominal("backend"),
        nominal("dataset_name", title="dataset"),
        nominal("par2", title="PAR-2"),
        quantitative("ratio", format=".3~r"),
        quantitative("instances"),
    ]
    text = {"text": nominal("par2"), "color": nominal("text_colour", scale=None)}
    cells = layer("rect", place | {"color": colour, "tooltip": tooltip}, stroke="#80879080")
    own = {"resolve": {"scale": {"color": "independent"}}}
    spec = {"layer": [cells, layer("text", place | text, fontSize=12)], **own}
    return ChartDrawing(theme.with_size(spec, {"step": 38}, width), rows)


def _text_colours(ratio: "pd.Series[float]") -> "pd.Series[str]":
    """A text colour with contrast to the cell, or to the page for an empty cell."""
    darkness = np.log(ratio) / max(float(np.log(ratio.max())), 1e-9)
    colours = pd.Series(np.where(darkness > 0.6, "#ffffff", "#1b1b1b"), index=ratio.index)
    return colours.mask(ratio.isna(), "currentColor")
