"""Records of finished trials in memory."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean, pstdev

from harness.experiment.plan import TrialFilter
from harness.records.configuration import WorkerEvent
from harness.records.question import Question
from harness.records.store import SETTLED
from harness.records.trial import Batch, Trial, TrialRecord

_Result = tuple[str, str, str, Question]


class MemorySink:
    """Keeps records in memory; `records` are in the order in which the trials ended."""

    def __init__(self) -> None:
        self.records: list[TrialRecord] = []

    @property
    def is_done(self) -> TrialFilter | None:
        """None: it keeps the records of one execution."""
        return None

    def add(self, records: Sequence[TrialRecord]) -> None:
        """Keep finished trials."""
        self.records += records

    def add_event(self, event: WorkerEvent) -> None:
        """Drop the event."""

    def not_needed(self, repetition: int) -> TrialFilter:
        """A filter for trials of `repetition` that are not needed; see `Sink`."""
        times: defaultdict[_Result, list[float | None]] = defaultdict(list)
        for record in self.records:
            wall_s = record.outcome.wall_s if record.verdict.answered else None
            times[_result(record.trial)].append(wall_s)
        unstable = {
            result
            for result, values in times.items()
            if len(values) == repetition - 1 and _is_unstable(values)
        }
        return lambda trial: _result(trial) not in unstable

    def plan(self, batches: Iterator[Batch]) -> int:
        """Count the trials."""
        return sum(len(batch.trials) for batch in batches)

    def flush(self) -> None:
        """Do nothing."""


def _result(trial: Trial) -> _Result:
    return trial.backend, trial.dataset, trial.instance.puzzle.id, trial.question


def _is_unstable(times: Sequence[float | None]) -> bool:
    """Whether all were answered and the relative standard error of the mean is too large."""
    seconds = [time for time in times if time is not None]
    if len(seconds) < len(times):
        return False
    if len(seconds) == 1:
        return True
    error: float = pstdev(seconds) / (len(seconds) - 1) ** 0.5
    return error >= SETTLED * fmean(seconds)
