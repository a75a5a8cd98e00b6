"""How all charts look: one palette, one configuration, one way of writing durations.

Lines and text are drawn in the colour of the text around them, so that one
description is readable on a light page, on a dark one and on paper.
"""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final

import altair as alt
import pandas as pd

from harness.analysis.results import COMPARISON_GROUP
from harness.report.formatting import backend_name, printable, shortened
from harness.report.tables.table import is_missing

Drawing = alt.Chart | alt.LayerChart | alt.FacetChart | alt.VConcatChart

PALETTE: Final = ("#2b7bba", "#c77700", "#cc79a7", "#8c564b", "#6a5acd", "#c0392b")
"""Colours of backends. Each has a contrast of 3 to white and to the dark page, and no two
look alike to somebody who cannot tell red from green or blue from yellow. A backend has a
dash and a shape of its own besides."""

DASHES: Final = ((1, 0), (6, 2), (2, 2), (8, 2, 2, 2), (4, 4), (10, 4))
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")

PHASES: Final = {
    "build": "#35608d",
    "encode": "#22908c",
    "search": "#8fae3a",
    "decode": "#b8860b",
    "other": "#8a8f98",
}
"""Colours of the phases of a trial, which no backend has."""

QUIET: Final = "#808790"
"""What is drawn to compare with: diagonals, limits, thresholds."""

WIDTH: Final = 560
HEIGHT: Final = 300

ROWS: Final = "rows"
"""The name that the rows of a chart have in its description."""

_GRID: Final = "#80879030"
_INK: Final = "currentColor"
_LONGEST: Final = 40
_DIGITS: Final = 4

# Vega-Lite writes titles into expressions where it makes labels for screen readers or
# tooltips, with no care for what stands in them. So names stand in titles of axes alone,
# and the page labels its charts itself.
CONFIG: Final[Mapping[str, Any]] = {
    "aria": False,
    "background": "transparent",
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "domainColor": QUIET,
        "gridColor": _GRID,
        "labelColor": _INK,
        "labelFontSize": 11,
        "labelLimit": 170,
        "labelSeparation": 6,
        "tickColor": QUIET,
        "titleColor": _INK,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "legend": {
        "columns": 4,
        "labelColor": _INK,
        "labelFontSize": 11,
        "labelLimit": 190,
        "orient": "top",
        "symbolLimit": 1000,
        "symbolStrokeWidth": 2,
        "titleColor": _INK,
        "titleFontWeight": "normal",
        "titleLimit": 320,
    },
    "text": {"color": _INK},
    "title": {"anchor": "start", "color": _INK, "fontSize": 13},
}


def names_of(labels: Sequence[str]) -> dict[str, str]:
    """The name under which each backend is shown in charts, different for different labels."""
    names: dict[str, str] = {}
    for label in sorted(set(labels)):
        name = printable(shortened(backend_name(label), _LONGEST))
        if name in names.values():
            # Files of one name in different folders: the whole label tells them apart.
            name = printable(shortened(label, _LONGEST))
        while name in names.values():
            name += "'"
        names[label] = name
    return names


def named(frame: pd.DataFrame, names: Mapping[str, str], column: str = "backend") -> pd.DataFrame:
    """`frame` with shown names; the categories are all backends of the run, in one order.

    A colour follows from the place of a category, so it is the same in all charts.
    """
    shown = frame[column].astype("string").map(dict(names))
    return frame.assign(**{column: pd.Categorical(shown, categories=list(names.values()))})


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as JSON has them: numbers of four digits, None for what is missing."""
    drawn = frame.drop(columns=[name for name in COMPARISON_GROUP if name in frame])
    return [
        {str(name): _plain(value) for name, value in row.items()}
        for row in drawn.to_dict("records")
    ]


def data_of(frame: pd.DataFrame) -> alt.InlineData:
    """The rows of a chart, under the name that a page replaces them by.

    They are one text: as objects altair would look into each of their values.
    """
    text = json.dumps(rows_of(frame))
    return alt.InlineData(values=text, name=ROWS, format=alt.JsonDataFormat(type="json"))


def colour(frame: pd.DataFrame, *, legend: bool = True) -> alt.Color:
    """The colour of a backend, which follows from its place among the categories."""
    backends = list(frame["backend"].cat.categories)
    scale = alt.Scale(domain=backends, range=_cycled(PALETTE, backends))
    return alt.Color("backend:N", title=None, scale=scale, legend=_legend(legend))


def dash(frame: pd.DataFrame) -> alt.StrokeDash:
    """The dash of a backend's line, beside its colour."""
    backends = list(frame["backend"].cat.categories)
    # Those that share a colour must not share a dash.
    turned = [DASHES[(n + n // len(PALETTE)) % len(DASHES)] for n in range(len(backends))]
    scale = alt.Scale(domain=backends, range=[list(dash) for dash in turned])
    return alt.StrokeDash("backend:N", title=None, scale=scale)


def shape(frame: pd.DataFrame) -> alt.Shape:
    """The shape of a backend's points, beside its colour."""
    backends = list(frame["backend"].cat.categories)
    turned = [SHAPES[(n + n // len(PALETTE)) % len(SHAPES)] for n in range(len(backends))]
    return alt.Shape("backend:N", title=None, scale=alt.Scale(domain=backends, range=turned))


def times(title: str, scale: str = "y") -> alt.Axis:
    """An axis of durations: ``10 us``, ``1 ms``, ``3 s``.

    The more decades there are, the fewer labels each has: every tick of less
    than one, then 1, 2 and 5, 1 and 3, and of six and more 1 alone.

    Args:
        title: what the durations are of.
        scale: the name of the scale in the finished chart: the channel, behind
            ``concat_1_`` in the second part of a concatenation.
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
"""A duration in seconds as a label, in the language of the charts."""


def share_of_puzzles() -> alt.Y:
    """The column ``share`` upwards, from none to all."""
    scale = alt.Scale(domain=[0, 1])
    return alt.Y("share:Q", title="share of puzzles", axis=alt.Axis(format="%"), scale=scale)


def log_scale(**more: Any) -> alt.Scale:
    """A logarithmic scale that ends where the data do."""
    return alt.Scale(type="log", nice=False, **more)


def described(drawing: Drawing, title: str) -> Drawing:
    """The chart with its title and the look that all have."""
    drawing = drawing.properties(title=title) if title else drawing
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
