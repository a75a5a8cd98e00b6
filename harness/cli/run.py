"""`harness run`: run a sweep."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.certify import CertifyRunOption, RunProverOption, certify_run, prover_of
from harness.cli.cluster import (
    OnOption,
    RepeatSlowOption,
    ShardsOption,
    ShardTimeOption,
    folder_of,
    run_on_engine,
    shard_of,
)
from harness.cli.options import JsonOption, SkipOption
from harness.cli.sweep_options import SweepTotals, flags_in_errors, sweeps_of, with_sweep_options
from harness.cli.terminal import console_of, interruptible, notice, show, theme_of, width
from harness.errors import Interrupted, OptionError
from harness.runs.sweep import SweepChanges

if TYPE_CHECKING:
    from harness.report.documents import Planned
    from harness.runs.preview import Preview
    from harness.runs.sweep import Sweep


# ``--dry-run``: the plan of a run or a check, without running it.


DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Show the plan and run nothing: trials, those already stored, expected time from "
        "earlier runs on this machine, and the time if all reach their time limits.",
    ),
]


def show_plan(
    sweeps: "Sequence[Sweep]",
    folder: Path | None,
    *,
    stored: bool,
    skip_unavailable: bool,
    as_json: bool,
) -> None:
    """Print the plan of sweeps in one folder.

    Args:
        sweeps: the sweeps.
        folder: the folder of the run; None for a check.
        stored: whether the trials in the folder count.
        skip_unavailable: whether unavailable backends are left out.
        as_json: whether to print JSON.
    """
    from harness.cli.progress import LiveProgress
    from harness.runs.preview import preview
    from harness.runs.sweep import RESULTS

    with flags_in_errors():
        found = preview(
            sweeps,
            folder if stored else None,
            skip_unavailable=skip_unavailable,
            earlier=sorted(RESULTS.iterdir()) if RESULTS.is_dir() else [],
            observer=LiveProgress(console_of(sys.stderr)),
        )
    if as_json:
        from harness.report.documents import json

        show(json(_data(found, folder)), end="")
        return
    show(_text(found), end="")
    if most := max(sweep.until_stable for sweep in sweeps):
        show(f"further repetitions of unstable results, up to {most} in all: unknown")
    if folder:
        show(f"folder: {folder}")


def _text(found: "Preview") -> str:
    """The plan as a table with its totals."""
    import pandas as pd

    from harness.analysis import columns as col
    from harness.report.formatting import backend_name, span
    from harness.report.render.text import text
    from harness.report.table import ReportTable, Section
    from harness.text import number_of

    columns = (
        col.backend("backend", "Label of the configuration.", "backend"),
        col.text("dataset", "Name of the dataset.", "dataset"),
        col.count("trials", "Planned trials.", "trials"),
        col.count("stored", "Trials among them that the folder has.", "stored"),
        col.span("expected_s", "Expected time of the rest.", "expected"),
        col.span("longest_s", "Time of the rest if every trial reaches its limit.", "at most"),
    )
    names = [column.name for column in columns]
    rows = [[getattr(row, name) for name in names] for row in found.rows]
    table = ReportTable("plan", "", columns, pd.DataFrame(rows, columns=names))
    left = found.trials - found.stored
    at_once = f" with {found.jobs} at a time" if found.jobs > 1 else ""
    expected = "" if found.expected_s is None else f"about {span(found.expected_s)}, "
    total = (
        f"{number_of(left, 'trial')} to run, {found.stored:,} stored; "
        f"{expected}at most {span(found.longest_s)}{at_once}"
    )
    left_out = [
        f"left out: {backend_name(name)} is not available: {reason}"
        for name, reason in found.unavailable.items()
    ]
    unknown = ["-: no earlier trials on this machine to infer the time from"]
    notes = [*(unknown if found.expected_s is None else []), *left_out, total]
    return text([Section("", (table,), tuple(notes))], width(), theme_of())


def _data(found: "Preview", folder: Path | None) -> "Planned":
    from dataclasses import asdict

    from harness.report.documents import Planned, PlannedData

    return Planned(
        folder=None if folder is None else str(folder),
        trials=found.trials,
        stored=found.stored,
        jobs=found.jobs,
        expected_s=found.expected_s,
        longest_s=found.longest_s,
        unavailable=found.unavailable,
        plan=[PlannedData(**asdict(row)) for row in found.rows],
    )


# `harness run`: run a sweep.


@with_sweep_options()
def run(
    sweep_file: Annotated[
        Path | None,
        typer.Argument(metavar="SWEEP.toml", help="Sweep file in TOML; options override it."),
    ] = None,
    *,
    changes: SweepChanges,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the run; by default a folder in results/."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Delete results of an earlier run in the folder.")
    ] = False,
    skip_unavailable: SkipOption = False,
    dry_run: DryRunOption = False,
    on: OnOption = None,
    shards: ShardsOption = None,
    shard_time: ShardTimeOption = None,
    repeat_slow: RepeatSlowOption = False,
    certify: CertifyRunOption = False,
    prover: RunProverOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run backends on datasets and show the tables.

    The same command resumes an interrupted run; another one adds to it. Exit code 1: a wrong
    answer, a disagreement, or an answer that a certificate refutes. Crashes, timeouts and
    unknowns are results, with exit code 0.
    """
    import numpy  # noqa: F401  before the part that can be interrupted, see `interruptible`

    from harness.analysis.run import load
    from harness.cli.progress import LiveProgress
    from harness.report.tables import BRIEF, text
    from harness.runs.run import run_sweep, signals_as_interrupts
    from harness.runs.sweep import RESULTS, folder_name
    from harness.text import number_of

    sweeps = sweeps_of(changes, sweep_file)
    shard = shard_of(sweep_file, changes) if sweep_file else None
    if prover is not None and not certify:
        raise OptionError("needs certificates", where="--prover", expected="--certify")
    provers = prover_of(prover)
    folder = out or RESULTS / (folder_of(shard) if shard else folder_name(sweeps))
    if on is None and (shards or shard_time or repeat_slow):
        flag = "--shards" if shards else "--shard-time" if shard_time else "--repeat-slow"
        raise OptionError("needs an engine", where=flag, expected="--on, or harness shard")
    if on is not None:
        (sweep,) = sweeps if len(sweeps) == 1 else (None,)
        if sweep is None or shard is not None or fresh or dry_run or certify or skip_unavailable:
            raise OptionError(
                "carries out one sweep",
                where="--on",
                expected="no shard, and none of --fresh, --dry-run, --certify and "
                "--skip-unavailable",
            )
        run_on_engine(
            *(sweep, folder, on, shards, shard_time), repeats_slow=repeat_slow, as_json=as_json
        )
        return
    if dry_run:
        show_plan(
            *(sweeps, folder),
            stored=not fresh,
            skip_unavailable=skip_unavailable,
            as_json=as_json,
        )
        return
    totals = SweepTotals(folder)
    for number, sweep in enumerate(sweeps):
        progress = LiveProgress(console_of(sys.stderr))
        try:
            with interruptible(), signals_as_interrupts(), flags_in_errors(), progress:
                finished = run_sweep(
                    sweep,
                    folder,
                    fresh=fresh and number == 0,
                    skip_unavailable=skip_unavailable,
                    shard=shard,
                    observer=progress,
                )
        except KeyboardInterrupt as interruption:
            totals.add(progress)
            if as_json:
                totals.show_json(interrupted=True)
            trials = number_of(progress.planned_trials, "trial")
            where = f"{progress.done:,} of {trials} are in {folder}"
            notice(
                f"interrupted: {where if progress.planned_trials else 'no trial has run'}; "
                f"to resume: {_same_command()}"
            )
            if isinstance(interruption, Interrupted):
                raise typer.Exit(interruption.code) from None
            raise
        totals.add(progress, finished.repeats)
        for name, repeats in finished.repeats.items():
            notice(f"{name}: {number_of(repeats, 'duplicate puzzle')} left out")
        for name, excluded in finished.excluded.items():
            notice(f"{name}: {number_of(excluded, 'puzzle')} left out by --where")
        if finished.done_before:
            verb = "was" if finished.trials == 1 else "were"
            trials = number_of(finished.trials, "trial")
            notice(f"{finished.done_before:,} of {trials} {verb} complete before")
    found = load(folder)
    certified = None
    if certify:
        timeout_s, memory_mib = max(s.timeout for s in sweeps), max(s.memory for s in sweeps)
        with interruptible(), signals_as_interrupts():
            certified = certify_run(found, provers, timeout_s=timeout_s, memory_mib=memory_mib)
    if as_json:
        from harness.report.filling import reported

        totals.show_json(report=reported(found, BRIEF), certified=certified)
    else:
        show(text(found, width(), theme=theme_of()))
        if certified:
            certified.show()
        show(f"results: {folder}   report: harness report {shlex.quote(str(folder))}")
    if certified and certified.interruption:
        notice(f"interrupted: certificates are missing; to resume: {_same_command()}")
        if isinstance(certified.interruption, Interrupted):
            raise typer.Exit(certified.interruption.code)
        raise certified.interruption
    if found.agreement().disagreements or (certified and certified.refuted):
        raise typer.Exit(1)


def _same_command() -> str:
    """The command that goes on where this one ends."""
    return shlex.join(["harness", *(word for word in sys.argv[1:] if word != "--fresh")])
