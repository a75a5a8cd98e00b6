"""Bounds for the times that a worker may report.

A backend can replace the clock in its process. The harness knows when it sent a request and
when it received an outcome, and the monitor has seen how long a call was running, all on the
clock that an honest worker reads. An outcome beyond these bounds cannot be true.
"""

import os
from time import perf_counter, time
from typing import Final

from msgspec.structs import replace

from harness.engine.wire.messages import CallObserved
from harness.records.outcome import Ending, Outcome

SLACK_S: Final = 0.005
"""Seconds by which times may exceed their bounds: far more than the resolution of any clock."""
SLACK: Final = 0.01
"""The share by which they may exceed them besides: far more than the rates of two clocks of one
machine differ, also while they are being corrected."""
_OBSERVED_SHARE: Final = 0.5
_OBSERVED_SLACK_S: Final = 0.05
"""A call that was seen running for t seconds lasts at least half of t, less this number of
seconds. The meter starts its clock a microsecond after the monitor can see the start; the rest
is for a worker that other processes interrupt just then."""
_DAY_SLACK_S: Final = 1.0
"""Seconds by which a time of day may be out of its bounds: that clock can be set."""
_CORES: Final = os.cpu_count() or 1


class RequestBounds:
    """The bounds of the outcomes of one request.

    Its trials run one after another, so their times together are bounded by the time since
    the request, and their CPU times together by that of all cores.

    Args:
        trials_per_call: the number of trials that are one call into the backend.
    """

    def __init__(self, trials_per_call: int) -> None:
        self._sent_at, self._sent_at_day = perf_counter(), time()
        self._trials_per_call = trials_per_call
        self._received_at = self._received_at_day = 0.0
        self._wall_s = self._cpu_s = 0.0
        self._observed: CallObserved | None = None

    def receive(self, observed: CallObserved | None) -> None:
        """Outcomes of the request are received now.

        Args:
            observed: the last observation of a running call in this request.
        """
        self._received_at, self._received_at_day = perf_counter(), time()
        self._observed = observed

    def checked(self, serial: int, outcome: Outcome) -> Outcome:
        """The outcome, or an invalid one if it cannot be true.

        To be called for each outcome in the order of the trials, after `receive`.
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
        allowed = (self._received_at - self._sent_at) * (1 + SLACK) + SLACK_S
        # The answers to one call share its time equally; a failed call has it in each trial.
        shares = self._trials_per_call if is_answer else 1
        is_one_call = self._trials_per_call > 1
        wall_before, cpu_before = (0.0, 0.0) if is_one_call else (self._wall_s, self._cpu_s)
        if wall_before + wall_s * shares > allowed:
            return f"reports a wall time of {wall_s * shares:g} s, {self._since(wall_before)}"
        if cpu_s is not None:
            if cpu_before + cpu_s * shares > allowed * _CORES:
                since = self._since(cpu_before)
                return f"reports a CPU time of {cpu_s * shares:g} s on {_CORES} cores, {since}"
            self._cpu_s = cpu_before + cpu_s
        self._wall_s = wall_before + wall_s
        if fault := _fault_of_parts(outcome, wall_s * (1 + SLACK) + SLACK_S):
            return fault
        return self._fault_of_observation(serial, wall_s) if self._observed else None

    def _since(self, before_s: float) -> str:
        """``0.2 s after the request``."""
        elapsed = f"{self._received_at - self._sent_at:.3f} s after the request"
        return f"after {before_s:g} s of other trials, {elapsed}" if before_s else elapsed

    def _fault_of_observation(self, serial: int, wall_s: float) -> str | None:
        observed = self._observed
        assert observed is not None
        if serial != observed.serial and self._trials_per_call == 1:
            return None
        call_s = wall_s * self._trials_per_call
        if call_s >= _OBSERVED_SHARE * observed.seconds - _OBSERVED_SLACK_S:
            return None
        seen = f"for {observed.seconds:.3f} s its monitor saw it running"
        return f"reports a wall time of {call_s:g} s, but {seen}"


def _fault_of_parts(outcome: Outcome, allowed: float) -> str | None:
    """Why the parts of the wall time cannot be true; None if they can."""
    build_s, search_s = outcome.build_s, outcome.search_s
    if build_s is not None and build_s > allowed:
        return f"reports {build_s:g} s for its build, of a wall time of {outcome.wall_s:g} s"
    if search_s is not None:
        phases = (outcome.encode_s or 0.0) + search_s + (outcome.decode_s or 0.0)
        if phases > allowed:
            return f"reports {phases:g} s for its phases, of a wall time of {outcome.wall_s:g} s"
    return None
