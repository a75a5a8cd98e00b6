"""The phases of a call, with a clock that is set by hand."""

import pytest

from harness.contract import answers
from harness.contract.answers import Phases, PhaseTimer


def test_each_phase_has_the_time_between_its_beginning_and_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(answers, "perf_counter", lambda: now[0])
    timer = PhaseTimer()
    for seconds, enter in (
        (1.0, timer.search),
        (2.0, timer.decode),
        (4.0, timer.encode),
        (8.0, timer.search),
        (16.0, timer.decode),
    ):
        now[0] += seconds
        enter()
    now[0] += 32.0
    assert timer.stop() == Phases(encode=1 + 8, search=2 + 16, decode=4 + 32)
    now[0] += 64.0
    assert timer.stop().decode == 4 + 32 + 64
