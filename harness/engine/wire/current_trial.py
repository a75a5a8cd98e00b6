"""The current trial of a worker, in memory that the worker shares with its monitor.

The worker writes the serial number, the start and the phase of its trial; the monitor
writes the peak memory that it has sampled, and when it last looked. Reading costs the
worker nothing and needs no cooperation, so the monitor also sees a trial of a solver that
holds the interpreter's lock in C. The memory has no descriptor that a backend could write
to by accident.
"""

import mmap
import struct
from enum import IntEnum
from time import monotonic_ns, sleep
from typing import Final, NamedTuple

from harness.engine.system.boot_clock import boot_clock

_TRIAL: Final = struct.Struct("<qqqqq")
"""Serial number, phase, end of the call, sampled memory, start: the start is written last."""
_FIELD: Final = struct.Struct("<q")
_PHASE_AT: Final = 8
_ENDED_AT: Final = 16
_RESIDENT_AT: Final = 24
_STARTED_AT: Final = 32
_LOOKED_AT: Final = 40
_SIZE: Final = 48

_NEVER: Final = -2
"""The serial number before the first trial."""
WARM_UP: Final = -1
"""The serial number of the unmeasured call."""
STANDSTILL_S: Final = 1.0
"""A gap of this many seconds between two looks of a monitor shows that all processes stood
still: it is due every 10 ms. A shorter gap may come from a busy machine."""
_FRESH_S: Final = 0.5
"""The longest age in seconds of the monitor's last look in a machine that runs. The monitor
looks every 10 ms during a trial; half a second allows for a machine under load."""
_LOOK_LIMIT_S: Final = 5.0
"""Seconds to wait for a monitor to look again. It does so within milliseconds when the machine
runs again; a dead monitor never does."""
_PAUSE_S: Final = 0.005
_TRIES: Final = 100
"""Reads of a trial that changes at the same time. A change takes a microsecond."""


class TrialPhase(IntEnum):
    """What a worker does for its trial."""

    PREPARING = 0
    """It builds a backend outside of the measured span, or reads its request."""
    CALLING = 1
    """It is in the measured span."""
    REPORTING = 2
    """The call has ended; the answer is being converted, reported and destroyed."""


_PHASES: Final = frozenset(TrialPhase)


class RunningTrial(NamedTuple):
    """The current trial, as its monitor sees it. Times are on the clock of `time.monotonic`."""

    serial: int
    started_at: float
    phase: TrialPhase
    ended_at: float
    """The end of the call; 0 before it."""


class CurrentTrial:
    """The shared memory; created before the fork that separates worker and monitor."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, _SIZE)
        _FIELD.pack_into(self._map, 0, _NEVER)

    @property
    def has_started(self) -> bool:
        """Monitor: whether the worker has shown any trial in its life."""
        return bool(_FIELD.unpack_from(self._map)[0] != _NEVER)

    def start(self, serial: int, phase: TrialPhase = TrialPhase.CALLING) -> None:
        """Worker: the trial `serial` starts now."""
        _FIELD.pack_into(self._map, _STARTED_AT, 0)
        _TRIAL.pack_into(self._map, 0, serial, phase, 0, 0, monotonic_ns())

    def end_call(self) -> None:
        """Worker: the call has ended; its answer is not reported yet."""
        _FIELD.pack_into(self._map, _ENDED_AT, monotonic_ns())
        _FIELD.pack_into(self._map, _PHASE_AT, TrialPhase.REPORTING)

    def stop(self) -> None:
        """Worker: everything about all trials is reported."""
        _FIELD.pack_into(self._map, _STARTED_AT, 0)

    def running(self) -> RunningTrial | None:
        """Monitor: the running trial; None between requests."""
        for _ in range(_TRIES):
            serial, phase, ended_at, _, started_at = _TRIAL.unpack_from(self._map)
            if _FIELD.unpack_from(self._map, _STARTED_AT)[0] == started_at:
                break
        if not started_at or phase not in _PHASES:
            return None
        return RunningTrial(serial, started_at / 1e9, TrialPhase(phase), ended_at / 1e9)

    def record_memory(self, resident_bytes: int) -> None:
        """Monitor: the sampled peak of resident memory during the running trial."""
        _FIELD.pack_into(self._map, _RESIDENT_AT, resident_bytes)

    @property
    def sampled_memory_bytes(self) -> int:
        """Worker: the peak that the monitor has recorded; 0 if it has not sampled yet."""
        return int(_FIELD.unpack_from(self._map, _RESIDENT_AT)[0])

    def record_look(self, now: float) -> None:
        """Monitor: it has looked at the worker at this time of `boot_clock`."""
        _FIELD.pack_into(self._map, _LOOKED_AT, int(now * 1e9))

    def wait_for_monitor(self) -> None:
        """Worker: wait until the monitor has looked within the last half second.

        If all processes stood still, one of the two is the first to run again. The monitor
        notices the gap and ends a worker whose trial it has disturbed, so the worker must
        not report before the monitor has looked.
        """
        deadline = boot_clock() + _LOOK_LIMIT_S
        while (now := boot_clock()) < deadline:
            if now - _FIELD.unpack_from(self._map, _LOOKED_AT)[0] / 1e9 < _FRESH_S:
                return
            sleep(_PAUSE_S)
