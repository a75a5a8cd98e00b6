"""`harness compare`: what changed between two runs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import InputError
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.ci import CIOptions, annotations_of_comparison
from harness.cli.completers import runs as run_folders
from harness.cli.folders import AcrossOption, LeastFactorOption, OutOption, beside_the_run, put
from harness.cli.options import JsonOption, choice_option, value_option, with_group
from harness.cli.report import AllOption, check_all, check_format, put_rendered
from harness.cli.views import TableFormat, format_option, formats, view
from harness.records import RELIABLE, TimeKind


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
    factor: Annotated[
        str | None,
        value_option(
            "--factor",
            "NAME[=BEFORE,AFTER]",
            "Compare the values of scramble, start, timeout, cpu, memory, version or an option of "
            "a backend, in one run or between two.",
        ),
    ] = None,
    form: Annotated[str, format_option("compare")] = TableFormat.TEXT,
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
            help="Exit with 1 even for slower times and new timeouts that a difference between "
            "the machines may have caused.",
        ),
    ] = False,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial", help="Accept unfinished runs, and runs of different backends or instances."
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

    Exit code 1: a regression, that is, a new failure, or significantly more failures at a limit or
    slower times if the machine was the same in both runs; or, without --partial, a comparison that
    does not cover all of both runs. A single failure near the limit is not a regression.

    --format html writes a page with charts to --out, by default to comparison.html in the folder of
    the later run.
    """
    runs = folders * 2 if factor and len(folders) == 1 else folders
    if len(runs) != 2:
        problem = f"{number_of(len(folders), 'run')} to compare"
        raise InputError(problem, expected="two runs, or one and --factor")
    tables = lazy.comparison_tables
    check_format(form, out, formats("compare"), as_json=as_json)
    names = [table] if table else tables.TABLES
    lazy.check_tables(names, tables.TABLES)
    check_all(form, everything=everything, table=bool(table))
    page = view("compare", form, names if table else ())
    ci.begin("harness compare")
    before, after = map(lazy.load, runs)
    comparison = before.compare(
        after, across_machines=across_machines, time=time, least_factor=least_factor, factor=factor
    )
    if page:
        out = out or beside_the_run(after.folder, f"comparison.{form}")
        put(page(comparison, before, after, across_machines=across_machines), out)
        typer.echo(f"comparison: {out}\n{tables.verdict(comparison)}")
    elif as_json:
        put(lazy.json(lazy.Compared.of_comparison(comparison, before, after, names)), out)
    elif form == TableFormat.CSV:
        put(lazy.csv(comparison.frame(table or "times")), out)
        for line in tables.notes(comparison):
            typer.echo(line, err=True)
    else:
        brief = form == TableFormat.TEXT and not (table or everything)
        sections = tables.answer(comparison) if brief else tables.sections(comparison, names)
        remarks = (*tables.notes(comparison), tables.verdict(comparison))
        put_rendered(form, sections, remarks, {*before.backends, *after.backends}, out)
    ci.write(
        "harness compare",
        lambda: lazy.cases_of_comparison(comparison, partial=partial, strict=strict),
        lambda: annotations_of_comparison(comparison, partial=partial, strict=strict),
    )
    if comparison.partial and (out or as_json or form == TableFormat.CSV):
        for line in (tables.PARTIAL, *comparison.partial):
            typer.echo(line, err=True)
    if comparison.partial and not partial:
        typer.echo("exit code 1, as the comparison is partial; --partial accepts it", err=True)
    is_worse = not comparison.factor and (comparison.regressed or (strict and comparison.suspected))
    if is_worse or (comparison.partial and not partial):
        raise typer.Exit(1)
