"""`harness charts` and `harness trend`: the charts of a run, and several runs over time."""

from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import OptionError, invalid, located
from harness.cli import lazy
from harness.cli.completers import backend_names, datasets
from harness.cli.completers import runs as run_folders
from harness.cli.folders import (
    AcrossOption,
    FoldersArgument,
    LeastFactorOption,
    OutOption,
    TimeOption,
    beside_the_run,
    note,
    put,
)
from harness.cli.options import JsonOption, choice_option, number_option, value_option
from harness.cli.report import AllOption, check_all, check_format, put_rendered
from harness.extensions.page.charts import DPI, ChartFormat
from harness.records import TimeKind

# What a shell completes; modules that load pandas are imported only then.


def _charts() -> Iterable[tuple[str, str]]:
    """The kinds of chart."""
    from harness.extensions.page.charts.catalogue import CHARTS

    return [(kind.name, kind.title) for kind in CHARTS]


def _measures() -> Iterable[str]:
    """The measures of a trend."""
    from harness.extensions.page.trend_tables import TREND_MEASURES

    return TREND_MEASURES


def _tables() -> Iterable[str]:
    """The tables of a trend."""
    from harness.extensions.page.trend_of_report import TABLES

    return TABLES


# `harness charts`: the charts of a run as files.


def _inches(text: str) -> float:
    with suppress(ValueError):
        if 2 <= (inches := float(text)) <= 40:
            return inches
    raise invalid("--width", text, "a number of inches from 2 to 40")


def charts(
    folders: FoldersArgument,
    out: Annotated[
        Path,
        value_option(
            "--out", "FOLDER", "Folder of the chart files; files of the same name are replaced."
        ),
    ],
    form: Annotated[
        ChartFormat, choice_option(ChartFormat, "--format", "Format of the files.")
    ] = ChartFormat.SVG,
    chart: Annotated[
        list[str] | None,
        value_option(
            "--chart",
            "KIND",
            "Draw only these kinds of chart. One or more.",
            completer=_charts,
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        value_option(
            "--dataset", "NAME", "Show only these datasets. One or more.", completer=datasets
        ),
    ] = None,
    backend: Annotated[
        list[str] | None,
        value_option(
            "--backend",
            "NAME",
            "Show only these backends: a configuration, or a backend for all of its "
            "configurations. One or more.",
            completer=backend_names,
        ),
    ] = None,
    dpi: Annotated[
        int,
        number_option("--dpi", "Resolution of PNG files, in pixels per inch.", 36, 1200),
    ] = DPI,
    width: Annotated[
        float | None,
        value_option(
            "--width",
            "INCHES",
            "Width of each chart on paper, for example 3.5 for a column. Texts keep their size.",
            _inches,
        ),
    ] = None,
    time: TimeOption = TimeKind.WALL,
    across_machines: AcrossOption = False,
) -> None:
    """Write the charts of a run to files, and list the kinds that it has no chart of."""
    from harness.extensions.page.charts import files

    run = lazy.load(*folders).timed(time)
    if across_machines:
        run = run.across_machines()
    selection = files.Selection(chart or (), dataset or (), backend or ())
    for line in files.write(run, out, form, selection, dpi=dpi, width_in=width):
        typer.echo(line)
    note(run)


# `harness trend`: the values of three or more runs over time.


class TrendFormat(StrEnum):
    """Formats of a trend: tables, or a page with charts."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"
    HTML = "html"


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
            completer=_measures,
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
            "Follow runs, or the versions of each backend in one run or several.",
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
            completer=_tables,
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
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Follow backends over three or more runs, and mark the steps of their times.

    Values cover the instances that all runs have in common. A step between runs of
    different machines, or under unequal conditions, is marked as such.

    --fail-on-slowdown: exit code 1 if the last step of a backend on an equal machine is a
    slowdown, or if a backend has a wrong answer in the last run.

    --format html writes a page with charts to --out, by default to trend.html in the folder
    of the last run.
    """
    from harness.extensions.page import trend_of_report as tables
    from harness.extensions.page import trend_of_runs

    check_all(form, everything=everything, table=bool(table))
    check_format(form, out, [*TrendFormat], as_json=as_json)
    if table is not None:
        lazy.check_tables([table], tables.TABLES)
        if form is TrendFormat.HTML:
            problem = f"--format {form} has no choice of tables"
            raise OptionError(problem, where="--table", expected="no --table")
    with located(lambda where: f"--{where}" if where in ("measure", "by") else where):
        result = trend_of_runs.trend(
            folders,
            measure=measure,
            as_given=as_given,
            time=time,
            least_factor=least_factor,
            by=by,
        )
    if form is TrendFormat.HTML:
        from harness.extensions.page.comparison_page import trend_html  # Vega takes a second

        out = out or beside_the_run(result.sources[-1].folder, "trend.html")
        put(trend_html(result, as_given=as_given), out)
        typer.echo(f"trend: {out}\n{tables.verdict(result)}")
    elif as_json:
        put(lazy.json(tables.trend_document(result, (table,) if table else tables.TABLES)), out)
    elif form is TrendFormat.CSV:
        put(lazy.csv(result.frame(table or "values")), out)
        for line in result.unfinished_runs:
            typer.echo(line, err=True)
    else:
        brief = form is TrendFormat.TEXT and not (table or everything)
        names = (table,) if table else tables.BRIEF
        sections = tables.answer(result) if brief else tables.sections(result, names)
        backends = map(str, result.values["backend"].unique())
        put_rendered(form, sections, tables.remarks(result), backends, out)
    if fail_on_slowdown and result.slowed:
        raise typer.Exit(1)
