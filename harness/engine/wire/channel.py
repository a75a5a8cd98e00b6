"""Messages between processes: JSON in frames with a length and a checksum.

A worker runs code of a backend, which may write into any descriptor. A frame whose
checksum does not match, or whose content is not a message of the expected type, is
rejected, and nothing that arrives is ever executed.
"""

import os
import struct
import zlib
from collections.abc import Iterator
from typing import Any, Final, Generic, TypeVar

import msgspec

_HEAD: Final = struct.Struct("<II")
_LARGEST: Final = 64 * 2**20
"""Bytes of a message. The largest is a batch of 1,024 puzzles of 36x36, below 2 MiB; a
length beyond this one is a damaged frame, which must not make the reader wait for it."""
_CHUNK: Final = 1 << 16

Message = TypeVar("Message")
_encoder: Final = msgspec.json.Encoder()


class ChannelBroken(Exception):
    """The bytes in a channel are not frames of messages."""


def pack(message: msgspec.Struct) -> bytes:
    """The frame of `message`."""
    body = _encoder.encode(message)
    return _HEAD.pack(len(body), zlib.crc32(body)) + body


def write_all(fd: int, data: bytes) -> None:
    """Write all of `data`, in as many parts as the pipe takes.

    Raises:
        OSError: the other end is closed.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class Frames(Generic[Message]):
    """Assembles bytes into messages of one type.

    Args:
        kind: the type of the messages, a struct or a union of structs.
    """

    def __init__(self, kind: Any) -> None:
        self._decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(kind)
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages that `data` completes.

        Raises:
            ChannelBroken: the bytes are not frames, or not messages of the type.
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
                message = self._decoder.decode(body)
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                raise ChannelBroken(f"a frame without a message: {error}") from None
            yield message


def read_messages(fd: int, kind: Any) -> Iterator[Any]:
    """The messages of type `kind` on `fd` until it is closed, waiting for each.

    Raises:
        ChannelBroken: what arrives is not a message of the type.
    """
    frames: Frames[Any] = Frames(kind)
    while data := os.read(fd, _CHUNK):
        yield from frames.feed(data)
