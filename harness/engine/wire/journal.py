"""Outcomes of a worker, in memory that it shares with the harness.

A trial can take a microsecond; a message over a connection costs twenty. So a worker
appends outcomes here, without a system call, and sends one message at the end of a
request. The harness can read at any time, also after the death of the worker: an outcome
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
from contextlib import suppress
from time import sleep
from typing import Final

import msgspec

from harness.engine.wire.channel import ChannelBroken
from harness.engine.wire.encoding import json_of
from harness.records.outcome import Ending, Outcome

_NO_ROWS: Final = "a journal with other content than rows"
_SIZE: Final = 1 << 19
"""Bytes. The largest request has 1,024 trials; their outcomes fit for a 9x9, at about 450
bytes each. An outcome that does not fit goes over the connection."""
_HEAD: Final = struct.Struct("<qq")
"""At the start of the memory: the end of the last outcome, and the checksum of all of them."""
_START: Final = _HEAD.size
_ROW: Final = struct.Struct("<qI")
"""Before each outcome: the serial number of its trial, and its length in bytes."""

_F_SEAL_FUTURE_WRITE: Final = 0x10
"""From linux/fcntl.h; the module `fcntl` lacks it."""
_TRIES: Final = 5
"""Reads before content that does not match its checksum counts as damaged. The writer
updates content and head one after the other, within microseconds; five reads at intervals
of `_PAUSE_S` do not all fall between the two."""
_PAUSE_S: Final = 0.001
"""Seconds between two reads: much more than an update takes."""

_decoder: Final = msgspec.json.Decoder(Outcome)


def shared_memory() -> int:
    """Create the memory of a journal; its descriptor, to be passed to a worker."""
    if sys.platform != "linux":
        with tempfile.TemporaryFile() as file:
            file.truncate(_SIZE)
            return os.dup(file.fileno())
    memory = os.memfd_create("journal", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(memory, _SIZE)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
    return memory


def forbid_writes(memory: int) -> None:
    """Writer: let only existing mappings write to the memory, on Linux 5.1 or later.

    A mapping keeps a descriptor open. Without this, a backend that writes to every
    descriptor would overwrite the journal.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            fcntl.fcntl(memory, fcntl.F_ADD_SEALS, _F_SEAL_FUTURE_WRITE)


class Journal:
    """One end of the shared memory, for the one writer or the one reader.

    The writer appends. The reader takes what is new, and clears everything while the
    writer is idle.
    """

    def __init__(self, memory: int) -> None:
        self._map = mmap.mmap(memory, _SIZE)
        self.clear()

    def clear(self) -> None:
        """Reader: remove all outcomes; only while the writer is idle."""
        self._read = self._seen = (_START, 0)
        _HEAD.pack_into(self._map, 0, *self._read)

    def append(self, serial: int, outcome: Outcome) -> bool:
        """Writer: append the outcome of a trial; False if it does not fit."""
        body = json_of(outcome)
        row = _ROW.pack(serial, len(body)) + body
        at, checksum = _HEAD.unpack_from(self._map)
        end = at + len(row)
        if end > _SIZE:
            return False
        self._map[at:end] = row
        _HEAD.pack_into(self._map, 0, end, zlib.crc32(row, checksum))
        return True

    def unread(self) -> bytes:
        """Reader: the bytes that are not marked as read, for `outcomes_in`.

        The writer may be appending at the same time, so bytes that do not match their
        checksum are read again before they count as damaged.

        Raises:
            ChannelBroken: the memory was overwritten.
        """
        at, checksum = self._read
        for _ in range(_TRIES):
            head = _HEAD.unpack_from(self._map)
            if at <= head[0] <= _SIZE:
                data = self._map[at : head[0]]
                if zlib.crc32(data, checksum) == head[1]:
                    self._seen = head
                    return data
            sleep(_PAUSE_S)
        raise ChannelBroken("a journal with a wrong checksum")

    def mark_read(self) -> None:
        """Reader: mark the bytes that `unread` returned last as read."""
        self._read = self._seen

    def close(self) -> None:
        """Release the memory."""
        self._map.close()


def serials_in(data: bytes) -> list[int]:
    """The serial numbers of the outcomes in bytes of `Journal.unread`, without decoding them.

    Raises:
        ChannelBroken: `data` are not rows.
    """
    found = []
    at, end = 0, len(data)
    try:
        while at < end:
            serial, length = _ROW.unpack_from(data, at)
            found.append(serial)
            at += _ROW.size + length
    except struct.error as error:
        raise ChannelBroken(_NO_ROWS) from error
    if at != end:
        raise ChannelBroken(_NO_ROWS)
    return found


def outcomes_in(data: bytes) -> list[tuple[int, Outcome]]:
    """The outcomes in bytes of `Journal.unread`, each with the serial number of its trial.

    A row with other content than an outcome is an invalid outcome of its trial: only the
    worker of the trial can have written it.

    Raises:
        ChannelBroken: `data` are not rows.
    """
    found = []
    at = 0
    for serial in serials_in(data):
        start = at + _ROW.size
        at = start + _ROW.unpack_from(data, at)[1]
        found.append((serial, _decoded(data[start:at])))
    return found


def _decoded(row: bytes) -> Outcome:
    try:
        return _decoder.decode(row)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return Outcome(ending=Ending.INVALID, detail=f"an outcome that is not valid: {error}")
