"""`harness compare` and `harness trend`: what changed between runs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import InputError, OptionError, located
from harness.cli import lazy
from harness.cli.ci import CIOptions, annotations_of_comparison
from harness.cli.completers import runs as run_folders
from harness.cli.folders import (
    AcrossOption,
    LeastFactorOption,
    OutOption,
    TimeOption,
    beside_the_run,
    put,
)
from harness.cli.options import JsonOption, choice_option, value_option, with_group
from harness.cli.report import (
    ALWAYS_ALL,
    NO_TABLE,
    AllOption,
    DocumentOption,
    FormatOption,
    ReportFormat,
    check_all,
    check_format,
    rendered,
)
from harness.cli.terminal import theme_of
from harness.extensions.page.charts import ChartFormat
from harness.records.question import RELIABLE, TimeKind
from harness.report.formatting import PLAIN

# `harness compare`: what changed between two runs.


class ComparedTime(StrEnum):
    """The time of a comparison."""

    WALL = TimeKind.WALL
    CPU = TimeKind.CPU
    RELIABLE = RELIABLE


@with_group(ci=CIOptions)
def compare(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR",
            help="Folders of two runs: before and after; with --factor, of one or two.",
            autocompletion=run_folders,
        ),
    ],
    baseline: Annotated[
        Path | None,
        value_option(
            "--baseline",
            "DIR",
            "Folder of the run before; the argument is then the run after.",
            completer=run_folders,
        ),
    ] = None,
    factor: Annotated[
        str | None,
        value_option(
            "--factor",
            "NAME[=BEFORE,AFTER]",
            "Compare the values of scramble, start, timeout, cpu, memory, version or an option of "
            "a backend, in one run or between two.",
        ),
    ] = None,
    form: FormatOption = ReportFormat.TEXT,
    table: Annotated[
        str | None,
        value_option(
            "--table",
            "NAME",
            "Show only this table; for CSV by default times.",
            completer=lambda: lazy.comparison_tables.TABLES,
        ),
    ] = None,
    everything: AllOption = False,
    time: Annotated[
        ComparedTime,
        choice_option(
            ComparedTime,
            "--time",
            "Time to compare: wall time, CPU time, or for each backend the more reliable one, "
            "which the output names with the reason.",
        ),
    ] = ComparedTime.WALL,
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
    *,
    ci: CIOptions,
    as_json: JsonOption = False,
) -> None:
    """Show significant changes between two runs, or between the values of a factor.

    With --factor both sides are paired by the puzzle of the dataset, and no change is a
    regression.

    Exit code 1: a regression, that is, a new failure, or significantly more failures at a
    limit or slower times if the machine was the same in both runs; or, without --partial, a
    comparison that does not cover all of both runs. A single failure near the limit is no
    regression.

    --format html writes a page with charts to --out, by default to comparison.html in
    the folder of the run after.
    """
    comparison = lazy.comparison_tables
    runs = folders if baseline is None else [baseline, *folders]
    if factor and len(runs) == 1:
        runs *= 2
    if len(runs) != 2:
        given = "a baseline and " if baseline else ""
        raise InputError(
            f"{given}{len(folders)} run{'' if len(folders) == 1 else 's'} to compare",
            expected="two runs, or one and --baseline or --factor",
        )
    check_format(form, out, as_json=as_json, document=document)
    if form is ReportFormat.HTML and table:
        raise OptionError(ALWAYS_ALL, where="--table", expected=NO_TABLE)
    if table is not None:
        lazy.measure.check_tables([table], comparison.TABLES)
    check_all(form, everything=everything, table=bool(table))
    ci.begin("harness compare")
    before, after = map(lazy.load, runs)
    found = before.compare(
        after,
        across_machines=across_machines,
        time=time,
        least_factor=least_factor,
        factor=factor,
    )
    names = [table] if table else comparison.TABLES
    brief = form is ReportFormat.TEXT and not (table or everything)
    sections = comparison.answer(found) if brief else comparison.sections(found, names)
    match form:
        case _ if as_json:
            content = lazy.documents.json(lazy.filling.compared(found, before, after, names))
        case ReportFormat.CSV:
            content = lazy.csv(found.frame(table or "times"))
        case ReportFormat.HTML:
            out = out or beside_the_run(after.folder, "comparison.html")
            content = lazy.comparison_page.comparison_html(
                found, before, after, across_machines=across_machines
            )
        case _:
            remarks = (*comparison.notes(found), comparison.verdict(found))
            backends = {*before.backends, *after.backends}
            content = rendered(form, sections, remarks, backends, out, document=document)
    if content:
        put(content, out)
    if form is ReportFormat.HTML:
        typer.echo(f"comparison: {out}")
        typer.echo(comparison.verdict(found))
    ci.write(
        "harness compare",
        lambda: lazy.ci.cases_of_comparison(found, partial=partial, strict=strict),
        lambda: annotations_of_comparison(found, partial=partial, strict=strict),
    )
    if form is ReportFormat.CSV:
        for line in comparison.notes(found):
            typer.echo(line, err=True)
    if found.partial and (out or as_json or form is ReportFormat.CSV):
        for line in (comparison.PARTIAL, *found.partial):
            typer.echo(line, err=True)
    if found.partial and not partial:
        typer.echo("exit code 1, as the comparison is partial; --partial accepts it", err=True)
    is_worse = not found.factor and (found.regressed or (strict and found.suspected))
    if is_worse or (found.partial and not partial):
        raise typer.Exit(1)


# `harness trend`: the values of three or more runs over time.


class TrendFormat(StrEnum):
    """Formats of a trend: tables, a page, or the chart."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"
    HTML = "html"
    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


_CHARTS = (TrendFormat.SVG, TrendFormat.PNG, TrendFormat.PDF)


def trend(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR",
            help="Folders of three or more runs; with --by version, of one or more.",
            autocompletion=run_folders,
        ),
    ],
    measure: Annotated[
        str,
        value_option(
            "--measure",
            "NAME",
            "Value to show: par2, median, solved or throughput. Steps always use times.",
            completer=lambda: [*lazy.TREND_MEASURES],
        ),
    ] = "par2",
    time: TimeOption = TimeKind.WALL,
    least_factor: LeastFactorOption = None,
    as_given: Annotated[
        bool,
        typer.Option(
            "--as-given", help="Keep the given order of folders instead of sorting by date."
        ),
    ] = False,
    by: Annotated[
        str,
        value_option(
            "--by",
            "run|version",
            "Follow runs, or the versions of each backend, of one run or several.",
            completer=lambda: ["run", "version"],
        ),
    ] = "run",
    form: Annotated[
        TrendFormat, choice_option(TrendFormat, "--format", "Output format.")
    ] = TrendFormat.TEXT,
    table: Annotated[
        str | None,
        value_option(
            "--table",
            "NAME",
            "Show only this table: trends, steps, runs or values; for CSV by default values.",
            completer=lambda: lazy.trend_tables.TABLES,
        ),
    ] = None,
    everything: AllOption = False,
    fail_on_slowdown: Annotated[
        bool,
        typer.Option(
            "--fail-on-slowdown",
            help="Exit with code 1 if the last step of a backend is a slowdown.",
        ),
    ] = False,
    document: DocumentOption = False,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Follow backends over three or more runs, and mark the steps of their times.

    Values are about the instances that all runs have in common. A step between runs of
    different machines, or under unequal conditions, is marked as such.

    --fail-on-slowdown: exit code 1 if the last step of a backend on an equal machine is a
    slowdown, or if a backend has a wrong answer in the last run.

    --format html writes a page with charts to --out, by default to trend.html in the folder
    of the last run. --format svg, png and pdf write the charts as one file.
    """
    tables = lazy.trend_tables
    check_all(form, everything=everything, table=bool(table))
    check_format(form, out, as_json=as_json, document=document)
    if table is not None:
        lazy.measure.check_tables([table], tables.TABLES)
        if form in (TrendFormat.HTML, *_CHARTS):
            raise OptionError(
                f"--format {form} has no choice of tables", where="--table", expected="no --table"
            )
    if form in (TrendFormat.PNG, TrendFormat.PDF) and out is None:
        raise OptionError("missing", where="--out", expected=f"a file for --format {form}")
    with located(lambda where: f"--{where}" if where in ("measure", "by") else where):
        found = lazy.trend(
            folders,
            measure=measure,
            as_given=as_given,
            time=time,
            least_factor=least_factor,
            by=by,
        )
    names = (table,) if table else tables.BRIEF
    content: str | bytes
    match form:
        case _ if as_json:
            chosen = (table,) if table else tables.TABLES
            content = lazy.documents.json(lazy.filling.trended(found, chosen))
        case TrendFormat.CSV:
            content = lazy.csv(found.frame(table or "values"))
        case TrendFormat.HTML:
            out = out or beside_the_run(found.sources[-1].folder, "trend.html")
            content = lazy.comparison_page.trend_html(found, as_given=as_given)
        case TrendFormat.SVG | TrendFormat.PNG | TrendFormat.PDF:
            specification = lazy.trend_charts.specification(found)
            content = lazy.chart_files.rendered(specification, ChartFormat(str(form)))
        case _:
            theme = PLAIN if out else theme_of()
            is_unicode = theme.unicode if form is TrendFormat.TEXT else form is TrendFormat.MARKDOWN
            brief = form is TrendFormat.TEXT and not (table or everything)
            sections = (
                tables.answer(found, with_bars=is_unicode)
                if brief
                else tables.sections(found, names, with_bars=is_unicode)
            )
            remarks, backends = tables.remarks(found), map(str, found.values["backend"].unique())
            content = rendered(form, sections, remarks, backends, out, document=document)
    if content:
        put(content, out)
    if out is not None and form in (TrendFormat.HTML, *_CHARTS):
        typer.echo(f"trend: {out}")
        typer.echo(tables.verdict(found))
    if form in (TrendFormat.CSV, *_CHARTS):
        for line in found.unfinished:
            typer.echo(line, err=True)
    if fail_on_slowdown and found.slowed:
        raise typer.Exit(1)
