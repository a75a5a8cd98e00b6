"""Results: repetitions reduced to one value, and times of trials."""

from pathlib import Path

import pytest

from harness.analysis.measures.comparison_group import comparison_groups
from harness.analysis.measures.results import results_of, with_time
from harness.analysis.run import Run
from harness.base.errors import InputError, OptionError
from harness.records.question import TimeKind
from tests.trials import Trials

# Results: repetitions of an instance reduced to one row.


def test_no_trials_give_no_results(trials_of: Trials) -> None:
    table = results_of(trials_of({"a": [1.0]}).iloc[:0])
    assert table.empty
    assert list(comparison_groups(table)) == []


# Wall time and CPU time: every measure and chart takes the time that the run is about.


def test_each_backend_may_have_its_own_time(trials_of: Trials) -> None:
    trials = trials_of({"a": [1.0, 2.0], "b": [3.0]}).assign(cpu_s=[0.1, 0.2, 0.3])
    frame = with_time(trials, {"a": TimeKind.CPU, "b": TimeKind.WALL})
    assert list(frame["time"]) == ["cpu", "cpu", "wall"]
    assert list(frame["time_s"]) == [0.1, 0.2, 3.0]
    table = results_of(frame).set_index(["backend", "puzzle_id"])["time_s"]
    assert table.to_dict() == {("a", "p0000"): 0.1, ("a", "p0001"): 0.2, ("b", "p0000"): 3.0}


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
