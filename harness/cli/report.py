"""`harness report`: tables and views of a run."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from harness.base.errors import InputError, OptionError
from harness.cli import lazy
from harness.cli.completers import features
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
from harness.cli.options import JsonOption, value_option
from harness.cli.terminal import show, theme_of, width
from harness.cli.views import TableFormat, format_option, formats, view
from harness.records import TimeKind
from harness.report import Theme

# What the formats of tables have in common.


AllOption = Annotated[bool, typer.Option("--all", help="Show all tables as text.")]


_SUFFIXES: Final = {"md": "markdown", "tex": "latex"}
"""The formats whose files have a suffix other than their name."""


def check_format(
    form: str, out: Path | None, formats_of_command: Sequence[str], *, as_json: bool
) -> None:
    """Check that ``--out`` and ``--json`` fit the value of ``--format``.

    Args:
        form: the format.
        out: the file, or None for the terminal.
        formats_of_command: the formats of the command.
        as_json: whether the command prints a document instead.

    Raises:
        OptionError: they do not.
    """
    suffix = out.suffix.lower().removeprefix(".") if out else ""
    other = _SUFFIXES.get(suffix, suffix)
    if other in formats_of_command and form == "text" != other and not as_json:
        problem = f"{out} has the suffix of another format"
        raise OptionError(problem, where="--out", expected=f"--format {other}")
    if as_json and form != "text":
        raise OptionError(f"--json and --format {form}", where="--json", expected="one of them")


def check_all(form: str, *, everything: bool, table: bool) -> None:
    """Check that ``--all`` is given neither for CSV nor together with ``--table``.

    Raises:
        OptionError: it is.
    """
    if everything and form == TableFormat.CSV:
        problem = "a CSV file has one table"
        raise OptionError(problem, where="--all", expected="--table NAME, or another format")
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
    if out is None or out.suffix == ".tex":
        put(text, out)
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"cannot be created: {error.strerror}"
        expected = "a folder for a file of each table, or FILE.tex for one file"
        raise InputError(reason, where=str(out), expected=expected) from None
    for fragment in fragments:
        path = out / f"{fragment.name}.tex"
        put(fragment.text, path)
        typer.echo(path)


def put_rendered(
    form: str,
    sections: "Sequence[lazy.Section]",
    remarks: Sequence[str],
    backends: Iterable[str],
    out: Path | None,
) -> None:
    """Write sections as text, Markdown or LaTeX.

    Args:
        form: the format.
        sections: the sections.
        remarks: what a reader must know, for a format that has only tables.
        backends: the labels of all backends.
        out: the file, or None for the terminal.
    """
    markup, text = lazy.markup, lazy.text
    if form == TableFormat.TEXT:
        columns, theme = (text.WIDTH, Theme()) if out else (width(), theme_of())
        put(text.text(sections, columns, theme, backends), out)
    elif form == TableFormat.MARKDOWN:
        put(markup.markdown(sections), out)
    else:
        put_fragments(markup.latex_fragments(sections, remarks), out)


# `harness report`: the tables of a run, or a view of it.


def report(
    folders: FoldersArgument,
    form: Annotated[str, format_option("report")] = TableFormat.TEXT,
    table: Annotated[
        list[str] | None,
        value_option(
            "--table",
            "NAME",
            "Show only this table. One or more, each after its own --table; CSV has one, "
            "by default summary.",
            completer=lambda: [(measure.name, measure.title) for measure in lazy.MEASURES.values()],
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
    names = tuple(dict.fromkeys(table or ()))
    lazy.check_tables(names, lazy.MEASURES)
    check_format(form, out, formats("report"), as_json=as_json)
    check_all(form, everything=everything, table=bool(names))
    page = view("report", form, names)
    lines: Iterable[str] = ()
    if form == TableFormat.CSV and len(names) > 1:
        raise OptionError(
            f"{len(names)} tables for one CSV file", where="--table", expected="one table"
        )
    run = lazy.load(*folders).timed(time)
    if least_factor is not None:
        run = run.deciding_by(least_factor)
    if across_machines:
        run = run.across_machines()
    if difficulty is not None:
        run = run.with_difficulty(difficulty)
    if page:
        out = out or beside_the_run(folders[0], f"report.{form}")
        put(page(run), out)
        typer.echo(f"report: {out}")
    elif as_json:
        put(lazy.json(lazy.Reported.of_run(run, names or [*lazy.MEASURES])), out)
    elif form == TableFormat.CSV:
        put(lazy.tables.csv(run, *names), out)
        lines = lazy.tables.remarks(run)
    else:
        is_text = form == TableFormat.TEXT
        by_difficulty = ("by-difficulty",) if difficulty else ()
        names = names or (by_difficulty if is_text and not everything else lazy.tables.ALL)
        sections = lazy.tables.sections(run, names, is_terminal=is_text) if names else None
        remarks = (*filter(None, [run.progress.headline]), *lazy.tables.remarks(run))
        put_rendered(form, sections or lazy.answer.sections(run), remarks, run.backends, out)
        if not (names or out):
            across = {"across_machines": across_machines}
            options = lazy.answer.command_options(time, run.criterion, **across)
            show(f"next:\n{next_steps(folders, options)}")
        if form == TableFormat.LATEX:
            lines = lazy.tables.empty_lines(run, names)
    if out or as_json or form == TableFormat.CSV:
        note(run)
    for line in lines:
        typer.echo(line, err=True)
    if require_complete and not run.progress.finished:
        typer.echo(f"not complete: {run.progress}", err=True)
        raise typer.Exit(1)
