"""What the monitor has seen of a running call: never more than the call lasted."""

import os
from collections.abc import Iterator
from itertools import pairwise

import pytest

from harness.engine import monitor
from harness.engine.monitor import TrialWatch
from harness.engine.system import processes
from harness.engine.system.processes import ProcessUsage
from harness.engine.wire.messages import EndReason, Limits
from harness.engine.wire.shared import CurrentTrial, RunningTrial, TrialPhase


class _Machine:
    """A clock, and a monitor that other processes interrupt before or after it reads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.before_reading = self.after_reading = 0.0
        self.call_ends_at = float("inf")
        self.call_begins_at = 0.0
        monkeypatch.setattr(monitor, "monotonic", lambda: self.now)
        monkeypatch.setattr(processes, "visible", False)
        current = CurrentTrial()
        monkeypatch.setattr(current, "running", self.running)
        self.watch = TrialWatch(os.getpid(), current)
        self.watch.begin(Limits(wall_s=1_000.0))

    def running(self) -> RunningTrial | None:
        self.now += self.before_reading
        is_running = self.call_begins_at <= self.now < self.call_ends_at
        phase = TrialPhase.CALLING if is_running else TrialPhase.PREPARING
        trial = RunningTrial(1, max(100.0, self.call_begins_at), phase, 0.0)
        self.now += self.after_reading
        return trial

    def looks(self, number: int) -> Iterator[float]:
        """The seconds that the monitor reports at each look."""
        for _ in range(number):
            self.watch.look()
            observation = self.watch.take_observation()
            if observation:
                yield observation.seconds
            self.now += 0.01


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> _Machine:
    return _Machine(monkeypatch)


def test_an_interruption_before_reading_the_start_is_not_part_of_the_call(
    machine: _Machine,
) -> None:
    machine.before_reading = 2.0
    machine.call_begins_at = 102.0
    assert list(machine.looks(1)) == []
    machine.before_reading = 0.0
    machine.call_ends_at = machine.now + 0.3
    assert max(machine.looks(60), default=0.0) < 0.31


def test_an_interruption_after_reading_is_not_part_of_the_call(machine: _Machine) -> None:
    machine.call_ends_at = machine.now + 0.3
    observations = list(machine.looks(25))
    machine.after_reading = 5.0
    observations += machine.looks(1)
    assert max(observations, default=0.0) <= 0.3


def test_a_long_call_is_seen(machine: _Machine) -> None:
    observations = list(machine.looks(100))
    assert 0.5 < observations[-1] < 1.0
    assert all(later >= 2 * earlier for earlier, later in pairwise(observations))


def test_a_call_has_its_whole_limit_after_a_long_preparation(machine: _Machine) -> None:
    machine.call_begins_at = 1_099.0
    for machine.now in (100.0, 1_099.0, 2_098.0):
        assert machine.watch.look() is None
    machine.now = 2_100.0
    assert machine.watch.look() is EndReason.WALL_TIME


def test_the_peak_of_a_trial_is_that_of_all_its_phases(
    machine: _Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.call_ends_at = machine.now + 0.3
    monkeypatch.setattr(processes, "visible", True)
    resident = {True: 2**40, False: 1}
    monkeypatch.setattr(
        processes, "usage", lambda _: ProcessUsage(resident[machine.now < machine.call_ends_at])
    )
    list(machine.looks(60))
    assert machine.watch.peak.resident_bytes >= 2**40


@pytest.mark.parametrize(
    ("state", "share", "is_seen"),
    [
        ("R", 0.0, False),  # ready to run, and never on a core
        ("R", 0.02, False),
        ("R", 1.0, True),
        ("R", 3.0, True),  # with children
        ("S", 0.0, True),  # asleep
        ("D", 0.0, True),
    ],
)
def test_waiting_for_a_core_is_not_running(
    machine: _Machine, monkeypatch: pytest.MonkeyPatch, state: str, share: float, is_seen: bool
) -> None:
    began = machine.now
    monkeypatch.setattr(processes, "visible", True)
    monkeypatch.setattr(processes, "state", lambda _: state)
    monkeypatch.setattr(
        processes, "usage", lambda _: ProcessUsage(1, 5.0 + share * (machine.now - began))
    )
    observations = list(machine.looks(100))
    assert bool(observations) == is_seen
    if is_seen:
        assert 0.5 < observations[-1] < 1.0
