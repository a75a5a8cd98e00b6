"""What a worker is doing, readable by its monitor at any moment.

A few bytes of memory that both share: the number of the trial and the time
when it started, 0 when none runs; and the other way the most memory that the
monitor saw in use meanwhile. Reading it costs the worker nothing and needs
no cooperation, so a solver that holds the interpreter's lock in C for ever is
seen like any other. There is no file behind it that a backend could write to.
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
"""The serial of the call that only warms up."""


class CurrentTrial:
    """The shared memory; made before the fork that parts worker and monitor."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, _SIZE)

    def start(self, serial: int) -> None:
        """The worker starts the trial `serial` now."""
        _FIELD.pack_into(self._map, _STARTED_AT, 0)
        _FIELD.pack_into(self._map, _SERIAL_AT, serial)
        _FIELD.pack_into(self._map, _RESIDENT_AT, 0)
        _FIELD.pack_into(self._map, _STARTED_AT, monotonic_ns())

    def stop(self) -> None:
        """The worker runs no trial any more."""
        _FIELD.pack_into(self._map, _STARTED_AT, 0)

    def running(self) -> tuple[int, float] | None:
        """The trial that runs and its start on the clock of `time.monotonic`, in seconds."""
        while True:
            before = _FIELD.unpack_from(self._map, _STARTED_AT)[0]
            serial = _FIELD.unpack_from(self._map, _SERIAL_AT)[0]
            if _FIELD.unpack_from(self._map, _STARTED_AT)[0] == before:
                return (serial, before / 1e9) if before else None

    def note_memory(self, resident: int) -> None:
        """The monitor has seen so many bytes in memory during the trial that runs."""
        _FIELD.pack_into(self._map, _RESIDENT_AT, resident)

    @property
    def memory_seen(self) -> int:
        """The bytes last noted since the trial started, 0 where nobody looked."""
        return int(_FIELD.unpack_from(self._map, _RESIDENT_AT)[0])
