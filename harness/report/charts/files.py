"""Charts as files, drawn without a browser and without a network."""

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import altair as alt

from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.run import Run
from harness.errors import InputError
from harness.report.charts.catalogue import CHARTS, Chart, pictures
from harness.report.charts.theme import Drawing
from harness.report.formatting import printable
from harness.report.tables.contents import group_title

VEGA_LITE: Final = ".".join(alt.SCHEMA_VERSION.split(".")[:2])
"""The version that descriptions are written in: ``v6.4``."""

_DPI: Final = 200


class ChartFormat(StrEnum):
    """The forms charts come in as files."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


def write(run: Run, folder: Path, form: ChartFormat) -> Iterator[str]:
    """Write every chart of the run into `folder`; a line for each file and each left out.

    Raises:
        InputError: a file cannot be written.
    """
    taken: set[str] = set()
    several = len(run.hosts) > 1
    for kind in CHARTS:
        drawn = False
        for picture in pictures(run, kind):
            drawn = True
            path = folder / f"{_free(_name(picture), taken)}.{form}"
            content = rendered(picture.draw(title(picture, several)), form)
            try:
                folder.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            except OSError as error:
                raise InputError(f"cannot be written: {error.strerror}", where=str(path)) from None
            yield str(path)
        if not drawn:
            yield f"no {kind.name}: {kind.reason()}"


def rendered(drawing: Drawing, form: ChartFormat) -> bytes:
    """The chart as the content of a file, on white."""
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


def title(picture: Chart, with_host: bool) -> str:
    """What the chart is of, in words."""
    key = dict.fromkeys(COMPARISON_GROUP) | {"dataset": "all datasets"} | dict(picture.key)
    return printable(group_title(key, None, with_host))


def _name(picture: Chart) -> str:
    """A name of letters, digits and dashes, whatever a dataset or a backend is called."""
    parts = [picture.kind.name]
    parts += [str(picture.key[k]) for k in ("dataset", "task", "start") if picture.key.get(k)]
    if "other" in picture.key:
        parts += [str(picture.key["backend"]), str(picture.key["other"])]
    slugs = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")[:40] for part in parts)
    return "-".join(filter(None, slugs))


def _free(name: str, taken: set[str]) -> str:
    """The name, numbered if it is taken."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    taken.add(found)
    return found
