"""Wall time and CPU time: every measure and chart takes the time that the run is about."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.measures import MEASURES
from harness.analysis.results import limit_of, limits, results_of, timed
from harness.analysis.run import Run
from harness.analysis.summary import INCIDENTS, SETTINGS
from harness.analysis.timing import PHASES
from harness.errors import InputError, OptionError
from harness.records.question import TimeKind

Trials = Callable[..., pd.DataFrame]

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
