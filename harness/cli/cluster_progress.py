"""Live display of a run on an engine: its shards, and those of each machine."""

from time import monotonic
from typing import Final, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from harness.cli.terminal import is_quiet, is_terminal, notice, wrapped
from harness.experiment.cluster.coordinator import CoordinatorObserver, Status
from harness.experiment.cluster.machine_speed import Change
from harness.report.formatting import shortened, span
from harness.text import number_of

_REDRAW_S: Final = 0.2
_MACHINES: Final = 12
"""Machines that have a line; the others are in the sum."""


class ClusterProgress(CoordinatorObserver):
    """Progress on `console`; without a terminal it prints only notices.

    Use it as a context manager around the run.
    """

    def __init__(self, console: Console) -> None:
        self._live: Live | None = None
        if is_terminal(console.file) and not is_quiet():
            self._live = Live(console=console, auto_refresh=False, transient=True)
        self._drawn = 0.0
        self.status = Status(0)
        """How far the shards are."""

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live:
            self._live.stop()

    def changed(self, status: Status) -> None:
        """Draw how far the shards are."""
        self.status = status
        if self._live and monotonic() > self._drawn + _REDRAW_S:
            self._drawn = monotonic()
            self._live.update(self._drawing(), refresh=True)

    def lost(self, number: int, reason: str) -> None:
        """Say that a shard is handed out again."""
        notice(wrapped(f"shard {number} is handed out again: {reason}", indent=2, first=0))

    def excluded(self, place: str, reason: str) -> None:
        """Say that a machine gets no shards."""
        notice(wrapped(f"{place} gets no shards: {reason}", indent=2, first=0))

    def changed_machine(self, change: Change) -> None:
        """Say that a machine has become slower or noisier."""
        notice(wrapped(f"{change.host} is {change.what}", indent=2, first=0))

    def _drawing(self) -> Group:
        status = self.status
        bar = Table.grid(padding=(0, 1))
        bar.add_row(
            ProgressBar(total=max(1, status.shards), completed=status.done, width=24),
            f"{status.done:,} of {number_of(status.shards, 'shard')}",
            f"{status.running:,} running, {status.waiting:,} waiting",
            Text(f"{len(status.failed):,} failed" if status.failed else ""),
            "" if status.remaining_s is None else f"about {span(status.remaining_s)} left",
        )
        machines = Table.grid(padding=(0, 2))
        for place, machine in list(status.machines.items())[:_MACHINES]:
            shown = shortened(status.name_of(place), 40)
            machines.add_row(shown, f"{machine.done:,} done", f"{machine.running:,} running")
        return Group(bar, machines)
