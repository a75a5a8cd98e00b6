"""Frames: whole messages or an error, however the bytes come."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.sweep.channel import ChannelBroken, Frames, pack

MESSAGES = st.lists(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5)))


@given(MESSAGES, st.integers(1, 7))
def test_messages_come_out_as_they_went_in(
    messages: list[dict[str, int | str]], piece: int
) -> None:
    data = b"".join(map(pack, messages))
    frames = Frames()
    pieces = (data[at : at + piece] for at in range(0, len(data), piece))
    assert [message for part in pieces for message in frames.feed(part)] == messages


@given(st.binary(min_size=8, max_size=60))
def test_garbage_is_waited_for_or_refused_but_never_a_message(data: bytes) -> None:
    with suppress(ChannelBroken):
        assert list(Frames().feed(data)) == []


def test_a_changed_byte_is_noticed() -> None:
    data = bytearray(pack({"is": "row"}))
    data[-2] ^= 1
    with pytest.raises(ChannelBroken, match="checksum"):
        list(Frames().feed(bytes(data)))
