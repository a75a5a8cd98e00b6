"""The size of a chart on paper."""

import re
import textwrap
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

from harness.report.charts import theme
from harness.report.charts.vega import Spec

POINTS: Final = 72
"""Points of an inch. The unit of a chart is a point: its text of 11 units has 11 points."""
_TITLE_LETTER: Final = 7.2
"""The mean width of a letter of a title, in points."""
_ENTRY: Final = 85
"""The width of the entry of a legend of short names, in points."""
LABEL: Final = 46
"""The width of the label of a shape, in points."""
_NARROWEST: Final = 60
"""The least width of a plot or panel, in points."""
_FLATTEST: Final = 0.65
"""The height of a plot shrinks with its width, at most by this factor."""


def fitted(spec: Spec, width_pt: float, svg: Callable[[Spec], str]) -> Spec:
    """A chart whose whole width, with axes and legend, is `width_pt`; text keeps its size.

    Names of backends that are too long for the width, or a width below that of the axes, make
    the chart wider.

    Args:
        spec: the description of the chart.
        width_pt: the width in points.
        svg: renders a description.
    """
    found = deepcopy(spec)
    _wrap_title(found, width_pt)
    plots = [(part, *_size(part)) for part in found.get("vconcat", [found])]
    # Axes and legends have about the same width whatever the width of the plot is: two steps.
    for _ in range(2):
        excess = width_of(svg(found)) - width_pt
        for part, width, height in plots:
            plot = part.get("spec", part)
            plot["width"] = max(_NARROWEST, plot["width"] - excess / part.get("columns", 1))
            scale = plot["width"] / width
            if width == height:
                plot["height"] = plot["width"]
            elif isinstance(height, int):
                plot["height"] = height * min(1.0, max(_FLATTEST, scale))
            fit_texts(part, plot["width"])
        found["config"]["legend"]["columns"] = max(1, min(4, int(width_pt / _ENTRY)))
    return found


def width_of(svg: str) -> float:
    """The width of an SVG image in its units."""
    match = re.search(r'<svg[^>]* width="([\d.]+)"', svg)
    assert match
    return float(match[1])


def _size(part: Spec) -> tuple[Any, Any]:
    plot = part.get("spec", part)
    return plot["width"], plot["height"]


def _wrap_title(spec: Spec, width: float) -> None:
    title = spec.get("title")
    if title:
        parts = title if isinstance(title, dict) else {"text": title}
        for name, letter in (("text", _TITLE_LETTER), ("subtitle", theme.LETTER)):
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
            part["title"] = textwrap.wrap(axis_title, max(10, int(width / theme.LETTER)))
        legend, scale = part.get("legend"), part.get("scale")
        if part.get("field") == "backend" and isinstance(legend, dict) and scale:
            legend["columns"] = theme.legend_columns(scale["domain"], width)
        axis, order = part.get("axis"), part.get("sort")
        is_turnable = "labelAngle" in axis if isinstance(axis, dict) else False
        if is_turnable and isinstance(order, list) and width < LABEL * len(order):
            part["axis"] = {**part["axis"], "labelAngle": -90, "labelFontSize": 9}
        for value in part.values():
            fit_texts(value, width)
