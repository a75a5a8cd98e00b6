"""Frames: whole messages of the expected type or an error, however the bytes arrive."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from harness.engine.wire.channel import ChannelBroken, Frames, pack


class Note(Struct):
    text: str
    number: int


NOTES = st.lists(st.builds(Note, st.text(max_size=5), st.integers()))


@given(NOTES, st.integers(1, 7))
def test_messages_arrive_as_they_were_sent(notes: list[Note], piece: int) -> None:
    data = b"".join(map(pack, notes))
    frames: Frames[Note] = Frames(Note)
    pieces = (data[at : at + piece] for at in range(0, len(data), piece))
    assert [note for part in pieces for note in frames.feed(part)] == notes


@given(st.binary(min_size=8, max_size=60))
def test_garbage_is_incomplete_or_rejected_but_never_a_message(data: bytes) -> None:
    frames: Frames[Note] = Frames(Note)
    with suppress(ChannelBroken):
        assert list(frames.feed(data)) == []


@pytest.mark.parametrize("at", [4, -2])
def test_a_changed_byte_is_noticed(at: int) -> None:
    data = bytearray(pack(Note("abc", 1)))
    data[at] ^= 1
    frames: Frames[Note] = Frames(Note)
    with pytest.raises(ChannelBroken):
        list(frames.feed(bytes(data)))


def test_a_frame_beyond_any_message_is_rejected_before_it_arrives() -> None:
    frames: Frames[Note] = Frames(Note)
    with pytest.raises(ChannelBroken):
        list(frames.feed(b"\xff" * 8))
