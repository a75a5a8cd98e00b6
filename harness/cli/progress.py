"""Live displays: a run, a cluster, a fuzzing, or puzzles one by one."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.status import Status as RichStatus
from rich.table import Table
from rich.text import Text

from harness.cli.terminal import console_of, is_quiet, is_terminal, notice, theme_of, wrapped
from harness.cluster.coordinator import Change, ClusterStatus, CoordinatorObserver
from harness.fuzz.findings import FuzzFinding
from harness.fuzz.fuzz import FuzzObserver, FuzzReport, SavedFault
from harness.records.question import Verdict
from harness.records.trial import Batch, TrialRecord
from harness.report.formatting import Style, backend_name, duration, span
from harness.runs.execute import Observer
from harness.text import number_of, printable, shortened

# Live display of a run: a line for each configuration, and one for the whole.


_REDRAW_S: Final = 0.2
_LONGEST_NAME: Final = 24
_OTHER_LINES: Final = 4
"""Lines of the terminal that the lines of the configurations leave free."""
_BAD: Final = (Verdict.WRONG, Verdict.CRASHED)


@dataclass
class _Line:
    """The progress of one configuration."""

    planned: int = 0
    done: int = 0
    """Finished trials, including those of earlier commands."""
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    wall_s: float = 0.0
    """Wall time of the trials that have ended."""
    changed: float = 0.0


class LiveProgress(Observer):
    """Progress on `console`; without a terminal it prints only notices.

    Use it as a context manager around the run. The display disappears at the end, and stays
    if the run is interrupted.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        if is_terminal(console.file) and not is_quiet():
            self._live = Live(console=console, auto_refresh=False, transient=True)
        self._lines: dict[str, _Line] = {}
        self._now = "starting"
        self._began = self._drawn = monotonic()
        self.done = 0
        """Finished trials, including those of earlier invocations."""
        self.done_before = 0
        """Trials that earlier invocations finished."""
        self.planned_trials = 0

    def __enter__(self) -> "LiveProgress":
        if self._live:
            self._live.start()
            self._draw()
        return self

    def __exit__(self, error: object, *more: object) -> None:
        if self._live:
            self._live.transient = error is None
            self._draw()
            self._live.stop()

    def preparing(self, what: str) -> None:
        """Print the notice above the display."""
        self._print(what)

    def left_out(self, backend: str, reason: str) -> None:
        """Print the reason above the display."""
        self._print(f"left out: {backend_name(backend)} is not available: {reason}")

    def unreliable(self, what: str) -> None:
        """Print the warning above the display, also if only results and errors are wanted."""
        self._console.print(Text(f"warning: {what}", Style.WARNING), soft_wrap=True)

    def warned(self, backend: str, what: str) -> None:
        """Print the warning above the display, also if only results and errors are wanted."""
        text = printable(f"warning: {backend_name(backend)}: {what}")
        self._console.print(Text(text, Style.WARNING), soft_wrap=True)

    def planned(self, trials: int, done: int) -> None:
        """Set the total and the number of finished trials."""
        self.planned_trials, self.done, self.done_before = trials, done, done
        self._began = monotonic()

    def planned_each(self, trials: Mapping[str, int], done: Mapping[str, int]) -> None:
        """Add trials to the lines of the configurations."""
        for label, number in trials.items():
            line = self._lines.setdefault(label, _Line())
            line.planned += number
            line.done += done.get(label, 0)
        self._draw()

    def began(self, batch: Batch) -> None:
        """Show the backend, task and dataset of the batch."""
        first = batch.trials[0]
        self._now = f"{backend_name(first.backend)} {first.question.task} {first.dataset}"
        self._lines.setdefault(first.backend, _Line()).changed = monotonic()

    def extended(self, trials: int) -> None:
        """Add repetitions to the total."""
        self.planned_trials += trials

    def finished(self, results: Sequence[TrialRecord]) -> None:
        """Count the verdicts."""
        self.done += len(results)
        for result in results:
            line = self._lines.setdefault(result.trial.backend, _Line())
            line.done += 1
            line.verdicts[result.verdict] += 1
            line.wall_s += result.outcome.wall_s or 0.0
        if monotonic() - self._drawn > _REDRAW_S:
            self._draw()

    def _print(self, text: str) -> None:
        if not is_quiet():
            self._console.print(Text(printable(text)), soft_wrap=True)

    def _draw(self) -> None:
        self._drawn = monotonic()
        if self._live:
            self._live.update(Group(self._table(), self._total()), refresh=True)

    def _table(self) -> Table:
        """The lines of the configurations, the latest if the terminal is too small for all."""
        most = max(1, self._console.height - _OTHER_LINES)
        latest = sorted(self._lines, key=lambda label: -self._lines[label].changed)[:most]
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(overflow="fold")
        table.add_column(justify="right", no_wrap=True)
        for label, line in self._lines.items():
            if label in latest:
                name = shortened(printable(backend_name(label)), _LONGEST_NAME)
                time = duration(line.wall_s) if line.verdicts else ""
                done = f"{line.done}/{line.planned}"
                table.add_row(Text(name), Text(done), _verdicts(line.verdicts), Text(time))
        if hidden := len(self._lines) - len(latest):
            table.add_row(Text(f"and {hidden} more", Style.QUIET))
        return table

    def _total(self) -> Table:
        parts = Table.grid(padding=(0, 1))
        for _ in range(4):
            parts.add_column(no_wrap=True)
        share = self.done / self.planned_trials if self.planned_trials else 0.0
        width = 20
        bar: ProgressBar | Text = ProgressBar(total=1.0, completed=share, width=width)
        if not theme_of(self._console.file).unicode:
            full = int(share * width)
            bar = Text("#" * full + "." * (width - full))
        parts.add_row(
            bar,
            Text(f"{self.done}/{self.planned_trials}"),
            Text(self._time_left()),
            Text(shortened(printable(self._now), 32), Style.QUIET),
        )
        return parts

    def _time_left(self) -> str:
        ended = self.done - self.done_before
        left = self.planned_trials - self.done
        if not ended or not left:
            return ""
        return f"{span((monotonic() - self._began) / ended * left)} left"


def _verdicts(verdicts: Counter[Verdict]) -> Text:
    """The number of each verdict, failures in red."""
    text = Text()
    for verdict in Verdict:
        if number := verdicts[verdict]:
            style = Style.BAD if verdict in _BAD else Style.PLAIN
            text.append(f"{' ' * bool(text)}{number} {verdict.replace('_', ' ')}", style)
    return text


# A progress bar for a command that goes through puzzles.


@contextmanager
def counting(what: str, total: int | None = None) -> Iterator[Callable[[object], None]]:
    """A function to call for each puzzle, which advances a bar on a terminal.

    The bar is on standard error and disappears at the end.

    Args:
        what: what is done, for instance ``generating``.
        total: the number of puzzles; None if it is unknown.
    """
    if is_quiet() or not is_terminal(sys.stderr):
        yield lambda _: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns: list[ProgressColumn] = [TextColumn(what)]
    if total is None:
        columns += [TextColumn("{task.completed:,.0f} puzzles"), TimeElapsedColumn()]
    else:
        columns += [BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console_of(sys.stderr), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda _: progress.advance(task)


# Live display of a run on an engine: its shards, and those of each machine.


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
        self.status = ClusterStatus(0)
        """How far the shards are."""

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live:
            self._live.stop()

    def changed(self, status: ClusterStatus) -> None:
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


# The status line of fuzzing.


class FuzzProgress(FuzzObserver):
    """A status line on a terminal; use it as a context manager around the stream.

    Args:
        console: the console of standard error.
    """

    def __init__(self, console: Console) -> None:
        self._status: RichStatus | None = None
        if is_terminal(console.file) and not is_quiet():
            self._status = console.status("starting")
        self._drawn = 0.0

    def __enter__(self) -> "FuzzProgress":
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status:
            self._status.stop()

    def preparing(self, what: str) -> None:
        """Print the notice."""
        notice(what)

    def left_out(self, backend: str, reason: str) -> None:
        """Print the reason."""
        notice(f"left out: {backend} is not available: {reason}")

    def fuzzed(self, report: FuzzReport) -> None:
        """Update the numbers."""
        if self._status and monotonic() > self._drawn + _REDRAW_S:
            self._drawn = monotonic()
            trials = number_of(report.number_of_trials, "trial")
            faults = f", {number_of(len(report.faults), 'fault')}" if report.faults else ""
            self._show(f"{span(report.seconds)}, {trials}{faults}")

    def shrinks(self, finding: FuzzFinding) -> None:
        """Show which backend is examined."""
        self._show(f"shrinking a case of {shortened(finding.records[0].trial.spec, 40)}")

    def found(self, fault: SavedFault) -> None:
        """Print the backend and the file of its case."""
        notice(f"{fault.backend}: {fault.path or fault.failure}")

    def _show(self, text: str) -> None:
        if self._status:
            self._status.update(Text(text))
