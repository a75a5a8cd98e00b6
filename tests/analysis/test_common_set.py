"""The common set of instances, and the values that every measure takes over it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.comparison_group import comparison_groups
from harness.analysis.curves import scaling, survival
from harness.analysis.difficulty import by_difficulty
from harness.analysis.ranking import averages
from harness.analysis.results import common_instances, results_of, with_common_set
from harness.analysis.run import Run
from harness.analysis.summary import summary
from harness.analysis.timing import throughput
from tests.trials import trials_from

Trials = Callable[..., pd.DataFrame]

FAST_ON_EASY: dict[str, list[Any]] = {
    # The first backend was run on all instances, the hard ones included; the second stopped
    # before them. Over all of its instances the first is 5.5 times slower, over the common
    # ones twice as fast.
    "all": [1.0, 1.0, 1.0, 1.0, 25.0, 37.0],
    "easy": [2.0, 2.0, 2.0, 2.0, None, None],
}


def test_no_ratio_is_taken_between_different_instances(trials_of: Trials) -> None:
    trials = trials_of(FAST_ON_EASY, timeout_s=100.0)
    table = summary(trials).set_index("backend")
    assert list(table.index) == ["all", "easy"]
    assert table["ratio"].to_dict() == {"all": 1.0, "easy": 2.0}
    assert table["par2_s"].to_dict() == {"all": 1.0, "easy": 2.0}
    assert table["total_s"].to_dict() == {"all": 4.0, "easy": 8.0}
    assert table["trials"].to_dict() == {"all": 6, "easy": 4}
    assert table["solved"].to_dict() == {"all": 6, "easy": 4}
    assert table["instances"].to_dict() == {"all": 4, "easy": 4}
    assert set(table["left_out"]) == {2}


def test_every_measure_has_the_values_of_the_common_instances_alone(trials_of: Trials) -> None:
    trials = trials_of(FAST_ON_EASY, timeout_s=100.0, shape="4x4")
    whole, common = results_of(trials), results_of(trials[trials["puzzle_id"] < "p0004"])
    same: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
        "throughput": throughput,
        "by-difficulty": by_difficulty,
        "survival": survival,
        "scaling": scaling,
        "averages": averages,
    }
    for name, measure in same.items():
        found, expected = (measure(frame).drop(columns="left_out") for frame in (whole, common))
        pd.testing.assert_frame_equal(found, expected, obj=name)
        assert set(measure(whole)["left_out"]) == {2}, name
    for name in ("ranks", "pairwise", "contributions", "pooled", "phases"):
        found, expected = (
            Run(Path(), t).measure(name).drop(columns="left_out", errors="ignore")
            for t in (trials, trials[trials["puzzle_id"] < "p0004"])
        )
        pd.testing.assert_frame_equal(found, expected, obj=name)


def test_a_failure_outside_the_common_set_is_counted(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 1.0, "crashed"], "b": [2.0, 2.0, None]})
    table = summary(trials).set_index("backend")
    assert table["crashed"].to_dict() == {"a": 1, "b": 0}
    assert table["failed"].to_dict() == {"a": 1, "b": 0}
    assert table["ratio"].to_dict() == {"a": 1.0, "b": 2.0}
    assert not table["mean_is_bound"].any()


def test_a_wrong_answer_outside_the_common_set_disqualifies(trials_of: Trials) -> None:
    trials = trials_of({"liar": [0.1, 0.1, "wrong", 0.1], "b": [2.0, 2.0, None, 4.0]})
    table = summary(trials).set_index("backend")
    assert table["wrong"].to_dict() == {"liar": 1, "b": 0}
    assert pd.isna(table["ratio"]["liar"])
    # The common set is that of the eligible backends alone.
    assert table["instances"].to_dict() == {"liar": 3, "b": 3}
    rates = throughput(results_of(trials)).set_index("backend")
    assert rates["wrong"].to_dict() == {"liar": 1, "b": 0}
    assert pd.isna(rates["puzzles_per_s"]["liar"])
    assert survival(results_of(trials)).set_index("backend")["rmst_s"].isna().to_dict() == {
        "liar": True,
        "b": False,
    }


@pytest.mark.parametrize("name", ["summary", "ranks", "contributions", "averages", "throughput"])
def test_every_table_has_one_number_of_instances_of_a_wrong_backend(
    trials_of: Trials, name: str
) -> None:
    """`liar` was run on 2 of the 4 instances that `a` and `b` have in common."""
    times = {"liar": [0.1, "wrong", None, None, 0.3], "a": [1.0] * 4 + [None], "b": [2.0] * 5}
    table = Run(Path(), trials_of(times)).measure(name).set_index("backend")
    assert table["instances"].to_dict() == {"liar": 2, "a": 4, "b": 4}


def test_without_a_common_instance_there_is_no_value(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, None], "b": [None, 2.0]})
    table = summary(trials)
    assert table["solved"].tolist() == [1, 1]
    assert table["instances"].tolist() == [0, 0]
    assert table[["par2_s", "median_s", "ratio"]].isna().all(axis=None)
    assert throughput(results_of(trials))["puzzles_per_s"].isna().all()
    assert by_difficulty(results_of(trials)).empty


def test_each_comparison_group_has_its_own_common_set(trials_of: Trials) -> None:
    one = trials_of({"a": [1.0, 1.0], "b": [2.0, None]})
    other = trials_of({"a": [1.0, 1.0], "b": [2.0, 2.0]}, dataset="e")
    table = summary(pd.concat([one, other]))
    assert table["instances"].tolist() == [1, 1, 2, 2]
    assert table["left_out"].tolist() == [1, 1, 0, 0]


TRIAL = st.tuples(
    st.sampled_from("ab"),  # dataset
    st.sampled_from("xyz"),  # backend
    st.integers(0, 4),  # puzzle
    st.sampled_from(["solved", "solved", "solved", "timeout", "wrong"]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(TRIAL, min_size=1, max_size=40))
def test_the_common_set_is_that_of_its_definition(made: list[tuple[str, str, int, str]]) -> None:
    columns = ("dataset", "backend", "puzzle_id", "verdict")
    rows = [dict(zip(columns, (d, b, f"p{p}", v), strict=True)) for d, b, p, v in made]
    trials = trials_from(rows, wall_s=1.0, host="here", stats="{}", name="n")
    results = results_of(trials)
    common, left_out = common_instances(results)
    for n, row in enumerate(results.to_dict("records")):
        group = [t for t in made if t[0] == row["dataset"]]
        wrong = {b for _, b, _, v in group if v == "wrong"}
        eligible = {b for _, b, _, _ in group} - wrong
        sets = [{p for _, b, p, _ in group if b == backend} for backend in eligible]
        every = {p for _, _, p, _ in group}
        expected = set.intersection(every, *sets)
        assert common[n] == (int(row["puzzle_id"][1:]) in expected)
        assert left_out[n] == len(every - expected)
    for group_of in comparison_groups(results):
        mine = results[common & (results["dataset"] == group_of.key["dataset"]).to_numpy()]
        assert set(group_of.puzzles) == set(mine["puzzle_id"])


def test_the_order_of_rows_changes_nothing(trials_of: Trials) -> None:
    trials = trials_of(FAST_ON_EASY)
    marked = with_common_set(results_of(trials))
    again = with_common_set(results_of(trials.iloc[np.random.default_rng(0).permutation(10)]))
    key = ["backend", "puzzle_id"]
    columns = [*key, "common", "left_out"]
    one, other = (frame[columns].astype(dict.fromkeys(key, "str")) for frame in (marked, again))
    pd.testing.assert_frame_equal(
        one.sort_values(key, ignore_index=True), other.sort_values(key, ignore_index=True)
    )


@pytest.mark.parametrize("chosen", [None, ["all"]])
def test_curves_cover_the_instances_of_the_chosen_backends(
    trials_of: Trials, chosen: list[str] | None
) -> None:
    run = Run(Path(), trials_of(FAST_ON_EASY, timeout_s=100.0))
    curve = run.cactus(chosen)
    assert curve["answered"].max() == (4 if chosen is None else 6)
    assert curve["share"].max() == 1.0
