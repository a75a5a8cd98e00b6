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
from harness.cli.folders import (
    AcrossOption,
    LeastFactorOption,
    OutOption,
    beside_the_run,
    put,
)
from harness.cli.options import JsonOption, choice_option, value_option, with_group
from harness.cli.report import AllOption, DocumentOption, check_all, check_format, put_rendered
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
    tables = lazy.comparison_tables
    runs = _two_runs(folders, baseline, factor)
    check_format(form, out, formats("compare"), as_json=as_json, document=document)
    if table is not None:
        lazy.check_tables([table], tables.TABLES)
    check_all(form, everything=everything, table=bool(table))
    names = [table] if table else tables.TABLES
    page = view("compare", form, names if table else ())
    ci.begin("harness compare")
    before, after = map(lazy.load, runs)
    comparison = before.compare(
        after,
        across_machines=across_machines,
        time=time,
        least_factor=least_factor,
        factor=factor,
    )
    if page:
        out = out or beside_the_run(after.folder, f"comparison.{form}")
        put(page(comparison, before, after, across_machines=across_machines), out)
        typer.echo(f"comparison: {out}\n{tables.verdict(comparison)}")
    elif as_json:
        put(lazy.json(lazy.compared(comparison, before, after, names)), out)
    elif form == TableFormat.CSV:
        put(lazy.csv(comparison.frame(table or "times")), out)
        typer.echo("".join(f"{line}\n" for line in tables.notes(comparison)), err=True, nl=False)
    else:
        brief = form == TableFormat.TEXT and not (table or everything)
        sections = tables.answer(comparison) if brief else tables.sections(comparison, names)
        remarks = (*tables.notes(comparison), tables.verdict(comparison))
        backends = {*before.backends, *after.backends}
        put_rendered(form, sections, remarks, backends, out, document=document)
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


def _two_runs(folders: list[Path], baseline: Path | None, factor: str | None) -> list[Path]:
    """The folders of the runs before and after; with a factor, perhaps one folder twice.

    Raises:
        InputError: there are fewer or more.
    """
    runs = folders if baseline is None else [baseline, *folders]
    if factor and len(runs) == 1:
        runs *= 2
    if len(runs) != 2:
        given = "a baseline and " if baseline else ""
        raise InputError(
            f"{given}{number_of(len(folders), 'run')} to compare",
            expected="two runs, or one and --baseline or --factor",
        )
    return runs
