"""Execution of a plan: from batches of trials to judged records in a sink.

A stored run, a run in memory and a single question are the same work with another plan
and another sink.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, pstdev
from typing import NamedTuple, Protocol

from harness.engine import Supervisor
from harness.records import SETTLED, Batch, Question, Trial, TrialRecord, WorkerEvent, judge
from harness.runs.plan import TrialFilter

# Progress of a run, for displays.


class Observer:
    """Receives the progress of a run; override the methods of interest."""

    def preparing(self, work: str) -> None:
        """A backend prepares this before it is ready, which takes seconds."""

    def left_out(self, backend: str, reason: str) -> None:
        """A backend is unavailable, and the run continues without it."""

    def warned(self, backend: str, warning: str) -> None:
        """Something happened to the workers of a backend that users should know.

        The run's table ``events`` has every occurrence; this is the first of its kind.
        """

    def planned(self, trials: int, done: int) -> None:
        """The plan has `trials` trials; earlier invocations finished `done` of them."""

    def planned_each(self, trials: Mapping[str, int], done: Mapping[str, int]) -> None:
        """The plan has these trials of each configuration, more than it had before.

        Earlier invocations finished `done` of them. Keys are labels.
        """

    def began(self, batch: Batch) -> None:
        """A worker is about to run this batch."""

    def finished(self, results: Sequence[TrialRecord]) -> None:
        """Trials have ended and are in the sink."""

    def extended(self, trials: int) -> None:
        """The plan has this number of further trials: repetitions of unstable results."""


# Records of finished trials in memory.


_Result = tuple[str, str, str, Question]


class MemorySink:
    """Keeps records in memory; `records` are in the order in which the trials ended."""

    def __init__(self) -> None:
        self.records: list[TrialRecord] = []

    @property
    def is_done(self) -> TrialFilter | None:
        """None, since it keeps the records of one execution only."""
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


# Execution of a plan: from batches of trials to judged records in a sink.


class Plan(Protocol):
    """Trials to run, in their order."""

    @property
    def trials(self) -> int:
        """Number of planned trials, without further repetitions."""

    @property
    def trials_of_each(self) -> Mapping[str, int]:
        """Number of planned trials of each configuration, by label."""

    @property
    def further_repetitions(self) -> range:
        """Repetitions to add to unstable results; empty for none."""

    def batches(
        self, skip: TrialFilter | None = None, repetitions: range | None = None
    ) -> Iterator[Batch]:
        """The trials that `skip` does not match, lazily, in batches for one worker each.

        The repetitions are the planned ones unless others are given.
        """

    def note(self, records: Sequence[TrialRecord]) -> None:
        """Take note of finished trials."""


class Sink(Protocol):
    """Receives the records of finished trials."""

    @property
    def is_done(self) -> TrialFilter | None:
        """A filter for trials that it had before the execution; None if it had none."""

    def add(self, records: Sequence[TrialRecord]) -> None:
        """Add finished trials."""

    def add_event(self, event: WorkerEvent) -> None:
        """Add an event of a worker."""

    def not_needed(self, repetition: int) -> TrialFilter:
        """A filter for trials of `repetition` that are not needed.

        A trial is needed if its result has all earlier repetitions, all answered, and is
        unstable, and if the sink does not have it.
        """

    def plan(self, batches: Iterator[Batch]) -> int:
        """Record the trials of `batches` as planned besides those of the plan; count them."""

    def flush(self) -> None:
        """Write what was added; called when no trial has ended for a moment."""


class Totals(NamedTuple):
    """Numbers of trials of a plan."""

    trials: int
    done_before: int


def execute(
    supervisor: Supervisor, plan: Plan, sink: Sink, observer: Observer | None = None
) -> Totals:
    """Run the trials of `plan` that `sink` does not have, and add their records to it.

    Each answer is judged before it is added. Afterwards unstable results are repeated. Trials of
    configurations that become unavailable are left out.

    Raises:
        StorageError: the sink cannot write; what it has written is intact.
    """
    observer = observer or Observer()
    is_done = sink.is_done
    trials_of_each = plan.trials_of_each
    remaining = _size_of_each(plan.batches(is_done)) if is_done else trials_of_each
    # The sink may have trials of other plans as well.
    done = {label: number - remaining.get(label, 0) for label, number in trials_of_each.items()}
    totals = Totals(plan.trials, sum(done.values()))
    observer.planned(*totals)
    observer.planned_each(trials_of_each, done)
    _run(supervisor, plan, plan.batches(is_done), sink, observer)
    for repetition in plan.further_repetitions:
        skip, only = sink.not_needed(repetition), range(repetition, repetition + 1)
        further: Counter[str] = Counter()
        observer.extended(sink.plan(_count(plan.batches(skip, only), further)))
        observer.planned_each(further, {})
        _run(supervisor, plan, plan.batches(skip, only), sink, observer)
    return totals


def _run(
    supervisor: Supervisor,
    plan: Plan,
    batches: Iterator[Batch],
    sink: Sink,
    observer: Observer,
) -> None:
    unavailable, reported_specs = supervisor.unavailable, set(supervisor.unavailable)
    for outcomes in supervisor.run(_announce(batches, observer), idle=sink.flush):
        if unavailable:
            for trial, _ in outcomes:
                if trial.spec in unavailable.keys() - reported_specs:
                    reported_specs.add(trial.spec)
                    observer.left_out(trial.backend, unavailable[trial.spec])
            outcomes = [
                (trial, outcome) for trial, outcome in outcomes if trial.spec not in unavailable
            ]
        records = judge(outcomes)
        plan.note(records)
        sink.add(records)
        while supervisor.events:
            sink.add_event(supervisor.events.popleft())
        observer.finished(records)


def _announce(batches: Iterator[Batch], observer: Observer) -> Iterator[Batch]:
    for batch in batches:
        observer.began(batch)
        yield batch


def _size_of_each(batches: Iterator[Batch]) -> Counter[str]:
    """Number of trials of each configuration, by label."""
    sizes: Counter[str] = Counter()
    for _ in _count(batches, sizes):
        pass
    return sizes


def _count(batches: Iterator[Batch], sizes: Counter[str]) -> Iterator[Batch]:
    """The same batches; their trials are added to `sizes`, by label."""
    for batch in batches:
        sizes.update(trial.backend for trial in batch.trials)
        yield batch
