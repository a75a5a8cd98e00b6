"""The start `batch`: one call is one measurement, whatever the number of its puzzles."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.changes import time_share
from harness.analysis.comparison import compare
from harness.analysis.comparison_group import by_call
from harness.analysis.difficulty import by_difficulty
from harness.analysis.pairwise import pairwise
from harness.analysis.results import results_of
from harness.analysis.run import Run
from harness.analysis.summary import summary
from harness.analysis.timing import throughput
from harness.api import run

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
    assert [a[name] for name in ("trials", "solved", "unknown", "instances")] == [10, 9, 1, 2]
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
