"""Machines and the factors between them, and several runs as one."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.comparison import compare
from harness.analysis.pairwise import machine_factors, machines, pairwise
from harness.analysis.results import across_machines, joint_name, results_of
from harness.analysis.run import Run
from harness.records.frame import concatenated
from harness.records.shard import ShardProgress

Trials = Callable[..., pd.DataFrame]


def test_each_machine_has_its_trials_backends_and_puzzles(trials_of: Trials) -> None:
    here = trials_of({"a": [1.0, 2.0], "b": [1.0, 1.0]})
    there = trials_of({"a": [4.0]}, host="there")
    table = machines(pd.concat([here, there]))
    assert table.to_dict("list") == {
        "host": ["here", "there"],
        "trials": [4, 1],
        "backends": [2, 1],
        "puzzles": [2, 1],
        "time": ["wall", "wall"],
        "total_s": [5.0, 4.0],
    }


def test_the_factor_of_machines_is_over_what_both_answered(trials_of: Trials) -> None:
    times = np.exp(np.random.default_rng(0).normal(-4, 1, 30))
    here = trials_of({"a": [*times, "timeout"], "b": [*times, 1.0]})
    there = trials_of({"a": [*(times * 3), 1.0]}, host="there")
    (row,) = machine_factors(results_of(pd.concat([here, there]))).to_dict("records")
    assert (row["host"], row["other"], row["instances"]) == ("here", "there", 30)
    assert row["factor"] == pytest.approx(3.0)
    assert row["factor_low"] == pytest.approx(3.0)
    apart = trials_of({"c": [1.0]}, host="elsewhere")
    table = machine_factors(results_of(pd.concat([here, apart])))
    assert table["instances"].tolist() == [0]
    assert table["factor"].isna().all()


def test_machines_are_compared_only_on_request(trials_of: Trials) -> None:
    trials = pd.concat([trials_of({"a": [1.0] * 9}), trials_of({"b": [2.0] * 9}, host="there")])
    assert pairwise(results_of(trials)).empty
    table = pairwise(results_of(across_machines(trials)))
    assert table["factor"].tolist() == [pytest.approx(2.0)]
    assert set(table["host"]) == {"here + there"}


def test_several_runs_keep_every_trial(trials_of: Trials) -> None:
    one, two = trials_of({"a": [1.0, 2.0]}), trials_of({"a": [3.0], "b": [4.0]})
    both = concatenated([one, two])
    assert len(both) == 4
    repeated = both[(both["backend"] == "a") & (both["puzzle_id"] == "p0000")]
    assert repeated["repetition"].tolist() == [1, 2]
    table = results_of(both).set_index(["backend", "puzzle_id"])
    assert table["time_s"].to_dict() == {
        ("a", "p0000"): 2.0,
        ("a", "p0001"): 2.0,
        ("b", "p0000"): 4.0,
    }


def test_other_versions_are_another_backend(trials_of: Trials) -> None:
    old = trials_of({"a": [1.0], "b": [1.0]}, versions='{"x": "1"}')
    new = trials_of({"a": [2.0]}, versions='{"x": "2"}')
    assert set(concatenated([old, new])["backend"]) == {"a#1", "a#2", "b"}


def test_a_solution_in_one_run_refutes_a_denial_in_another(trials_of: Trials) -> None:
    denied = trials_of({"a": ["unsatisfiable"]})
    solved = trials_of({"b": [1.0]}, solution="1234341221434321")
    assert list(concatenated([denied, solved])["verdict"]) == ["wrong", "solved"]


def test_two_machines_that_both_runs_have_are_noted_too(trials_of: Trials) -> None:
    run = pd.concat([trials_of({"a": [1.0]}, host=host) for host in ("here", "there")])
    notes = compare(run, run, across_machines=True).notes
    assert (
        "times of different machines are compared: before on here, there, after on here, there"
        in notes
    )
    assert set(compare(run, run, across_machines=True).times["host"]) == {"here, there"}
    alone = run[run["host"] == "here"]
    there = run[run["host"] == "there"]
    assert set(compare(alone, there, across_machines=True).times["host"]) == {"here / there"}
    assert not [n for n in compare(alone, alone, across_machines=True).notes if "different" in n]


def blocks_of(trials: pd.DataFrame, factor: float) -> Run:
    """The run with every other puzzle on a machine that is slower by a factor."""
    slow = trials["puzzle_id"].str[-1].astype(int) % 2 == 1
    moved = trials.assign(
        host=trials["host"].mask(slow, "slow"),
        wall_s=trials["wall_s"].mask(slow, trials["wall_s"] * factor),
        timeout_s=trials["timeout_s"],
    )
    return Run(Path("run"), moved, shards=ShardProgress(2, 2)).across_machines()


def test_factors_ranks_and_intervals_are_those_of_one_machine(trials_of: Trials) -> None:
    random = np.random.default_rng(5)
    of = {
        name: list(np.exp(random.normal(mean, 1, 60)))
        for name, mean in (("a", -4.0), ("b", -3.5), ("c", -3.45))
    }
    one = Run(Path("run"), trials_of(of))
    two = blocks_of(trials_of(of), 1.7)
    assert two.joined == ("here", "slow")
    columns = ["backend", "other", "wins", "ties", "losses", "factor", "factor_low", "factor_high"]
    expected, found = one.pairwise()[columns], two.pairwise()[columns]
    pd.testing.assert_frame_equal(expected, found)
    ranks = ["backend", "mean_rank"]
    pd.testing.assert_frame_equal(one.ranks()[ranks], two.ranks()[ranks])
    assert one.ranks()["groups"].tolist() == two.ranks()["groups"].tolist()


def test_absolute_times_of_blocks_are_apart(trials_of: Trials) -> None:
    run = blocks_of(trials_of({"a": [1.0] * 10, "b": [2.0] * 10}), 2.0)
    table = run.machines()
    assert table["host"].tolist() == ["here", "slow"]
    assert table["total_s"].tolist() == [15.0, 30.0]
    assert set(run.pairwise()["host"]) == {"here + slow"}


def test_many_machines_have_a_short_name() -> None:
    assert joint_name(["a", "b"]) == "a + b"
    assert joint_name([f"node{n}" for n in range(1_000)]) == "1000 machines"
