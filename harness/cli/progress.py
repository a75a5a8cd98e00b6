"""Live display of a run: current work, number of each verdict, time left."""

from collections import Counter
from collections.abc import Sequence
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from harness.experiment.observer import Observer
from harness.records.trial import Batch, TrialRecord
from harness.records.verdict import Verdict
from harness.report.formatting import backend_name

_REDRAW = 0.1


class LiveProgress(Observer):
    """Progress bar on `console`; without a terminal it prints only notices.

    Use it as a context manager around the run.
    """

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[verdicts]}"),
            TextColumn("{task.fields[now]}"),
            console=console,
            disable=not console.is_terminal,
            refresh_per_second=5,
            speed_estimate_period=120,
        )
        self._task = self._progress.add_task("", total=None, verdicts=Text(), now="starting")
        self._verdicts: Counter[Verdict] = Counter()
        self._now = ""
        self._drawn = 0.0
        self.done = 0
        """Finished trials, including those of earlier invocations."""
        self.planned_trials = 0

    def __enter__(self) -> "LiveProgress":
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._draw()
        self._progress.stop()

    def preparing(self, what: str) -> None:
        """Print the notice above the bar."""
        self._progress.console.print(what, style="dim")

    def left_out(self, backend: str, reason: str) -> None:
        """Print the reason above the bar."""
        text = f"left out: {backend_name(backend)} is not available: {reason}"
        self._progress.console.print(Text(text), soft_wrap=True)

    def warned(self, backend: str, what: str) -> None:
        """Print the warning above the bar."""
        text = f"warning: {backend_name(backend)}: {what}"
        self._progress.console.print(Text(text, style="yellow"), soft_wrap=True)

    def planned(self, trials: int, done: int) -> None:
        """Set the total and the number of finished trials."""
        self.planned_trials, self.done = trials, done
        self._progress.update(self._task, total=trials, completed=done)

    def began(self, batch: Batch) -> None:
        """Show the backend, task and dataset of the batch."""
        first = batch.trials[0]
        self._now = f"{backend_name(batch.backend)} {first.question.task} {first.dataset}"

    def extended(self, trials: int) -> None:
        """Add repetitions to the total."""
        self.planned_trials += trials
        self._progress.update(self._task, total=self.planned_trials)

    def finished(self, results: Sequence[TrialRecord]) -> None:
        """Count the verdicts."""
        self.done += len(results)
        self._verdicts.update(result.verdict for result in results)
        if monotonic() - self._drawn > _REDRAW:
            self._draw()

    def _draw(self) -> None:
        self._drawn = monotonic()
        verdicts = " ".join(f"{self._verdicts[v]} {v}" for v in Verdict if self._verdicts[v])
        bad = self._verdicts[Verdict.WRONG] or self._verdicts[Verdict.CRASHED]
        self._progress.update(
            self._task,
            completed=self.done,
            verdicts=Text(verdicts, style="red" if bad else ""),
            now=self._now,
        )
