"""Execution of a plan: from batches of trials to judged records in a sink.

A stored run, a run in memory and a single question are the same work with another plan
and another sink.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from harness.engine.supervisor import Supervisor
from harness.experiment.observer import Observer
from harness.experiment.plan import TrialFilter
from harness.records.configuration import WorkerEvent
from harness.records.judge import judge
from harness.records.trial import Batch, TrialRecord


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

    planned: int
    done_before: int


def execute(
    supervisor: Supervisor, plan: Plan, sink: Sink, observer: Observer | None = None
) -> Totals:
    """Run the trials of `plan` that `sink` does not have, and add their records to it.

    Each answer is judged before it is added. Afterwards unstable results are repeated.

    Raises:
        StorageError: the sink cannot write; what it has written is intact.
    """
    observer = observer or Observer()
    is_done = sink.is_done
    planned = plan.trials_of_each
    left = _size_of_each(plan.batches(is_done)) if is_done else planned
    # The sink may have trials of other plans as well.
    done = {label: number - left.get(label, 0) for label, number in planned.items()}
    totals = Totals(plan.trials, sum(done.values()))
    observer.planned(*totals)
    observer.planned_each(planned, done)
    _run(supervisor, plan, plan.batches(is_done), sink, observer)
    for repetition in plan.further_repetitions:
        skip, only = sink.not_needed(repetition), range(repetition, repetition + 1)
        further: Counter[str] = Counter()
        observer.extended(sink.plan(_counted(plan.batches(skip, only), further)))
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
    for ended in supervisor.run(_announced(batches, observer), idle=sink.flush):
        records = judge(ended)
        plan.note(records)
        sink.add(records)
        while supervisor.events:
            sink.add_event(supervisor.events.popleft())
        observer.finished(records)


def _announced(batches: Iterator[Batch], observer: Observer) -> Iterator[Batch]:
    for batch in batches:
        observer.began(batch)
        yield batch


def _size_of_each(batches: Iterator[Batch]) -> Counter[str]:
    """Number of trials of each configuration, by label."""
    sizes: Counter[str] = Counter()
    for _ in _counted(batches, sizes):
        pass
    return sizes


def _counted(batches: Iterator[Batch], sizes: Counter[str]) -> Iterator[Batch]:
    """The same batches; their trials are added to `sizes`, by label."""
    for batch in batches:
        sizes.update(trial.backend for trial in batch.trials)
        yield batch
