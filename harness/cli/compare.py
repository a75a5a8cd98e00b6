"""`harness compare`: what changed between two runs."""

from pathlib import Path
from typing import Annotated

import typer

from harness.cli.ci import (
    GitHubOption,
    JUnitOption,
    annotate,
    annotations_of_comparison,
    begin_junit,
    write_junit,
)
from harness.cli.folders import (
    AcrossOption,
    LeastFactorOption,
    OutOption,
    beside_the_run,
    put,
)
from harness.cli.latex import DocumentOption, check_document, put_fragments
from harness.cli.options import JsonOption, choice_option
from harness.cli.report_format import ALWAYS_ALL, NO_TABLE, FormatOption, ReportFormat
from harness.cli.terminal import theme_of, width
from harness.errors import InputError, OptionError
from harness.records.time_kind import TimeKind
from harness.report.style import PLAIN


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
    time: Annotated[
        TimeKind | None,
        choice_option(
            TimeKind,
            "--time",
            "Time to compare: wall time or CPU time. By default the more reliable one, which the "
            "output names with the reason.",
        ),
    ] = None,
    least_factor: LeastFactorOption = None,
    across_machines: AcrossOption = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 1 also for slower times and new timeouts that a difference between "
            "the machines may have caused.",
        ),
    ] = False,
    document: DocumentOption = False,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial",
            help="Accept unfinished runs, and runs of different backends or instances.",
        ),
    ] = False,
    out: OutOption = None,
    junit: JUnitOption = None,
    github: GitHubOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show significant changes between two runs.

    Exit code 1: a regression, that is, a new failure, or significantly more failures at a
    limit or slower times if the machine was the same in both runs; or, without --partial, a
    comparison that does not cover all of both runs. A single failure near the limit is no
    regression.

    --format html writes a page with charts to --out, by default to comparison.html in
    the folder of the run after.
    """
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
    if as_json and form is not ReportFormat.TEXT:
        raise OptionError(f"--json and --format {form}", where="--json", expected="one of them")
    if form is ReportFormat.HTML and table:
        raise OptionError(ALWAYS_ALL, where="--table", expected=NO_TABLE)
    if table is not None:
        comparison.check_name(table)
    check_document(document, form)
    if junit:
        begin_junit("harness compare", junit)
    before, after = map(load, runs)
    found = before.compare(
        after, across_machines=across_machines, time=time, least_factor=least_factor
    )
    names = [table] if table else comparison.TABLES
    sections = comparison.sections(found, names)
    match form:
        case _ if as_json:
            from harness.documents.fill import compared
            from harness.report.render.json import json

            content = json(compared(found, before, after, names))
        case ReportFormat.TEXT:
            theme = PLAIN if out else theme_of()
            content = text.text(sections, text.WIDTH if out else width(), theme)
        case ReportFormat.MARKDOWN:
            content = markdown.markdown(sections)
        case ReportFormat.LATEX if document:
            content = latex.document(sections)
        case ReportFormat.LATEX:
            notes = (*comparison.notes(found), comparison.verdict(found))
            put_fragments(latex.fragments(sections, notes), out)
            content = ""
        case ReportFormat.CSV:
            content = csv.csv(comparison.frame_of(found, table or "times"))
        case ReportFormat.HTML:
            from harness.report.page import comparison_page

            out = out or beside_the_run(after.folder, "comparison.html")
            content = comparison_page.html(found, before, after, across_machines=across_machines)
    if content:
        put(content, out)
    if form is ReportFormat.HTML:
        typer.echo(f"comparison: {out}")
        typer.echo(comparison.verdict(found))
    if junit:
        from harness.report.tables.cases import cases_of_comparison

        cases = cases_of_comparison(found, partial=partial, strict=strict)
        write_junit("harness compare", cases, junit)
    if github:
        annotate(annotations_of_comparison(found, partial=partial, strict=strict))
    if form is ReportFormat.CSV:
        for line in comparison.notes(found):
            typer.echo(line, err=True)
    if found.partial and (out or as_json or form is ReportFormat.CSV):
        for line in (comparison.PARTIAL, *found.partial):
            typer.echo(line, err=True)
    if found.partial and not partial:
        typer.echo("exit code 1, as the comparison is partial; --partial accepts it", err=True)
    is_worse = found.regressed or (strict and found.suspected)
    if is_worse or (found.partial and not partial):
        raise typer.Exit(1)
