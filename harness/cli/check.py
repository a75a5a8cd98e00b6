"""`harness check`: where backends disagree."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from harness.cli import fuzzing
from harness.cli.ci import (
    GitHubOption,
    JUnitOption,
    annotate,
    annotations_of_check,
    begin_junit,
    write_junit,
)
from harness.cli.options import JsonOption, SkipOption
from harness.cli.run import DryRunOption, show_plan
from harness.cli.sweep_options import flags_in_errors, sweep_of, with_sweep_options
from harness.cli.terminal import console_of, interruptible, notice, show, theme_of, wrapped
from harness.errors import Interrupted
from harness.records.question import Task
from harness.report.formatting import Style
from harness.runs.sweep import SweepChanges

if TYPE_CHECKING:
    from harness.analysis.agreement import Agreement
    from harness.report.documents import Checked
    from harness.runs.run import CollectedTrials

_BAD: Final = ("DISAGREEMENT", "nothing compared: ", "crashed, ")
"""What the lines of findings begin with."""


@with_sweep_options(
    *("datasets", "backends", "tasks", "limit", "timeout", "jobs", "shape", "where", "scramble"),
    defaults={"backends": "every available one", "tasks": "solve count"},
)
def check(
    *,
    changes: SweepChanges,
    skip_unavailable: SkipOption = False,
    every: Annotated[
        bool,
        typer.Option("--all", help="Show every disagreement and the reason of every failure."),
    ] = False,
    dry_run: DryRunOption = False,
    junit: JUnitOption = None,
    github: GitHubOption = False,
    fuzz: fuzzing.FuzzOption = None,
    seed: fuzzing.SeedOption = None,
    out: fuzzing.OutOption = None,
    replay: fuzzing.ReplayOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show where backends disagree.

    Without --backend, compare every available backend except those that may give up and those
    that are compared only if named.
    Disagreements of one kind are shown once. Exit code 1: a wrong answer, a disagreement, a
    crash, a backend without any answer, or no puzzle that could be compared. After Ctrl-C the
    findings so far are shown.

    --fuzz compares on random puzzles without end: what it finds becomes a small case in a file,
    with the evidence for the right answer, and --replay repeats such files.
    """
    others: dict[str, object] = {"--all": every, "--dry-run": dry_run}
    others |= {"--junit": junit, "--github": github}
    if replay is not None:
        others["--fuzz"], others["--seed"], others["--out"] = fuzz, seed, out
        others["--skip-unavailable"] = skip_unavailable
        fuzzing.require_only(changes, "--replay", others)
        fuzzing.replay(replay, changes, as_json=as_json)
        return
    if fuzz is not None:
        fuzzing.require_only(changes, "--fuzz", others)
        fuzzing.fuzz(
            *(fuzz, changes),
            out=out,
            seed=seed,
            skip_unavailable=skip_unavailable,
            as_json=as_json,
        )
        return
    fuzzing.require_fuzz({"--seed": seed, "--out": out})
    import numpy  # noqa: F401  before the part that can be interrupted, see `interruptible`

    from harness.analysis.agreement import agreement
    from harness.cli.progress import LiveProgress
    from harness.records.frame import frame_of
    from harness.runs.run import collect, signals_as_interrupts
    from harness.runs.selection import EVERY_BACKEND

    defaults = {"backends": (EVERY_BACKEND,), "tasks": tuple(Task)}
    sweep = sweep_of(defaults | dict(changes))
    if dry_run:
        show_plan(
            *([sweep], None),
            stored=False,
            skip_unavailable=skip_unavailable,
            as_json=as_json,
        )
        return
    if junit:
        begin_junit("harness check", junit)
    display = LiveProgress(console_of(sys.stderr))
    with interruptible(), signals_as_interrupts(), flags_in_errors(), display as progress:
        collected = collect(sweep, skip_unavailable=skip_unavailable, observer=progress)
    trials = frame_of(collected.records)
    found = agreement(trials)
    if as_json:
        from harness.report.documents import json

        show(json(_data(collected, found)), end="")
    else:
        _show(collected, found, every)
    if junit:
        from harness.report.tables.agreement import cases_of_check

        cases = cases_of_check(trials, found, collected.planned)
        write_junit("harness check", cases, junit)
    if github:
        annotate(annotations_of_check(found, sweep.datasets))
    if collected.interruption:
        notice(f"interrupted: {len(collected.records):,} of {collected.planned:,} trials ended")
        if isinstance(collected.interruption, Interrupted):
            raise typer.Exit(collected.interruption.code)
        raise collected.interruption
    if not found.agreed:
        raise typer.Exit(1)


def _show(collected: "CollectedTrials", found: "Agreement", every: bool) -> None:
    from harness.report.formatting import backend_name
    from harness.report.tables.agreement import complete_lines, grouped_lines

    for name, reason in collected.unavailable.items():
        show(wrapped(f"left out: {name} is not available: {reason}", indent=0))
    names = ", ".join(map(backend_name, collected.backends))
    show(wrapped(f"backends: {names}", indent=0))
    theme = theme_of()
    for line in complete_lines(found) if every else grouped_lines(found):
        bad = line.startswith(_BAD) or ": wrong: " in line
        show(theme.styled(line, Style.BAD if bad else Style.PLAIN))


def _data(collected: "CollectedTrials", found: "Agreement") -> "Checked":
    from msgspec.structs import asdict

    from harness.report.documents import Checked
    from harness.report.filling import agreement_data

    agreement = asdict(agreement_data(found))
    agreement["agreed"] = found.agreed and not collected.interrupted
    return Checked(
        **agreement,
        interrupted=collected.interrupted,
        trials=collected.planned,
        done=len(collected.records),
        backends=[*collected.backends],
        unavailable=collected.unavailable,
    )
