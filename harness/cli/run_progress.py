"""The progress of a run on a terminal."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from rich.console import Console, Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from harness.base.text import printable, shortened
from harness.cli.progress import Display
from harness.cli.terminal import is_quiet, theme_of
from harness.records import Batch, TrialRecord, Verdict
from harness.report import Style, backend_name, duration, span
from harness.runs import Observer

_BAD: Final = (Verdict.WRONG, Verdict.CRASHED)


@dataclass
class _Line:
    """The progress of one configuration."""

    trials: int = 0
    done: int = 0
    """Finished trials, including the trials of earlier commands."""
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    wall_s: float = 0.0
    """Wall time of the trials that have ended."""
    changed_at: float = 0.0


class LiveProgress(Display, Observer):
    """The progress of a run: a line for each configuration, and one for the whole.

    Without a terminal it prints only notices.
    """

    stays_if_interrupted = True

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._lines: defaultdict[str, _Line] = defaultdict(_Line)
        self._now = "starting"
        self._began = monotonic()
        self.done = 0
        """Finished trials, including the trials of earlier invocations."""
        self.done_before = 0
        """Trials that earlier invocations finished."""
        self.planned_trials = 0

    def preparing(self, work: str) -> None:
        """Print the notice above the display."""
        self._print(work)

    def left_out(self, backend: str, reason: str) -> None:
        """Print the reason above the display."""
        self._print(f"left out: {backend_name(backend)} is not available: {reason}")

    def warned(self, backend: str, warning: str) -> None:
        """Print the warning above the display, even if only results and errors are wanted."""
        text = printable(f"warning: {backend_name(backend)}: {warning}")
        self.console.print(Text(text, Style.WARNING), soft_wrap=True)

    def planned(self, trials: Mapping[str, int], done: Mapping[str, int]) -> None:
        """Add trials to the lines of the configurations and to the total."""
        if not self.planned_trials:
            self._began = monotonic()
        for label, number in trials.items():
            line = self._lines[label]
            line.trials += number
            line.done += done.get(label, 0)
        earlier = sum(done.values())
        self.planned_trials += sum(trials.values())
        self.done += earlier
        self.done_before += earlier
        self.draw(at_once=True)

    def began(self, batch: Batch) -> None:
        """Show the backend, task and dataset of the batch."""
        first = batch.trials[0]
        self._now = f"{backend_name(first.backend)} {first.question.task} {first.dataset}"
        self._lines[first.backend].changed_at = monotonic()

    def finished(self, results: Sequence[TrialRecord]) -> None:
        """Count the verdicts."""
        self.done += len(results)
        for result in results:
            line = self._lines[result.trial.backend]
            line.done += 1
            line.verdicts[result.verdict] += 1
            line.wall_s += result.outcome.wall_s or 0.0
        self.draw()

    def _print(self, text: str) -> None:
        if not is_quiet():
            self.console.print(Text(printable(text)), soft_wrap=True)

    def drawing(self) -> Group:
        """The lines."""
        return Group(self._table(), self._total())

    def _table(self) -> Table:
        """The lines of the configurations; those that changed last if the terminal is small."""
        most = max(1, self.console.height - 4)  # the other lines of the terminal stay free
        latest = sorted(self._lines, key=lambda label: -self._lines[label].changed_at)[:most]
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(overflow="fold")
        table.add_column(justify="right", no_wrap=True)
        for label, line in self._lines.items():
            if label in latest:
                name = shortened(printable(backend_name(label)), 24)
                time = duration(line.wall_s) if line.verdicts else ""
                done = f"{line.done}/{line.trials}"
                table.add_row(Text(name), Text(done), _verdicts(line), Text(time))
        if more := len(self._lines) - len(latest):
            table.add_row(Text(f"and {more} more", Style.QUIET))
        return table

    def _total(self) -> Table:
        parts = Table.grid(padding=(0, 1))
        for _ in range(4):
            parts.add_column(no_wrap=True)
        share = self.done / self.planned_trials if self.planned_trials else 0.0
        width = 20
        bar: ProgressBar | Text = ProgressBar(total=1.0, completed=share, width=width)
        if not theme_of(self.console.file).unicode:
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
        number = self.done - self.done_before
        remaining = self.planned_trials - self.done
        if not number or not remaining:
            return ""
        return f"{span((monotonic() - self._began) / number * remaining)} left"


def _verdicts(line: _Line) -> Text:
    """The number of each verdict, wrong answers and crashes in red, and of earlier trials."""
    parts = []
    if earlier := line.done - line.verdicts.total():
        parts.append((f"{earlier} earlier", Style.QUIET))
    for verdict in Verdict:
        if number := line.verdicts[verdict]:
            style = Style.BAD if verdict in _BAD else Style.PLAIN
            parts.append((f"{number} {verdict.replace('_', ' ')}", style))
    return Text(" ").join(Text(text, style) for text, style in parts)
