"""The theme of all charts: palette, configuration, axes and labels.

Axis lines and text have the colour of the surrounding text, so that the same
description is readable on a light page, on a dark page and on paper.
"""

import textwrap
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd

from harness.analysis.times import TIME
from harness.records.time_kind import TimeKind
from harness.report.charts.vega import Spec, calculated, nominal, quantitative
from harness.report.formatting import backend_name, printable, shortened

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
    shown = frame[column].astype("string").map(dict(names))
    return frame.assign(**{column: pd.Categorical(shown, categories=list(names.values()))})


def present(frame: pd.DataFrame) -> list[str]:
    """The backends that have rows, in the order of the categories."""
    backends = frame["backend"].cat
    found = np.unique(backends.codes.to_numpy())
    return [str(name) for name in backends.categories[found[found >= 0]]]


def colour(frame: pd.DataFrame, *, legend: bool = True, points: bool = False) -> Spec:
    """The colour of each backend that has rows.

    Args:
        frame: rows with ``backend`` as categories.
        legend: whether to draw a legend.
        points: whether the legend has points instead of lines.
    """
    names = present(frame)
    shown: Spec = {"columns": legend_columns(names)}
    if points:
        # The dash of a line would be the edge of a point.
        shown |= {"symbolStrokeWidth": 0, "symbolOpacity": 1}
    return _by_backend(names, _looks(frame, PALETTE)) | {"legend": shown if legend else None}


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
    In a run of more backends than looks it has that of its place among those with rows; all
    have the first look if there are too many of these, since labels distinguish them then.
    """
    names = present(frame)
    categories = list(frame["backend"].cat.categories)
    order = categories if len(categories) <= len(looks) else names
    if len(order) > len(looks):
        return [looks[0]] * len(names)
    return [looks[order.index(name)] for name in names]


def time_of(frame: pd.DataFrame) -> str:
    """The kind of the times in the rows of a chart: ``wall time`` or ``CPU time``."""
    return TimeKind(frame[TIME].iloc[0]).noun


def time_axis(title: str, scale: str = "y") -> Spec:
    """An axis of durations: ``10us``, ``1ms``, ``3s``.

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
    return {"title": title, "labelExpr": label, "tickCount": 6, "labelOverlap": "greedy"}


_LEAD: Final = "round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)))"

DURATION: Final = (
    "datum.value < 9.99e-4 ? format(datum.value * 1e6, '~r') + 'us' : "
    "datum.value < 0.999 ? format(datum.value * 1e3, '~r') + 'ms' : "
    "format(datum.value, '~r') + 's'"
)
"""The Vega expression of the label of a tick: a duration in the units of the tables."""


def durations(*columns: str) -> list[Spec]:
    """Transforms that add a column ``NAME_text`` with each duration as in the tables.

    The text is that of `harness.report.formatting.duration`.
    """
    return calculated(**{f"{name}_text": _duration_text(f"datum['{name}']") for name in columns})


def duration_tooltip(column: str, title: str) -> Spec:
    """The tooltip of a column of `durations`."""
    return nominal(f"{column}_text", title=title)


def _duration_text(seconds: str) -> str:
    us, ms = (_three_digits(f"({seconds} * {factor})") for factor in ("1e6", "1e3"))
    return (
        f"!isValid({seconds}) ? '-' : {seconds} < 999.5e-6 ? {us} + 'us' : "
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
    """An axis of the names of backends, long ones in two lines."""
    return {"labelExpr": in_lines(_LONGEST_LINE), **more}


def share_axis() -> Spec:
    """The y axis of the column ``share``, from 0 % to 100 % of the instances."""
    return quantitative(
        "share", title="share of instances", axis={"format": "%"}, scale={"domain": [0, 1]}
    )


def log_scale(**more: Any) -> Spec:
    """A logarithmic scale that fits the data."""
    return {"type": "log", "nice": False, **more}


def lines(text: str) -> list[str]:
    """A text in lines that fit below the title of a chart."""
    return textwrap.wrap(text, _LINE, break_on_hyphens=False)


def styled(spec: Spec, title: str, notes: Sequence[str] = ()) -> Spec:
    """The specification with a title, the notes below it and the configuration of all charts."""
    text = {"text": title, "subtitle": list(notes)} if notes else title
    return spec | ({"title": text} if text else {}) | {"config": deepcopy(dict(CONFIG))}
