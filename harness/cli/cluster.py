"""`harness run --on`: a sweep on an engine, with the progress of its shards."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.interrupts import interruptible
from harness.cli.sharding import earlier_times, sizes_of
from harness.cli.sweep_options import flags_in_errors
from harness.cli.sweep_totals import SweepTotals
from harness.cli.terminal import console_of, notice, show, theme_of, width, wrapped
from harness.errors import Interrupted
from harness.text import number_of

if TYPE_CHECKING:
    from harness.experiment.cluster.coordinator import Status
    from harness.experiment.sweep import Sweep

OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="ENGINE",
        help="Carry out shards on an engine: local, local:N, dask://HOST:PORT, slurm or "
        "slurm:PARTITION.",
    ),
]
RepeatSlowOption = Annotated[
    bool,
    typer.Option(
        "--repeat-slow",
        help="With --on: repeat shards of a machine that became slower on others.",
    ),
]


def run_on_engine(
    sweep: "Sweep",
    folder: Path,
    on: str,
    shards: int | None,
    shard_time: float | None,
    *,
    repeats_slow: bool,
    as_json: bool,
) -> None:
    """Carry out a sweep on an engine, and show the tables.

    Raises:
        InputError: the sweep, the folder or the engine cannot be used.
    """
    from harness.analysis.run import load
    from harness.cli.cluster_progress import ClusterProgress
    from harness.cli.progress import LiveProgress
    from harness.documents.fill import reported
    from harness.experiment.cluster.cluster_run import run_on
    from harness.experiment.cluster.engines import engine_of, require_engine
    from harness.experiment.interruption import signals_as_interrupts
    from harness.report.tables import BRIEF, text

    sizes = sizes_of(shards, shard_time)
    require_engine(on)
    planning = LiveProgress(console_of(sys.stderr))
    progress = ClusterProgress(console_of(sys.stderr))
    try:
        with interruptible(), signals_as_interrupts(), flags_in_errors(), progress:
            status = run_on(
                sweep,
                folder,
                lambda plan: engine_of(on, plan.run, plan.jobs, folder, notice),
                sizes=sizes,
                times=earlier_times(),
                observer=planning,
                coordinator_observer=progress,
                repeats_slow=repeats_slow,
            )
    except KeyboardInterrupt as interruption:
        if as_json:
            _totals(progress.status, folder).show_json(interrupted=True)
        done = f"{progress.status.done:,} of {number_of(progress.status.shards, 'shard')}"
        command = shlex.join(["harness", *sys.argv[1:]])
        notice(f"interrupted: {done} are in {folder}; to resume: {command}")
        if isinstance(interruption, Interrupted):
            raise typer.Exit(interruption.code) from None
        raise
    found = load(folder)
    if as_json:
        _totals(status, folder).show_json(report=reported(found, BRIEF))
    else:
        show(text(found, width(), theme=theme_of()))
        show(f"results: {folder}   report: harness report {shlex.quote(str(folder))}")
    _show_rest(status)
    if found.agreement().disagreements or not status.is_complete:
        raise typer.Exit(1)


def _totals(status: "Status", folder: Path) -> SweepTotals:
    return SweepTotals(folder, status.trials, status.trials_done, status.trials_before)


def _show_rest(status: "Status") -> None:
    for number, reason in sorted(status.failed.items()):  # also with --quiet
        text = wrapped(f"shard {number} failed: {reason}", indent=2, first=0)
        typer.echo(text, err=True)
    if status.left_out:
        notice(f"{number_of(status.left_out, 'further attempt')} left out: each shard counts once")
