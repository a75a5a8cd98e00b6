"""Chart files, rendered without a browser or a network connection."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import altair as alt

from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.errors import InputError
from harness.report.charts.catalogue import CHARTS, Chart, charts_of
from harness.report.charts.theme import Drawing
from harness.report.formatting import printable
from harness.report.tables.contents import group_title

VEGA_LITE: Final = ".".join(alt.SCHEMA_VERSION.split(".")[:2])
"""The Vega-Lite version of the chart descriptions: ``v6.4``."""

_DPI: Final = 200


class ChartFormat(StrEnum):
    """File formats of charts."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


@dataclass(frozen=True, slots=True)
class ChartFile:
    """A chart file, or a chart kind that the run has no data for."""

    kind: str
    """The name of the chart kind."""
    path: Path | None
    """The file; None if there is no chart of this kind."""
    missing_reason: str = ""

    def __str__(self) -> str:
        return str(self.path) if self.path else f"no {self.kind}: {self.missing_reason}"


def write(run: Run, folder: Path, form: ChartFormat) -> Iterator[ChartFile]:
    """Write every chart of `run` into `folder`; report each file and each kind without a chart.

    The subtitle of the charts of an unfinished run states what it lacks.

    Raises:
        InputError: a file cannot be written.
    """
    taken: set[str] = set()
    several_hosts = len(run.hosts) > 1
    subtitle = printable(run.progress.headline)
    for kind in CHARTS:
        has_charts = False
        for chart in charts_of(run, kind):
            has_charts = True
            path = folder / f"{_unique(_file_name(chart), taken)}.{form}"
            content = rendered(chart.draw(chart_title(chart, several_hosts), subtitle), form)
            try:
                folder.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            except OSError as error:
                raise InputError(f"cannot be written: {error.strerror}", where=str(path)) from None
            yield ChartFile(kind.name, path)
        if not has_charts:
            yield ChartFile(kind.name, None, kind.missing_reason())


def rendered(drawing: Drawing, form: ChartFormat) -> bytes:
    """Render a drawing on a white background as the content of a file."""
    import vl_convert

    spec: dict[str, Any] = drawing.to_dict(validate=False)
    spec["config"]["background"] = "white"
    match form:
        case ChartFormat.SVG:
            svg: str = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)
            return svg.encode()
        case ChartFormat.PNG:
            scale = _DPI / 72
            return bytes(vl_convert.vegalite_to_png(spec, vl_version=VEGA_LITE, scale=scale))
        case ChartFormat.PDF:
            return bytes(vl_convert.vegalite_to_pdf(spec, vl_version=VEGA_LITE))


def chart_title(chart: Chart, with_host: bool) -> str:
    """The comparison group of a chart as text."""
    key = dict.fromkeys(COMPARISON_GROUP) | {"dataset": "all datasets"} | dict(chart.key)
    return printable(group_title(key, None, with_host))


def _file_name(chart: Chart) -> str:
    """A file name of letters, digits and dashes, for any name of a dataset or backend."""
    parts = [chart.kind.name]
    parts += [str(chart.key[name]) for name in ("dataset", "task", "start") if chart.key.get(name)]
    if "other" in chart.key:
        parts += [str(chart.key["backend"]), str(chart.key["other"])]
    slugs = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")[:40] for part in parts)
    return "-".join(filter(None, slugs))


def _unique(name: str, taken: set[str]) -> str:
    """The name, with a number if it is already taken."""
    number, unique = 1, name
    while unique in taken:
        number += 1
        unique = f"{name}-{number}"
    taken.add(unique)
    return unique
