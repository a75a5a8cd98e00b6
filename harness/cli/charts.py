"""`harness charts`: the charts of a run as files."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.folders import AcrossOption, FoldersArgument, note
from harness.cli.options import choice_option


class ChartFormat(StrEnum):
    """Formats of chart files."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


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
    dpi: Annotated[
        int,
        typer.Option(
            "--dpi", min=36, max=1200, help="Resolution of PNG files, in pixels per inch."
        ),
    ] = 300,
    width: Annotated[
        float | None,
        typer.Option(
            "--width",
            metavar="INCHES",
            min=2.0,
            max=40.0,
            help="Width of each chart on paper, for instance 3.5 for a column. Texts keep their "
            "size.",
        ),
    ] = None,
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
