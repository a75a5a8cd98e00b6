"""Small multiples: one panel for each backend, for charts of more backends than colours."""

from copy import deepcopy
from typing import Final

from harness.report.charts import theme
from harness.report.charts.size import fit_texts
from harness.report.charts.vega import ROWS, Spec, nominal

COLUMNS: Final = 4
_GAP: Final = 16
_LETTERS: Final = 20
"""Maximum number of characters in a line of the name of a backend."""
_LOOKS: Final = ("color", "stroke", "strokeDash", "shape")
"""Channels that distinguish backends in a chart of few."""


def small_multiples(spec: Spec) -> Spec:
    """Draw each backend in a panel of its own, above the other backends in grey.

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
    layers = part.get("layer") or [{name: part[name] for name in part if name in _UNIT}]
    for layer in layers:
        _without_grid(layer)
    own = [layer for layer in layers if _is_by_backend(layer)]
    shared = [layer for layer in layers if not _is_by_backend(layer)]
    background = [_background(layer) for layer in own if layer["mark"]["type"] in ("line", "point")]
    return {
        "facet": nominal("backend", title=None, header=_HEADER),
        "columns": COLUMNS,
        "spacing": _GAP,
        "spec": {
            "layer": [*shared, *background, *map(_foreground, own)],
            "width": panel,
            "height": panel if width == height else min(panel, 100),
        },
    }


_UNIT: Final = ("mark", "encoding", "transform")
_HEADER: Final = {
    "labelColor": "currentColor",
    "labelFontSize": 11,
    "labelLimit": 150,
    "labelExpr": theme.in_lines(_LETTERS),
}


def _without_grid(layer: Spec) -> None:
    """Omit the grid, which would be as dense as that of a large chart and hide the marks."""
    for place in ("x", "y"):
        axis = layer["encoding"].get(place, {}).get("axis")
        if axis:
            axis["grid"] = False


def _is_by_backend(part: Spec) -> bool:
    """Whether a chart or layer, or a layer in it, has a colour for each backend."""
    if "layer" in part:
        return any(map(_is_by_backend, part["layer"]))
    return bool(part.get("encoding", {}).get("color", {}).get("field") == "backend")


def _foreground(layer: Spec) -> Spec:
    front = deepcopy(layer)
    for channel in _LOOKS:
        if front["encoding"].get(channel, {}).get("field") == "backend":
            del front["encoding"][channel]
    front["encoding"]["color"] = {"value": theme.PALETTE[0]}
    return front


def _background(layer: Spec) -> Spec:
    """The marks of all backends in grey."""
    back = _foreground(layer)
    encoding = back["encoding"]
    encoding.pop("tooltip", None)
    detail = encoding.get("detail", [])
    detail = detail if isinstance(detail, list) else [detail]
    encoding["detail"] = [*detail, nominal("backend")]
    encoding["color"] = {"value": theme.MUTED}
    back["mark"] |= {"opacity": 0.3, "strokeWidth": 1}
    if back["mark"]["type"] == "point":
        back["mark"] |= {"size": 8}
    # Data that is named is not divided among the panels.
    return back | {"data": {"name": ROWS}}
