"""The look of all charts: theme, size, Vega-Lite specifications and small multiples.

See the documentation of Vega-Lite (https://vega.github.io/vega-lite/docs/) for the parts of a
specification.

Axis lines and text have the colour of the surrounding text, so that the same
description is readable on a light page, on a dark page and on paper.
"""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd

from harness.analysis.measures import columns as col
from harness.base.text import printable, shortened
from harness.records import TimeKind
from harness.report import backend_name, is_missing

# Charts as Vega-Lite specifications: dictionaries with the content of their JSON.


VERSION: Final = "v6.4"
"""The version of Vega-Lite, as vl-convert names it."""
SCHEMA: Final = f"https://vega.github.io/schema/vega-lite/{VERSION}.1.json"

ROWS: Final = "rows"
"""The name of the data set of the rows of a chart."""

Spec = dict[str, Any]
"""A specification, or a part of one: a layer, an axis, a channel of an encoding."""

_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class ChartDrawing:
    """A chart: its specification, and its rows apart from it."""

    spec: Spec
    """The views of the rows; `template` and `complete` are whole specifications."""
    rows: pd.DataFrame

    def columns(self) -> dict[str, list[Any]]:
        """The rows as JSON values, column by column.

        Numbers have four significant digits, and missing values are None. The columns of a
        comparison group are left out: they have one value in a chart.
        """
        names = [name for name in self.rows if name not in col.COMPARISON_GROUP]
        return {str(name): json_values(self.rows[name]) for name in names}

    def template(self) -> Spec:
        """The specification of the data set `ROWS`, without its rows."""
        return {"$schema": SCHEMA, **self.spec, "data": {"name": ROWS}}

    def complete(self) -> Spec:
        """The specification with its rows."""
        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        values = [dict(zip(columns, row, strict=True)) for row in rows]
        return self.template() | {"datasets": {ROWS: values}}


def quantitative(field: str, **more: Any) -> Spec:
    """A channel of a column of numbers."""
    return {"field": field, "type": "quantitative", **more}


def nominal(field: str, **more: Any) -> Spec:
    """A channel of a column of names."""
    return {"field": field, "type": "nominal", **more}


def ordinal(field: str, **more: Any) -> Spec:
    """A channel of a column of names with an order."""
    return {"field": field, "type": "ordinal", **more}


def calculate(**expressions: str) -> list[Spec]:
    """Transforms that add columns, by the Vega expressions of their values."""
    return [{"calculate": text, "as": name} for name, text in expressions.items()]


def layer(mark: str, encoding: Spec, transform: Sequence[Spec] | None = None, **look: Any) -> Spec:
    """A layer of marks.

    Args:
        mark: the type of the marks, such as ``line``.
        encoding: the channels of columns.
        transform: the transforms of the rows.
        look: the properties of the marks.
    """
    steps = {} if transform is None else {"transform": list(transform)}
    return steps | {"mark": {"type": mark, **look}, "encoding": encoding}


def with_rows(rows: Sequence[Mapping[str, Any]], part: Spec) -> Spec:
    """A layer with rows of its own instead of those of the chart."""
    return {"data": {"values": list(rows)}, **part}


def aggregate(op: str, columns: Mapping[str, str], by: Sequence[str] = ()) -> Spec:
    """A transform to one row for each group of rows.

    Args:
        op: the aggregate, such as ``max``.
        columns: the new name of each column that is aggregated.
        by: the columns whose values are equal in a group.
    """
    aggregates = [{"op": op, "field": name, "as": new} for name, new in columns.items()]
    return {"aggregate": aggregates, "groupby": list(by)}


def json_values(column: "pd.Series[Any]") -> list[Any]:
    """The JSON values of a column: floats rounded, texts printable, missing values None."""
    values = column.tolist()
    if column.dtype == "float64":
        return [float(f"{value:.{_DIGITS}g}") if isfinite(value) else None for value in values]
    texts = {value: printable(shortened(value)) for value in set(values) if isinstance(value, str)}
    return [None if is_missing(value) else texts.get(value, value) for value in values]


# The theme of all charts: palette, configuration, axes and labels.


PALETTE: Final = (
    *("#145cff", "#cc8500", "#33a37a", "#705c85", "#855c66", "#477000"),
    *("#668fff", "#e0143d", "#c27ab8", "#cc0ab8", "#338552", "#ff5270"),
)
"""Colours of backends, in the order in which they are used.

Any two differ by 10 or more in CIEDE2000, the first four by 16, for normal colour vision and for
each dichromacy; a difference of 1 is just noticeable. Each has a contrast of at least 3 to the
light and to the dark page. Dash and shape distinguish backends as well."""

DASHES: Final = (
    *((1, 0), (6, 2), (2, 2), (8, 2, 2, 2), (4, 4), (10, 4)),
    *((8, 2, 2, 2, 2, 2), (14, 2), (3, 1), (10, 3, 4, 3), (5, 2, 1, 2), (14, 3, 2, 3, 2, 3)),
)
"""Dashes of lines, one for each colour: lengths of strokes and gaps."""

SHAPES: Final = (
    *("circle", "square", "triangle-up", "diamond", "cross", "triangle-down"),
    "M-.7,-1L0,-.3L.7,-1L1,-.7L.3,0L1,.7L.7,1L0,.3L-.7,1L-1,.7L-.3,0L-1,-.7Z",  # a diagonal cross
    "M0,-1L.3,-.3L1,0L.3,.3L0,1L-.3,.3L-1,0L-.3,-.3Z",  # a star with four points
    *("triangle-right", "M-1,-.35H1V.35H-1Z", "triangle-left", "M-.35,-1H.35V1H-.35Z"),
)
"""Shapes of points, one for each colour: names of Vega or paths in a square from -1 to 1."""

PHASES: Final = {
    "build": "#35608d",
    "encode": "#22908c",
    "search": "#8fae3a",
    "decode": "#b8860b",
    "other": "#8a8f98",
}
"""Colours of the phases of a trial, distinct from those of backends."""

MUTED: Final = "#808790"
"""The colour of reference lines: diagonals, limits, thresholds."""

WIDTH: Final = 560
HEIGHT: Final = 300

ROW_LABEL: Final = "row_label"
"""The column of the labels of a chart that has several rows for a backend."""

_LINE: Final = 90
"""Maximum number of characters of a line below a title."""
LETTER: Final = 6
"""The mean width of a letter of a label."""
_SYMBOL: Final = 30
"""The width of a symbol of a legend with its margins."""
_GRID: Final = "#80879030"
_TEXT: Final = "currentColor"
_LONGEST: Final = 40
_LONGEST_LINE: Final = 28
"""Maximum number of characters in a line of the name of a backend on an axis."""

# Vega-Lite copies titles into expressions for tooltips and screen readers without escaping
# them. Names therefore appear in axis titles only, and the page labels its charts itself.
CONFIG: Final[Mapping[str, Any]] = {
    "aria": False,
    "background": "transparent",
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "domainColor": MUTED,
        "gridColor": _GRID,
        "labelColor": _TEXT,
        "labelFontSize": 11,
        "labelLimit": 190,
        "labelSeparation": 6,
        "tickColor": MUTED,
        "titleColor": _TEXT,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "legend": {
        "columns": 4,
        "labelColor": _TEXT,
        "labelFontSize": 11,
        "labelLimit": 320,
        "orient": "top",
        "symbolLimit": 1000,
        "symbolStrokeWidth": 2,
        "titleColor": _TEXT,
        "titleFontWeight": "normal",
        "titleLimit": 320,
    },
    "text": {"color": _TEXT},
    "title": {
        "anchor": "start",
        "color": _TEXT,
        "fontSize": 13,
        "subtitleColor": _TEXT,
        "subtitleFontSize": 11,
    },
}


def display_names(labels: Sequence[str]) -> dict[str, str]:
    """A short, unique display name for each backend label."""
    names: dict[str, str] = {}
    for label in sorted(set(labels)):
        name = printable(shortened(backend_name(label), _LONGEST))
        if name in names.values():
            # Files of the same name in different folders: their paths differ.
            name = printable(shortened(label, _LONGEST))
        while name in names.values():
            name += "'"
        names[label] = name
    return names


def with_display_names(
    frame: pd.DataFrame, names: Mapping[str, str], column: str = "backend"
) -> pd.DataFrame:
    """Replace labels by display names; the categories are all backends of the run, in order."""
    values = frame[column].astype("string").map(dict(names))
    return frame.assign(**{column: pd.Categorical(values, categories=list(names.values()))})


def present(frame: pd.DataFrame) -> list[str]:
    """The backends that have rows, in the order of the categories."""
    backends = frame["backend"].cat
    codes = np.unique(backends.codes.to_numpy())
    return [str(name) for name in backends.categories[codes[codes >= 0]]]


def colour(frame: pd.DataFrame, *, legend: bool = True, points: bool = False) -> Spec:
    """The colour of each backend that has rows.

    Args:
        frame: rows with ``backend`` as categories.
        legend: whether to draw a legend.
        points: whether the legend has points instead of lines.
    """
    names = present(frame)
    legend_look: Spec = {"columns": legend_columns(names)}
    if points:
        # The dash of a line would be the edge of a point.
        legend_look |= {"symbolStrokeWidth": 0, "symbolOpacity": 1}
    return _by_backend(names, _looks(frame, PALETTE)) | {"legend": legend_look if legend else None}


def legend_columns(names: Sequence[str], width: float = WIDTH) -> int:
    """The number of columns of a legend that fits the width of a chart."""
    longest = max(map(len, names), default=1)
    return max(1, min(4, int(width / (LETTER * longest + _SYMBOL))))


def dash(frame: pd.DataFrame) -> Spec:
    """The dash of the line of each backend that has rows."""
    return _by_backend(present(frame), [list(dash) for dash in _looks(frame, DASHES)])


def shape(frame: pd.DataFrame) -> Spec:
    """The shape of the points of each backend that has rows."""
    return _by_backend(present(frame), _looks(frame, SHAPES))


def _by_backend(names: list[str], looks: list[Any]) -> Spec:
    return nominal("backend", title=None, scale={"domain": names, "range": looks})


Look = TypeVar("Look")


def _looks(frame: pd.DataFrame, looks: Sequence[Look]) -> list[Look]:
    """The look of each backend that has rows; no two are equal up to `len(looks)` backends.

    A backend has the look of its category, so that it looks the same in all charts of a run.
    In a run with more backends than looks, it has the look of its place among those with rows;
    if these are too many as well, all have the first look, and labels distinguish them.
    """
    names = present(frame)
    categories = list(frame["backend"].cat.categories)
    order = categories if len(categories) <= len(looks) else names
    if len(order) > len(looks):
        return [looks[0]] * len(names)
    return [looks[order.index(name)] for name in names]


def time_of(frame: pd.DataFrame) -> str:
    """The kind of the times in the rows of a chart: ``wall time`` or ``CPU time``."""
    return TimeKind(frame[col.TIME].iloc[0]).noun


def time_axis(title: str, scale: str = "y") -> Spec:
    """An axis of durations: ``10µs``, ``1ms``, ``3s``.

    The more decades the axis spans, the fewer ticks of a decade have a label: all
    ticks below one decade, then 1, 2 and 5, then 1 and 3, from six decades only 1.

    Args:
        title: the title of the axis.
        scale: the name of the scale in the compiled chart: the channel, prefixed
            by ``concat_1_`` in the second part of a concatenation.
    """
    decades = f"(log(domain('{scale}')[1] / domain('{scale}')[0]) / LN10)"
    leads = f"{decades} < 2 ? [1, 2, 5] : {decades} < 6 ? [1, 3] : [1]"
    is_hidden = f"{decades} >= 0.9 && indexof({leads}, {_LEAD}) < 0"
    label = f"datum.value <= 0 || ({is_hidden}) ? '' : {DURATION}"
    return {"title": title, "labelExpr": label, "tickCount": 6, "labelOverlap": "greedy"}


_LEAD: Final = "round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)))"

DURATION: Final = (
    "datum.value < 9.99e-4 ? format(datum.value * 1e6, '~r') + 'µs' : "
    "datum.value < 0.999 ? format(datum.value * 1e3, '~r') + 'ms' : "
    "format(datum.value, '~r') + 's'"
)
"""The Vega expression of the label of a tick: a duration in the units of the tables."""


def durations(*columns: str) -> list[Spec]:
    """Transforms that add a column ``NAME_text`` with each duration as in the tables.

    The text is that of `harness.report.formatting.duration`.
    """
    return calculate(**{f"{name}_text": _duration_text(f"datum['{name}']") for name in columns})


def duration_tooltip(column: str, title: str) -> Spec:
    """The tooltip of a column of `durations`."""
    return nominal(f"{column}_text", title=title)


def _duration_text(seconds: str) -> str:
    us, ms = (_three_digits(f"({seconds} * {factor})") for factor in ("1e6", "1e3"))
    return (
        f"!isValid({seconds}) ? '-' : {seconds} < 999.5e-6 ? {us} + 'µs' : "
        f"{seconds} < 0.9995 ? {ms} + 'ms' : {_three_digits(seconds)} + 's'"
    )


def _three_digits(value: str) -> str:
    return f"format({value}, {value} < 9.995 ? '.2f' : {value} < 99.95 ? '.1f' : '.0f')"


def in_lines(longest: int) -> str:
    """The Vega expression of a label in up to three lines of at most `longest` characters."""
    text = "datum.label"
    first, rest = f"slice({text}, 0, {longest})", f"slice({text}, {longest})"
    second, third = f"slice({text}, {longest}, {2 * longest})", f"slice({text}, {2 * longest})"
    more = f"length({text}) <= {2 * longest} ? [{first}, {rest}] : [{first}, {second}, {third}]"
    return f"length({text}) <= {longest} ? {text} : {more}"


def name_axis(**more: Any) -> Spec:
    """An axis of the names of backends, long ones in up to three lines."""
    return {"labelExpr": in_lines(_LONGEST_LINE), **more}


def name_rows() -> Spec:
    """A y channel with a row for each backend."""
    return nominal("backend", title=None, axis=name_axis())


def number_axis(form: str, ticks: int = 6) -> Spec:
    """An axis of numbers in a format of Vega, with about this number of ticks."""
    return {"format": form, "tickCount": ticks, "labelOverlap": "greedy"}


def share_axis() -> Spec:
    """The y axis of the column ``share``, from 0 % to 100 % of the instances."""
    return quantitative(
        "share", title="share of instances", axis={"format": "%"}, scale={"domain": [0, 1]}
    )


def step_curve(
    frame: pd.DataFrame,
    x: Spec,
    y: Spec,
    transform: Sequence[Spec] | None = None,
    *,
    tooltip: Sequence[Spec],
) -> Spec:
    """A layer with a curve of steps for each backend."""
    looks = {"color": colour(frame), "strokeDash": dash(frame)}
    encoding = {"x": x, "y": y, **looks, "tooltip": [nominal("backend"), *tooltip]}
    return layer("line", encoding, transform, interpolate="step-after", strokeWidth=2)


def points(size: int, opacity: float = 1) -> Spec:
    """The look of filled points."""
    # A browser composes each element with an opacity separately, so thousands take a second.
    return {"filled": True, "size": size, "opacity": 1, "fillOpacity": opacity}


def with_size(part: Spec, height: int | Spec = HEIGHT, width: int = WIDTH) -> Spec:
    """A view of this size."""
    return part | {"width": width, "height": height}


def layer_view(*layers: Spec, height: int | Spec = HEIGHT, width: int = WIDTH) -> Spec:
    """Layers over each other, the first one below, in a view of this size."""
    return with_size({"layer": list(layers)}, height, width)


def log_scale(**more: Any) -> Spec:
    """A logarithmic scale that fits the data."""
    return {"type": "log", "nice": False, **more}


def lines(text: str) -> list[str]:
    """A text in lines that fit below the title of a chart."""
    return textwrap.wrap(text, _LINE, break_on_hyphens=False)


def with_style(spec: Spec, title: str, notes: Sequence[str] = ()) -> Spec:
    """The specification with a title, the notes below it and the configuration of all charts."""
    text = {"text": title, "subtitle": list(notes)} if notes else title
    return spec | ({"title": text} if text else {}) | {"config": deepcopy(dict(CONFIG))}


# The size of a chart on paper.


POINTS: Final = 72
"""Points per inch. The unit of a chart is a point: its text of 11 units has 11 points."""
_TITLE_LETTER: Final = 7.2
"""The mean width of a letter of a title, in points."""
_ENTRY: Final = 85
"""The width of a legend entry with a short name, in points."""
LABEL: Final = 46
"""The width of the label of a shape, in points."""
_NARROWEST: Final = 60
"""The minimum width of a plot or panel, in points."""
_FLATTEST: Final = 0.65
"""The height of a plot shrinks with its width, but not below this share."""


def fit_width(spec: Spec, width_pt: float, svg: Callable[[Spec], str]) -> Spec:
    """A chart whose whole width, with axes and legend, is `width_pt`; text keeps its size.

    Names of backends that are too long for the width, or a width below that of the axes, make
    the chart wider.

    Args:
        spec: the description of the chart.
        width_pt: the width in points.
        svg: renders a description.
    """
    chart = deepcopy(spec)
    _wrap_title(chart, width_pt)
    parts = chart.get("vconcat", [chart])
    sizes = [part.get("spec", part) for part in parts]
    plots = [(part, plot["width"], plot["height"]) for part, plot in zip(parts, sizes, strict=True)]
    # Axes and legends keep about the same width when the plot shrinks, so two steps are enough.
    for _ in range(2):
        excess = width_of(svg(chart)) - width_pt
        for part, width, height in plots:
            plot = part.get("spec", part)
            plot["width"] = max(_NARROWEST, plot["width"] - excess / part.get("columns", 1))
            scale = plot["width"] / width
            if width == height:
                plot["height"] = plot["width"]
            elif isinstance(height, int):
                plot["height"] = height * min(1.0, max(_FLATTEST, scale))
            fit_texts(part, plot["width"])
        chart["config"]["legend"]["columns"] = max(1, min(4, int(width_pt / _ENTRY)))
    return chart


def width_of(svg: str) -> float:
    """The width of an SVG image in its units."""
    match = re.search(r'<svg[^>]* width="([\d.]+)"', svg)
    assert match
    return float(match[1])


def _wrap_title(spec: Spec, width: float) -> None:
    title = spec.get("title")
    if title:
        parts = title if isinstance(title, dict) else {"text": title}
        for name, letter in (("text", _TITLE_LETTER), ("subtitle", LETTER)):
            lines = parts.get(name, [])
            lines = [lines] if isinstance(lines, str) else lines
            letters = max(10, int(width / letter))
            parts[name] = [part for line in lines for part in textwrap.wrap(line, letters)]
        spec["title"] = parts


def fit_texts(part: Any, width: float) -> None:
    """Fit the texts of a chart: columns of legends, titles of axes, labels of shapes."""
    if isinstance(part, list):
        for element in part:
            fit_texts(element, width)
    elif isinstance(part, dict):
        axis_title = part.get("title")
        if isinstance(axis_title, str) and "labelExpr" in part:
            part["title"] = textwrap.wrap(axis_title, max(10, int(width / LETTER)))
        legend, scale = part.get("legend"), part.get("scale")
        if part.get("field") == "backend" and isinstance(legend, dict) and scale:
            legend["columns"] = legend_columns(scale["domain"], width)
        axis, order = part.get("axis"), part.get("sort")
        is_turnable = "labelAngle" in axis if isinstance(axis, dict) else False
        if is_turnable and isinstance(order, list) and width < LABEL * len(order):
            part["axis"] = {**part["axis"], "labelAngle": -90, "labelFontSize": 9}
        for value in part.values():
            fit_texts(value, width)


# Small multiples: one panel for each backend, for charts of more backends than colours.


COLUMNS: Final = 4
_GAP: Final = 16
_LETTERS: Final = 20
"""Maximum number of characters in a line of the name of a backend."""


def small_multiples(spec: Spec) -> Spec:
    """Draw each backend in a panel of its own, over all backends in grey.

    All panels have the same scales, so they are compared like the curves of one chart (Tufte,
    "The Visual Display of Quantitative Information", 1983, chapter 8).

    Args:
        spec: a chart that overlays backends by colour.
    """
    own = deepcopy(spec)  # parts of a chart may be the same dictionary
    if "vconcat" not in own:
        return _panels(own)
    return own | {"vconcat": [_panels(p) if _is_by_backend(p) else p for p in own["vconcat"]]}


def _panels(part: Spec) -> Spec:
    width, height = part["width"], part["height"]
    panel = width // COLUMNS - _GAP
    fit_texts(part, panel)
    unit = ("mark", "encoding", "transform")
    layers = part.get("layer") or [{name: part[name] for name in part if name in unit}]
    for axis in (
        layer["encoding"].get(place, {}).get("axis") for layer in layers for place in "xy"
    ):
        if axis:
            axis["grid"] = False  # as dense as that of a large chart, it would hide the marks
    own = [layer for layer in layers if _is_by_backend(layer)]
    common = [layer for layer in layers if not _is_by_backend(layer)]
    background = [_background(layer) for layer in own if layer["mark"]["type"] in ("line", "point")]
    texts = {"labelColor": _TEXT, "labelFontSize": 11, "labelLimit": 150}
    header = texts | {"labelExpr": in_lines(_LETTERS)}
    return {
        "facet": nominal("backend", title=None, header=header),
        "columns": COLUMNS,
        "spacing": _GAP,
        "spec": {
            "layer": [*common, *background, *map(_foreground, own)],
            "width": panel,
            "height": panel if width == height else min(panel, 100),
        },
    }


_GREY_POINTS: Final = 10_000
"""Maximum number of grey points in all panels; ten times as many take a browser several seconds."""
_SAMPLE: Final = (
    {
        "joinaggregate": [
            {"op": "count", "as": "all_points"},
            {"op": "distinct", "field": "backend", "as": "all_panels"},
        ]
    },
    {"window": [{"op": "row_number", "as": "place"}]},
    {"filter": f"datum.place % ceil(datum.all_points * datum.all_panels / {_GREY_POINTS}) == 0"},
)


def _is_by_backend(part: Spec) -> bool:
    """Whether a chart or layer, or a layer in it, has a colour for each backend."""
    if "layer" in part:
        return any(map(_is_by_backend, part["layer"]))
    return bool(part.get("encoding", {}).get("color", {}).get("field") == "backend")


def _foreground(layer: Spec) -> Spec:
    front = deepcopy(layer)
    for channel in ("color", "stroke", "strokeDash", "shape"):
        if front["encoding"].get(channel, {}).get("field") == "backend":
            del front["encoding"][channel]
    front["encoding"]["color"] = {"value": PALETTE[0]}
    return front


def _background(layer: Spec) -> Spec:
    """The marks of all backends in grey."""
    back = _foreground(layer)
    encoding = back["encoding"]
    encoding.pop("tooltip", None)
    detail = encoding.get("detail", [])
    detail = detail if isinstance(detail, list) else [detail]
    encoding["detail"] = [*detail, nominal("backend")]
    encoding["color"] = {"value": MUTED}
    back["mark"] |= {"opacity": 1, "fillOpacity": 0.3, "strokeOpacity": 0.3, "strokeWidth": 1}
    if back["mark"]["type"] == "point":
        back["mark"] |= {"size": 8}
        back["transform"] = [*back.get("transform", ()), *_SAMPLE]
    # Named data are not divided among the panels.
    return back | {"data": {"name": ROWS}}
