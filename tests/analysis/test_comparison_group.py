"""Comparison groups: calls, common instances, statistics of times."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.changes import time_share
from harness.analysis.comparison import compare
from harness.analysis.comparison_group import (
    comparison_groups,
    median,
    par,
    shifted_geometric_mean,
    time_statistics,
)
from harness.analysis.curves import scaling, survival
from harness.analysis.difficulty import by_difficulty
from harness.analysis.measure import measures_of
from harness.analysis.pairwise import pairwise
from harness.analysis.ranking import averages
from harness.analysis.results import by_call, common_instances, results_of, with_common_set
from harness.analysis.run import Run
from harness.analysis.summary import summary
from harness.analysis.timing import throughput
from harness.api import run
from harness.report.table import note_text
from tests.trials import trials_from

# The start `batch`: one call is one measurement, whatever the number of its puzzles.


Trials = Callable[..., pd.DataFrame]


def calls_of(
    trials_of: Trials,
    results: dict[str, list[float | str]],
    puzzles: int = 5,
    **columns: Any,
) -> pd.DataFrame:
    """Trials of one call for each value: its time per puzzle, or the verdict of one puzzle."""
    parts = []
    for backend, calls in results.items():
        for number, value in enumerate(calls, 1):
            failed = isinstance(value, str)
            times = [0.001 if failed else value] * (puzzles - 1) + [value]
            part = trials_of({backend: times}, start="batch", call="c0ffee", **columns)
            parts.append(part.assign(repetition=number))
    return pd.concat(parts, ignore_index=True)


def test_a_call_is_one_instance(trials_of: Trials) -> None:
    trials = calls_of(trials_of, {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.4, 0.6]})
    results = results_of(by_call(trials))
    assert len(results) == 6
    assert results["time_s"].tolist() == [0.1, 0.2, 0.3, 0.2, 0.4, 0.6]
    assert results["puzzles"].tolist() == [5] * 6
    assert set(results["name"]) == {"call of 5 puzzles"}
    (row,) = pairwise(results).to_dict("records")
    assert (row["instances"], row["wins"]) == (3, 3)
    assert not row["different"]
    assert pd.isna(row["factor_low"])


def test_the_limit_of_a_call_is_that_of_all_its_puzzles(trials_of: Trials) -> None:
    trials = calls_of(trials_of, {"a": [1.0, 0.5]}, puzzles=4, timeout_s=10.0)
    assert time_share(trials).tolist() == [0.4] * 4 + [0.2] * 4
    assert time_share(trials.assign(start="warm")).tolist() == [0.1] * 4 + [0.05] * 4


def test_eight_calls_are_enough_for_a_difference_and_seven_are_not(trials_of: Trials) -> None:
    for number, different in ((7, False), (8, True)):
        trials = calls_of(trials_of, {"a": [0.1] * number, "b": [0.2] * number})
        (row,) = pairwise(results_of(by_call(trials))).to_dict("records")
        assert (row["different"], row["instances"]) == (different, number)


@pytest.mark.long
def test_copies_of_one_backend_are_not_different(trials_of: Trials) -> None:
    """The time of a call is noise that its puzzles share."""
    for seed in range(6):
        random = np.random.default_rng(seed)
        noise = {name: list(0.1 * np.exp(random.normal(0, 0.3, 10))) for name in "abc"}
        table = pairwise(results_of(by_call(calls_of(trials_of, noise, 5))))
        assert not table["different"].any(), seed


def test_a_call_with_a_failure_is_not_answered_and_one_with_a_wrong_answer_excludes(
    trials_of: Trials,
) -> None:
    trials = calls_of(trials_of, {"a": [0.1, "unknown"], "b": [0.1, "wrong"]})
    results = results_of(by_call(trials))
    assert results["answered"].tolist() == [True, False, True, False]
    assert results["time_s"].tolist() == [0.1, 10.0, 0.1, 10.0]
    assert results["wrong"].tolist() == [0, 0, 0, 1]
    a, b = summary(trials).to_dict("records")
    assert [a[name] for name in ("trials", "solved", "unknown", "instances")] == [10, 4, 1, 2]
    assert pd.isna(b["ratio"])


def test_other_puzzles_are_another_call(trials_of: Trials) -> None:
    same = calls_of(trials_of, {"a": [0.1], "b": [0.1]})
    other = same.assign(call=same["call"].mask(same["backend"] == "b", "decade"))
    assert pairwise(results_of(by_call(same)))["instances"].tolist() == [1]
    table = pairwise(results_of(by_call(other)))
    assert (table["instances"].tolist(), table["left_out"].tolist()) == ([0], [2])


def test_a_store_without_calls_has_one_call_for_each_repetition(trials_of: Trials) -> None:
    trials = calls_of(trials_of, {"a": [0.1, 0.2]}).drop(columns="call")
    trials = trials.reindex(columns=[*trials, "call"])
    assert len(results_of(by_call(trials))) == 2


def test_rates_weigh_puzzles_and_guesses_are_those_of_calls(trials_of: Trials) -> None:
    few = calls_of(trials_of, {"a": [0.4]}, 2, stats='{"guesses": 3.0}')
    many = calls_of(trials_of, {"a": [0.1]}, 8, stats='{"guesses": 0.5}')
    trials = pd.concat([few.assign(call="beef"), many])
    (row,) = throughput(results_of(by_call(trials))).to_dict("records")
    assert row["puzzles_per_s"] == pytest.approx(10 / (2 * 0.4 + 8 * 0.1))
    assert row["guesses_per_puzzle"] == pytest.approx((2 * 3 + 8 * 0.5) / 10)
    assert pd.isna(row["share_without_guess"])
    (whole,) = summary(trials).to_dict("records")
    assert whole["total_s"] == pytest.approx(2 * 0.4 + 8 * 0.1)
    assert (whole["median_s"], whole["instances"]) == (pytest.approx(0.25), 2)


def test_calls_have_no_difficulty_and_no_spread(trials_of: Trials) -> None:
    trials = calls_of(trials_of, {"a": [0.1, 0.5]}, stats='{"guesses": 3.0}')
    assert by_difficulty(results_of(by_call(trials))).empty
    assert Run(Path(), trials).stability().empty


def test_calls_are_compared_with_equal_calls_and_failures_by_puzzle(trials_of: Trials) -> None:
    before = calls_of(trials_of, {"a": [0.1] * 9})
    slower = calls_of(trials_of, {"a": [0.2] * 9})
    found = compare(before, slower)
    (row,) = found.times.to_dict("records")
    assert (row["change"], row["instances"]) == ("slower", 9)
    assert found.puzzles.empty
    broken = calls_of(trials_of, {"a": [0.1] * 8 + ["crashed"]})
    (status,) = compare(before, broken).status.to_dict("records")
    assert (status["name"], status["change"]) == ("n4", "new failure")
    apart = compare(before, slower.assign(call="decade"))
    assert apart.times.empty
    assert "calls that have other puzzles" in " ".join(apart.notes)
    more = calls_of(trials_of, {"a": [0.1] * 9, "b": [0.1] * 9})
    partial = compare(before, more.assign(call="decade"))
    assert "5 results are only in the second run" in partial.partial
    assert "calls that have other puzzles" not in " ".join(partial.notes)


def test_a_call_that_times_out_is_one_failure_at_the_limit(trials_of: Trials) -> None:
    """Its 40 puzzles fail together; a call that took half of the limit before was near it."""
    before = calls_of(trials_of, {"a": [0.15] * 9}, puzzles=40)
    after = before.assign(
        verdict=before["verdict"].mask(before["repetition"] == 1, "timeout"),
    )
    found = compare(before, after)
    assert found.limits["more"].tolist() == [1]
    assert not found.regressed
    assert set(found.status["change"]) == {"near the limit"}
    quick, late = (t[t["repetition"] == 1].assign(wall_s=0.01) for t in (before, after))
    assert compare(quick, late).regressed


def test_a_run_records_its_calls(tmp_path: Path) -> None:
    puzzles = tmp_path / "p.txt"
    puzzles.write_text("1234341221434..1\n....341221434321\n1...34122143432.\n")
    done = run(puzzles, ["native", "cnf"], starts=["batch", "cold"], repeat=3, out=tmp_path / "r")
    batch = done.trials["start"] == "batch"
    assert done.trials.loc[batch, "call"].nunique() == 1
    assert done.trials.loc[~batch, "call"].isna().all()
    table = done.pairwise().set_index("start")
    assert table["instances"].to_dict() == {"batch": 3, "cold": 3}
    assert set(done.results.loc[done.results["start"] == "batch", "puzzles"]) == {3}


def test_phases_are_over_common_calls(trials_of: Trials) -> None:
    """`b` had another composition of puzzles in its second call, so that call is left out."""
    trials = calls_of(trials_of, {"a": [0.1, 0.2], "b": [0.1, 0.2]}, search_s=0.05)
    second_of_b = (trials["backend"] == "b") & (trials["repetition"] == 2)
    trials = trials.assign(call=trials["call"].mask(second_of_b, "decade"))
    table = Run(Path(), trials).phases().set_index("backend")
    assert table["answers"].to_dict() == {"a": 5, "b": 5}
    assert table["left_out"].to_dict() == {"a": 2, "b": 2}
    assert table["search_share"].tolist() == pytest.approx([0.5, 0.5])


# The common set of instances, and the values that every measure takes over it.


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


@settings(max_examples=25, deadline=None)
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


# Statistics of the times of one backend, by hand and by scipy.


def test_par_by_hand() -> None:
    time, answered = np.array([1.0, 2.0, 10.0]), np.array([True, True, False])
    assert par(time, answered, 10.0) == (1 + 2 + 20) / 3
    assert par(time, answered, 10.0, 10) == (1 + 2 + 100) / 3


def test_the_shifted_geometric_mean_by_hand_and_by_scipy() -> None:
    # (1 + 1) (7 + 1) = 16, its root 4, less the shift 3.
    assert shifted_geometric_mean(np.array([1.0, 7.0]), 1.0) == pytest.approx(3.0)
    times = np.random.default_rng(0).exponential(1, 50)
    assert shifted_geometric_mean(times, 0.5) == pytest.approx(scipy.stats.gmean(times + 0.5) - 0.5)
    assert shifted_geometric_mean(times, 0.0) == pytest.approx(scipy.stats.gmean(times))


def test_a_median_among_failures_is_a_bound() -> None:
    time = np.array([1.0, 2.0, 10.0, 10.0])
    assert median(time[:3], np.array([True, True, False])) == (2.0, False)
    assert median(time, np.array([True, True, False, False])) == (6.0, True)


def test_no_times_have_no_statistics() -> None:
    found = time_statistics(np.array([]), np.array([], dtype=bool), 10.0)
    assert (found["instances"], found["answered"]) == (0, 0)
    assert all(np.isnan(found[name]) for name in ("median_s", "par2_s", "sgm_1ms_s"))


# Every comparative table says how many instances it covers and how many it leaves out.


COMPARATIVE = (
    *("summary", "ranks", "pairwise", "contributions", "averages", "throughput"),
    *("by-difficulty", "phases", "pooled", "scaling", "survival"),
)


@pytest.mark.parametrize("name", COMPARATIVE)
def test_a_table_states_what_it_leaves_out(
    trials_of: Callable[..., pd.DataFrame], name: str
) -> None:
    """Two instances of five are only those of `a`."""
    times = {"a": [0.1, 0.2, 0.3, 0.4, 0.5], "b": [0.1, 0.2, 0.3, None, None]}
    run = Run(Path(), trials_of(times, shape="4x4", search_s=0.01))
    (measure,) = measures_of([name])
    table = run.measure(measure)
    assert set(table["left_out"]) == {2}
    notes = list(map(note_text, measure.notes(table)))
    assert any("all backends were run on" in note and "left out: 2" in note for note in notes)
    count = "answers" if name == "phases" else "instances"
    shown = {column.name for column in measure.shown(table)}
    assert shown & {count, "answered"}
    assert set(table[count]) == {3}


def test_one_instance_left_out_is_enough_for_the_column_of_instances(
    trials_of: Callable[..., pd.DataFrame],
) -> None:
    (measure,) = measures_of(["averages"])
    for last, shown in ((0.2, False), (None, True)):
        table = Run(Path(), trials_of({"a": [0.1, 0.2], "b": [0.1, last]})).measure(measure)
        assert table["instances"].nunique() == 1
        assert ("instances" in {column.name for column in measure.shown(table)}) == shown
