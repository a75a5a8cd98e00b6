"""Results: repetitions reduced to one value, and times of trials."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.measures.comparison_group import comparison_groups
from harness.analysis.measures.results import limit_of, limits, results_of, with_time
from harness.analysis.run import Run
from harness.base.errors import InputError, OptionError
from harness.records.question import TimeKind

# Results: repetitions of an instance reduced to one row.


Trials = Callable[..., pd.DataFrame]


@pytest.mark.parametrize(
    ("repetitions", "is_answered", "time"),
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
    trials_of: Trials, repetitions: tuple[float | str, ...], is_answered: bool, time: float
) -> None:
    table = results_of(trials_of({"a": [repetitions]}))
    assert len(table) == 1
    assert (table["answered"][0], table["time_s"][0]) == (is_answered, time)
    assert table["trials"][0] == len(repetitions)
    assert table["right"][0] == sum(isinstance(r, float) for r in repetitions)


def test_no_trials_give_no_results(trials_of: Trials) -> None:
    table = results_of(trials_of({"a": [1.0]}).iloc[:0])
    assert table.empty
    assert list(comparison_groups(table)) == []


def test_an_instance_is_one_puzzle_unless_calls_have_many(trials_of: Callable[..., Any]) -> None:
    trials = trials_of({"a": [0.1, 0.2]})
    assert results_of(trials)["puzzles"].tolist() == [1, 1]
    assert results_of(trials.assign(puzzles=[4, 5]))["puzzles"].tolist() == [4, 5]


# Wall time and CPU time: every measure and chart takes the time that the run is about.


def test_each_backend_may_have_its_own_time(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 2.0], "b": [3.0]}).assign(cpu_s=[0.1, 0.2, 0.3])
    frame = with_time(trials, {"a": TimeKind.CPU, "b": TimeKind.WALL})
    assert list(frame["time"]) == ["cpu", "cpu", "wall"]
    assert list(frame["time_s"]) == [0.1, 0.2, 3.0]
    table = results_of(frame).set_index(["backend", "puzzle_id"])["time_s"]
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
    timeouts = trials[trials["verdict"] == "timeout"]
    assert len(Run(Path(), timeouts).timed("cpu").failures()) == 1


def test_an_unknown_time_lists_the_known_ones(trials_of: Trials) -> None:
    with pytest.raises(OptionError) as error:
        Run(Path(), trials_of({"a": [1.0]})).timed("user")
    assert error.value.where == "time"
    assert "wall, cpu" in error.value.expected
