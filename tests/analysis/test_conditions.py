"""Conditions of runs: machine, software, options and the choice of a time."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pandas as pd
import pytest
from msgspec.structs import replace

from harness.analysis.comparison import compare
from harness.analysis.conditions import (
    Difference,
    choose_times,
    disturbances,
    environment_changes,
    machine_differences,
)
from harness.analysis.timing import BackendUsage, usages
from harness.records.folder.checks import SystemCheck
from harness.records.folder.environment import Activity, Invocation, SystemInfo
from harness.records.question import TimeKind
from harness.report.tables import comparison_tables as comparison
from tests.trials import Trials

# Whether the machine was the same in two runs, and what a comparison then says.


SYSTEM = SystemInfo(
    host="here",
    processor="P",
    usable_cores=[0, 1],
    governor="performance",
    turbo=False,
    simultaneous_multithreading=False,
    hypervisor=False,
    load_average=[0.1, 0.1, 0.1],
)
ACTIVITY = Activity(
    seconds=10.0, own_cpu_s=9.0, other_cpu_s=0.5, stolen_s=0.0, throttled_s=0.0, heat_throttles=0
)
RUN = Invocation(system=SYSTEM, jobs=1, activity=ACTIVITY)


def on(**facts: Any) -> Invocation:
    return replace(RUN, system=replace(SYSTEM, **facts))


def during(**facts: Any) -> Invocation:
    return replace(RUN, activity=replace(ACTIVITY, **facts))


def without_activity(load: float) -> Invocation:
    return replace(on(load_average=[load, 0.0, 0.0]), activity=None)


def subjects(before: Invocation, after: Invocation, time: TimeKind = TimeKind.CPU) -> list[str]:
    subjects = [d.subject for d in machine_differences([before], [after], (), time)]
    assert [d.subject for d in machine_differences([after], [before], (), time)] == subjects
    return subjects


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, []),
        ({"processor": "Q"}, ["processor"]),
        ({"usable_cores": [0, 1, 2]}, ["cores"]),
        ({"usable_cores": [2, 3]}, []),
        ({"cpu_quota": 1.5}, ["cores"]),
        ({"cpu_quota": 4.0}, []),
        ({"governor": "powersave"}, ["governor"]),
        ({"turbo": True}, ["turbo"]),
        ({"hypervisor": True}, ["hypervisor"]),
        ({"processor": None, "turbo": None}, []),
        ({"memory_available_bytes": 1, "swap_used_bytes": 7, "system": "newer"}, []),
        ({"load_average": [9.0, 9.0, 9.0]}, []),
    ],
)
def test_a_different_fact_of_the_machine_is_a_difference(
    facts: dict[str, Any], expected: list[str]
) -> None:
    assert subjects(RUN, on(**facts)) == expected


@pytest.mark.parametrize(
    ("before", "after", "by_cpu", "by_wall"),
    [
        (during(other_cpu_s=2.6), RUN, [], ["other programs"]),
        (during(other_cpu_s=3.0), RUN, ["other programs"], ["other programs"]),
        (during(other_cpu_s=9.0), during(other_cpu_s=12.0), *[["other programs"]] * 2),
        # 0.05 s are within the error of the clocks, whatever their share is.
        (during(seconds=0.1, other_cpu_s=0.05), RUN, [], []),
        (replace(RUN, jobs=2), RUN, [], []),
        (replace(RUN, jobs=3), RUN, ["jobs"], ["jobs"]),
        (replace(RUN, jobs=3), replace(RUN, jobs=3), [], ["jobs"]),
        (replace(RUN, jobs=3), replace(RUN, jobs=4), ["jobs"], ["jobs"]),
        (during(throttled_s=0.2), RUN, ["throttling"], ["throttling"]),
        (during(throttled_s=0.2), during(throttled_s=0.2), *[["throttling"]] * 2),
        (during(heat_throttles=1), RUN, ["throttling"], ["throttling"]),
        (during(stolen_s=0.6), RUN, ["stolen time"], ["stolen time"]),
        (during(stolen_s=0.6), during(stolen_s=0.7), [], ["stolen time"]),
        (without_activity(0.7), without_activity(0.1), ["load"], ["load"]),
        (without_activity(3.0), without_activity(3.2), [], ["load"]),
        (without_activity(3.0), RUN, ["load"], ["load"]),
        (replace(RUN, jobs=None), replace(RUN, jobs=9), [], []),
        (Invocation(), during(other_cpu_s=9.0), [], []),
    ],
)
def test_a_disturbance_of_one_run_is_a_difference(
    before: Invocation, after: Invocation, by_cpu: list[str], by_wall: list[str]
) -> None:
    assert subjects(before, after) == by_cpu
    assert subjects(before, after, TimeKind.WALL) == by_wall


def test_the_findings_are_those_of_the_checks_of_the_doctor() -> None:
    """One function judges this machine and a recorded one."""
    busy = during(other_cpu_s=11.0)
    findings = {
        c.subject: c.found
        for c in SystemCheck.of_machine(busy.system, jobs=1, activity=busy.activity)
    }
    assert findings == {c.subject: c.found for c in SystemCheck.of_invocation(busy)}
    (difference,) = machine_differences([RUN], [busy])
    assert difference == Difference(
        "other programs", "0.05 of 2 cores in use", "1.10 of 2 cores in use"
    )
    assert difference.after == findings["other programs"]
    assert disturbances([busy]) == {"other programs": "1.10 of 2 cores in use"}
    assert disturbances([RUN]) == {}
    assert disturbances([without_activity(2.0)]) == {"load": "2.00 over the last minute"}


def test_a_run_of_several_commands_has_one_number_for_each_disturbance() -> None:
    """Decision and text of a comparison, and the report, have the same number."""
    busy, busier = during(seconds=30.0, other_cpu_s=30.0), during(other_cpu_s=18.0)
    for run in ([busy, busier], [busier, busy]):
        expected = {"other programs": "1.20 of 2 cores in use"}
        assert disturbances(run) == expected
        (difference,) = machine_differences(run, [busier])
        assert (difference.before, difference.after) == (
            "1.20 of 2 cores in use",
            "1.80 of 2 cores in use",
        )
        # 1.20 against 1.40, though one command had 1.80.
        assert machine_differences(run, [during(other_cpu_s=14.0)]) == []
        # A command that was killed has no record.
        assert disturbances([*run, replace(RUN, activity=None)]) == expected


def test_the_most_jobs_of_a_run_count() -> None:
    run = [replace(RUN, jobs=3), replace(RUN, jobs=8)]
    assert disturbances(run) == {"jobs": "8 trials at a time on 2 cores"}
    (difference,) = machine_differences(run, [replace(RUN, jobs=3)])
    assert (difference.before, difference.after) == (
        "8 trials at a time on 2 cores",
        "3 trials at a time on 2 cores",
    )
    assert machine_differences(run, [replace(RUN, jobs=8)]) == []


def test_throttling_of_any_command_counts() -> None:
    hot = during(heat_throttles=2, throttled_s=0.0)
    assert disturbances([hot, RUN]) == {"throttling": "heat slowed the cores down 2 times"}


def test_the_machines_of_a_resumed_run_are_all_compared() -> None:
    assert subjects(RUN, RUN) == []
    differences = machine_differences([RUN], [RUN, on(processor="Q")])
    assert differences == [Difference("processor", "P", "P, Q")]
    # The interruption killed the first invocation, which recorded no activity.
    without_activity = replace(RUN, activity=None)
    assert machine_differences([RUN], [without_activity, RUN]) == []


@pytest.mark.parametrize(
    ("before", "after", "differences"),
    [
        ((10.0, 9.5, 100), (10.0, 9.5, 100), []),
        ((10.0, 9.5, 100), (10.0, 8.6, 100), []),
        ((10.0, 9.5, 100), (10.0, 8.4, 100), [("5 %", "16 %")]),
        # The backend itself waits: no other process had its core.
        ((10.0, 9.5, 100), (10.0, 5.0, 0), []),
        # Too little wall time, in one run or in both.
        ((0.1, 0.1, 0), (0.1, 0.02, 100), []),
        ((0.15, 0.07, 100), (10.0, 4.7, 1000), []),
        ((0.9, 0.9, 0), (10.0, 4.7, 1000), []),
        ((1.0, 0.95, 100), (10.0, 4.7, 1000), [("5 %", "53 %")]),
    ],
)
def test_time_lost_to_other_processes_is_a_difference(
    before: tuple[float, float, int], after: tuple[float, float, int], differences: list[Any]
) -> None:
    still = BackendUsage(10, 10.0, 10.0, 0)
    rows = [("still", still, still), ("a", BackendUsage(10, *before), BackendUsage(10, *after))]
    differ = machine_differences([RUN], [RUN], rows)
    assert [(d.before, d.after) for d in differ] == differences
    assert all(d.subject == "wall time of a lost to other processes" for d in differ)


def slower_trials(trials_of: Trials, factor: float) -> pd.DataFrame:
    seconds = [0.01 * 1.1**n * factor for n in range(20)]
    trials = trials_of({"a": seconds})
    return trials.assign(cpu_s=trials["wall_s"], involuntary_switches=0)


@pytest.mark.parametrize(
    ("after", "changes", "is_worse", "is_doubtful"),
    [
        (RUN, ("slower", "faster"), True, False),
        (
            during(other_cpu_s=9.0),
            *[("slower, unequal machine", "faster, unequal machine")],
            False,
            True,
        ),
    ],
)
def test_a_change_on_an_unequal_machine_is_no_plain_one(
    trials_of: Trials,
    after: Invocation,
    changes: tuple[str, str],
    is_worse: bool,
    is_doubtful: bool,
) -> None:
    runs = slower_trials(trials_of, 1.0), slower_trials(trials_of, 2.0)
    slower = compare(*runs, invocations=([RUN], [after]))
    faster = compare(*runs[::-1], invocations=([RUN], [after]))
    assert (*slower.times["change"], *faster.times["change"]) == changes
    assert (slower.regressed, slower.suspected) == (is_worse, is_doubtful)
    assert (faster.regressed, faster.suspected) == (False, False)
    line, (sentence,) = comparison.verdict(slower), comparison.sentences(slower)
    assert line.startswith("REGRESSION: " if is_worse else "no regression: ")
    but = "but the conditions were not the same"
    assert (but in line, but in sentence) == (is_doubtful, is_doubtful)
    if is_doubtful:
        assert "no regression: 1 slower, but the conditions were not the same: before, " in line
        assert comparison.numbers_of_changes(slower)["slower, unequal machine"] == 1
        assert comparison.numbers_of_changes(faster)["faster, unequal machine"] == 1
        for difference in slower.unequal:
            assert f"{difference.subject}: {difference.before}" in line
            assert f"{difference.subject}: {difference.after}" in line
    assert sum(comparison.numbers_of_changes(slower).values()) == 1
    # The puzzles are those that changed in the direction of the times.
    assert (slower.puzzles["factor"] > 1.9).all()
    assert (faster.puzzles["factor"] < 0.6).all()


@pytest.mark.parametrize(
    ("after", "note"),
    [
        (on(turbo=True), "the conditions were not the same: before, turbo: off; after, turbo: on"),
        (on(processor="other"), "the machine was not the same: before, processor: "),
        (during(calibration_s=1.1e-3), "the conditions were not the same: before, speed of the "),
    ],
)
def test_a_note_names_an_unequal_machine_and_a_machine_at_another_speed(
    trials_of: Trials, after: Invocation, note: str
) -> None:
    trials = slower_trials(trials_of, 1.0)
    result = compare(trials, trials, invocations=([during(calibration_s=1e-3)], [after]))
    notes = [text for text in comparison.notes(result) if text.startswith(note)]
    assert len(notes) == 1
    assert "machine" not in comparison.verdict(result)


def test_what_disturbs_both_runs_is_no_difference_of_cpu_times(trials_of: Trials) -> None:
    trials = slower_trials(trials_of, 1.0)
    busy = [during(other_cpu_s=9.0)], [during(other_cpu_s=9.0)]
    assert compare(trials, trials, time=TimeKind.WALL, invocations=busy).unequal
    assert not compare(trials, trials, time=TimeKind.CPU, invocations=busy).unequal
    # A timeout is one of wall time, whatever times are compared.
    with_failure = trials.assign(verdict=trials["verdict"].where(trials.index > 0, "timeout"))
    assert compare(trials, with_failure, time=TimeKind.CPU, invocations=busy).unequal


@pytest.mark.parametrize(
    ("after", "change", "is_worse"),
    [(RUN, "new failure", True), (during(other_cpu_s=9.0), "new timeout, unequal machine", False)],
)
def test_a_new_timeout_on_an_unequal_machine_is_no_plain_failure(
    trials_of: Trials, after: Invocation, change: str, is_worse: bool
) -> None:
    before = trials_of({"a": [1.0, 1.0, "timeout", 1.0]})
    then = trials_of({"a": ["timeout", 1.0, 1.0, "crashed"]})
    result = compare(before, then, invocations=([RUN], [after]))
    assert list(result.status["change"]) == [
        *(["new failure"] * 2 if is_worse else ["new failure", change]),
        "fixed",
    ]
    assert result.regressed  # the crash
    result = compare(before.iloc[:3], then.iloc[:3], invocations=([RUN], [after]))
    assert list(result.status["change"]) == [change, "fixed"]
    assert (result.regressed, result.suspected) == (is_worse, not is_worse)
    if not is_worse:
        assert ", 1 new timeout, but the conditions were not the same: " in comparison.verdict(
            result
        )
    numbers = comparison.numbers_of_changes(result)
    assert numbers["new timeouts, unequal machine"] == (not is_worse)
    assert sum(numbers.values()) == 2


def test_machines_that_differ_by_name_alone_are_unequal(trials_of: Trials) -> None:
    here, there = slower_trials(trials_of, 1.0), slower_trials(trials_of, 2.0).assign(host="there")
    comparison = compare(here, there, across_machines=True)
    assert list(comparison.times["change"]) == ["slower, unequal machine"]
    assert comparison.unequal == (Difference("machine", "here", "there"),)


def test_only_the_machines_of_both_runs_count(trials_of: Trials) -> None:
    here, slow = slower_trials(trials_of, 1.0), slower_trials(trials_of, 2.0)
    after = pd.concat([slow, here.assign(host="new")])
    machines = [RUN], [RUN, on(host="new", processor="Q")]
    assert compare(here, after, invocations=machines).regressed


# Differences in the environment of two runs.


RECORD: dict[str, Any] = {
    "system": {
        "host": "here",
        "memory_bytes": 8 * 2**30,
        "usable_cores": [0, 1],
        "load_average": [0.1, 0.2, 0.3],
        "governor": "performance",
    },
    "python": "3.11.7",
    "checkout": {"commit": "abc", "dirty": False},
    "packages": {"ortools": "9.14", "pandas": "3.0"},
    "backends": {"cnf": {"options": {"solver": "minicard", "reuse": False}, "versions": {}}},
    "datasets": {"seeds": {"puzzles": 6, "sha256": "0123456789abcdef"}},
    "left_out": {},
}
INVOCATION = msgspec.convert(RECORD, Invocation)


def changes(system: dict[str, Any] | None = None, **after: Any) -> list[tuple[str, str, str]]:
    """The differences after these changes of the record."""
    other_record = RECORD | after | {"system": RECORD["system"] | (system or {})}
    later = msgspec.convert(other_record, Invocation)
    return [tuple(row) for row in environment_changes(INVOCATION, later).to_numpy()]


def test_every_difference_is_listed_the_machine_first() -> None:
    after: dict[str, Any] = {
        "system": {
            "host": "there",
            "memory_bytes": 16 * 2**30,
            "usable_cores": [0, 1, 2],
            "governor": "powersave",
        },
        "checkout": {"commit": "abc", "dirty": True},
        "packages": {"ortools": "9.15", "pandas": "3.0", "numba": "0.61"},
        "backends": {"cnf": {"options": {"solver": "glucose4", "reuse": False}, "versions": {}}},
        "datasets": {"seeds": {"puzzles": 6, "sha256": "f" * 64}},
        "left_out": {"cplex": "no licence"},
    }
    assert changes(**after) == [
        ("governor", "performance", "powersave"),
        ("machine", "here", "there"),
        ("usable cores", "2", "3"),
        ("memory", "8.0 GiB", "16.0 GiB"),
        ("checkout", "abc", "abc with changes"),
        ("cnf, option solver", "minicard", "glucose4"),
        ("cplex, left out", "", "no licence"),
        ("dataset seeds", "6 puzzles, 0123456789ab", "6 puzzles, ffffffffffff"),
        ("package ortools", "9.14", "9.15"),
        ("package numba", "", "0.61"),
    ]


def test_a_load_is_a_difference_only_if_one_fails_its_check() -> None:
    assert changes({"load_average": [0.4, 0, 0]}) == []
    assert changes({"load_average": [3, 0, 0]}) == [
        ("load", "0.10 over the last minute", "3.00 over the last minute")
    ]


def test_a_run_without_a_record_differs_in_everything() -> None:
    rows = environment_changes(Invocation(), INVOCATION)
    assert set(rows["before"]) == {""}
    assert {"machine", "package pandas"} <= set(rows["what"])
    assert environment_changes(Invocation(), Invocation()).empty


# The choice between wall time and CPU time: the rule, on runs with known use of their cores.


QUIET, BUSY = [during(other_cpu_s=0.2)], [during(other_cpu_s=9.0)]
CROWDED, STOLEN = [replace(RUN, jobs=4)], [during(stolen_s=1.0)]
STOPPED = [during(throttled_s=2.0)]


def usage_trials(
    trials_of: Trials, share: float, switches: int, wall_s: float = 0.5
) -> pd.DataFrame:
    """Twenty right answers with this CPU time per wall time and switches in each."""
    trials = trials_of({"a": [wall_s] * 20})
    return trials.assign(cpu_s=share * wall_s, involuntary_switches=switches)


@pytest.mark.parametrize(
    ("share", "switches", "preemption", "waiting"),
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
    trials_of: Trials, share: float, switches: int, preemption: float, waiting: float
) -> None:
    usage = usages(usage_trials(trials_of, share, switches))["a"]
    assert usage.preempted_share == pytest.approx(preemption)
    assert usage.waiting_share == pytest.approx(waiting)
    assert usage.threads == pytest.approx(share)
    assert usage.trials == 20
    assert usage.mean_wall_s == pytest.approx(0.5)


def test_turns_of_others_count_from_a_tenth_of_a_second() -> None:
    for turns, counts in ((5, True), (4, False)):
        assert BackendUsage(1, 1.0, 0.5, turns).is_preempted == counts


def test_only_right_answers_with_both_times_count(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 2.0, "timeout", "wrong"], "b": ["crashed"]})
    trials["cpu_s"] = [0.5, None, 9.0, 9.0, 9.0]
    assert usages(trials) == {"a": BackendUsage(1, 1.0, 0.5, 0)}
    assert BackendUsage() == BackendUsage(0, 0.0, 0.0, 0)


@pytest.mark.parametrize(
    ("share", "switches", "machines", "kind", "reason"),
    [
        (1.0, 0, (QUIET, QUIET), TimeKind.WALL, "no disturbance"),
        (0.95, 20, (QUIET, QUIET), TimeKind.WALL, "no disturbance"),
        (1.0, 0, (QUIET, BUSY), TimeKind.CPU, "(after, other programs: 0.90 of 2 cores in use)"),
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
    trials = usage_trials(trials_of, share, switches)
    (choice,) = choose_times(trials, trials, machines).values()
    assert choice.time is kind
    assert reason in choice.reason


def test_a_comparison_has_the_chosen_time(trials_of: Trials) -> None:
    trials = usage_trials(trials_of, 0.5, 100)
    comparison = compare(trials, trials, invocations=(QUIET, QUIET))
    assert comparison.time is TimeKind.CPU
    assert list(comparison.times["time"]) == ["cpu"]
    assert list(comparison.times["before_s"]) == pytest.approx([0.25])


def test_one_run_with_several_threads_is_enough(trials_of: Trials) -> None:
    single_thread, several = usage_trials(trials_of, 1.0, 0), usage_trials(trials_of, 2.0, 0)
    for before, after in ((single_thread, several), (several, single_thread)):
        (choice,) = choose_times(before, after, (BUSY, BUSY)).values()
        assert choice.time is TimeKind.WALL


def test_very_short_calls_are_compared_by_wall_time(trials_of: Trials) -> None:
    for wall_s, kind in ((4e-5, TimeKind.WALL), (6e-5, TimeKind.CPU)):
        trials = usage_trials(trials_of, 1.0, 0, wall_s)
        (choice,) = choose_times(trials, trials, (BUSY, BUSY)).values()
        assert choice.time is kind


def test_missing_cpu_times_leave_wall_time(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 2.0], "b": [1.0, 2.0]})
    trials["cpu_s"] = [1.0, None, 1.0, 2.0]
    choices = choose_times(trials, trials, (BUSY, BUSY))
    assert choices["a"].time is TimeKind.WALL
    assert choices["a"].reason == "CPU time is not recorded for all right answers"
    assert choices["b"].time is TimeKind.CPU


def test_a_run_without_right_answers_leaves_the_choice_to_the_other(trials_of: Trials) -> None:
    solved, timeouts = usage_trials(trials_of, 2.0, 0), trials_of({"a": ["timeout"] * 20})
    (choice,) = choose_times(timeouts, solved, (BUSY, BUSY)).values()
    assert "several threads" in choice.reason
    (choice,) = choose_times(timeouts, timeouts, (BUSY, BUSY)).values()
    assert choice.time is TimeKind.CPU


def test_a_requested_time_needs_all_its_values(trials_of: Trials) -> None:
    trials = usage_trials(trials_of, 0.5, 0)
    for kind in TimeKind:
        comparison = compare(trials, trials, time=kind)
        assert comparison.time is kind
        assert comparison.choices["a"].reason == ""
    lacking: Any = trials.assign(cpu_s=None)
    for runs in ((trials, lacking), (lacking, trials)):
        with pytest.raises(ValueError, match="no CPU time was recorded for 20 of 20"):
            compare(*runs, time=TimeKind.CPU)
