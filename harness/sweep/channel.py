"""Messages between supervisor and worker: JSON in frames with a checksum.

The worker's code is not trusted to keep its hands off the pipe, so nothing that
comes through it is ever executed, and a frame that was tampered with is noticed.
"""

import json
import os
import struct
import zlib
from collections.abc import Iterator
from typing import Any, Final

_HEAD: Final = struct.Struct("<II")
_LARGEST: Final = 64 * 2**20

Message = dict[str, Any]


class ChannelBroken(Exception):
    """What came through the pipe is no frame."""


def pack(message: Message) -> bytes:
    """The frame of `message`."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return _HEAD.pack(len(body), zlib.crc32(body)) + body


def write_all(fd: int, data: bytes) -> None:
    """Write all of `data`, however the pipe takes it.

    Raises:
        OSError: the other end is gone.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class Frames:
    """Takes bytes as they come and gives the messages that are complete."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages that `data` completes.

        Raises:
            ChannelBroken: the bytes are no frames.
        """
        self._buffer += data
        while len(self._buffer) >= _HEAD.size:
            length, checksum = _HEAD.unpack_from(self._buffer)
            if length > _LARGEST:
                raise ChannelBroken(f"a frame of {length} bytes")
            end = _HEAD.size + length
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[_HEAD.size : end])
            if zlib.crc32(body) != checksum:
                raise ChannelBroken("a frame with a wrong checksum")
            del self._buffer[:end]
            try:
                message = json.loads(body)
            except ValueError:  # eight zero bytes are a frame of nothing with the right checksum
                message = None
            if not isinstance(message, dict):
                raise ChannelBroken("a frame that is no message")
            yield message


def read_messages(fd: int) -> Iterator[Message]:
    """The messages on `fd` until it is closed, waiting for each."""
    frames = Frames()
    while data := os.read(fd, 1 << 16):
        yield from frames.feed(data)
