"""A slot: a core on which one worker at a time runs trials, with bounds on what it reports.

A backend can replace the clock in its process. The harness knows when it sent a request and
when it received an outcome, and the monitor has seen how long a call was running, all on the
clock that an honest worker reads. An outcome outside these bounds cannot be true.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter, time
from typing import Final

from msgspec.structs import replace

from harness.engine.processes import WorkerHandle
from harness.engine.wire import CallObserved, ChannelBroken, Connection, Journal, MonitorMessage
from harness.records import Batch, EndedTrials, Ending, Outcome, Start, Trial

# Bounds for the times that a worker may report.


SLACK_S: Final = 0.005
"""Seconds by which times may exceed their bounds: far more than the resolution of any clock."""
SLACK: Final = 0.01
"""The additional share by which times may exceed their bounds: far more than the rates of two
clocks of one machine differ, even while they are being corrected."""
_OBSERVED_SHARE: Final = 0.5
_OBSERVED_SLACK_S: Final = 0.05
"""A call that was seen running for t seconds lasts at least half of t, less this number of
seconds. The meter starts its clock a microsecond after the monitor can see the start; the rest
is for a worker that other processes interrupt just then."""
_DAY_SLACK_S: Final = 1.0
"""Seconds by which a time of day may exceed its bounds: that clock can be set."""
_CORES: Final = os.cpu_count() or 1


class RequestBounds:
    """The bounds on the outcomes of one request.

    Its trials run one after another, so the sum of their times is bounded by the time since
    the request, and the sum of their CPU times by that time on all cores.

    Args:
        trials_per_call: the number of trials that are one call into the backend.
    """

    def __init__(self, trials_per_call: int) -> None:
        self._sent_at, self._sent_at_day = perf_counter(), time()
        self._trials_per_call = trials_per_call
        self._received_at = self._received_at_day = 0.0
        self._wall_s = self._cpu_s = 0.0
        self._observed: CallObserved | None = None

    def receive(self, observation: CallObserved | None) -> None:
        """Record that outcomes of the request arrive now.

        Args:
            observation: the last observation of a running call in this request.
        """
        self._received_at, self._received_at_day = perf_counter(), time()
        self._observed = observation

    def admit(self, serial: int, outcome: Outcome) -> Outcome:
        """The outcome, or an invalid one if it cannot be true.

        Call it for each outcome in the order of the trials, after `receive`.
        """
        fault = self._fault(serial, outcome)
        if fault:
            return Outcome(ending=Ending.INVALID, detail=fault, ended_at=self._received_at_day)
        ended_at = outcome.ended_at
        if ended_at is None or not (
            self._sent_at_day - _DAY_SLACK_S <= ended_at <= self._received_at_day + _DAY_SLACK_S
        ):
            return replace(outcome, ended_at=self._received_at_day)
        return outcome

    def _fault(self, serial: int, outcome: Outcome) -> str | None:
        """Why the outcome cannot be true; None if it can."""
        wall_s, cpu_s = outcome.wall_s, outcome.cpu_s
        is_answer = outcome.ending is Ending.ANSWERED
        if wall_s is None:
            return "reports an answer without its wall time" if is_answer else None
        if wall_s <= 0:
            return f"reports a wall time of {wall_s:g} s"
        most_s = (self._received_at - self._sent_at) * (1 + SLACK) + SLACK_S
        # Answers to one call share its time equally; after a failed call each trial has it all.
        shares = self._trials_per_call if is_answer else 1
        is_one_call = self._trials_per_call > 1
        wall_before, cpu_before = (0.0, 0.0) if is_one_call else (self._wall_s, self._cpu_s)
        if wall_before + wall_s * shares > most_s:
            return f"reports a wall time of {wall_s * shares:g} s, {self._since(wall_before)}"
        if cpu_s is not None:
            if cpu_before + cpu_s * shares > most_s * _CORES:
                since = self._since(cpu_before)
                return f"reports a CPU time of {cpu_s * shares:g} s on {_CORES} cores, {since}"
            self._cpu_s = cpu_before + cpu_s
        self._wall_s = wall_before + wall_s
        phases_s = (outcome.encode_s or 0.0) + (outcome.search_s or 0.0) + (outcome.decode_s or 0.0)
        for part, seconds in (("build", outcome.build_s or 0.0), ("phases", phases_s)):
            if seconds > wall_s * (1 + SLACK) + SLACK_S:
                return f"reports {seconds:g} s for its {part}, but a wall time of {wall_s:g} s"
        return self._fault_of_observation(serial, wall_s)

    def _since(self, before_s: float) -> str:
        """``0.2 s after the request``."""
        time_since = f"{self._received_at - self._sent_at:.3f} s after the request"
        return f"after {before_s:g} s of other trials, {time_since}" if before_s else time_since

    def _fault_of_observation(self, serial: int, wall_s: float) -> str | None:
        """Why the wall time cannot be true after what the monitor saw; None if it can."""
        observation = self._observed
        if observation is None or (serial != observation.serial and self._trials_per_call == 1):
            return None
        call_s = wall_s * self._trials_per_call
        if call_s >= _OBSERVED_SHARE * observation.seconds - _OBSERVED_SLACK_S:
            return None
        fact = f"its monitor saw it running for {observation.seconds:.3f} s"
        return f"reports a wall time of {call_s:g} s, but {fact}"


# A slot: a core on which one worker at a time runs trials.


@dataclass
class Slot:
    """A core with one worker for each backend; at most one of them is running trials."""

    core: int | None
    workers: dict[str, WorkerHandle] = field(default_factory=dict)
    monitors: dict[str, Connection[MonitorMessage]] = field(default_factory=dict)
    """The connections to monitors whose workers have ended; they fork the next workers."""
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
    """Whether pending trials run one per request, to find the failing trial."""
    reruns: int = 0
    """How often the first pending trial ran again through no fault of its own."""
    is_finished: bool = False
    """Whether the request is finished, and the slot waits for the end of its worker."""
    _last_requested: int = -1
    """The highest serial number of the request."""
    _bounds: RequestBounds = field(default_factory=lambda: RequestBounds(1))
    _decode_finished: Callable[[], EndedTrials] = list
    """Decodes the trials of the finished batch that have not been passed on yet."""

    def assign(self, batch: Batch, serials: Iterator[int]) -> None:
        """Make the trials of `batch` pending, with the next of these serial numbers."""
        self.batch, self.one_by_one, self.reruns = batch, False, 0
        self.pending = deque((next(serials), trial) for trial in batch.trials)

    def next_trials(self) -> Iterator[tuple[int, Trial]]:
        """The pending trials of the next request."""
        return islice(self.pending, 1 if self.one_by_one else None)

    def begin_request(self, worker: WorkerHandle, now: float) -> None:
        """Record that the worker gets the next trials at this time of `time.monotonic`."""
        self.active = worker
        self.progressed_at = self.journal_read_at = now
        self.end_requested_at = None
        # A worker may have ended on its own before the forced outcome of its last request was used.
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

        Otherwise the list has the trial with this serial number, or for None the first pending
        trial; it is empty if no such trial was requested and is pending.
        """
        self.reruns = 0
        if self.is_one_call:
            trials, self.pending = [trial for _, trial in self.pending], deque()
            return trials
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
        if outcomes := Journal.outcomes_in(rows):
            self._note_receipt()
            self.reruns = 0
        return _take_ended(self.pending, outcomes, self._bounds)

    def _note_receipt(self) -> None:
        self._bounds.receive(self.active.observed if self.active else None)

    def finish_request(self, rows: bytes) -> EndedTrials:
        """Record that the worker has finished its request; return the trials to pass on at once.

        The trials of a batch are decoded later, by `take_finished`, when the worker is busy
        with its next request.

        Raises:
            ChannelBroken: the bytes of the journal are not the outcomes of the request.
        """
        if Journal.serials_in(rows) != [serial for serial, _ in self.next_trials()]:
            raise ChannelBroken("a finished request without all of its outcomes")
        if self.one_by_one:
            return self.take_ended(rows)
        self._note_receipt()
        trials, bounds, self.pending = self.pending, self._bounds, deque()
        self._decode_finished = lambda: _take_ended(trials, Journal.outcomes_in(rows), bounds)
        return []

    def rest_idle(self) -> None:
        """Record that all workers but the active one are idle."""
        for worker in self.workers.values():
            if worker is not self.active:
                worker.rest()

    def take_finished(self) -> EndedTrials:
        """The trials of the finished batch that have not been passed on yet."""
        decode, self._decode_finished = self._decode_finished, list
        return decode()


def _take_ended(
    trials: deque[tuple[int, Trial]], outcomes: Sequence[tuple[int, Outcome]], bounds: RequestBounds
) -> EndedTrials:
    """Remove the first trials and pair them with these outcomes; a worker runs trials in order.

    Raises:
        ChannelBroken: the outcomes are not those of the first trials; no trial is removed.
    """
    if [serial for serial, _ in outcomes] != [n for n, _ in islice(trials, len(outcomes))]:
        raise ChannelBroken("an outcome of a trial that was not the next one")
    return [(trials.popleft()[1], bounds.admit(serial, outcome)) for serial, outcome in outcomes]
