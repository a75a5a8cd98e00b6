"""`harness report`, `export` and `merge`: what runs have found."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from harness.errors import InputError

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")]
OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write there, not to the terminal.")
]


class ReportFormat(StrEnum):
    """The forms a report comes in."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"


class ExportFormat(StrEnum):
    """The forms trials come in."""

    CSV = "csv"


def report(
    folder: FolderArgument,
    form: Annotated[ReportFormat, typer.Option("--format")] = ReportFormat.TEXT,
    out: OutOption = None,
) -> None:
    """Show the tables of a run, finished or going on."""
    from rich.console import Console

    from harness.analysis.run import load
    from harness.report import tables

    found = load(folder)
    match form:
        case ReportFormat.TEXT:
            content = tables.text(found, tables.WIDTH if out else Console().width)
        case ReportFormat.MARKDOWN:
            content = tables.markdown(found)
        case ReportFormat.CSV:
            content = tables.csv(found)
    _put(content, out)


def export(
    folder: FolderArgument,
    form: Annotated[ExportFormat, typer.Option("--format")] = ExportFormat.CSV,
    out: OutOption = None,
) -> None:
    """Write every trial of a run, one row each."""
    from harness.analysis.run import load

    trials = load(folder).trials
    match form:
        case ExportFormat.CSV:
            content = str(trials.to_csv(index=False, lineterminator="\n"))
    _put(content, out)


def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of runs.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the new run.")],
) -> None:
    """Make one run of several, without losing a row."""
    from harness.sweep.merge import merge as merge_runs

    trials = merge_runs(folders, out)
    typer.echo(f"{trials:,} trials of {len(folders)} runs are in {out}")


def _put(content: str, out: Path | None) -> None:
    if out is None:
        typer.echo(content, nl=False)
        return
    try:
        out.write_text(content, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(out)) from None
