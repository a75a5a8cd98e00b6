"""The journal: what is noted is read, and what was tampered with is noticed."""

import mmap
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.contract.verdict import Verdict
from harness.sweep.channel import ChannelBroken
from harness.sweep.journal import Journal, rows, shared_memory
from harness.sweep.trial import Ending, Outcome

SECONDS = st.floats(0, 1e6)
COUNTS = st.integers(0, 2**62)
OUTCOMES = st.fixed_dictionaries(
    {
        "ending": st.just(Ending.ANSWERED),
        "claim": st.sampled_from([None, *Verdict]),
        "number": st.none() | st.integers(-(2**62), 2**62),
        "exact": st.sampled_from([None, False, True]),
        "line": st.none() | st.text("123456789ABC@", min_size=1, max_size=1296),
        "wall": SECONDS,
        "cpu": SECONDS,
        "build": SECONDS,
        "encode": SECONDS,
        "search": SECONDS,
        "decode": SECONDS,
        "switches": COUNTS,
        "forced_switches": COUNTS,
        "memory": COUNTS,
        "memory_how": st.sampled_from(["peak", "sampled", "bound"]),
        "cpu_how": st.just("rusage"),
        "core": st.none() | st.integers(0, 4095),
        "stats": st.just("{}") | st.just('{"nodes": 12, "größte": 1.5}'),
        "ended_at": SECONDS,
    }
).map(lambda fields: Outcome(**fields))
ANSWER = Outcome(
    Ending.ANSWERED,
    claim="solved",
    line="1234" * 4,
    wall=0.5,
    cpu=0.5,
    build=0.0,
    encode=0.0,
    search=0.4,
    decode=0.1,
    switches=1,
    forced_switches=0,
    memory=1 << 20,
    memory_how="bound",
    cpu_how="rusage",
    ended_at=1.0,
)


@pytest.fixture
def ends() -> Iterator[tuple[Journal, Journal, int]]:
    """The writer's and the reader's end, and the memory between them."""
    memory = shared_memory()
    writer, reader = Journal(memory), Journal(memory)
    yield writer, reader, memory
    writer.close()
    reader.close()
    os.close(memory)


Ends = tuple[Journal, Journal, int]


@given(st.lists(OUTCOMES, max_size=20))
def test_what_is_noted_is_read(outcomes: list[Outcome]) -> None:
    memory = shared_memory()
    writer, reader = Journal(memory), Journal(memory)
    os.close(memory)
    assert all(writer.note(serial, outcome) for serial, outcome in enumerate(outcomes))
    assert rows(reader.unread()) == list(enumerate(outcomes))


def test_each_row_is_given_until_it_is_marked_as_read(ends: Ends) -> None:
    writer, reader, _ = ends
    for serial in range(3):
        assert writer.note(serial, ANSWER)
        assert rows(reader.unread()) == [(serial, ANSWER)]
        assert rows(reader.unread()) == [(serial, ANSWER)]
        reader.mark_read()
    assert reader.unread() == b""
    reader.clear()
    assert writer.note(7, ANSWER)
    assert rows(reader.unread()) == [(7, ANSWER)]


@pytest.mark.parametrize(
    "unusual",
    [
        {"grid": [1, 2, 3]},
        {"detail": "a long story"},
        {"number": "many"},
        {"number": 2**70},
        {"claim": "perhaps"},
        {"wall": None},
        {"stats": "x" * 70_000},
    ],
)
def test_what_is_unusual_goes_another_way(ends: Ends, unusual: dict[str, Any]) -> None:
    writer, reader, _ = ends
    assert not writer.note(0, ANSWER._replace(**unusual))
    assert reader.unread() == b""


def test_a_full_journal_takes_no_more_and_keeps_what_it_has(ends: Ends) -> None:
    writer, reader, _ = ends
    noted = 0
    while writer.note(noted, ANSWER):
        noted += 1
    assert noted > 1000
    assert [serial for serial, _ in rows(reader.unread())] == list(range(noted))


@pytest.mark.parametrize("at", [0, 3, 8, 20, 100])
def test_tampering_is_noticed(ends: Ends, at: int) -> None:
    writer, reader, memory = ends
    assert writer.note(0, ANSWER)
    os.pwrite(memory, b"x", at)
    with pytest.raises(ChannelBroken, match="wrong checksum"):
        reader.unread()


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the memory is sealed on Linux only")
def test_the_memory_cannot_be_made_smaller_under_its_reader(ends: Ends) -> None:
    _, _, memory = ends
    with pytest.raises(PermissionError):
        os.ftruncate(memory, 0)
    with mmap.mmap(memory, 0) as again, pytest.raises((PermissionError, SystemError, OSError)):
        again.resize(4096)
