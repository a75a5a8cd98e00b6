"""`harness report`, `compare`, `export` and `merge`: what runs have found."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from harness.errors import InputError

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a run.")]
FoldersArgument = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Folders of runs, taken as one run.")
]
OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write there, not to the terminal.")
]
AcrossOption = Annotated[
    bool,
    typer.Option("--across-machines", help="Compare wall times of different machines too."),
]


class ReportFormat(StrEnum):
    """The forms tables come in."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"
    HTML = "html"


class ChartFormat(StrEnum):
    """The forms charts come in as files."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


class ExportFormat(StrEnum):
    """The forms trials come in."""

    CSV = "csv"


FormatOption = Annotated[ReportFormat, typer.Option("--format")]

_EXACT = ("puzzle", "solution")
"""Columns of an export that are lines of values, in which no formula can be."""


def report(
    folders: FoldersArgument,
    form: FormatOption = ReportFormat.TEXT,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="NAME", help="Only these; for CSV one, else summary."),
    ] = None,
    across_machines: AcrossOption = False,
    out: OutOption = None,
) -> None:
    """Show the tables of a run, finished or going on, or of several together.

    With --format html it is a page with charts and trials, report.html in the
    (first) run's folder unless --out says otherwise.
    """
    from rich.console import Console

    from harness.analysis.run import load
    from harness.report import tables
    from harness.report.tables import contents

    names = tuple(dict.fromkeys(table or ()))
    contents.check_names(names)
    if form is ReportFormat.HTML and names:
        raise InputError("a page of some tables", expected="no --table: a page has all of them")
    if form is ReportFormat.CSV and len(names) > 1:
        raise InputError(f"{len(names)} tables in one CSV", expected="one --table")
    found = load(folders[0], *folders[1:])
    if across_machines:
        found = found.across_machines()
    match form:
        case ReportFormat.TEXT:
            width = tables.WIDTH if out else Console().width
            content = tables.text(found, width, names or tables.ALL)
        case ReportFormat.MARKDOWN:
            content = tables.markdown(found, names or tables.ALL)
        case ReportFormat.LATEX:
            content = tables.latex(found, names or tables.ALL)
        case ReportFormat.CSV:
            content = tables.csv(found, *names)
        case ReportFormat.HTML:
            from harness.report import page

            out = out or folders[0] / "report.html"
            content = page.html(found)
    _put(content, out)
    if form is ReportFormat.HTML:
        typer.echo(f"report: {out}")


def charts(
    folders: FoldersArgument,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="The folder of the files.")],
    form: Annotated[ChartFormat, typer.Option("--format")] = ChartFormat.SVG,
    across_machines: AcrossOption = False,
) -> None:
    """Write the charts of a run as files for a paper or a slide, and say which are left out."""
    from harness.analysis.run import load
    from harness.report.charts import files

    found = load(folders[0], *folders[1:])
    if across_machines:
        found = found.across_machines()
    for line in files.write(found, out, files.ChartFormat(str(form))):
        typer.echo(line)


def compare(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="The run before and the run after."),
    ],
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="DIR", help="The run before; DIR is the one after."),
    ] = None,
    form: FormatOption = ReportFormat.TEXT,
    table: Annotated[
        str | None,
        typer.Option("--table", metavar="NAME", help="Only this one; for CSV times unless given."),
    ] = None,
    across_machines: AcrossOption = False,
    out: OutOption = None,
) -> None:
    """Say what changed from one run to another, and what of it is real; exit 1 on a regression.

    With --format html it is a page with charts, comparison.html in the folder of
    the run after unless --out says otherwise.
    """
    from rich.console import Console

    from harness.analysis.run import load
    from harness.report.render import csv, latex, markdown, text
    from harness.report.tables import comparison

    runs = folders if baseline is None else [baseline, *folders]
    if len(runs) != 2:
        given = "a baseline and " if baseline else ""
        raise InputError(
            f"{given}{len(folders)} run{'' if len(folders) == 1 else 's'} to compare",
            expected="two runs, or one and --baseline",
        )
    if form is ReportFormat.HTML and table:
        raise InputError("a page of one table", expected="no --table: a page has all of them")
    if table is not None:
        comparison.check_name(table)
    before, after = map(load, runs)
    found = before.compare(after, across_machines=across_machines)
    sections = comparison.sections(found, [table] if table else comparison.TABLES)
    match form:
        case ReportFormat.TEXT:
            content = text.text(sections, text.WIDTH if out else Console().width)
        case ReportFormat.MARKDOWN:
            content = markdown.markdown(sections)
        case ReportFormat.LATEX:
            content = latex.latex(sections)
        case ReportFormat.CSV:
            content = csv.csv(comparison.frame_of(found, table or "times"))
        case ReportFormat.HTML:
            from harness.report.page import comparison_page

            out = out or after.folder / "comparison.html"
            content = comparison_page.html(found, before, after, across_machines=across_machines)
    _put(content, out)
    if form is ReportFormat.HTML:
        typer.echo(f"comparison: {out}")
        typer.echo(comparison.verdict(found))
    if found.regressed:
        raise typer.Exit(1)


def export(
    folder: FolderArgument,
    form: Annotated[ExportFormat, typer.Option("--format")] = ExportFormat.CSV,
    share: Annotated[
        bool,
        typer.Option(
            "--share", help="Copy the run into the folder --out, without names of places."
        ),
    ] = False,
    out: OutOption = None,
) -> None:
    """Write every trial of a run, one row each; with --share, the run for others to have.

    A shared run has all trials, but the names of machines are numbers and of
    paths only the last part is left; its environment says so.
    """
    if share:
        from harness.records.anonymize import share as share_run

        if out is None:
            raise InputError("--share writes a folder", expected="--out FOLDER")
        typer.echo(f"{share_run(folder, out)}: a copy without names of machines and folders")
        return
    from harness.analysis.run import load
    from harness.report.render.csv import csv

    trials = load(folder).trials
    match form:
        case ExportFormat.CSV:
            content = csv(trials, exact=_EXACT)
    _put(content, out)


def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of runs.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the new run.")],
) -> None:
    """Make one run of several, without losing a row."""
    from harness.records.merge import merge as merge_runs

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
