"""Frames and connections: whole messages of the expected type, or an error."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from harness.engine.wire.channel import ChannelBroken, ChannelClosed, Connection, Frames, pack


class Note(Struct):
    text: str
    number: int


NOTES = st.lists(st.builds(Note, st.text(max_size=5), st.integers()))


def feed(*pieces: bytes) -> list[Note]:
    frames: Frames[Note] = Frames(Note)
    return [note for piece in pieces for note in frames.feed(piece)]


@given(NOTES, st.integers(1, 7))
def test_messages_arrive_as_they_were_sent(notes: list[Note], piece: int) -> None:
    data = b"".join(map(pack, notes))
    assert feed(*(data[at : at + piece] for at in range(0, len(data), piece))) == notes


@given(st.binary(min_size=8, max_size=60))
def test_garbage_is_incomplete_or_rejected_but_never_a_message(data: bytes) -> None:
    with suppress(ChannelBroken):
        assert feed(data) == []


FRAME = pack(Note("abc", 1))


@pytest.mark.parametrize(
    "data",
    [
        # A changed byte in the length and in the content.
        *(FRAME[:4] + bytes([FRAME[4] ^ 1]) + FRAME[5:], FRAME[:-2] + b"?" + FRAME[-1:]),
        # Bytes that begin no frame, after one.
        *(FRAME + data for data in (b"\n", b"\xf7\n", b"\xf7HA\xf7HAR", bytes(7))),
        # The beginning of a frame beyond any message.
        b"\xf7HAR" + b"\xff" * 8,
    ],
)
def test_damaged_bytes_are_rejected_at_once(data: bytes) -> None:
    with pytest.raises(ChannelBroken):
        feed(data)


Pair = tuple[Connection[Note], Connection[Note]]


@pytest.fixture
def pair() -> Iterator[Pair]:
    near, right = socket.socketpair()
    ends: Pair = (Connection(near, Note, send_limit_s=1), Connection(right, Note))
    yield ends
    for end in ends:
        end.close()


def test_a_connection_without_bytes_is_not_readable(pair: Pair) -> None:
    near, right = pair
    assert not near.wait_readable()
    assert list(near.receive(wait=False)) == []
    right.send(Note("", 0))
    assert near.wait_readable()
    assert list(near.receive(wait=False)) == [Note("", 0)]


def test_messages_before_the_end_of_a_connection_arrive(pair: Pair) -> None:
    near, right = pair
    near.send(Note("unread", 0))
    right.send(Note("last", 1))
    right.close()
    assert near.wait_readable()
    assert list(near.receive_all()) == [Note("last", 1)]
    with pytest.raises(ChannelClosed):
        list(near.receive())
    with pytest.raises(ChannelClosed):
        near.send(Note("late", 2))


@pytest.mark.long
def test_a_send_to_a_process_that_does_not_read_ends(pair: Pair) -> None:
    near, _ = pair
    with pytest.raises(ChannelClosed):
        near.send(Note("x" * 2**22, 0))


def test_descriptors_arrive_with_their_message_and_are_not_inherited(pair: Pair) -> None:
    near, right = pair
    reading, writing = os.pipe()
    near.send(Note("pipe", 0), (writing,))
    descriptors: list[int] = []
    assert next(right.receive_with_descriptors(1, descriptors)) == Note("pipe", 0)
    (new_descriptor,) = descriptors
    assert not os.get_inheritable(new_descriptor)
    os.write(new_descriptor, b"x")
    assert os.read(reading, 1) == b"x"
    for descriptor in (reading, writing, new_descriptor):
        os.close(descriptor)


def test_descriptors_are_not_lost_if_several_messages_arrive_at_once(pair: Pair) -> None:
    near, right = pair
    reading, writing = os.pipe()
    near.send(Note("without", 0))
    near.send(Note("with", 1), (reading, writing))
    near.close()
    descriptors: list[int] = []
    messages = list(right.receive_with_descriptors(2, descriptors))
    assert [note.text for note in messages] == ["without", "with"]
    assert len(descriptors) == 2
    for descriptor in (reading, writing, *descriptors):
        os.close(descriptor)
