"""`harness run`: run a sweep."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from harness.base.errors import NoBackendError, OptionError
from harness.base.interruption import interruptible
from harness.base.text import number_of
from harness.cli import lazy
from harness.cli.completers import runs
from harness.cli.folders import show_answer
from harness.cli.options import (
    SWEEP_OPTIONS,
    JsonOption,
    SkipOption,
    SweepFileArgument,
    SweepTotals,
    flags_in_errors,
    same_command,
    show_json,
    sweeps_of,
    value_option,
    with_sweep_options,
)
from harness.cli.report import report
from harness.cli.terminal import console_of, notice, show, theme_of, width
from harness.cli.views import has_view
from harness.records import Task
from harness.records.folder import RunFile
from harness.report import backend_name, span
from harness.runs import RESULTS, Sweep, SweepChanges, folder_name

# ``--dry-run``: the plan of a run or a check, without running it.


DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Show the plan and run nothing: trials, those already stored, expected time from "
        "earlier runs on this machine, and the time if all reach their time limits.",
    ),
]


_MOST_ROWS: Final = 30
"""Maximum number of rows of a plan on a screen."""


def show_plan(
    sweeps: Sequence[Sweep],
    folder: Path | None,
    *,
    fresh: bool = False,
    skip_unavailable: bool,
    as_json: bool,
) -> None:
    """Print the plan of sweeps in one folder.

    Args:
        sweeps: the sweeps.
        folder: the folder of the run; None for a check.
        fresh: whether the trials in the folder are run again.
        skip_unavailable: whether unavailable backends are left out.
        as_json: whether to print JSON.
    """
    with flags_in_errors():
        plan = lazy.preview(
            sweeps,
            folder,
            fresh=fresh,
            skip_unavailable=skip_unavailable,
            earlier=sorted(RESULTS.iterdir()) if RESULTS.is_dir() else [],
            observer=lazy.LiveProgress(console_of(sys.stderr)),
        )
    if as_json:
        show_json(plan)
        return
    show(_text(plan), end="")
    if most := max(sweep.until_stable for sweep in sweeps):
        show(f"further repetitions of unstable results, up to {most} in all: unknown")
    if folder:
        show(f"folder: {folder}")


def _text(preview: "lazy.Preview") -> str:
    """The plan as a table with its totals."""
    col = lazy.columns
    columns = (
        col.backend("backend", "Label of the configuration.", "backend"),
        col.text("dataset", "Name of the dataset.", "dataset"),
        col.count("trials", "Planned trials.", "trials"),
        col.count("stored", "Planned trials that the folder has.", "stored"),
        col.span("expected_s", "Expected time of the rest.", "expected"),
        col.span("longest_s", "Time of the rest if every trial reaches its limit.", "at most"),
    )
    frame = lazy.DataFrame(map(asdict, preview.plan), columns=[column.name for column in columns])
    table = lazy.ReportTable("plan", "", columns, _condense(frame))
    remaining = preview.trials - preview.stored
    at_once = f" with {preview.jobs} at a time" if preview.jobs > 1 else ""
    expected = "" if preview.expected_s is None else f"about {span(preview.expected_s)}, "
    total = (
        f"{number_of(remaining, 'trial')} to run, {preview.stored:,} stored; "
        f"{expected}at most {span(preview.longest_s)}{at_once}"
    )
    left_out = [
        f"left out: {backend_name(name)} is not available: {reason}"
        for name, reason in preview.unavailable.items()
    ]
    unknown = ["-: no earlier trials on this machine to infer the time from"]
    notes = [*(unknown if preview.expected_s is None else []), *left_out, total]
    sections = [lazy.Section("", (table,), tuple(notes))]
    return lazy.text.text(sections, width(), theme_of(), [row.backend for row in preview.plan])


def _condense(plan: "lazy.DataFrame") -> "lazy.DataFrame":
    """The rows of a plan; if they are too many for a screen, their sums by backend or dataset."""
    if len(plan) <= _MOST_ROWS:
        return plan
    few_backends = plan["backend"].nunique() <= _MOST_ROWS
    by, other = ("backend", "dataset") if few_backends else ("dataset", "backend")
    groups = plan.groupby(by, sort=False)
    numbers = groups[other].nunique().map(lambda number: number_of(number, other))
    sums = groups[list(plan.columns[2:])].sum()
    expected_s = sums["expected_s"].where(groups["expected_s"].count() == groups.size())
    return sums.assign(**{other: numbers, "expected_s": expected_s}).reset_index()[plan.columns]


# `harness run`: run a sweep.


@with_sweep_options()
def run(
    sweep_file: SweepFileArgument = None,
    *,
    changes: SweepChanges,
    out: Annotated[
        Path | None,
        value_option(
            "--out", "DIR", "Folder of the run; by default a folder in results/.", completer=runs
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Delete the trials of an earlier run in the folder.")
    ] = False,
    skip_unavailable: SkipOption = False,
    oversubscribe: Annotated[
        bool,
        typer.Option(
            "--oversubscribe",
            help="Allow more --jobs than cores. Wall times then include waiting for a core.",
        ),
    ] = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run backends on datasets and show the tables.

    The same command resumes an interrupted run; another one with the same --out adds to it. Exit
    code 1: a wrong answer or a disagreement. Crashes, timeouts and unknowns are results, with exit
    code 0.
    """
    sweeps = sweeps_of(changes, sweep_file)
    shard = lazy.Shard.read(sweep_file) if sweep_file else None
    if shard and (shared := [name for name in changes if name != "jobs"]):
        raise OptionError(
            f"cannot be set for {shard} of a plan",
            where=SWEEP_OPTIONS[shared[0]].flag,
            expected="the options with which harness cluster plan made it",
        )
    folder = out or RESULTS / (shard.folder if shard else folder_name(sweeps))
    if dry_run:
        show_plan(sweeps, folder, fresh=fresh, skip_unavailable=skip_unavailable, as_json=as_json)
        if fresh and not as_json and (folder / RunFile.SETTINGS).is_file():
            show(f"--fresh deletes the results of an earlier run in {folder}")
        return
    totals = SweepTotals(folder)
    options = {"skip_unavailable": skip_unavailable, "oversubscribe": oversubscribe, "shard": shard}
    _run_sweeps(sweeps, totals, fresh=fresh, as_json=as_json, **options)
    _show_result(totals, as_json=as_json)


def _run_sweeps(
    sweeps: Sequence[Sweep],
    totals: SweepTotals,
    *,
    fresh: bool = False,
    as_json: bool = False,
    **options: Any,
) -> None:
    """Run sweeps into one folder; a sweep without an available backend is left out.

    Args:
        sweeps: the sweeps.
        totals: the sums over them.
        fresh: whether trials of earlier commands are deleted.
        as_json: whether an interruption prints the totals.
        options: further options of `run_sweep`.

    Raises:
        NoBackendError: no sweep has an available backend.
    """
    without = 0
    for number, sweep in enumerate(sweeps):
        deletes = fresh and number == without  # the trials of earlier commands only
        try:
            _run_sweep(sweep, totals, as_json=as_json, fresh=deletes, **options)
        except NoBackendError as error:
            without += 1
            if without == len(sweeps):
                raise
            notice(f"sweep {number + 1} of {len(sweeps)} is left out: {error.what}")


def _run_sweep(sweep: Sweep, totals: SweepTotals, *, as_json: bool, **options: Any) -> None:
    """Run a sweep, add it to the totals, and report what was left out or complete before."""
    progress = lazy.LiveProgress(console_of(sys.stderr))
    try:
        with interruptible("numpy", "harness.runs.run"), flags_in_errors(), progress:
            run = lazy.run_sweep(sweep, totals.folder, observer=progress, **options)
    except KeyboardInterrupt:
        totals.add(progress)
        if as_json:
            totals.interrupted = True
            show_json(totals)
        trials = number_of(progress.planned_trials, "trial")
        state = f"{progress.done:,} of {trials} are in {totals.folder}"
        state = state if progress.planned_trials else "no trial has run"
        notice(f"interrupted: {state}; to resume: {same_command()}")
        raise
    totals.add(progress)
    totals.duplicates |= run.repeats
    for name, repeats in run.repeats.items():
        notice(f"{name}: {number_of(repeats, 'duplicate puzzle')} left out")
    for name, number in run.excluded.items():
        notice(f"{name}: {number_of(number, 'puzzle')} left out by --where or --sample")
    if run.done_before:
        verb = "was" if run.trials == 1 else "were"
        trials = number_of(run.trials, "trial")
        notice(f"{run.done_before:,} of {trials} {verb} complete before")


def _show_result(totals: SweepTotals, *, as_json: bool) -> None:
    """Show the answer of the run in a folder, with exit code 1 for a disagreement."""
    result = lazy.load(totals.folder)
    if as_json:
        totals.report = lazy.Reported.of_run(result, lazy.tables.BRIEF)
        show_json(totals)
    else:
        show_answer(result, totals.folder)
    if result.agreement().disagreements:
        raise typer.Exit(1)


# `harness demo`: a first sweep, which needs no checkout.


def demo(
    out: Annotated[
        Path, value_option("--out", "DIR", "Folder of the run.", completer=runs)
    ] = RESULTS / "demo",
) -> None:
    """Run the four core backends on 36 puzzles, write a page with charts and show the answer.

    The run is like any other: the same command resumes it, and harness report shows more.
    """
    sweep = Sweep(
        datasets=("seeds", "named"),
        backends=("native", "cpsat", "milp", "cnf"),
        tasks=(Task.SOLVE, Task.COUNT),
        timeout=3.0,
    )
    totals = SweepTotals(out)
    _run_sweeps([sweep], totals)
    if has_view("report", "html"):
        report([out], "html")
    _show_result(totals, as_json=False)
