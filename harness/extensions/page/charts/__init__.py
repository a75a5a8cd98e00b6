"""Charts of runs and comparisons, described in Vega-Lite for the page, notebooks and papers."""

from enum import StrEnum
from typing import Final


class ChartFormat(StrEnum):
    """File formats of charts."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


DPI: Final = 300
"""The default resolution of PNG files, in pixels per inch."""
