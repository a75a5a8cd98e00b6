"""The journal: outcomes are read as appended, and damage is detected."""

import json
import mmap
import os
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from harness.engine.wire.channel import ChannelBroken
from harness.engine.wire.shared import Journal
from harness.records.question import Verdict
from harness.records.trial import Ending, Outcome

SECONDS = st.floats(0, 1e6)
COUNTS = st.integers(0, 2**62)
OUTCOMES = st.fixed_dictionaries(
    {
        "ending": st.just(Ending.ANSWERED),
        "status": st.sampled_from([None, "perhaps", *Verdict]),
        "count": st.sampled_from([None, "many", 2**70]) | st.integers(-(2**62), 2**62),
        "exact": st.sampled_from([None, False, True]),
        "solution": st.none() | st.text("123456789ABC@", min_size=1, max_size=1296),
        "raw_grid": st.none() | st.just([1, 2, 3]),
        "detail": st.sampled_from(["", "a long traceback"]),
        "wall_s": st.none() | SECONDS,
        "cpu_s": SECONDS,
        "build_s": SECONDS,
        "encode_s": SECONDS,
        "search_s": SECONDS,
        "decode_s": SECONDS,
        "voluntary_switches": COUNTS,
        "involuntary_switches": COUNTS,
        "memory_bytes": COUNTS,
        "memory_source": st.sampled_from(["peak", "sampled", "bound"]),
        "cpu_source": st.just("rusage"),
        "core": st.none() | st.integers(0, 4095),
        "stats": st.just({}) | st.just({"nodes": 12, "größte": 1.5, "huge": 10**30}),
        "ended_at": SECONDS,
    }
).map(lambda fields: Outcome(**fields))
ANSWER = Outcome(
    ending=Ending.ANSWERED,
    status="solved",
    solution="1234" * 4,
    wall_s=0.5,
    memory_source="bound",
    ended_at=1.0,
)


@pytest.fixture
def ends() -> Iterator[tuple[Journal, Journal, int]]:
    """The ends of the writer and the reader, and the descriptor of their memory."""
    memory = Journal.new_memory()
    writer, reader = Journal(memory), Journal(memory)
    yield writer, reader, memory
    writer.close()
    reader.close()
    os.close(memory)


Ends = tuple[Journal, Journal, int]


@settings(max_examples=30)
@given(st.lists(OUTCOMES, max_size=20))
def test_appended_outcomes_are_read(outcomes: list[Outcome]) -> None:
    memory = Journal.new_memory()
    writer, reader = Journal(memory), Journal(memory)
    os.close(memory)
    for serial, outcome in enumerate(outcomes):
        writer.append(serial, outcome)
    assert Journal.outcomes_in(reader.unread()) == list(enumerate(outcomes))


def test_an_outcome_is_unread_until_it_is_marked_as_read(ends: Ends) -> None:
    writer, reader, _ = ends
    for serial in range(3):
        writer.append(serial, ANSWER)
        assert Journal.outcomes_in(reader.unread()) == [(serial, ANSWER)]
        assert Journal.outcomes_in(reader.unread()) == [(serial, ANSWER)]
        reader.mark_read()
    assert reader.unread() == b""
    reader.clear()
    writer.append(7, ANSWER)
    assert Journal.outcomes_in(reader.unread()) == [(7, ANSWER)]


def test_an_outcome_without_room_is_invalid_and_the_next_ones_are_read(ends: Ends) -> None:
    writer, reader, _ = ends
    for serial in range(256):
        writer.append(serial, replace(ANSWER, raw_grid=[1] * (2**18 if serial % 2 else 1)))
    outcomes = Journal.outcomes_in(reader.unread())
    assert [serial for serial, _ in outcomes] == list(range(256))
    endings = [outcome.ending for _, outcome in outcomes]
    assert endings[:100] == [Ending.ANSWERED] * 100
    assert endings[-2:] == [Ending.ANSWERED, Ending.INVALID]
    assert "an outcome of 524," in outcomes[-1][1].detail


@pytest.mark.parametrize("data", [b"short", b"\0" * 11, b"\0" * 8 + b"\5\0\0\0hell"])
def test_bytes_that_are_not_rows_are_rejected(data: bytes) -> None:
    with pytest.raises(ChannelBroken):
        Journal.outcomes_in(data)


def changed(**fields: Any) -> bytes:
    """An outcome in JSON with these fields."""
    return json.dumps(json.loads(msgspec.json.encode(ANSWER)) | fields).encode()


@pytest.mark.parametrize(
    "row",
    [
        *(b"", b"hello", b"{}", b"[" * 9999, changed(ending="nope"), changed(wall_s="long")),
        *(changed(wall_s=-1.0), changed(solution="\u00df" * 16), changed(detail=3)),
        *(changed(stats="[1]"), changed(stats={"nodes": "x"}), changed(core=2.5)),
        *(changed(more=1), changed(status=["x"]), changed(count=1.5), changed(exact="yes")),
    ],
)
def test_a_row_that_is_not_an_outcome_is_an_invalid_outcome_of_its_trial(row: bytes) -> None:
    head = (7).to_bytes(8, "little") + len(row).to_bytes(4, "little")
    ((serial, outcome),) = Journal.outcomes_in(head + row)
    assert (serial, outcome.ending) == (7, Ending.INVALID)
    assert "an outcome that is not valid" in outcome.detail


@pytest.mark.parametrize("at", [0, 3, 8, 20, 100])
def test_damage_is_detected(ends: Ends, at: int) -> None:
    writer, reader, memory = ends
    writer.append(0, ANSWER)
    os.pwrite(memory, b"x", at)
    with pytest.raises(ChannelBroken):
        reader.unread()


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the memory is sealed on Linux only")
def test_the_memory_cannot_be_made_smaller_under_its_reader(ends: Ends) -> None:
    _, _, memory = ends
    with pytest.raises(PermissionError):
        os.ftruncate(memory, 0)
    with mmap.mmap(memory, 0) as again, pytest.raises((PermissionError, SystemError, OSError)):
        again.resize(4096)


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the memory is sealed on Linux only")
def test_only_mappings_write_to_a_memory_whose_writes_are_forbidden(ends: Ends) -> None:
    writer, reader, memory = ends
    Journal.forbid_writes(memory)
    with pytest.raises(PermissionError):
        os.write(memory, b"x")
    writer.append(0, ANSWER)
    assert Journal.outcomes_in(reader.unread()) == [(0, ANSWER)]
    reader.clear()
    assert reader.unread() == b""
