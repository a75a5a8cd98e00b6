"""Messages over socket pairs: JSON in frames with a length and a checksum.

Texts come from backends, command lines and file systems, and may hold lone surrogates, which
JSON cannot hold. These arrive as escapes; see `harness.base.text.encodable`.

A worker runs the code of a backend, which may write to any descriptor. A frame whose
checksum does not match, or whose content is not a message of the expected type, is
rejected. Received data is decoded, never executed.
"""

import os
import selectors
import socket
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar, dataclass_transform

import msgspec

from harness.base.text import encodable


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Message(msgspec.Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """What one process sends to another; the receiver decodes it to its type or rejects it."""


# Messages as JSON, whatever texts they hold.


_encoder: Final = msgspec.json.Encoder()


def json_of(message: msgspec.Struct) -> bytes:
    """`message` as JSON, with any lone surrogates in its texts escaped."""
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError:
        return _encoder.encode(_encodable(msgspec.to_builtins(message)))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value


# Messages over socket pairs: JSON in frames with a length and a checksum.


_MAGIC: Final = b"\xf7HAR"
"""The beginning of each frame: bytes that a backend has written stand out at once."""
_HEAD: Final = struct.Struct("<4sII")
_LARGEST: Final = 64 * 2**20
"""Maximum bytes of a message. The largest message is a batch of puzzles with pencilmarks, at most
2^24 candidates; a greater length means a damaged frame, whose end would never arrive."""
_CHUNK: Final = 1 << 16
"""Bytes to receive at once: more than an ordinary message has."""
SEND_LIMIT_S: Final = 10
"""Seconds that the harness waits for a worker to read a request that exceeds the socket's buffer.
An idle worker reads within milliseconds, or within seconds on a machine that swaps; without a
limit, a backend that keeps its worker from reading would block the run."""

Received = TypeVar("Received")


class ChannelBroken(Exception):
    """The bytes in a channel are not messages of the expected type."""


class ChannelClosed(Exception):
    """The other end of a channel is closed, or its process no longer reads."""


def pack(message: msgspec.Struct) -> bytes:
    """The frame of `message`."""
    body = json_of(message)
    return _HEAD.pack(_MAGIC, len(body), zlib.crc32(body)) + body


class Frames(Generic[Received]):
    """Assembles bytes into messages of one type.

    Args:
        kind: the type of the messages, a struct or a union of structs.
    """

    def __init__(self, kind: Any) -> None:
        self._decoder: msgspec.json.Decoder[Received] = msgspec.json.Decoder(kind)
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Received]:
        """The messages that `data` completes.

        Raises:
            ChannelBroken: the bytes are not frames, or not messages of the type.
        """
        self._buffer += data
        while self._buffer:
            if not self._buffer.startswith(_MAGIC[: len(self._buffer)]):
                raise ChannelBroken("bytes that are not a frame")
            if len(self._buffer) < _HEAD.size:
                return
            _, length, checksum = _HEAD.unpack_from(self._buffer)
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


class Connection(Generic[Received]):
    """One end of a socket pair between two processes.

    Args:
        end: the socket; the connection closes it.
        kind: the type of the messages that arrive, a struct or a union of structs.
        send_limit_s: seconds that `send` waits for the other process to read; None for no
            limit.
    """

    def __init__(self, end: socket.socket, kind: Any, *, send_limit_s: int | None = None) -> None:
        if send_limit_s is not None:  # `settimeout` would add a system call to each receive
            limit = struct.pack("@ll", send_limit_s, 0)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        self._socket = end
        self._frames: Frames[Received] = Frames(kind)

    @staticmethod
    def pair(kind: Any) -> "tuple[Connection[Any], socket.socket]":
        """A connection for the harness, and the other end for another process.

        Args:
            kind: the type of the messages that arrive at the harness, as above.
        """
        end, other_end = socket.socketpair()
        return Connection(end, kind, send_limit_s=SEND_LIMIT_S), other_end

    def fileno(self) -> int:
        """The descriptor; `selectors` needs this method."""
        return self._socket.fileno()

    def send(self, message: msgspec.Struct, descriptors: Sequence[int] = ()) -> None:
        """Send `message`, with copies of these open descriptors.

        Raises:
            ChannelClosed: the other end is closed, or its process no longer reads.
        """
        data = pack(message)
        try:
            if descriptors:
                size = socket.send_fds(self._socket, [data], list(descriptors))
                data = data[size:]
            self._socket.sendall(data)
        except OSError as error:
            raise ChannelClosed(error.strerror) from None

    def receive(self, *, wait: bool = True) -> Iterator[Received]:
        """The messages that the next bytes complete; without `wait`, none if no byte has arrived.

        Raises:
            ChannelClosed: the other end is closed and everything was received.
            ChannelBroken: the bytes are not messages of the type.
        """
        try:
            data = self._socket.recv(_CHUNK, 0 if wait else socket.MSG_DONTWAIT)
        except BlockingIOError:
            yield from self._frames.feed(b"")  # messages received along with an earlier one
            return
        except ConnectionError:
            data = b""
        if not data:
            raise ChannelClosed
        yield from self._frames.feed(data)

    def receive_all(self) -> Iterator[Received]:
        """All messages, waiting for each, until the other end is closed.

        Raises:
            ChannelBroken: the bytes are not messages of the type.
        """
        with suppress(ChannelClosed):
            while True:
                yield from self.receive()

    def receive_with_descriptors(self, most: int, descriptors: list[int]) -> Iterator[Received]:
        """All messages, waiting for each; their descriptors are appended to `descriptors`.

        Several messages may be received at once, so the caller removes the descriptors of a
        message from the front of the list.

        Args:
            most: the maximum number of descriptors of one message.
            descriptors: the received descriptors, in their order.

        Raises:
            ChannelBroken: the bytes are not messages of the type.
        """
        while True:
            try:
                data, new_descriptors, _, _ = socket.recv_fds(self._socket, _CHUNK, most)
            except ConnectionError:
                return
            if not data:
                return
            for descriptor in new_descriptors:
                os.set_inheritable(descriptor, False)
            descriptors += new_descriptors
            yield from self._frames.feed(data)

    def wait_readable(self, limit_s: float = 0.0) -> bool:
        """Whether bytes arrive, or the other end is closed, within this number of seconds."""
        return bool(Connection.readable([self], limit_s))

    @staticmethod
    def readable(connections: "Iterable[Connection[Any]]", limit_s: float) -> Set[object]:
        """Those of these connections that become readable within this number of seconds."""
        with selectors.DefaultSelector() as selector:
            for connection in connections:
                selector.register(connection, selectors.EVENT_READ)
            return {key.fileobj for key, _ in selector.select(max(0.0, limit_s))}

    def shut_down(self) -> None:
        """Signal the other end that nothing more will be sent or received."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close this end."""
        self._socket.close()
