"""`harness check`: where backends disagree."""

import sys
from dataclasses import fields
from typing import Annotated, Final

import typer

from harness.base.errors import OptionError
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.ci import CIOptions, annotations_of_check
from harness.cli.options import (
    JsonOption,
    SkipOption,
    flags_in_errors,
    number_option,
    show_json,
    sweep_of,
    with_group,
    with_sweep_options,
)
from harness.cli.run import DryRunOption, show_plan
from harness.cli.terminal import console_of, notice, show, theme_of, wrapped
from harness.records import Task
from harness.report import Style, backend_name
from harness.runs import SweepChanges

_BAD: Final = ("DISAGREEMENT", "nothing compared: ", "crashed, ")
"""What the lines of findings begin with."""


@with_group(ci=CIOptions)
@with_sweep_options(
    *("datasets", "backends", "tasks", "max_solutions", "timeout", "jobs", "shape", "where"),
    *("sample", "scramble"),
    defaults={"backends": "every available one", "tasks": "solve count"},
)
def check(
    *,
    changes: SweepChanges,
    skip_unavailable: SkipOption = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show every disagreement and the reason of every failure.")
    ] = False,
    dry_run: DryRunOption = False,
    ci: CIOptions,
    seed: Annotated[
        int | None, number_option("--seed", "Random seed of --sample. [default: 0]", 0)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show where backends disagree.

    check compares backends with each other; backends test examines a single one, and fuzz
    compares on random puzzles.

    Without --backend, compare every available backend, except those that harness backends NAME
    marks as "may give up" or "compared only if named".
    Disagreements of one kind are shown once. Exit code 1: a wrong answer, a disagreement, a
    crash, a backend without any answer, or no puzzle that could be compared. After Ctrl-C the
    findings so far are shown.
    """
    if seed is not None and "sample" not in changes:
        raise OptionError("applies only with --sample", where="--seed", expected="--sample N")
    defaults = {"backends": (lazy.EVERY_BACKEND,), "tasks": tuple(Task), "seed": seed or 0}
    sweep = sweep_of(defaults | dict(changes))
    if dry_run:
        show_plan([sweep], None, skip_unavailable=skip_unavailable, as_json=as_json)
        return
    ci.begin("harness check")
    display = lazy.LiveProgress(console_of(sys.stderr))
    with interruptible("numpy", "harness.runs.run"), flags_in_errors(), display as progress:
        collection = lazy.collect(sweep, skip_unavailable=skip_unavailable, observer=progress)
    trials = lazy.frame_of(collection.records)
    agreement = lazy.agreement(trials)
    if as_json:
        document = lazy.Checked(
            **{each.name: getattr(agreement, each.name) for each in fields(agreement)},
            interrupted=collection.interrupted,
            trials=collection.planned,
            done=len(collection.records),
            backends=collection.backends,
            unavailable=collection.unavailable | collection.failed,
        )
        show_json(document)
    else:
        _show(collection, agreement, every)
    ci.write(
        "harness check",
        lambda: lazy.cases_of_check(trials, agreement, collection.planned),
        lambda: annotations_of_check(agreement),
    )
    if collection.interruption:
        notice(f"interrupted: {len(collection.records):,} of {collection.planned:,} trials ended")
        raise collection.interruption
    if not (agreement.agreed and collection.complete):
        raise typer.Exit(1)


def _show(collection: "lazy.CollectedTrials", agreement: "lazy.Agreement", every: bool) -> None:
    """Print the conclusion, then its grounds; with `every`, all findings before the conclusion."""
    tables = lazy.agreement_tables
    lines = list(tables.complete_lines(agreement) if every else tables.grouped_lines(agreement))
    if not every:
        lines.insert(0, lines.pop())
    theme = theme_of()
    for line in lines:
        bad = line.startswith(_BAD) or ": wrong: " in line
        show(theme.styled(line, Style.BAD if bad else Style.PLAIN))
    names = ", ".join(map(backend_name, collection.backends))
    show(wrapped(f"{number_of(len(collection.backends), 'backend')}: {names}", indent=0))
    for name, reason in collection.failed.items():
        show(theme.styled(wrapped(f"left out: {name}: {reason}", indent=0), Style.BAD))
    if every:
        for name, reason in collection.unavailable.items():
            show(wrapped(f"left out: {name} is not available: {reason}", indent=0))
    elif collection.unavailable:
        absent = f"{', '.join(collection.unavailable)}; harness backends NAME says why"
        show(wrapped(f"left out, not available: {absent}", indent=0))
