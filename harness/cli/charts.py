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
    across_machines: AcrossOption = False,
) -> None:
    """Write the charts of a run to files and list those left out."""
    from harness.analysis.run import load
    from harness.report.charts import files

    found = load(folders[0], *folders[1:])
    if across_machines:
        found = found.across_machines()
    for line in files.write(found, out, files.ChartFormat(str(form))):
        typer.echo(line)
    note(found)
