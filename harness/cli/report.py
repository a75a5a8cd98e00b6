"""`harness report`: the tables of a run."""

from typing import Annotated, Final

import typer

from harness.cli.folders import (
    AcrossOption,
    FoldersArgument,
    LeastFactorOption,
    OutOption,
    RequireCompleteOption,
    TimeOption,
    beside_the_run,
    note,
    put,
)
from harness.cli.latex import DocumentOption, check_document, put_fragments
from harness.cli.options import JsonOption
from harness.cli.report_format import ALWAYS_ALL, NO_TABLE, FormatOption, ReportFormat
from harness.cli.terminal import theme_of, width
from harness.errors import OptionError
from harness.records.time_kind import TimeKind
from harness.report.style import PLAIN

_CHARTS: Final = "--format text, or harness charts"


def report(
    folders: FoldersArgument,
    form: FormatOption = ReportFormat.TEXT,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="Show only this table. One or more, each after its own --table; CSV has one, "
            "by default summary.",
        ),
    ] = None,
    time: TimeOption = TimeKind.WALL,
    least_factor: LeastFactorOption = None,
    across_machines: AcrossOption = False,
    difficulty: Annotated[
        str | None,
        typer.Option(
            "--difficulty",
            metavar="FEATURE",
            help="Group the table by-difficulty by this feature of puzzles, such as level, "
            "backdoor or clues; by default by guesses.",
        ),
    ] = None,
    document: DocumentOption = False,
    plot: Annotated[
        bool,
        typer.Option("--plot", help="Show the cactus plot of each comparison group as text."),
    ] = False,
    require_complete: RequireCompleteOption = False,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the tables of a run, or of several runs as one.

    A report of an unfinished run begins with what it lacks. --format html writes a page with
    charts and trials to --out, by default to report.html in the folder of the (first) run.

    --format latex writes a file for each table to the folder --out, or all tables to --out
    if it is a file FILE.tex.
    """
    from harness.analysis.run import load
    from harness.report import tables
    from harness.report.tables import contents
    from harness.report.tables.plots import cactus

    names = tuple(dict.fromkeys(table or ()))
    contents.check_names(names)
    if as_json and form is not ReportFormat.TEXT:
        raise OptionError(f"--json and --format {form}", where="--json", expected="one of them")
    check_document(document, form)
    if plot and (as_json or form is not ReportFormat.TEXT):
        other = "--json" if as_json else f"--format {form}"
        raise OptionError(f"{other} has no plot", where="--plot", expected=_CHARTS)
    if form is ReportFormat.HTML and names:
        raise OptionError(ALWAYS_ALL, where="--table", expected=NO_TABLE)
    if form is ReportFormat.CSV and len(names) > 1:
        raise OptionError(
            f"{len(names)} tables for one CSV file", where="--table", expected="one table"
        )
    found = load(folders[0], *folders[1:]).timed(time)
    if least_factor is not None:
        found = found.deciding_by(least_factor)
    if across_machines:
        found = found.across_machines()
    if difficulty is not None:
        found = found.with_difficulty(difficulty)
    match form:
        case _ if as_json:
            from harness.documents.fill import reported
            from harness.report.render.json import json

            content = json(reported(found, names or tables.ALL))
        case ReportFormat.TEXT:
            theme = PLAIN if out else theme_of()
            columns = tables.WIDTH if out else width()
            content = tables.text(found, columns, names or tables.ALL, theme)
            if plot:
                content += f"\n{cactus(found, columns)}"
        case ReportFormat.MARKDOWN:
            content = tables.markdown(found, names or tables.ALL)
        case ReportFormat.LATEX if document:
            content = tables.latex_document(found, names or tables.ALL)
        case ReportFormat.LATEX:
            put_fragments(tables.latex(found, names or tables.ALL), out)
            content = ""
            for line in tables.empty_lines(found, names or tables.ALL):
                typer.echo(line, err=True)
        case ReportFormat.CSV:
            content = tables.csv(found, *names)
        case ReportFormat.HTML:
            from harness.report import page

            out = out or beside_the_run(folders[0], "report.html")
            content = page.html(found)
    if content:
        put(content, out)
    if form is ReportFormat.HTML:
        typer.echo(f"report: {out}")
    if out or as_json or form is ReportFormat.CSV:
        note(found)
    if form is ReportFormat.CSV:
        for line in tables.remarks(found):
            typer.echo(line, err=True)
    if require_complete and not found.progress.finished:
        typer.echo(f"not complete: {found.progress}", err=True)
        raise typer.Exit(1)
