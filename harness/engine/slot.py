"""A slot: a core on which one worker at a time runs trials."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

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
    warm_up_pending: bool = False
    """Whether the worker may still report an unmeasured call for this request."""
    one_by_one: bool = False
    """Whether pending trials run one at a time, in order to find a failing one."""
    _finished_rows: bytes = b""
    _finished: deque[tuple[int, Trial]] = field(default_factory=deque)

    def assign(self, batch: Batch, serials: Sequence[int]) -> None:
        """Make the trials of `batch` pending, with these serial numbers."""
        self.batch, self.one_by_one = batch, False
        self.pending = deque(zip(serials, batch.trials, strict=True))

    def next_trials(self) -> Iterator[tuple[int, Trial]]:
        """The pending trials of the next request."""
        return islice(self.pending, 1 if self.one_by_one else None)

    def is_pending(self, serial: int) -> bool:
        """Whether the trial with this serial number is pending."""
        return any(number == serial for number, _ in self.pending)

    def take(self, serial: int | None) -> Trial | None:
        """Remove and return the pending trial with this serial number; None if no trial has it."""
        return _take(self.pending, serial)

    @property
    def is_one_call(self) -> bool:
        """Whether the pending trials are one call into the backend and fail together."""
        return self.batch is not None and self.batch.question.start is Start.BATCH

    def take_failed(self, serial: int | None) -> list[Trial]:
        """Remove and return the failed trials: all pending ones if they are one call.

        Otherwise it is the trial with this serial number, or the first pending one for None.
        """
        if self.is_one_call:
            failed, self.pending = [trial for _, trial in self.pending], deque()
            return failed
        trial = self.take(self.pending[0][0] if serial is None else serial)
        return [trial] if trial else []

    def take_ended(self, rows: bytes) -> EndedTrials:
        """Remove and return the pending trials whose outcomes are in these bytes of a journal."""
        return _take_ended(self.pending, rows)

    def finish_request(self, rows: bytes) -> EndedTrials:
        """The worker has finished its request; the trials to pass on at once.

        The trials of a batch are decoded later, by `take_finished`, when the worker is busy
        with its next request.

        Raises:
            ChannelBroken: the bytes of the journal are not the outcomes of the request.
        """
        if serials_in(rows) != [serial for serial, _ in self.next_trials()]:
            raise ChannelBroken("a finished request without all of its outcomes")
        self.active = None
        if self.one_by_one:
            return self.take_ended(rows)
        self._finished_rows, self._finished, self.pending = rows, self.pending, deque()
        return []

    def take_finished(self) -> EndedTrials:
        """The trials of the finished batch that were not passed on yet."""
        rows, self._finished_rows = self._finished_rows, b""
        return _take_ended(self._finished, rows)


def _take_ended(trials: deque[tuple[int, Trial]], rows: bytes) -> EndedTrials:
    taken = ((_take(trials, serial), outcome) for serial, outcome in outcomes_in(rows))
    return [(trial, outcome) for trial, outcome in taken if trial]


def _take(trials: deque[tuple[int, Trial]], serial: int | None) -> Trial | None:
    for at, (number, trial) in enumerate(trials):
        if number == serial:
            del trials[at]
            return trial
    return None
