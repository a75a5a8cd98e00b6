"""The current trial of a worker, in memory that the worker shares with its monitor.

The worker writes the serial number and the start of its trial; the monitor writes the peak
memory that it has sampled. Reading costs the worker nothing and needs no cooperation, so
the monitor also sees a trial of a solver that holds the interpreter's lock in C. The
memory has no descriptor that a backend could write to by accident.
"""

import mmap
import struct
from time import monotonic_ns
from typing import Final

_FIELD: Final = struct.Struct("<q")
_SERIAL_AT: Final = 0
_STARTED_AT: Final = 8
_RESIDENT_AT: Final = 16
_SIZE: Final = 24

WARM_UP: Final = -1
"""The serial number of the unmeasured call."""


class CurrentTrial:
    """The shared memory; created before the fork that separates worker and monitor."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, _SIZE)

    def start(self, serial: int) -> None:
        """Worker: the trial `serial` starts now."""
        _FIELD.pack_into(self._map, _STARTED_AT, 0)
        _FIELD.pack_into(self._map, _SERIAL_AT, serial)
        _FIELD.pack_into(self._map, _RESIDENT_AT, 0)
        _FIELD.pack_into(self._map, _STARTED_AT, monotonic_ns())

    def stop(self) -> None:
        """Worker: no trial is running any more."""
        _FIELD.pack_into(self._map, _STARTED_AT, 0)

    def running(self) -> tuple[int, float] | None:
        """Monitor: the running trial and its start on the clock of `time.monotonic`."""
        while True:
            before = _FIELD.unpack_from(self._map, _STARTED_AT)[0]
            serial = _FIELD.unpack_from(self._map, _SERIAL_AT)[0]
            if _FIELD.unpack_from(self._map, _STARTED_AT)[0] == before:
                return (serial, before / 1e9) if before else None

    def record_memory(self, resident_bytes: int) -> None:
        """Monitor: the sampled peak of resident memory during the running trial."""
        _FIELD.pack_into(self._map, _RESIDENT_AT, resident_bytes)

    @property
    def sampled_memory_bytes(self) -> int:
        """Worker: the peak that the monitor has recorded; 0 if it has not sampled yet."""
        return int(_FIELD.unpack_from(self._map, _RESIDENT_AT)[0])
