"""A slot: a core on which one worker at a time runs trials."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from harness.engine.bounds import RequestBounds
from harness.engine.processes import WorkerHandle
from harness.engine.wire.channel import ChannelBroken
from harness.engine.wire.journal import outcomes_in, serials_in
from harness.records.outcome import Outcome
from harness.records.question import Start
from harness.records.trial import Batch, EndedTrials, Trial


@dataclass
class Slot:
    """A core with one worker for each backend; at most one of them is running trials."""

    core: int | None
    workers: dict[str, WorkerHandle] = field(default_factory=dict)
    active: WorkerHandle | None = None
    """The worker that is running trials."""
    batch: Batch | None = None
    """The batch that is running or was the last to run."""
    pending: deque[tuple[int, Trial]] = field(default_factory=deque)
    """Trials of the batch that have not ended, each with its serial number, in their order."""
    forced_outcome: Outcome | None = None
    """The outcome of the failed trial if the harness has requested the worker's end."""
    progressed_at: float = 0.0
    """Time of the last ended trial or request, on the clock of `time.monotonic`."""
    journal_read_at: float = 0.0
    """Time of the last look into the journal, on the same clock."""
    end_requested_at: float | None = None
    """When the harness requested the worker's end, on the same clock; None if it did not."""
    warm_up_pending: bool = False
    """Whether the worker may still report an unmeasured call for this request."""
    one_by_one: bool = False
    """Whether pending trials run one at a time, in order to find a failing one."""
    reruns: int = 0
    """How often pending trials ran again without a fault."""
    is_finished: bool = False
    """Whether the request is finished, and the slot waits for the end of its worker."""
    _last_requested: int = -1
    """The highest serial number of the request."""
    _bounds: RequestBounds = field(default_factory=lambda: RequestBounds(1))
    _finished_rows: bytes = b""
    _finished: deque[tuple[int, Trial]] = field(default_factory=deque)
    _finished_bounds: RequestBounds = field(default_factory=lambda: RequestBounds(1))

    def assign(self, batch: Batch, serials: Sequence[int]) -> None:
        """Make the trials of `batch` pending, with these serial numbers."""
        self.batch, self.one_by_one, self.reruns = batch, False, 0
        self.pending = deque(zip(serials, batch.trials, strict=True))

    def next_trials(self) -> Iterator[tuple[int, Trial]]:
        """The pending trials of the next request."""
        return islice(self.pending, 1 if self.one_by_one else None)

    def begin_request(self, worker: WorkerHandle, now: float) -> None:
        """The next trials are sent to the worker at this time of `time.monotonic`."""
        self.active = worker
        self.progressed_at = self.journal_read_at = now
        self.end_requested_at = None
        # A worker that was found out after its last outcome may have ended in time, by itself.
        self.forced_outcome = None
        self._last_requested = max(serial for serial, _ in self.next_trials())
        self._bounds = RequestBounds(len(self.pending) if self.is_one_call else 1)

    @property
    def is_one_call(self) -> bool:
        """Whether the pending trials are one call into the backend and fail together."""
        return self.batch is not None and self.batch.question.start is Start.BATCH

    def is_pending(self, serial: int | None) -> bool:
        """Whether the trial with this serial number was requested and has not ended."""
        return any(n == serial and n <= self._last_requested for n, _ in self.pending)

    def take_failed(self, serial: int | None) -> list[Trial]:
        """Remove and return the failed trials: all pending ones if they are one call.

        Otherwise it is the trial with this serial number, or the first pending one for None;
        none if all that were requested have ended.
        """
        if self.is_one_call:
            failed, self.pending = [trial for _, trial in self.pending], deque()
            return failed
        for at, (number, trial) in enumerate(self.pending):
            if number <= self._last_requested and serial in (number, None):
                del self.pending[at]
                return [trial]
        return []

    def take_ended(self, rows: bytes) -> EndedTrials:
        """Remove and return the pending trials whose outcomes are in these bytes of a journal.

        Raises:
            ChannelBroken: the bytes are not outcomes of the next pending trials.
        """
        if rows:
            self._note_receipt()
        return _take_ended(self.pending, outcomes_in(rows), self._bounds)

    def require_next(self, serial: int, rows: bytes) -> None:
        """Check that the trial `serial` comes after those in these bytes of a journal.

        Raises:
            ChannelBroken: it does not.
        """
        expected = [number for number, _ in islice(self.pending, len(serials_in(rows)) + 1)]
        if [*serials_in(rows), serial] != expected:
            raise ChannelBroken("an outcome of a trial that was not the next one")

    def take_sent(self, serial: int, outcome: Outcome) -> EndedTrials:
        """Remove and return the pending trial that has this outcome, sent as a message.

        Raises:
            ChannelBroken: the outcome is not that of the next pending trial.
        """
        self._note_receipt()
        return _take_ended(self.pending, [(serial, outcome)], self._bounds)

    def _note_receipt(self) -> None:
        self._bounds.receive(self.active.observed if self.active else None)

    def finish_request(self, rows: bytes) -> EndedTrials:
        """The worker has finished its request; the trials to pass on at once.

        The trials of a batch are decoded later, by `take_finished`, when the worker is busy
        with its next request.

        Raises:
            ChannelBroken: the bytes of the journal are not the outcomes of the request.
        """
        if serials_in(rows) != [serial for serial, _ in self.next_trials()]:
            raise ChannelBroken("a finished request without all of its outcomes")
        if self.one_by_one:
            return self.take_ended(rows)
        self._note_receipt()
        self._finished_rows, self._finished, self.pending = rows, self.pending, deque()
        self._finished_bounds = self._bounds
        return []

    def rest_idle(self) -> None:
        """Let the workers rest that have no request."""
        for worker in self.workers.values():
            if worker is not self.active:
                worker.rest()

    def take_finished(self) -> EndedTrials:
        """The trials of the finished batch that were not passed on yet."""
        if not self._finished:
            return []
        rows, self._finished_rows = self._finished_rows, b""
        return _take_ended(self._finished, outcomes_in(rows), self._finished_bounds)


def _take_ended(
    trials: deque[tuple[int, Trial]],
    outcomes: Sequence[tuple[int, Outcome]],
    bounds: RequestBounds,
) -> EndedTrials:
    """Remove the first trials, which have these outcomes; a worker runs them in their order.

    Raises:
        ChannelBroken: they are not the outcomes of these trials; none is removed.
    """
    if [serial for serial, _ in outcomes] != [n for n, _ in islice(trials, len(outcomes))]:
        raise ChannelBroken("an outcome of a trial that was not the next one")
    return [(trials.popleft()[1], bounds.checked(serial, outcome)) for serial, outcome in outcomes]
