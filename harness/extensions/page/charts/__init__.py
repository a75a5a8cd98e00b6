"""Charts of runs and comparisons, described in Vega-Lite for the page, notebooks and papers."""

from enum import StrEnum


class ChartFormat(StrEnum):
    """File formats of charts."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"
