"""The progress of shards on a terminal."""

from rich.console import Console, Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from harness.base.text import number_of, shortened
from harness.cli.progress import Display
from harness.cli.terminal import notice, wrapped
from harness.extensions.cluster.coordinator import ClusterStatus, CoordinatorObserver
from harness.report import span


class ClusterProgress(Display, CoordinatorObserver):
    """The shards of a run in total and on each machine; without a terminal, only notices."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.status = ClusterStatus(0)
        """The progress of the shards."""

    def changed(self, status: ClusterStatus) -> None:
        """Draw the progress of the shards."""
        self.status = status
        self.draw()

    def failed(self, number: int, reason: str) -> None:
        """Report that a shard is handed out again."""
        notice(wrapped(f"shard {number} is handed out again: {reason}", indent=2, first=0))

    def refused(self, place: str, reason: str) -> None:
        """Report that a machine gets no shards."""
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
        for host, done in status.machines.most_common(12):  # the bar counts those of all
            machines.add_row(shortened(host, 40), f"{done:,} done")
        return Group(bar, machines)
