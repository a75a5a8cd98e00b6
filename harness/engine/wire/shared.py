"""Memory that a worker shares: its current trial and the journal of its outcomes.

The worker writes the serial number, the start and the phase of its trial; the monitor
writes the peak memory that it has sampled, and when it last looked. Reading costs the
worker nothing and needs no cooperation, so the monitor also sees a trial of a solver that
holds the interpreter's lock in C. The memory has no descriptor that a backend could write
to by accident.

A trial can take a microsecond; a message over a connection costs twenty. So a worker
appends outcomes here, without a system call, and sends one message at the end of a
request. The harness can read at any time, even after the death of the worker: an outcome
that was appended outlives its writer.

A worker runs the code of a backend. The reader therefore checks a checksum and decodes each
outcome to its type, and on Linux the memory cannot be made smaller under its reader. The
checksum detects accidents; it does not authenticate the writer.
"""

import fcntl
import mmap
import os
import struct
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from enum import IntEnum
from time import monotonic_ns, sleep
from typing import Final, NamedTuple

import msgspec

from harness.base.files import writing
from harness.engine.system import boot_clock
from harness.engine.wire.channel import ChannelBroken, json_of
from harness.records import Ending, Outcome

# The current trial of a worker, in memory that the worker shares with its monitor.


_SERIAL, _PHASE, _ENDED, _RESIDENT, _STARTED, _LOOKED = range(6)
"""The places of the integers of 64 bits in the memory; of a new trial, the start is written last.
Times are nanoseconds."""
_NEVER: Final = -2
"""The serial number before the first trial."""
WARM_UP: Final = -1
"""The serial number of the unmeasured call."""
STANDSTILL_S: Final = 1.0
"""A gap of this many seconds between two looks by a monitor shows that all processes stood still: a
look is due every 10 ms. A shorter gap may come from a busy machine."""


class TrialPhase(IntEnum):
    """What a worker does for its trial."""

    PREPARING = 0
    """It prepares the call outside the measured span, for example by building a backend."""
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
    """The shared memory, created before the fork that separates worker and monitor."""

    def __init__(self) -> None:
        self._values = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("q")
        self._values[_SERIAL] = _NEVER

    @property
    def has_started(self) -> bool:
        """Monitor: whether the worker has shown any trial yet."""
        return self._values[_SERIAL] != _NEVER

    def start(self, serial: int, phase: TrialPhase = TrialPhase.CALLING) -> None:
        """Worker: show that the trial `serial` starts."""
        values = self._values
        values[_STARTED] = 0
        values[_SERIAL] = serial
        values[_PHASE] = phase
        values[_ENDED] = values[_RESIDENT] = 0
        values[_STARTED] = monotonic_ns()

    def end_call(self) -> None:
        """Worker: show that the call has ended, and that its answer is still to be reported."""
        self._values[_ENDED] = monotonic_ns()
        self._values[_PHASE] = TrialPhase.REPORTING

    def stop(self) -> None:
        """Worker: show that all trials are reported."""
        self._values[_STARTED] = 0

    def running(self) -> RunningTrial | None:
        """Monitor: the running trial; None between requests."""
        # A trial may change at the same time, which takes a microsecond.
        for _ in range(100):
            serial, phase, ended_at, _, started_at = self._values[:_LOOKED].tolist()
            if self._values[_STARTED] == started_at:
                break
        if not started_at or phase not in _PHASES:
            return None
        return RunningTrial(serial, started_at / 1e9, TrialPhase(phase), ended_at / 1e9)

    def record_memory(self, resident_bytes: int) -> None:
        """Monitor: record the sampled peak of resident memory during the running trial."""
        self._values[_RESIDENT] = resident_bytes

    @property
    def sampled_memory_bytes(self) -> int:
        """Worker: the peak that the monitor has recorded; 0 if it has not sampled yet."""
        return self._values[_RESIDENT]

    def record_look(self, now: float) -> None:
        """Monitor: record a look at the worker at this time of `boot_clock`."""
        self._values[_LOOKED] = int(now * 1e9)

    def wait_for_monitor(self) -> None:
        """Worker: wait, up to a limit, until the monitor has looked within the last half second.

        If all processes stood still, one of the two is the first to run again. The monitor
        notices the gap and ends a worker whose trial it has disturbed, so the worker must
        not report before the monitor has looked.
        """
        # The monitor looks within milliseconds when the machine runs again; a dead one never does.
        deadline = boot_clock() + 5.0
        while (now := boot_clock()) < deadline:
            # The monitor looks every 10 ms during a trial; half a second allows for a machine under
            # load.
            if now - self._values[_LOOKED] / 1e9 < 0.5:
                return
            sleep(0.005)


# Outcomes of a worker, in memory that it shares with the harness.


_NO_ROWS: Final = "a journal with content other than rows"
_JOURNAL_SIZE: Final = 1 << 25
"""Bytes. The largest request has 1,024 trials; an outcome has about 450 bytes, and with a long
traceback a few thousand. Only pages that are written to take memory."""
_RESERVED: Final = 1 << 20
"""Bytes at the end for the short rows that replace outcomes without room."""
_HEAD: Final = struct.Struct("<qq")
"""At the start of the memory: the end of the last outcome, and the checksum of all of them."""
_START: Final = _HEAD.size
_ROW: Final = struct.Struct("<qI")
"""Before each outcome: the serial number of its trial, and its length in bytes."""

_F_SEAL_FUTURE_WRITE: Final = 0x10
"""From linux/fcntl.h; the module `fcntl` lacks it."""
_JOURNAL_TRIES: Final = 5
"""Reads before content that does not match its checksum counts as damaged. The writer
updates content and head one after the other, within microseconds; five reads at intervals
of `_JOURNAL_PAUSE_S` do not all fall between the two."""
_JOURNAL_PAUSE_S: Final = 0.001
"""Seconds between two such reads: much more than an update takes."""

_decoder: Final = msgspec.json.Decoder(Outcome)


class Journal:
    """One end of the shared memory, for the one writer or the one reader.

    The writer appends. The reader takes what is new, and clears everything while the
    writer is idle.
    """

    @staticmethod
    def new_memory() -> int:
        """Create the memory of a journal; return its descriptor, to be passed to a worker."""
        if sys.platform != "linux":
            with tempfile.TemporaryFile() as file:
                file.truncate(_JOURNAL_SIZE)
                return os.dup(file.fileno())
        memory = os.memfd_create("journal", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        with writing("the memory shared with a worker"):
            os.ftruncate(memory, _JOURNAL_SIZE)
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        return memory

    @staticmethod
    def forbid_writes(memory: int) -> None:
        """Writer: let only existing mappings write to the memory, on Linux 5.1 or later.

        A mapping keeps a descriptor open. Without this, a backend that writes to every
        descriptor would overwrite the journal.
        """
        if sys.platform == "linux":
            with suppress(OSError):
                fcntl.fcntl(memory, fcntl.F_ADD_SEALS, _F_SEAL_FUTURE_WRITE)

    def __init__(self, memory: int) -> None:
        self._map = mmap.mmap(memory, _JOURNAL_SIZE)
        self.clear()

    def clear(self) -> None:
        """Reader: remove all outcomes; only while the writer is idle."""
        self._read = self._seen = (_START, 0)
        _HEAD.pack_into(self._map, 0, *self._read)

    def append(self, serial: int, outcome: Outcome) -> None:
        """Writer: append the outcome of a trial; without room, append an invalid outcome."""
        body = json_of(outcome)
        at, checksum = _HEAD.unpack_from(self._map)
        if at + len(body) > _JOURNAL_SIZE - _RESERVED:
            detail = f"an outcome of {len(body):,} bytes"
            body = json_of(Outcome(ending=Ending.INVALID, detail=detail))
        row = _ROW.pack(serial, len(body)) + body
        end = at + len(row)
        self._map[at:end] = row
        _HEAD.pack_into(self._map, 0, end, zlib.crc32(row, checksum))

    def unread(self) -> bytes:
        """Reader: the bytes that are not marked as read, for `outcomes_in`.

        The writer may be appending at the same time, so bytes that do not match their
        checksum are read again before they count as damaged.

        Raises:
            ChannelBroken: the memory was overwritten.
        """
        at, checksum = self._read
        for _ in range(_JOURNAL_TRIES):
            head = _HEAD.unpack_from(self._map)
            if at <= head[0] <= _JOURNAL_SIZE:
                data = self._map[at : head[0]]
                if zlib.crc32(data, checksum) == head[1]:
                    self._seen = head
                    return data
            sleep(_JOURNAL_PAUSE_S)
        raise ChannelBroken("a journal with a wrong checksum")

    def mark_read(self) -> None:
        """Reader: mark the bytes that `unread` returned last as read."""
        self._read = self._seen

    def close(self) -> None:
        """Release the memory."""
        self._map.close()

    @staticmethod
    def serials_in(data: bytes) -> list[int]:
        """The serial numbers of the outcomes in bytes from `unread`, without decoding outcomes.

        Raises:
            ChannelBroken: `data` are not rows.
        """
        return [serial for serial, _, _ in _rows_in(data)]

    @staticmethod
    def outcomes_in(data: bytes) -> list[tuple[int, Outcome]]:
        """The outcomes in bytes from `unread`, each with the serial number of its trial.

        A row whose content is not an outcome becomes an invalid outcome of its trial: only the
        worker of the trial can have written it.

        Raises:
            ChannelBroken: `data` are not rows.
        """
        return [(serial, _decode(data[start:end])) for serial, start, end in _rows_in(data)]


def _rows_in(data: bytes) -> Iterator[tuple[int, int, int]]:
    """The serial number of each row in bytes from `Journal.unread`, and where its content is.

    Raises:
        ChannelBroken: `data` are not rows.
    """
    at, end = 0, len(data)
    try:
        while at < end:
            serial, length = _ROW.unpack_from(data, at)
            start = at + _ROW.size
            at = start + length
            yield serial, start, at
    except struct.error as error:
        raise ChannelBroken(_NO_ROWS) from error
    if at != end:
        raise ChannelBroken(_NO_ROWS)


def _decode(row: bytes) -> Outcome:
    try:
        return _decoder.decode(row)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return Outcome(ending=Ending.INVALID, detail=f"an outcome that is not valid: {error}")
