"""`harness trend`: the values of three or more runs over time."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.folders import LeastFactorOption, OutOption, TimeOption, beside_the_run, put
from harness.cli.latex import DocumentOption, check_document, put_fragments
from harness.cli.options import JsonOption, choice_option
from harness.cli.terminal import theme_of, width
from harness.errors import OptionError
from harness.records.time_kind import TimeKind
from harness.report.style import PLAIN


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
        list[Path], typer.Argument(metavar="DIR", help="Folders of three or more runs.")
    ],
    measure: Annotated[
        str,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="Value to show: par2, median, solved or throughput; steps are those of times.",
        ),
    ] = "par2",
    time: TimeOption = TimeKind.WALL,
    least_factor: LeastFactorOption = None,
    as_given: Annotated[
        bool,
        typer.Option("--as-given", help="Keep the order of the folders; by default that in time."),
    ] = False,
    form: Annotated[
        TrendFormat, choice_option(TrendFormat, "--format", "Output format.")
    ] = TrendFormat.TEXT,
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="Show only this table: trends, steps, runs or values; for CSV by default values.",
        ),
    ] = None,
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
    from harness.analysis.trend import trend as trend_of
    from harness.report.render import csv, latex, markdown, text
    from harness.report.tables import trend as tables

    if as_json and form is not TrendFormat.TEXT:
        raise OptionError(f"--json and --format {form}", where="--json", expected="one of them")
    check_document(document, form)
    if table is not None:
        tables.check_name(table)
        if form in (TrendFormat.HTML, *_CHARTS):
            raise OptionError(
                f"--format {form} has no choice of tables", where="--table", expected="no --table"
            )
    if form in (TrendFormat.PNG, TrendFormat.PDF) and out is None:
        raise OptionError("missing", where="--out", expected=f"a file for --format {form}")
    try:
        found = trend_of(
            folders, measure=measure, as_given=as_given, time=time, least_factor=least_factor
        )
    except OptionError as error:
        raise error.at("--measure" if error.where == "measure" else error.where) from None
    names = (table,) if table else tables.BRIEF
    content: str | bytes
    match form:
        case _ if as_json:
            from harness.documents.fill import trended
            from harness.report.render.json import json

            content = json(trended(found, (table,) if table else tables.TABLES))
        case TrendFormat.TEXT:
            theme = PLAIN if out else theme_of()
            columns = text.WIDTH if out else width()
            sections = tables.sections(found, names, with_bars=theme.unicode)
            content = text.text(sections, columns, theme)
        case TrendFormat.MARKDOWN:
            content = markdown.markdown(tables.sections(found, names))
        case TrendFormat.LATEX:
            sections = tables.sections(found, names, with_bars=False)
            content = latex.document(sections) if document else ""
            if not document:
                put_fragments(latex.fragments(sections, tables.remarks(found)), out)
        case TrendFormat.CSV:
            content = csv.csv(tables.frame_of(found, table or "values"))
        case TrendFormat.HTML:
            from harness.report.page import trend_page

            out = out or beside_the_run(found.sources[-1].folder, "trend.html")
            content = trend_page.html(found, as_given=as_given)
        case TrendFormat.SVG | TrendFormat.PNG | TrendFormat.PDF:
            from harness.report.charts import trends
            from harness.report.charts.files import ChartFormat, rendered

            content = rendered(trends.specification(found), ChartFormat(str(form)))
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
