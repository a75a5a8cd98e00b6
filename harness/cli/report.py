"""`harness report`, `charts` and `site`: tables and charts of a run, the site of all records."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from msgspec import Meta

from harness.base.errors import InputError, OptionError
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.completers import backends_of_runs, datasets, features, runs
from harness.cli.folders import (
    AcrossOption,
    FoldersArgument,
    LeastFactorOption,
    OutOption,
    RequireCompleteOption,
    TimeOption,
    beside_the_run,
    next_steps,
    note,
    put,
)
from harness.cli.options import (
    JsonOption,
    choice_option,
    declared_option,
    value_option,
)
from harness.cli.terminal import notice, show, theme_of, width, wrapped
from harness.extensions.page.charts import ChartFormat
from harness.records.question import TimeKind
from harness.report.formatting import PLAIN
from harness.runs.sweep import options_of

# The formats of tables on the command line.


class ReportFormat(StrEnum):
    """Formats of tables."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"
    HTML = "html"


FormatOption = Annotated[ReportFormat, choice_option(ReportFormat, "--format", "Output format.")]

AllOption = Annotated[bool, typer.Option("--all", help="Show all tables as text.")]

ALWAYS_ALL: Final = "--format html always includes all tables"
NO_TABLE: Final = "no --table"


# Tables for LaTeX as files: one for each table, one for all, or a document.


DocumentOption = Annotated[
    bool,
    typer.Option(
        "--document",
        help="With --format latex: write one complete document instead of one file per table.",
    ),
]


_SUFFIXES: Final = {".html": "html", ".md": "markdown", ".csv": "csv", ".tex": "latex"}
"""The formats other than text by the suffixes of their files."""


def check_format(form: str, out: Path | None, *, as_json: bool, document: bool) -> None:
    """Check that ``--out``, ``--json`` and ``--document`` fit the value of ``--format``.

    Raises:
        OptionError: they do not.
    """
    other = _SUFFIXES.get(out.suffix.lower()) if out else None
    if other and (form == "text" and not as_json):
        what = f"{out} has the suffix of another format"
        raise OptionError(what, where="--out", expected=f"--format {other}")
    if as_json and form != "text":
        raise OptionError(f"--json and --format {form}", where="--json", expected="one of them")
    if document and form != "latex":
        raise OptionError(f"--format {form} has no document", expected="--format latex")


def check_all(form: StrEnum, *, everything: bool, table: bool) -> None:
    """Check that ``--all`` is given neither for CSV nor together with ``--table``.

    Raises:
        OptionError: it is.
    """
    if everything and form == ReportFormat.CSV:
        what = "a CSV file has one table"
        raise OptionError(what, where="--all", expected="--table NAME, or another format")
    if everything and table:
        raise OptionError("--all and --table", where="--all", expected="one of them")


def put_fragments(fragments: "Sequence[lazy.markup.Fragment]", out: Path | None) -> None:
    """Write tables for LaTeX and report their files.

    Args:
        fragments: the tables.
        out: None for the terminal, a file ``FILE.tex`` for all tables, or a folder for a file
            of each.

    Raises:
        InputError: there is no table, or a file cannot be written.
    """
    if not fragments:
        raise InputError("no table has content", expected="other tables or --format text")
    text = "\n".join(fragment.text for fragment in fragments)
    if out is None:
        typer.echo(text, nl=False)
        return
    if out.suffix == ".tex":
        put(text, out)
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"cannot be made: {error.strerror}"
        expected = "a folder for a file of each table, or FILE.tex for one file"
        raise InputError(reason, where=str(out), expected=expected) from None
    for fragment in fragments:
        path = out / f"{fragment.name}.tex"
        put(fragment.text, path)
        typer.echo(path)


def rendered(
    form: str,
    sections: "Sequence[lazy.Section]",
    remarks: Sequence[str],
    backends: Iterable[str],
    out: Path | None,
    *,
    document: bool,
) -> str:
    """Sections as text, Markdown or a LaTeX document; tables for LaTeX are written at once.

    Args:
        form: the format.
        sections: the sections.
        remarks: what a reader must know, for a format that has only tables.
        backends: the labels of all backends.
        out: the file, or None for the terminal.
        document: whether LaTeX is one document.
    """
    markup, text = lazy.markup, lazy.text
    if form == ReportFormat.TEXT:
        columns, theme = (text.WIDTH, PLAIN) if out else (width(), theme_of())
        return text.text(sections, columns, theme, backends)
    if form == ReportFormat.MARKDOWN:
        return markup.markdown(sections)
    if document:
        return markup.document(sections)
    put_fragments(markup.latex_fragments(sections, remarks), out)
    return ""


# `harness report`: the tables of a run.


_CHARTS: Final = "--format text, or harness charts"


def report(
    folders: FoldersArgument,
    form: FormatOption = ReportFormat.TEXT,
    table: Annotated[
        list[str] | None,
        value_option(
            "--table",
            "NAME",
            "Show only this table. One or more, each after its own --table; CSV has one, "
            "by default summary.",
            completer=lambda: [(of.name, of.title) for of in lazy.measure.MEASURES.values()],
        ),
    ] = None,
    everything: AllOption = False,
    time: TimeOption = TimeKind.WALL,
    least_factor: LeastFactorOption = None,
    across_machines: AcrossOption = False,
    difficulty: Annotated[
        str | None,
        value_option(
            "--difficulty",
            "FEATURE",
            "Group the table by-difficulty by this feature of puzzles, such as level, "
            "backdoor or clues; by default by guesses.",
            completer=features,
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
    """Show what is fastest in a run, or in several runs as one, and whether all answers agree.

    --table and --all show the tables behind this answer. CSV has one table, by default summary;
    every other format has all of them. A report of an unfinished run begins with the missing
    trials. --format html writes a page with charts and trials to --out, by default to
    report.html in the folder of the (first) run.

    --format latex writes a file for each table to the folder --out, or all tables to --out
    if it is a file FILE.tex.
    """
    tables = lazy.tables
    names = tuple(dict.fromkeys(table or ()))
    lazy.measure.check_tables(names, lazy.measure.MEASURES)
    check_format(form, out, as_json=as_json, document=document)
    if plot and (as_json or form is not ReportFormat.TEXT):
        other = "--json" if as_json else f"--format {form}"
        raise OptionError(f"{other} has no plot", where="--plot", expected=_CHARTS)
    check_all(form, everything=everything, table=bool(names))
    if form is ReportFormat.HTML and names:
        raise OptionError(ALWAYS_ALL, where="--table", expected=NO_TABLE)
    if form is ReportFormat.CSV and len(names) > 1:
        raise OptionError(
            f"{len(names)} tables for one CSV file", where="--table", expected="one table"
        )
    found = lazy.load(*folders).timed(time)
    if least_factor is not None:
        found = found.deciding_by(least_factor)
    if across_machines:
        found = found.across_machines()
    if difficulty is not None:
        found = found.with_difficulty(difficulty)
    match form:
        case _ if as_json:
            content = lazy.documents.json(
                lazy.filling.reported(found, names or [*lazy.measure.MEASURES])
            )
        case ReportFormat.TEXT:
            theme = PLAIN if out else theme_of()
            columns = lazy.text.WIDTH if out else width()
            brief = not (names or everything or difficulty)
            if brief:
                content = lazy.answer.text(found, columns, theme)
            else:
                others = ("by-difficulty",) if difficulty and not everything else tables.ALL
                content = tables.text(found, columns, names or others, theme)
            if plot:
                content += f"\n{tables.cactus(found, columns)}"
            if brief and not out:
                options = lazy.answer.command_options(
                    time, found.criterion, across_machines=across_machines
                )
                content += f"next:\n{next_steps(folders, options)}\n"
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
            out = out or beside_the_run(folders[0], "report.html")
            content = lazy.page.html(found)
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


# `harness charts`: the charts of a run as files.


@dataclass(frozen=True)
class _Paper:
    """The size of charts on paper."""

    dpi: Annotated[
        int,
        Meta(
            ge=36,
            le=1200,
            description="Resolution of PNG files, in pixels per inch.",
            extra={"metavar": "N"},
        ),
    ] = 300
    width: Annotated[
        Annotated[float, Meta(ge=2, le=40)] | None,
        Meta(
            description="Width of each chart on paper, for example 3.5 for a column. Texts keep "
            "their size.",
            extra={"metavar": "INCHES", "unit": "inches"},
        ),
    ] = None


def _of_paper(name: str) -> Any:
    option = options_of(_Paper)[name]
    default = f"  [default: {option.default_text}]" if option.default_text else ""
    return declared_option(option, option.help + default)


def charts(
    folders: FoldersArgument,
    out: Annotated[
        Path,
        value_option(
            "--out", "FOLDER", "Folder of the chart files; earlier ones in it are replaced."
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
            completer=lambda: [(kind.name, kind.title) for kind in lazy.CHARTS],
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
            completer=backends_of_runs,
        ),
    ] = None,
    dpi: Annotated[int, _of_paper("dpi")] = _Paper.dpi,
    width: Annotated[float | None, _of_paper("width")] = None,
    time: TimeOption = TimeKind.WALL,
    across_machines: AcrossOption = False,
) -> None:
    """Write the charts of a run to files and list those left out."""
    found = lazy.load(*folders).timed(time)
    if across_machines:
        found = found.across_machines()
    selection = lazy.chart_files.Selection(chart or (), dataset or (), backend or ())
    for line in lazy.chart_files.write(found, out, form, selection, dpi=dpi, width_in=width):
        typer.echo(line)
    note(found)


# `harness site`: the records of runs as a site.


def site(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORDS",
            help="A folder of records, such as results/records; or folders of runs and records.",
            autocompletion=runs,
        ),
    ],
    out: Annotated[Path, value_option("--out", "DIR", "Folder of the site.")],
    replaces: Annotated[
        bool, typer.Option("--replace", help="Replace an earlier site in this folder.")
    ] = False,
) -> None:
    """Write a site of records: rankings, comparisons, claims, badges and the raw data.

    The site is static and needs neither a network nor scripts. It has pages for datasets,
    backends, paradigms, pairs of backends and published claims. Each record is checked; one that
    fails is listed as refused. A finished run becomes an anonymized record of the site.

    BIAS.md and claims.toml beside the (first) folder become pages, too.
    """
    pages, records, refused = lazy.site.write(folders, out, replaces=replaces)
    for record in refused:
        notice(wrapped(f"refused: {record.name}: {record.reason}", indent=2, first=0))
    show(f"{out / 'index.html'}: {number_of(records, 'record')}, {number_of(pages, 'page')}")
