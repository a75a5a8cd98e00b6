"""Bounds for the times that a worker may report."""

import os
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from harness.engine.slot import SLACK, SLACK_S, RequestBounds
from harness.engine.wire.messages import CallObserved
from harness.records.question import Start, Verdict
from harness.records.trial import Ending, Outcome
from tests.engine.asking import ask

NOW = 1_700_000_000.0
ANSWER = Outcome(
    ending=Ending.ANSWERED, status="unknown", wall_s=1.0, cpu_s=1.0, build_s=0.5, ended_at=NOW
)
RAISED = Outcome(ending=Ending.RAISED, status="ValueError", wall_s=1.0, ended_at=NOW)
CORES = os.cpu_count() or 1


@pytest.fixture
def bounds_of_request(monkeypatch: pytest.MonkeyPatch) -> Callable[..., RequestBounds]:
    """The bounds of a request that was received 2 seconds after it was sent."""

    def make(observation: CallObserved | None = None, trials_per_call: int = 1) -> RequestBounds:
        clock = iter([100.0, 102.0])
        day = iter([NOW - 2, NOW])
        monkeypatch.setattr("harness.engine.slot.perf_counter", lambda: next(clock))
        monkeypatch.setattr("harness.engine.slot.time", lambda: next(day))
        bounds = RequestBounds(trials_per_call)
        bounds.receive(observation)
        return bounds

    return make


Received = Callable[..., RequestBounds]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, ""),
        ({"wall_s": 2.0}, ""),
        ({"wall_s": 2.0 * (1 + SLACK) + SLACK_S}, ""),
        ({"wall_s": 2.0 * (1 + SLACK) + 2 * SLACK_S}, "a wall time of 2.03 s, 2.000 s after"),
        ({"wall_s": 0.0, "build_s": 0.0}, "a wall time of 0 s"),
        ({"wall_s": -1651.0}, "a wall time of -1651 s"),
        ({"wall_s": None}, "without its wall time"),
        ({"cpu_s": 2.0 * CORES}, ""),
        ({"cpu_s": 2.1 * CORES}, f"on {CORES} cores, 2.000 s after"),
        ({"cpu_s": None}, ""),
        ({"build_s": 1.0}, ""),
        ({"build_s": 1.1}, "1.1 s for its build, but a wall time of 1 s"),
        ({"build_s": 1.1, "search_s": 0.1}, "1.1 s for its build, but a wall time of 1 s"),
        ({"encode_s": 0.2, "search_s": 0.7, "decode_s": 0.1}, ""),
        ({"encode_s": 0.2, "search_s": 0.8, "decode_s": 0.1}, "1.1 s for its phases"),
    ],
)
def test_an_outcome_is_invalid_outside_of_its_bounds(
    bounds_of_request: Received, changes: dict[str, float | None], fault: str
) -> None:
    outcome = replace(ANSWER, **changes)
    outcome_within = bounds_of_request().admit(1, outcome)
    if not fault:
        assert outcome_within is outcome
    else:
        assert outcome_within.ending is Ending.INVALID
        assert fault in outcome_within.detail
        assert outcome_within.wall_s is None


def test_trials_of_a_request_share_its_time(bounds_of_request: Received) -> None:
    for wall_s, cpu_s in ((0.9, 0.1), (0.1, 0.9 * CORES)):
        bounds = bounds_of_request()
        share = replace(ANSWER, wall_s=wall_s, cpu_s=cpu_s, build_s=0.0)
        endings = [bounds.admit(serial, share).ending for serial in range(3)]
        assert endings == [Ending.ANSWERED, Ending.ANSWERED, Ending.INVALID]


def test_an_invalid_outcome_takes_no_time_from_the_others(bounds_of_request: Received) -> None:
    bounds = bounds_of_request()
    assert bounds.admit(0, replace(ANSWER, wall_s=900.0)).ending is Ending.INVALID
    assert bounds.admit(1, replace(ANSWER, wall_s=1.9)).ending is Ending.ANSWERED


def test_the_answers_to_one_call_share_its_bound(bounds_of_request: Received) -> None:
    for share, ending in ((0.0019, Ending.ANSWERED), (0.0021, Ending.INVALID)):
        bounds = bounds_of_request(trials_per_call=1000)
        outcome = replace(ANSWER, wall_s=share, cpu_s=0.0, build_s=0.0)
        assert {bounds.admit(serial, outcome).ending for serial in range(1000)} == {ending}


def test_each_trial_of_a_failed_batch_has_the_time_of_the_call(bounds_of_request: Received) -> None:
    bounds = bounds_of_request(trials_per_call=3)
    failure = replace(RAISED, wall_s=1.9)
    assert [bounds.admit(serial, failure) for serial in range(3)] == [failure] * 3


@pytest.mark.parametrize(
    ("observation", "trials_per_call", "wall_s", "valid"),
    [
        (CallObserved(1, 1.6), 1, 0.76, True),
        (CallObserved(1, 1.6), 1, 0.74, False),
        (CallObserved(2, 1.6), 1, 0.001, True),
        (CallObserved(0, 1.6), 4, 0.19, True),
        (CallObserved(0, 1.6), 4, 0.18, False),
        (CallObserved(1, 0.1), 1, 0.000_001, True),
    ],
)
def test_a_call_lasts_at_least_half_as_long_as_its_monitor_saw_it(
    bounds_of_request: Received,
    observation: CallObserved,
    trials_per_call: int,
    wall_s: float,
    valid: bool,
) -> None:
    outcome = replace(ANSWER, wall_s=wall_s, cpu_s=None, build_s=None)
    outcome_within = bounds_of_request(observation, trials_per_call).admit(1, outcome)
    assert (outcome_within.ending is Ending.ANSWERED) is valid
    if not valid:
        assert "its monitor saw it running for 1.600 s" in outcome_within.detail


@pytest.mark.parametrize("ended_at", [None, 0.0, NOW - 9, NOW + 9, 1e300])
def test_an_end_outside_of_the_request_is_that_of_its_receipt(
    bounds_of_request: Received, ended_at: float | None
) -> None:
    assert bounds_of_request().admit(1, replace(ANSWER, ended_at=ended_at)) == ANSWER


@given(st.lists(st.floats(1e-7, 1e4), min_size=1, max_size=32), st.floats(0, 1))
def test_an_honest_worker_never_falls_foul(seconds: list[float], cpu_share: float) -> None:
    """Each trial lasts a part of the time that passes, on a clock with rounding errors."""
    bounds = RequestBounds(1)
    bounds._sent_at = 1e6
    bounds._received_at = 1e6
    for serial, wall_s in enumerate(seconds):
        began = bounds._received_at
        bounds._received_at = began + wall_s
        elapsed_s = bounds._received_at - began
        outcome = replace(
            ANSWER, wall_s=elapsed_s or 1e-9, cpu_s=elapsed_s * cpu_share * CORES, build_s=0.0
        )
        assert bounds.admit(serial, outcome).ending is Ending.ANSWERED


@pytest.mark.parametrize(
    ("last_reading", "reason"),
    [("900.0", "a wall time of 900 s, "), ("float('nan')", "without its wall time")],
)
@pytest.mark.parametrize("start", [Start.WARM, pytest.param(Start.BATCH, marks=pytest.mark.long)])
def test_a_patched_clock_makes_the_trial_wrong(
    a_backend: Callable[..., str], last_reading: str, reason: str, start: Start
) -> None:
    """The clock is read before the build, after it and at the end."""
    top = f"""
import itertools
import harness.engine.meter as meter
readings = itertools.cycle([0.0, 0.0, {last_reading}])
meter.perf_counter = lambda: next(readings)
"""
    results = ask([a_backend(top=top)], start=start)
    assert {r.verdict for r in results} == {Verdict.WRONG}
    assert len(results) == 7
    assert all(reason in r.reason or "Expected `float` >= 0.0" in r.reason for r in results)


def test_a_clock_that_runs_slowly_is_noticed_in_a_long_call(a_backend: Callable[..., str]) -> None:
    top = """
import harness.engine.meter as meter
real = meter.perf_counter
meter.perf_counter = lambda: real() / 1000
"""
    slow = "time.sleep(0.3 if puzzle.givens[0] == 3 else 0.0)\nreturn Answer.unknown()"
    began = time.monotonic()
    results = {r.trial.instance.name: r for r in ask([a_backend(slow, top=top)], timeout=5)}
    assert time.monotonic() - began < 30
    assert results["3"].verdict is Verdict.WRONG
    assert "its monitor saw it running" in results["3"].reason
    assert results["2"].verdict is Verdict.UNKNOWN
