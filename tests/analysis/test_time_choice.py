"""The choice between wall time and CPU time: the rule, on runs with known use of their cores."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import pytest

from harness.analysis.comparison import compare
from harness.analysis.conditions import choose_times
from harness.analysis.timing import BackendUsage, usages
from harness.records.environment import Activity, Invocation, SystemInfo
from harness.records.question import TimeKind

Trials = Callable[..., pd.DataFrame]

CORES = SystemInfo(usable_cores=[0, 1])
QUIET = [Invocation(system=CORES, jobs=1, activity=Activity(seconds=10.0, other_cpu_s=0.2))]
BUSY = [Invocation(system=CORES, jobs=1, activity=Activity(seconds=10.0, other_cpu_s=9.0))]
CROWDED = [Invocation(system=CORES, jobs=4, activity=Activity(seconds=10.0, other_cpu_s=0.2))]
STOPPED = [
    Invocation(
        system=CORES,
        jobs=1,
        activity=Activity(seconds=10.0, other_cpu_s=0.2, throttled_s=2.0, stolen_s=0.0),
    )
]
STOLEN = [
    Invocation(system=CORES, jobs=1, activity=Activity(seconds=10.0, other_cpu_s=0.2, stolen_s=1.0))
]


def used(trials_of: Trials, share: float, switches: int, wall_s: float = 0.5) -> pd.DataFrame:
    """Twenty right answers with this CPU time per wall time and switches in each."""
    made = trials_of({"a": [wall_s] * 20})
    return made.assign(cpu_s=share * wall_s, involuntary_switches=switches)


@pytest.mark.parametrize(
    ("share", "switches", "preempted", "waiting"),
    [
        (1.0, 0, 0.0, 0.0),
        (0.5, 0, 0.0, 0.5),
        # 250 ms away from the core with 20 ms at most for each of these turns of others.
        (0.5, 5, 0.2, 0.3),
        (0.5, 100, 0.5, 0.0),
        (2.0, 100, 0.0, 0.0),
        # A few turns in the whole run.
        (0.992, 1, 0.008, 0.0),
    ],
)
def test_time_without_the_core_is_waiting_or_taken_by_others(
    trials_of: Trials, share: float, switches: int, preempted: float, waiting: float
) -> None:
    found = usages(used(trials_of, share, switches))["a"]
    assert found.preempted_share == pytest.approx(preempted)
    assert found.waiting_share == pytest.approx(waiting)
    assert found.threads == pytest.approx(share)
    assert found.trials == 20
    assert found.mean_wall_s == pytest.approx(0.5)


def test_turns_of_others_count_from_a_tenth_of_a_second() -> None:
    for turns, counts in ((5, True), (4, False)):
        assert BackendUsage(1, 1.0, 0.5, turns).is_preempted == counts


def test_only_right_answers_with_both_times_count(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 2.0, "timeout", "wrong"], "b": ["crashed"]})
    trials["cpu_s"] = [0.5, None, 9.0, 9.0, 9.0]
    assert usages(trials) == {"a": BackendUsage(1, 1.0, 0.5, 0)}
    assert BackendUsage() == BackendUsage(0, 0.0, 0.0, 0)
    assert (
        BackendUsage().threads
        == BackendUsage().preempted_share
        == BackendUsage().mean_wall_s
        == 0.0
    )


@pytest.mark.parametrize(
    ("share", "switches", "machines", "kind", "reason"),
    [
        (1.0, 0, (QUIET, QUIET), TimeKind.WALL, "no disturbance"),
        (1.0, 0, ((), ()), TimeKind.WALL, "no disturbance"),
        (0.95, 20, (QUIET, QUIET), TimeKind.WALL, "no disturbance"),
        (1.0, 0, (QUIET, BUSY), TimeKind.CPU, "(after, other programs: 0.90 of 2 cores in use)"),
        (1.0, 0, (BUSY, QUIET), TimeKind.CPU, "(before, other programs: 0.90 of 2 cores in use)"),
        (1.0, 0, (QUIET, CROWDED), TimeKind.CPU, "(after, jobs: 4 trials at a time on 2 cores)"),
        (0.5, 100, (QUIET, QUIET), TimeKind.CPU, "took 50 % and 50 % of the wall time"),
        # CPU time is not the work of the backend, however busy the machine is.
        (1.9, 0, (BUSY, BUSY), TimeKind.WALL, "several threads"),
        (0.5, 0, (BUSY, BUSY), TimeKind.WALL, "the backend waits"),
        # Time that is taken without a context switch is not waiting.
        (0.5, 0, (QUIET, STOPPED), TimeKind.CPU, "stopped the processes for 2.0 of 10.0 s"),
        (0.5, 0, (STOLEN, QUIET), TimeKind.CPU, "the hypervisor took 0.10 cores"),
    ],
)
def test_the_more_reliable_time_is_chosen_with_its_reason(
    trials_of: Trials,
    share: float,
    switches: int,
    machines: tuple[Sequence[Invocation], Sequence[Invocation]],
    kind: TimeKind,
    reason: str,
) -> None:
    trials = used(trials_of, share, switches)
    (choice,) = choose_times(trials, trials, machines).values()
    assert choice.kind is kind
    assert reason in choice.reason
    found = compare(trials, trials, invocations=machines)
    assert found.time is kind
    assert list(found.times["time"]) == [str(kind)]
    assert list(found.times["before_s"]) == pytest.approx(
        [0.5 if kind is TimeKind.WALL else 0.5 * share]
    )


def test_one_run_with_several_threads_is_enough(trials_of: Trials) -> None:
    one, several = used(trials_of, 1.0, 0), used(trials_of, 2.0, 0)
    for before, after in ((one, several), (several, one)):
        (choice,) = choose_times(before, after, (BUSY, BUSY)).values()
        assert choice.kind is TimeKind.WALL


def test_very_short_calls_are_compared_by_wall_time(trials_of: Trials) -> None:
    for wall_s, kind in ((4e-5, TimeKind.WALL), (6e-5, TimeKind.CPU)):
        trials = used(trials_of, 1.0, 0, wall_s)
        (choice,) = choose_times(trials, trials, (BUSY, BUSY)).values()
        assert choice.kind is kind


def test_missing_cpu_times_leave_wall_time(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 2.0], "b": [1.0, 2.0]})
    trials["cpu_s"] = [1.0, None, 1.0, 2.0]
    found = choose_times(trials, trials, (BUSY, BUSY))
    assert found["a"].kind is TimeKind.WALL
    assert found["a"].reason == "CPU time is not recorded for all right answers"
    assert found["b"].kind is TimeKind.CPU


def test_a_run_without_right_answers_leaves_the_choice_to_the_other(trials_of: Trials) -> None:
    solved, failed = used(trials_of, 2.0, 0), trials_of({"a": ["timeout"] * 20})
    (choice,) = choose_times(failed, solved, (BUSY, BUSY)).values()
    assert "several threads" in choice.reason
    (choice,) = choose_times(failed, failed, (BUSY, BUSY)).values()
    assert choice.kind is TimeKind.CPU


def test_a_requested_time_needs_all_its_values(trials_of: Trials) -> None:
    trials = used(trials_of, 0.5, 0)
    for kind in TimeKind:
        found = compare(trials, trials, time=kind)
        assert found.time is kind
        assert found.choices["a"].reason == "as requested"
    lacking: Any = trials.assign(cpu_s=None)
    for runs in ((trials, lacking), (lacking, trials)):
        with pytest.raises(ValueError, match="no CPU time was recorded for 20 of 20"):
            compare(*runs, time=TimeKind.CPU)
