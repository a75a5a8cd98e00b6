"""`harness run --on`: a sweep on an engine, with the progress of its shards."""

import sys
from pathlib import Path
from typing import Final

import typer
from rich.console import Console, Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from harness.base.interruption import interruptible
from harness.base.text import number_of, shortened
from harness.cli import lazy
from harness.cli.folders import show_answer
from harness.cli.options import SweepTotals, flags_in_errors, same_command
from harness.cli.progress import Display
from harness.cli.run_progress import LiveProgress
from harness.cli.terminal import console_of, notice, wrapped
from harness.extensions.cluster.coordinator import ClusterStatus, CoordinatorObserver, run_on
from harness.extensions.cluster.engines import engine_of, require_engine
from harness.report.formatting import span
from harness.runs.sweep import Sweep

_MACHINES: Final = 12
"""Machines that have a line; the others are in the sum."""


class ClusterProgress(Display, CoordinatorObserver):
    """The shards of a run in all and on each machine; without a terminal, only notices."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.status = ClusterStatus(0)
        """How far the shards are."""

    def changed(self, status: ClusterStatus) -> None:
        """Draw how far the shards are."""
        self.status = status
        self.draw()

    def failed(self, number: int, reason: str) -> None:
        """Say that a shard is handed out again."""
        notice(wrapped(f"shard {number} is handed out again: {reason}", indent=2, first=0))

    def refused(self, place: str, reason: str) -> None:
        """Say that a machine gets no shards."""
        notice(wrapped(f"{place} gets no shards: {reason}", indent=2, first=0))

    def drawing(self) -> Group:
        """The shards, and the machines."""
        status = self.status
        bar = Table.grid(padding=(0, 1))
        bar.add_row(
            ProgressBar(total=max(1, status.shards), completed=status.done, width=24),
            f"{status.done:,} of {number_of(status.shards, 'shard')}",
            f"{status.handed_out:,} handed out, {status.waiting:,} waiting",
            Text(f"{len(status.failed):,} failed" if status.failed else ""),
            "" if status.remaining_s is None else f"about {span(status.remaining_s)} left",
        )
        machines = Table.grid(padding=(0, 2))
        for host, done in status.machines.most_common(_MACHINES):
            machines.add_row(shortened(host, 40), f"{done:,} done")
        return Group(bar, machines)


def run_on_engine(
    sweep: Sweep,
    folder: Path,
    on: str,
    shards: int | None,
    *,
    as_json: bool,
) -> None:
    """Carry out a sweep on an engine, and show the tables.

    Raises:
        InputError: the sweep, the folder or the engine cannot be used.
    """
    require_engine(on)
    planning = LiveProgress(console_of(sys.stderr))
    progress = ClusterProgress(console_of(sys.stderr))
    try:
        with interruptible("numpy"), flags_in_errors(), progress:
            status = run_on(
                sweep,
                folder,
                lambda plan: engine_of(on, plan, folder, notice),
                shards=shards,
                observer=planning,
                coordinator_observer=progress,
            )
    except KeyboardInterrupt:
        if as_json:
            _totals(progress.status, folder).show_json(interrupted=True)
        done = f"{progress.status.done:,} of {number_of(progress.status.shards, 'shard')}"
        notice(f"interrupted: {done} are in {folder}; to resume: {same_command()}")
        raise
    found = lazy.load(folder)
    if as_json:
        _totals(status, folder).show_json(report=lazy.filling.reported(found, lazy.tables.BRIEF))
    else:
        show_answer(found, folder)
    _show_rest(status)
    if found.agreement().disagreements or not status.is_complete:
        raise typer.Exit(1)


def _totals(status: ClusterStatus, folder: Path) -> SweepTotals:
    return SweepTotals(folder, status.trials, status.trials_done, status.trials_before)


def _show_rest(status: ClusterStatus) -> None:
    for number, reason in sorted(status.failed.items()):  # also with --quiet
        text = wrapped(f"shard {number} failed: {reason}", indent=2, first=0)
        typer.echo(text, err=True)
