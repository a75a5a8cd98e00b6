"""Rows of a worker, in memory that it shares with the supervisor.

A trial can be over in a microsecond, and a message through a pipe costs twenty.
So a worker notes an ordinary answer here, with no call into the kernel, and says
once at the end of a batch that there is something to read. The supervisor reads
what is there whenever it likes, and after a worker's death too: a row that was
noted is never lost with its writer.

The worker runs code that nobody vouches for. What is read is therefore held
against a checksum and never executed, and on Linux the memory cannot be made
smaller under its reader.
"""

import fcntl
import mmap
import os
import struct
import sys
import tempfile
import zlib
from time import sleep
from typing import Final

from harness.contract.verdict import Verdict
from harness.sweep.channel import ChannelBroken
from harness.sweep.trial import Ending, Outcome

_SIZE: Final = 3 << 17
_HEAD: Final = struct.Struct("<qq")
"""At the start of the memory: where the next row goes, and the checksum of all before it."""
_START: Final = _HEAD.size
_ROW: Final = struct.Struct("<q6dq4bqqqhdHH")
"""Serial, times, count, claim, exact, how memory and CPU were measured, memory,
switches, core, end and the lengths of the line and the statistics that follow."""

_SERIAL: Final = struct.Struct("<q")
_LENGTHS: Final = struct.Struct("<HH")
"""The beginning and the end of a row's head."""

_UNKNOWN: Final = float("-inf")
_NO_NUMBER: Final = -(2**63)
_TRIES: Final = 5
_PAUSE: Final = 0.001

_CLAIMS: Final = (None, *Verdict)
_EXACT: Final = (None, False, True)
_HOW: Final = ("", "peak", "sampled", "bound", "rusage")
_CLAIM_CODE: Final = {claim: code for code, claim in enumerate(_CLAIMS)}
_EXACT_CODE: Final = {exact: code for code, exact in enumerate(_EXACT)}
_HOW_CODE: Final = {how: code for code, how in enumerate(_HOW)}


def shared_memory() -> int:
    """The descriptor of memory for a journal, to be shared with a worker."""
    if sys.platform != "linux":
        with tempfile.TemporaryFile() as file:
            file.truncate(_SIZE)
            return os.dup(file.fileno())
    memory = os.memfd_create("journal", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(memory, _SIZE)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
    return memory


class Journal:
    """One end of the shared memory; both ends are made alike.

    There is one writer, which appends, and one reader, which takes what is new
    and clears all when the writer has nothing to do.
    """

    def __init__(self, memory: int) -> None:
        self._map = mmap.mmap(memory, _SIZE)
        self.clear()

    def clear(self) -> None:
        """Forget all rows; for the reader, while the writer rests."""
        self._read = self._seen = (_START, 0)
        _HEAD.pack_into(self._map, 0, *self._read)

    def note(self, serial: int, outcome: Outcome) -> bool:
        """Append the outcome of an answered trial; False if it is too unusual or too long.

        Ordinary are a verdict or a number, a grid of values or none, and a few
        statistics. What is not ordinary goes another way.
        """
        if outcome.grid is not None or outcome.detail:
            return False
        line, stats = (outcome.line or "").encode(), outcome.stats.encode()
        try:
            row = _ROW.pack(
                serial,
                outcome.wall,
                outcome.cpu,
                outcome.build,
                _UNKNOWN if outcome.encode is None else outcome.encode,
                _UNKNOWN if outcome.search is None else outcome.search,
                _UNKNOWN if outcome.decode is None else outcome.decode,
                _NO_NUMBER if outcome.number is None else outcome.number,
                _CLAIM_CODE[outcome.claim],
                _EXACT_CODE[outcome.exact],
                _HOW_CODE[outcome.memory_how],
                _HOW_CODE[outcome.cpu_how],
                outcome.memory,
                outcome.switches,
                outcome.forced_switches,
                -1 if outcome.core is None else outcome.core,
                outcome.ended_at,
                len(line),
                len(stats),
            )
        except (KeyError, TypeError, struct.error):
            return False
        row += line + stats
        at, checksum = _HEAD.unpack_from(self._map)
        end = at + len(row)
        if end > _SIZE:
            return False
        self._map[at:end] = row
        _HEAD.pack_into(self._map, 0, end, zlib.crc32(row, checksum))
        return True

    def unread(self) -> bytes:
        """What was appended and is not marked as read, as it is; `rows` reads it.

        The writer may be at it meanwhile, so what does not fit together is
        looked at again before it counts as damage.

        Raises:
            ChannelBroken: somebody has tampered with the memory.
        """
        at, checksum = self._read
        for _ in range(_TRIES):
            head = _HEAD.unpack_from(self._map)
            if at <= head[0] <= _SIZE:
                data = self._map[at : head[0]]
                if zlib.crc32(data, checksum) == head[1]:
                    self._seen = head
                    return data
            sleep(_PAUSE)
        raise ChannelBroken("a journal with a wrong checksum")

    def mark_read(self) -> None:
        """What `unread` gave last has been read."""
        self._read = self._seen

    def close(self) -> None:
        """Let go of the memory."""
        self._map.close()


def serials(data: bytes) -> list[int]:
    """The serials alone of the rows in what `Journal.unread` gave, which is quick."""
    found = []
    at = 0
    while at < len(data):
        (serial,) = _SERIAL.unpack_from(data, at)
        line, stats = _LENGTHS.unpack_from(data, at + _ROW.size - _LENGTHS.size)
        found.append(serial)
        at += _ROW.size + line + stats
    return found


def rows(data: bytes) -> list[tuple[int, Outcome]]:
    """The rows in what `Journal.unread` gave, each with the serial of its trial."""
    found = []
    at = 0
    while at < len(data):
        serial, wall, cpu, build, encode, search, decode, number, *rest = _ROW.unpack_from(data, at)
        claim, exact, memory_how, cpu_how, memory, switches, forced, core, ended_at, *rest = rest
        line_at = at + _ROW.size
        stats_at = line_at + rest[0]
        at = stats_at + rest[1]
        outcome = Outcome(
            ending=Ending.ANSWERED,
            claim=_CLAIMS[claim],
            number=None if number == _NO_NUMBER else number,
            exact=_EXACT[exact],
            line=data[line_at:stats_at].decode() or None,
            wall=wall,
            cpu=cpu,
            build=build,
            encode=None if encode == _UNKNOWN else encode,
            search=None if search == _UNKNOWN else search,
            decode=None if decode == _UNKNOWN else decode,
            switches=switches,
            forced_switches=forced,
            memory=memory,
            memory_how=_HOW[memory_how],
            cpu_how=_HOW[cpu_how],
            core=None if core < 0 else core,
            stats=data[stats_at:at].decode(),
            ended_at=ended_at,
        )
        found.append((serial, outcome))
    return found
