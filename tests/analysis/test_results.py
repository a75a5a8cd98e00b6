"""Results: repetitions of an instance reduced to one row."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.columns import GROUP_COLUMNS, LABELLED_GROUP_COLUMNS
from harness.analysis.comparison_group import comparison_groups
from harness.analysis.results import pool, results_of

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
