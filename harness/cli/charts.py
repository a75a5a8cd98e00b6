"""`harness charts`: the charts of a run as files."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec import Meta

from harness.cli.folders import AcrossOption, FoldersArgument, note
from harness.cli.options import choice_option, declared_option
from harness.experiment.option import options_of


class ChartFormat(StrEnum):
    """Formats of chart files."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


@dataclass(frozen=True)
class _Paper:
    """The size of charts on paper."""

    dpi: Annotated[
        int,
        Meta(
            ge=36,
            le=1200,
            description="Resolution of PNG files, in pixels per inch.",
            extra={"metavar": "N"},
        ),
    ] = 300
    width: Annotated[
        Annotated[float, Meta(ge=2, le=40)] | None,
        Meta(
            description="Width of each chart on paper, for instance 3.5 for a column. Texts keep "
            "their size.",
            extra={"metavar": "INCHES", "unit": "inches"},
        ),
    ] = None


def _of_paper(name: str) -> Any:
    option = options_of(_Paper)[name]
    default = f"  [default: {option.default_text}]" if option.default_text else ""
    return declared_option(option, option.help + default)


def charts(
    folders: FoldersArgument,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Folder of the chart files.")
    ],
    form: Annotated[
        ChartFormat, choice_option(ChartFormat, "--format", "Format of the files.")
    ] = ChartFormat.SVG,
    chart: Annotated[
        list[str] | None,
        typer.Option(
            "--chart", metavar="KIND", help="Draw only these kinds of chart. One or more."
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option("--dataset", metavar="NAME", help="Show only these datasets. One or more."),
    ] = None,
    backend: Annotated[
        list[str] | None,
        typer.Option(
            "--backend",
            metavar="NAME",
            help="Show only these backends: a configuration, or a backend for all of its "
            "configurations. One or more.",
        ),
    ] = None,
    dpi: Annotated[int, _of_paper("dpi")] = _Paper.dpi,
    width: Annotated[float | None, _of_paper("width")] = None,
    across_machines: AcrossOption = False,
) -> None:
    """Write the charts of a run to files and list those left out."""
    from harness.analysis.run import load
    from harness.report.charts import files
    from harness.report.charts.selection import Selection

    found = load(folders[0], *folders[1:])
    if across_machines:
        found = found.across_machines()
    selection = Selection(chart or (), dataset or (), backend or ())
    file_format = files.ChartFormat(str(form))
    for line in files.write(found, out, file_format, selection, dpi=dpi, width_in=width):
        typer.echo(line)
    note(found)
