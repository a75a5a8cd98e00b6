"""The size of a chart on paper."""

import re
import textwrap
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, Final

from harness.report.charts import theme
from harness.report.charts.small_multiples import COLUMNS

POINTS: Final = 72
"""Points of an inch. The unit of a chart is a point: its text of 11 units has 11 points."""
_TITLE_LETTER: Final = 7.2
"""The mean width of a letter of a title, in points."""
_NARROWEST: Final = 60
"""The least width of a plot or panel, in points."""


def fitted(
    spec: dict[str, Any], width_pt: float, svg: Callable[[dict[str, Any]], str]
) -> dict[str, Any]:
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
    # Axes and legends have about the same width whatever the width of the plot is: two steps.
    for _ in range(2):
        excess = width_of(svg(found)) - width_pt
        for part in _plots(found):
            columns = part.get("columns", 1)
            plot = part["spec"] if "facet" in part else part
            square = plot["width"] == plot["height"]
            plot["width"] = max(_NARROWEST, plot["width"] - excess / columns)
            if square:
                plot["height"] = plot["width"]
            _fit_legends(part, plot["width"])
    return found


def width_of(svg: str) -> float:
    """The width of an SVG image in its units."""
    match = re.search(r'<svg[^>]* width="([\d.]+)"', svg)
    assert match
    return float(match[1])


def _plots(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in spec.get("vconcat", [spec]):
        if "facet" in part:
            part["columns"] = min(part["columns"], COLUMNS)
        yield part


def _wrap_title(spec: dict[str, Any], width: float) -> None:
    title = spec.get("title")
    if title:
        parts = title if isinstance(title, dict) else {"text": title}
        for name, letter in (("text", _TITLE_LETTER), ("subtitle", theme.LETTER)):
            lines = parts.get(name, [])
            lines = [lines] if isinstance(lines, str) else lines
            letters = max(10, int(width / letter))
            parts[name] = [part for line in lines for part in textwrap.wrap(line, letters)]
        spec["title"] = parts


def _fit_legends(part: Any, width: float) -> None:
    """Set the columns of the legends of backends to those that fit."""
    if isinstance(part, list):
        for element in part:
            _fit_legends(element, width)
    elif isinstance(part, dict):
        legend, scale = part.get("legend"), part.get("scale")
        if part.get("field") == "backend" and isinstance(legend, dict) and scale:
            legend["columns"] = theme.legend_columns(scale["domain"], width)
        for value in part.values():
            _fit_legends(value, width)
