"""`harness report`, `charts`, `compare`, `export` and `merge`: results of runs.

These commands read records and start no processes.
"""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.errors import InputError, OptionError
from harness.text import encodable

if TYPE_CHECKING:
    from harness.analysis.run import Run

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.")]
FoldersArgument = Annotated[
    list[Path],
    typer.Argument(metavar="DIR", help="Folders of runs; several are reported as one run."),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write to this file instead of the terminal."),
]
AcrossOption = Annotated[
    bool,
    typer.Option("--across-machines", help="Compare wall times across different machines."),
]


RequireCompleteOption = Annotated[
    bool,
    typer.Option(
        "--require-complete",
        help="Exit with code 1 if trials are missing, or if that is not recorded.",
    ),
]


class ReportFormat(StrEnum):
    """Formats of tables."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"
    HTML = "html"


class ChartFormat(StrEnum):
    """Formats of chart files."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


class ExportFormat(StrEnum):
    """Formats of exported trials."""

    CSV = "csv"


FormatOption = Annotated[
    ReportFormat, typer.Option("--format", metavar="|".join(ReportFormat), help="Output format.")
]

_PAGE: Final = "--format html always includes all tables"
_NO_TABLE: Final = "no --table"

_EXACT: Final = ("puzzle", "solution")
"""Exported columns of cell values, which a spreadsheet cannot take for formulas."""


def report(
    folders: FoldersArgument,
    form: FormatOption = ReportFormat.TEXT,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="Show only this table; may be repeated. CSV has one table, by default summary.",
        ),
    ] = None,
    across_machines: AcrossOption = False,
    require_complete: RequireCompleteOption = False,
    out: OutOption = None,
) -> None:
    """Show the tables of a run, or of several runs as one.

    A report of an unfinished run begins with what it lacks. --format html writes a page with
    charts and trials to --out, by default to report.html in the folder of the (first) run.
    """
    from rich.console import Console

    from harness.analysis.run import load
    from harness.report import tables
    from harness.report.tables import contents

    names = tuple(dict.fromkeys(table or ()))
    contents.check_names(names)
    if form is ReportFormat.HTML and names:
        raise OptionError(_PAGE, where="--table", expected=_NO_TABLE)
    if form is ReportFormat.CSV and len(names) > 1:
        raise OptionError(
            f"{len(names)} tables for one CSV file", where="--table", expected="one table"
        )
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

            out = out or _beside_the_run(folders[0], "report.html")
            content = page.html(found)
    _put(content, out)
    if form is ReportFormat.HTML:
        typer.echo(f"report: {out}")
    if out or form is ReportFormat.CSV:
        _note(found)
    if require_complete and not found.progress.finished:
        typer.echo(f"not complete: {found.progress}", err=True)
        raise typer.Exit(1)


def charts(
    folders: FoldersArgument,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Folder of the chart files.")
    ],
    form: Annotated[
        ChartFormat,
        typer.Option("--format", metavar="|".join(ChartFormat), help="Format of the files."),
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
    _note(found)


def compare(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", help="Folders of two runs: before and after."),
    ],
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="DIR",
            help="Folder of the run before; the argument is then the run after.",
        ),
    ] = None,
    form: FormatOption = ReportFormat.TEXT,
    table: Annotated[
        str | None,
        typer.Option(
            "--table", metavar="NAME", help="Show only this table; for CSV by default times."
        ),
    ] = None,
    across_machines: AcrossOption = False,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial",
            help="Accept unfinished runs, and runs of different backends or instances.",
        ),
    ] = False,
    out: OutOption = None,
) -> None:
    """Show significant changes between two runs.

    Exit code 1: a regression, that is, a new failure or a slower time; or, without --partial,
    a comparison that does not cover all of both runs.

    --format html writes a page with charts to --out, by default to comparison.html in
    the folder of the run after.
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
        raise OptionError(_PAGE, where="--table", expected=_NO_TABLE)
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

            out = out or _beside_the_run(after.folder, "comparison.html")
            content = comparison_page.html(found, before, after, across_machines=across_machines)
    _put(content, out)
    if form is ReportFormat.HTML:
        typer.echo(f"comparison: {out}")
        typer.echo(comparison.verdict(found))
    if found.partial and (out or form is ReportFormat.CSV):
        for line in (comparison.PARTIAL, *found.partial):
            typer.echo(line, err=True)
    if found.partial and not partial:
        typer.echo("exit code 1, as the comparison is partial; --partial accepts it", err=True)
    if found.regressed or (found.partial and not partial):
        raise typer.Exit(1)


def export(
    folder: FolderArgument,
    form: Annotated[
        ExportFormat,
        typer.Option("--format", metavar="|".join(ExportFormat), help="Format of the trials."),
    ] = ExportFormat.CSV,
    anonymize: Annotated[
        bool,
        typer.Option(
            "--anonymize",
            help="Copy the run to the folder --out, without names of machines and folders.",
        ),
    ] = False,
    out: OutOption = None,
) -> None:
    """Export the trials of a run, or an anonymized copy of it. A trial is one row.

    The anonymized copy has all trials. It replaces the names of machines by numbers and
    paths by their last part, and records this in its environment.
    """
    if anonymize:
        from harness.records.anonymize import anonymize as anonymized_copy

        if out is None:
            raise OptionError("missing", where="--out", expected="a new folder for --anonymize")
        copy = anonymized_copy(folder, out)
        typer.echo(f"{copy}: a copy without names of machines and folders")
        return
    from harness.analysis.run import load
    from harness.report.render.csv import csv

    found = load(folder)
    match form:
        case ExportFormat.CSV:
            content = csv(found.trials, exact=_EXACT)
    _put(content, out)
    _note(found)


def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="Folders of runs.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the new run.")],
) -> None:
    """Merge several runs into one, with all their trials."""
    from harness.analysis.run import load
    from harness.records.merge import merge as merge_runs

    trials = merge_runs(folders, out)
    typer.echo(f"{trials:,} trials of {len(folders)} runs are in {out}")
    _note(load(out))


def _note(run: "Run") -> None:
    """Report on standard error what an unfinished run lacks."""
    if run.progress.headline:
        typer.echo(run.progress.headline, err=True)


def _beside_the_run(folder: Path, name: str) -> Path:
    """The path of a page in the folder of a run, which may come from a stranger."""
    from harness.records.run_files import refuse_link

    refuse_link(folder / name)
    return folder / name


def _put(content: str, out: Path | None) -> None:
    if out is None:
        typer.echo(content, nl=False)
        return
    try:
        out.write_text(encodable(content), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(out)) from None
