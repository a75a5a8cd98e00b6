"""Execution: from batches of trials to judged records in a sink.

A stored run, a run in memory and a single question differ only in their batches and their sink.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from harness.engine import Supervisor
from harness.records import Batch, TrialRecord, WorkerEvent, judge
from harness.runs.plan import TurnLength

# Progress of a run, for displays.


class Observer:
    """Receives the progress of a run; override the methods of interest."""

    def preparing(self, work: str) -> None:
        """A backend does `work` before it is ready, which takes seconds."""

    def left_out(self, backend: str, reason: str) -> None:
        """A backend is unavailable, and the run continues without it."""

    def warned(self, backend: str, warning: str) -> None:
        """Something happened to the workers of a backend that users should know about.

        The run's table ``events`` has every occurrence; only the first of each kind is reported.
        """

    def planned(self, trials: Mapping[str, int], done: Mapping[str, int]) -> None:
        """The plan grew by these numbers of trials.

        Keys are labels of configurations. `done` has the trials among them that earlier invocations
        finished. Later calls add repetitions of unstable results.
        """

    def began(self, batch: Batch) -> None:
        """A worker is about to run this batch."""

    def finished(self, results: Sequence[TrialRecord]) -> None:
        """Trials have ended and are in the sink."""


# Records of finished trials.


class Sink:
    """Keeps the records of finished trials, in the order in which they ended, in `records`.

    A subclass may store them, and events of workers, which are dropped here.
    """

    def __init__(self) -> None:
        self.records: list[TrialRecord] = []

    def add(self, records: Sequence[TrialRecord]) -> None:
        """Add finished trials."""
        self.records += records

    def add_event(self, event: WorkerEvent) -> None:
        """Add an event of a worker."""

    def flush(self) -> None:
        """Write what was added; called when no trial has ended for a moment."""


def execute(
    supervisor: Supervisor,
    batches: Iterable[Batch],
    sink: Sink,
    observer: Observer | None = None,
    pace: TurnLength | None = None,
) -> None:
    """Run batches, judge each answer, and add the records to `sink`.

    Trials of configurations that become unavailable are left out.

    Args:
        supervisor: runs the trials.
        batches: the trials.
        sink: receives the records.
        observer: receives the progress.
        pace: learns the length of later turns from finished trials.

    Raises:
        StorageError: the sink cannot write; what it has written is intact.
    """
    observer, pace = observer or Observer(), pace or TurnLength()
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
        pace.note(records)
        sink.add(records)
        while supervisor.events:
            sink.add_event(supervisor.events.popleft())
        observer.finished(records)


def _announce(batches: Iterable[Batch], observer: Observer) -> Iterator[Batch]:
    for batch in batches:
        observer.began(batch)
        yield batch
