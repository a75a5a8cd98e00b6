"""Comparison groups: calls, common instances, statistics of times."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.changes import time_share
from harness.analysis.comparison import compare
from harness.analysis.measures.measure import measures_of
from harness.analysis.measures.results import by_call, results_of
from harness.analysis.run import Run
from harness.api import run
from tests.trials import Trials

# The start `batch`: one call is one measurement, whatever the number of its puzzles.


def calls_of(
    trials_of: Trials, results: dict[str, list[float | str]], puzzles: int = 5, **columns: Any
) -> pd.DataFrame:
    """Trials of one call for each value: its time per puzzle, or the verdict of one puzzle."""
    parts = []
    for backend, calls in results.items():
        for number, value in enumerate(calls, 1):
            is_failure = isinstance(value, str)
            times = [0.001 if is_failure else value] * (puzzles - 1) + [value]
            part = trials_of({backend: times}, start="batch", call="c0ffee", **columns)
            parts.append(part.assign(repetition=number))
    return pd.concat(parts, ignore_index=True)


def test_the_limit_of_a_call_is_that_of_all_its_puzzles(trials_of: Trials) -> None:
    trials = calls_of(trials_of, {"a": [1.0, 0.5]}, puzzles=4, timeout_s=10.0)
    assert time_share(trials).tolist() == [0.4] * 4 + [0.2] * 4
    assert time_share(trials.assign(start="warm")).tolist() == [0.1] * 4 + [0.05] * 4


def test_a_store_without_calls_has_one_call_for_each_repetition(trials_of: Trials) -> None:
    trials = calls_of(trials_of, {"a": [0.1, 0.2]}).drop(columns="call")
    trials = trials.reindex(columns=[*trials, "call"])
    assert len(results_of(by_call(trials))) == 2


def test_calls_are_compared_with_equal_calls_and_failures_by_puzzle(trials_of: Trials) -> None:
    before = calls_of(trials_of, {"a": [0.1] * 9})
    slower = calls_of(trials_of, {"a": [0.2] * 9})
    comparison = compare(before, slower)
    (row,) = comparison.times.to_dict("records")
    assert (row["change"], row["instances"]) == ("slower", 9)
    assert comparison.puzzles.empty
    with_crash = calls_of(trials_of, {"a": [0.1] * 8 + ["crashed"]})
    (status,) = compare(before, with_crash).status.to_dict("records")
    assert (status["name"], status["change"]) == ("n4", "new failure")
    apart = compare(before, slower.assign(call="decade"))
    assert apart.times.empty
    assert "calls that have other puzzles" in " ".join(apart.notes)


def test_a_call_that_times_out_is_one_failure_at_the_limit(trials_of: Trials) -> None:
    """Its 40 puzzles fail together; a call that took half of the limit before was near it."""
    before = calls_of(trials_of, {"a": [0.15] * 9}, puzzles=40)
    after = before.assign(verdict=before["verdict"].mask(before["repetition"] == 1, "timeout"))
    comparison = compare(before, after)
    assert comparison.limits["more"].tolist() == [1]
    assert not comparison.regressed
    assert set(comparison.status["change"]) == {"near the limit"}
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
    ranks, summary = (
        frame.set_index(["start", "backend"])["total_s"].sort_index()
        for frame in (done.ranks(), done.summary())
    )
    pd.testing.assert_series_equal(ranks, summary)


# The common set of instances, and the values that every measure takes over it.


FAST_ON_EASY: dict[str, list[Any]] = {
    # The first backend was run on all instances, the hard ones included; the second stopped
    # before them. Over all of its instances the first is 5.5 times slower, over the common
    # ones twice as fast.
    "all": [1.0, 1.0, 1.0, 1.0, 25.0, 37.0],
    "easy": [2.0, 2.0, 2.0, 2.0, None, None],
}


@pytest.mark.parametrize("backends", [None, ["all"]])
def test_curves_cover_the_instances_of_the_chosen_backends(
    trials_of: Trials, backends: list[str] | None
) -> None:
    run = Run(Path(), trials_of(FAST_ON_EASY, timeout_s=100.0))
    curve = run.cactus(backends)
    assert curve["answered"].max() == (4 if backends is None else 6)
    assert curve["share"].max() == 1.0


# Statistics of the times of one backend, and the column of instances.


def test_one_instance_left_out_is_enough_for_the_column_of_instances(
    trials_of: Callable[..., pd.DataFrame],
) -> None:
    (measure,) = measures_of(["averages"])
    for last, is_shown in ((0.2, False), (None, True)):
        table = Run(Path(), trials_of({"a": [0.1, 0.2], "b": [0.1, last]})).measure(measure)
        assert table["instances"].nunique() == 1
        assert ("instances" in {column.name for column in measure.columns_of(table)}) == is_shown
