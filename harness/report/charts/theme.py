"""The theme of all charts: palette, configuration, axes and labels.

Axis lines and text have the colour of the surrounding text, so that the same
description is readable on a light page, on a dark page and on paper.
"""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final

import altair as alt
import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.report.formatting import backend_name, printable, shortened
from harness.report.table import is_missing

Drawing = alt.Chart | alt.LayerChart | alt.FacetChart | alt.VConcatChart

PALETTE: Final = ("#2b7bba", "#c77700", "#cc79a7", "#8c564b", "#6a5acd", "#c0392b")
"""Colours of backends. Each has a contrast of at least 3 to the light and to the dark page,
and readers with a colour vision deficiency can tell them apart. Dash and shape distinguish
backends as well."""

DASHES: Final = ((1, 0), (6, 2), (2, 2), (8, 2, 2, 2), (4, 4), (10, 4))
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")

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

ROWS: Final = "rows"
"""The name of the data set of rows in the description of a chart."""
ROW_LABEL: Final = "row_label"
"""The column of the labels of a chart that has several rows for a backend."""
TIME: Final = "time per instance"
"""The title of an axis of times."""

_GRID: Final = "#80879030"
_TEXT: Final = "currentColor"
_LONGEST: Final = 40
_DIGITS: Final = 4

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
        "labelLimit": 170,
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
        "labelLimit": 190,
        "orient": "top",
        "symbolLimit": 1000,
        "symbolStrokeWidth": 2,
        "titleColor": _TEXT,
        "titleFontWeight": "normal",
        "titleLimit": 320,
    },
    "text": {"color": _TEXT},
    "title": {"anchor": "start", "color": _TEXT, "fontSize": 13},
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
    """Replace labels by display names; the categories are all backends of the run, in order.

    The position of a category decides its colour, so a backend has the same colour in all charts.
    """
    shown = frame[column].astype("string").map(dict(names))
    return frame.assign(**{column: pd.Categorical(shown, categories=list(names.values()))})


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as JSON values: numbers with four digits, None for missing values."""
    drawn = frame.drop(columns=[name for name in COMPARISON_GROUP if name in frame])
    return [
        {str(name): _plain(value) for name, value in row.items()}
        for row in drawn.to_dict("records")
    ]


def inline_data(frame: pd.DataFrame, name: str = ROWS) -> alt.InlineData:
    """The rows of a chart as the data set `ROWS`; parts of one file need names of their own.

    The rows are one JSON text, because altair would validate every value of a list.
    """
    text = json.dumps(rows_of(frame))
    return alt.InlineData(values=text, name=name, format=alt.JsonDataFormat(type="json"))


def colour(frame: pd.DataFrame, *, legend: bool = True) -> alt.Color:
    """The colour of a backend, by its position among the categories."""
    backends = list(frame["backend"].cat.categories)
    scale = alt.Scale(domain=backends, range=_cycled(PALETTE, backends))
    return alt.Color("backend:N", title=None, scale=scale, legend=_legend(legend))


def dash(frame: pd.DataFrame) -> alt.StrokeDash:
    """The dash of a backend's line, distinct among backends of the same colour."""
    backends = list(frame["backend"].cat.categories)
    # Each cycle through the palette shifts the dashes by one.
    dashes = [DASHES[(n + n // len(PALETTE)) % len(DASHES)] for n in range(len(backends))]
    scale = alt.Scale(domain=backends, range=[list(dash) for dash in dashes])
    return alt.StrokeDash("backend:N", title=None, scale=scale)


def shape(frame: pd.DataFrame) -> alt.Shape:
    """The shape of a backend's points, distinct among backends of the same colour."""
    backends = list(frame["backend"].cat.categories)
    shapes = [SHAPES[(n + n // len(PALETTE)) % len(SHAPES)] for n in range(len(backends))]
    return alt.Shape("backend:N", title=None, scale=alt.Scale(domain=backends, range=shapes))


def time_axis(title: str, scale: str = "y") -> alt.Axis:
    """An axis of durations: ``10 us``, ``1 ms``, ``3 s``.

    The more decades the axis spans, the fewer ticks of a decade have a label: all
    ticks below one decade, then 1, 2 and 5, then 1 and 3, from six decades only 1.

    Args:
        title: the title of the axis.
        scale: the name of the scale in the compiled chart: the channel, prefixed
            by ``concat_1_`` in the second part of a concatenation.
    """
    decades = f"(log(domain('{scale}')[1] / domain('{scale}')[0]) / LN10)"
    leads = f"{decades} < 2 ? [1, 2, 5] : {decades} < 6 ? [1, 3] : [1]"
    hidden = f"{decades} >= 0.9 && indexof({leads}, {_LEAD}) < 0"
    label = f"datum.value <= 0 || ({hidden}) ? '' : {DURATION}"
    return alt.Axis(title=title, labelExpr=label, tickCount=6, labelOverlap="greedy")


_LEAD: Final = "round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)))"

DURATION: Final = (
    "datum.value < 9.99e-7 ? format(datum.value * 1e9, '~r') + ' ns' : "
    "datum.value < 9.99e-4 ? format(datum.value * 1e6, '~r') + ' \u00b5s' : "
    "datum.value < 0.999 ? format(datum.value * 1e3, '~r') + ' ms' : "
    "format(datum.value, '~r') + ' s'"
)
"""The Vega expression that formats a duration in seconds as a label."""


def share_axis() -> alt.Y:
    """The y axis of the column ``share``, from 0 % to 100 % of the instances."""
    scale = alt.Scale(domain=[0, 1])
    return alt.Y("share:Q", title="share of instances", axis=alt.Axis(format="%"), scale=scale)


def log_scale(**more: Any) -> alt.Scale:
    """A logarithmic scale that fits the data."""
    return alt.Scale(type="log", nice=False, **more)


def styled(drawing: Drawing, title: str, subtitle: str = "") -> Drawing:
    """Add the title and the configuration of all charts."""
    if title or subtitle:
        text = alt.TitleParams(title, subtitle=subtitle) if subtitle else title
        drawing = drawing.properties(title=text)
    drawing["config"] = dict(CONFIG)
    return drawing


def _legend(wanted: bool) -> Any:
    return alt.Legend() if wanted else None


def _cycled(colours: Sequence[str], backends: Sequence[str]) -> list[str]:
    return [colours[n % len(colours)] for n in range(len(backends))]


def _plain(value: Any) -> Any:
    if is_missing(value):
        return None
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if isfinite(value) else None
    if isinstance(value, str):
        return printable(shortened(value))
    return value.item() if hasattr(value, "item") else value
