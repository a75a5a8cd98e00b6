"""Execution of a plan: from batches of trials to judged records in a sink.

A stored run, a run in memory and a single question are the same work with another plan
and another sink.
"""

from collections.abc import Iterator, Sequence
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
    def further_repetitions(self) -> range:
        """Repetitions to add to unstable results; empty for none."""

    def batches(
        self, skip: TrialFilter | None = None, repetitions: range | None = None
    ) -> Iterator[Batch]:
        """The trials that `skip` does not match, lazily, in batches for one worker each.

        The repetitions are the planned ones unless others are given.
        """


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
    totals = Totals(plan.trials, _number_done(plan, is_done))
    observer.planned(*totals)
    _run(supervisor, plan.batches(is_done), sink, observer)
    for repetition in plan.further_repetitions:
        skip, only = sink.not_needed(repetition), range(repetition, repetition + 1)
        observer.extended(sink.plan(plan.batches(skip, only)))
        _run(supervisor, plan.batches(skip, only), sink, observer)
    return totals


def _run(supervisor: Supervisor, batches: Iterator[Batch], sink: Sink, observer: Observer) -> None:
    for ended in supervisor.run(_announced(batches, observer), idle=sink.flush):
        records = judge(ended)
        sink.add(records)
        while supervisor.events:
            sink.add_event(supervisor.events.popleft())
        observer.finished(records)


def _announced(batches: Iterator[Batch], observer: Observer) -> Iterator[Batch]:
    for batch in batches:
        observer.began(batch)
        yield batch


def _number_done(plan: Plan, is_done: TrialFilter | None) -> int:
    """Number of planned trials that are done; the sink may have other trials as well."""
    return plan.trials - _size(plan.batches(is_done)) if is_done else 0


def _size(batches: Iterator[Batch]) -> int:
    return sum(len(batch.trials) for batch in batches)
