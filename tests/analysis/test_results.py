"""Results: repetitions reduced to one value, and times of trials."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.columns import GROUP_COLUMNS, LABELLED_GROUP_COLUMNS
from harness.analysis.comparison_group import comparison_groups
from harness.analysis.measure import MEASURES
from harness.analysis.results import limit_of, limits, pool, results_of, timed
from harness.analysis.run import Run
from harness.analysis.summary import INCIDENTS, SETTINGS
from harness.analysis.timing import PHASES
from harness.errors import InputError, OptionError
from harness.records.question import TimeKind

# Results: repetitions of an instance reduced to one row.


Trials = Callable[..., pd.DataFrame]


@pytest.mark.parametrize(
    ("repetitions", "answered", "time"),
    [
        ((3.0,), True, 3.0),
        ((3.0, 1.0, 2.0), True, 2.0),
        ((4.0, 1.0), True, 2.5),
        ((1.0, 2.0, "timeout"), True, 2.0),
        ((1.0, "timeout"), False, 10.0),
        ((1.0, "crashed", "timeout"), False, 10.0),
        ((1.0, 2.0, 3.0, "wrong"), False, 10.0),
        (("unknown",), False, 10.0),
    ],
)
def test_a_result_is_what_most_of_its_repetitions_are(
    trials_of: Trials, repetitions: tuple[float | str, ...], answered: bool, time: float
) -> None:
    table = results_of(trials_of({"a": [repetitions]}))
    assert len(table) == 1
    assert (table["answered"][0], table["time_s"][0]) == (answered, time)
    assert table["trials"][0] == len(repetitions)
    assert table["right"][0] == sum(isinstance(r, float) for r in repetitions)


def test_the_verdict_is_that_of_a_trial_that_ended_as_the_result_does(trials_of: Trials) -> None:
    repetitions = [("timeout", 1.0, 1.0), (1.0, "crashed", "timeout"), (1.0, 1.0, "wrong")]
    table = results_of(trials_of({"a": repetitions}))
    assert list(table["verdict"]) == ["solved", "crashed", "wrong"]


def test_a_failure_counts_with_the_limit_however_soon_it_came(trials_of: Trials) -> None:
    trials = trials_of({"a": ["crashed"]})
    trials["wall_s"] = 0.001
    assert results_of(trials)["time_s"][0] == 10.0


def test_machines_and_limits_separate_comparison_groups(trials_of: Trials) -> None:
    results = {"a": [1.0], "b": [2.0]}
    places: list[dict[str, Any]] = [
        {},
        {"host": "there"},
        {"memory_limit_mib": 100},
        {"cpu_limit_s": 3.0},
        {"timeout_s": 5.0},
        {"start": "warm"},
        {"dataset": "e"},
        {"task": "count", "limit": 2},
        {"task": "count", "limit": 3},
    ]
    trials = pd.concat([trials_of(results, **place) for place in places])
    found = list(comparison_groups(results_of(trials)))
    assert len(found) == len(places)
    assert all(group.time.tolist() == [[1.0, 2.0]] for group in found)


def test_a_missing_trial_is_not_a_failure(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 2.0, 3.0], "b": [4.0, None, "timeout"]})
    (group,) = comparison_groups(results_of(trials))
    assert list(group.puzzles) == ["p0000", "p0002"]
    assert group.answered.tolist() == [[True, True], [True, False]]
    assert group.left_out == 1


def test_a_backend_with_a_wrong_answer_is_not_eligible(trials_of: Trials) -> None:
    (group,) = comparison_groups(results_of(trials_of({"a": [1.0], "b": [("wrong", 0.1, 0.1)]})))
    assert (group.backends, group.wrong.tolist()) == (("a", "b"), [0, 1])
    assert group.eligible().backends == ("a",)


def test_guesses_are_read_under_the_names_of_the_solvers(trials_of: Trials) -> None:
    def stats(number: int) -> str:
        reported = ['{"nodes": 9, "guesses": 4}', '{"decisions": 7, "branches": 1}', "{}"]
        return reported[number]

    table = results_of(trials_of({"a": [1.0, 1.0, 1.0]}, stats=stats))
    assert table["guesses"].tolist()[:2] == [4.0, 7.0]
    assert list(table["guesses_are"])[:2] == ["guesses", "decisions"]
    assert table.loc[2, ["guesses", "guesses_are"]].isna().all()


def test_the_same_puzzle_in_two_datasets_is_two_instances(trials_of: Trials) -> None:
    trials = pd.concat([trials_of({"a": [1.0, 2.0]}, dataset=name) for name in ("d", "e")])
    (group,) = comparison_groups(pool(results_of(trials)))
    assert group.time.tolist() == [[1.0], [2.0], [1.0], [2.0]]
    assert group.key["dataset"] == "all datasets"


def test_the_order_of_trials_changes_nothing(trials_of: Trials) -> None:
    random = np.random.default_rng(1)
    trials = trials_of({b: [tuple(random.random(3)) for _ in range(20)] for b in "cab"})
    (one,) = comparison_groups(results_of(trials))
    (other,) = comparison_groups(results_of(trials.sample(frac=1, random_state=2)))
    assert one.backends == other.backends == ("a", "b", "c")
    assert (one.time == other.time).all()


def test_no_trials_give_no_results(trials_of: Trials) -> None:
    table = results_of(trials_of({"a": [1.0]}).iloc[:0])
    assert table.empty
    assert list(comparison_groups(table)) == []


def test_tables_with_their_own_groups_show_dataset_and_task_in_every_row(
    trials_of: Trials,
) -> None:
    results = results_of(trials_of({"a": [1.0]}))
    shown = {c.name: c.shown(results) for c in LABELLED_GROUP_COLUMNS if c.title}
    assert {name for name, is_shown in shown.items() if is_shown} == {"dataset", "task"}
    assert set(shown) == {c.name for c in GROUP_COLUMNS if c.title}


@pytest.mark.parametrize(
    ("repetitions", "verdict"),
    [
        (("timeout", "wrong", 1.0), "wrong"),
        ((1.0, "crashed", "wrong"), "wrong"),
        (("timeout", 1.0, 1.0), "solved"),
        ((1.0, "timeout", "crashed"), "timeout"),
    ],
)
def test_the_verdict_of_a_result_is_that_of_its_decisive_trial(
    trials_of: Trials, repetitions: tuple[object, ...], verdict: str
) -> None:
    (row,) = results_of(trials_of({"a": [repetitions]})).to_dict("records")
    assert row["verdict"] == verdict


def test_an_instance_is_one_puzzle_unless_calls_have_many(trials_of: Callable[..., Any]) -> None:
    trials = trials_of({"a": [0.1, 0.2]})
    assert results_of(trials)["puzzles"].tolist() == [1, 1]
    assert results_of(trials.assign(puzzles=[4, 5]))["puzzles"].tolist() == [4, 5]


# Wall time and CPU time: every measure and chart takes the time that the run is about.


MIXED = {
    "a": [(1.0, 1.5), (2.0, 2.5), "timeout", (0.5, 0.7)],
    "b": [2.0, (4.0, "crashed", 3.0), 1.0, 3.0],
    "c": [1.0, 1.0, (2.0, 2.0), "out_of_memory"],
}


@pytest.fixture(scope="module")
def mixed(trials_of: Trials) -> pd.DataFrame:
    """Trials on two machines and two sizes whose CPU times order the backends differently."""
    made = pd.concat(
        [
            trials_of(MIXED, stats='{"guesses": 1}'),
            trials_of(MIXED, host="there", dataset="e", stats='{"guesses": 12}'),
            trials_of(MIXED, shape="9x9", puzzle="." * 81, timeout_s=20.0),
        ],
        ignore_index=True,
    )
    factors = np.random.default_rng(1).uniform(0.1, 0.9, len(made))
    made["cpu_s"] = made["wall_s"] * factors
    made["search_s"] = made["wall_s"] / 2
    return made


def swapped(trials: pd.DataFrame) -> pd.DataFrame:
    return trials.assign(wall_s=trials["cpu_s"], cpu_s=trials["wall_s"])


@pytest.mark.parametrize("name", [name for name in MEASURES if name != PHASES.name])
def test_a_measure_of_cpu_times_is_that_of_wall_times_of_equal_length(
    mixed: pd.DataFrame, name: str
) -> None:
    by_cpu = Run(Path(), mixed).timed("cpu").measure(name)
    as_wall = Run(Path(), swapped(mixed)).measure(name)
    assert len(by_cpu) or name in (SETTINGS.name, INCIDENTS.name)
    assert set(by_cpu.get("time", ["cpu"])) == {"cpu"}
    assert set(as_wall.get("time", ["wall"])) == {"wall"}
    pd.testing.assert_frame_equal(
        by_cpu.drop(columns="time", errors="ignore"), as_wall.drop(columns="time", errors="ignore")
    )


def test_phases_divide_wall_time_in_every_report(mixed: pd.DataFrame) -> None:
    run = Run(Path(), mixed)
    phases = run.timed(TimeKind.CPU).phases()
    pd.testing.assert_frame_equal(phases, run.phases())
    assert set(phases["time"]) == {"wall"}


def test_results_and_curves_have_the_time_of_the_run(mixed: pd.DataFrame) -> None:
    by_cpu, as_wall = Run(Path(), mixed).timed("cpu"), Run(Path(), swapped(mixed))
    for one, other in (
        (by_cpu.results, as_wall.results),
        (by_cpu.cactus(), as_wall.cactus()),
        (by_cpu.performance_profile(), as_wall.performance_profile()),
        (by_cpu.answers[["time_s"]], as_wall.answers[["time_s"]]),
    ):
        assert len(one)
        pd.testing.assert_frame_equal(
            one.drop(columns="time", errors="ignore"), other.drop(columns="time", errors="ignore")
        )
    assert by_cpu.across_machines().time is TimeKind.CPU


def test_each_backend_may_have_its_own_time(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 2.0], "b": [3.0]}).assign(cpu_s=[0.1, 0.2, 0.3])
    made = timed(trials, {"a": TimeKind.CPU, "b": TimeKind.WALL})
    assert list(made["time"]) == ["cpu", "cpu", "wall"]
    assert list(made["time_s"]) == [0.1, 0.2, 3.0]
    table = results_of(made).set_index(["backend", "puzzle_id"])["time_s"]
    assert table.to_dict() == {("a", "p0000"): 0.1, ("a", "p0001"): 0.2, ("b", "p0000"): 3.0}


@pytest.mark.parametrize(
    ("time", "cpu_limit", "limit"),
    [("wall", 0.0, 10.0), ("wall", 4.0, 10.0), ("cpu", 0.0, 10.0), ("cpu", 4.0, 4.0)],
)
def test_a_failure_counts_as_the_limit_of_its_time(
    trials_of: Trials, time: str, cpu_limit: float, limit: float
) -> None:
    group = {"time": time, "timeout_s": 10.0, "cpu_limit_s": cpu_limit}
    assert limit_of(group) == limit
    assert list(limits(pd.DataFrame([group]))) == [limit]
    # A timeout by wall time that used hardly any CPU time is a timeout under both.
    trials = trials_of({"a": [1.0, "timeout"]}, cpu_limit_s=cpu_limit).assign(cpu_s=[0.5, 0.001])
    run = Run(Path(), trials).timed(time)
    (row,) = run.summary().to_dict("records")
    right = {"wall": 1.0, "cpu": 0.5}[time]
    assert (row["solved"], row["timeout"]) == (1, 1)
    assert row["par2_s"] == (right + 2 * limit) / 2
    assert row["mean_s"] == (right + limit) / 2
    assert run.averages()["par10_s"][0] == (right + 10 * limit) / 2
    assert run.ranks()["total_s"][0] == right + limit


def test_a_failure_never_shortens_a_result_of_several_threads(trials_of: Trials) -> None:
    """Right answers of 58 and 60 s of CPU time within 10 s of wall time, and a crash."""
    trials = trials_of({"a": [(1.0, 1.0, "crashed")]}).assign(cpu_s=[58.0, 60.0, 0.1])
    assert list(Run(Path(), trials).timed("cpu").results["time_s"]) == [60.0]


def test_right_answers_without_cpu_time_are_an_error_that_names_them(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 2.0, "timeout"], "b": [1.0]})
    trials["cpu_s"] = [0.1, None, None, None]
    with pytest.raises(InputError) as error:
        Run(Path(), trials).timed("cpu")
    assert "no CPU time was recorded for 2 of 3 right answers (a, b)" in str(error.value)
    assert "--time wall" in error.value.expected
    # A failure needs no time.
    known = trials[trials["verdict"] == "timeout"]
    assert len(Run(Path(), known).timed("cpu").failures()) == 1


def test_an_unknown_time_lists_the_known_ones(trials_of: Trials) -> None:
    with pytest.raises(OptionError) as error:
        Run(Path(), trials_of({"a": [1.0]})).timed("user")
    assert error.value.where == "time"
    assert "wall, cpu" in error.value.expected
