"""Messages are decoded to their types, or their channel counts as broken."""

import json
import struct
import zlib
from typing import Any

import msgspec
import pytest

from harness.base.errors import (
    BackendUnavailableError,
    InputError,
    OptionError,
    UnknownBackendError,
)
from harness.contract import Unavailable
from harness.engine.wire.channel import ChannelBroken, Frames, pack
from harness.engine.wire.messages import Done, Refused, ServerMessage, WarmedUp, WorkerMessage
from harness.records.question import Task
from harness.records.trial import Ending

WARMED_UP = WarmedUp(Task.SOLVE, "4x4", None, Ending.ANSWERED)


def frame_of(message: Any) -> bytes:
    """`message` in a frame as a backend could forge it: with the right length and checksum."""
    body = json.dumps(message).encode()
    return b"\xf7HAR" + struct.pack("<II", len(body), zlib.crc32(body)) + body


def messages_in(data: bytes) -> list[WorkerMessage]:
    frames: Frames[WorkerMessage] = Frames(WorkerMessage)
    return list(frames.feed(data))


def warmed_up(**changes: Any) -> dict[str, Any]:
    """A message as JSON, with these fields changed."""
    fields: dict[str, Any] = json.loads(msgspec.json.encode(WARMED_UP))
    return fields | changes


@pytest.mark.parametrize("message", [Done(), WARMED_UP])
def test_a_message_arrives_as_it_was_sent(message: WorkerMessage) -> None:
    assert messages_in(pack(message)) == [message]


@pytest.mark.parametrize(
    "message",
    [
        *(None, 3, [], {}, {"type": 3}, {"type": "Other"}, {"type": "Done", "more": 1}),
        *({"type": "WarmedUp"}, {"type": "Done", "calibration_s": -1.0}, warmed_up(more=1)),
        *(warmed_up(ending="nope"), warmed_up(seconds="long"), warmed_up(task=3)),
    ],
)
def test_anything_else_breaks_the_channel(message: Any) -> None:
    with pytest.raises(ChannelBroken):
        messages_in(frame_of(message))


@pytest.mark.parametrize("kind", [InputError, OptionError, UnknownBackendError])
def test_a_refusal_keeps_the_kind_and_the_place_of_its_error(kind: type[InputError]) -> None:
    error = kind("depth is 0", where="own.py", expected="1 or more")
    frames: Frames[ServerMessage] = Frames(ServerMessage)
    (message,) = frames.feed(pack(Refused.from_error(error)))
    assert isinstance(message, Refused)
    again = message.error()
    assert type(again) is kind
    assert (again.what, again.where, again.expected) == (error.what, error.where, error.expected)


def test_a_refusal_of_an_unavailable_backend_has_a_remedy() -> None:
    refusal = Refused.from_error(Unavailable("no library", "pip install it"))
    assert refusal.remedy == "pip install it"
    assert type(refusal.error()) is BackendUnavailableError
