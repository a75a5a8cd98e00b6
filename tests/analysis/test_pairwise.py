"""Pairs of backends and of machines on the same instances.

The values are those of their definitions by test_oracles.py.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy

from harness.analysis.comparison import compare
from harness.analysis.measures.inference import factor_intervals
from harness.analysis.measures.results import results_of
from harness.analysis.pairs import PAIRWISE, pairwise
from harness.analysis.run import Run, across_machines, joint_name
from harness.records.folder.frames import concatenated
from harness.records.folder.shard import ShardProgress
from tests.trials import Trials


def test_the_least_factor_decides_pairs_and_groups(trials_of: Trials) -> None:
    base = list(np.exp(np.random.default_rng(4).normal(-4, 1, 40)))
    results = {name: [t * 1.04**n for t in base] for n, name in enumerate("abc")}
    run = Run(Path(), trials_of(results))
    assert not run.pairwise()["different"].any()
    assert set(run.ranks()["groups"]) == {"a"}
    exact = run.deciding_by(1.03)
    table = exact.pairwise()
    assert table["different"].all()
    assert set(table["least_factor"]) == {1.03}
    assert list(exact.ranks()["groups"]) == list(exact.pooled()["groups"]) == ["a", "b", "c"]
    (note,) = [note.text for note in PAIRWISE.notes(table) if "different:" in note.text]
    assert "a factor of 1.03 or more" in note
    assert table["detectable"].tolist() == pytest.approx([1.03] * 3)


def test_too_few_instances_are_those_that_either_answered(trials_of: Trials) -> None:
    few: list[Any] = [1.0] * 5 + ["timeout"] * 95
    table = pairwise(results_of(trials_of({"a": few, "b": few})))
    texts = [note.text for note in PAIRWISE.notes(table)]
    assert any("too few for a significant difference" in text for text in texts)


def test_a_mean_against_the_ranks_is_no_difference(trials_of: Trials) -> None:
    # b is faster on 19 instances and very slow on one, which turns the mean against the ranks.
    times = {"a": [0.2] * 20, "b": [0.15] * 19 + [9.9e3]}
    (row,) = pairwise(results_of(trials_of(times, timeout_s=1e4))).to_dict("records")
    assert row["backend"] == "a"
    assert row["factor"] > 1.3
    assert row["p_holm"] < 0.01
    assert not row["different"]
    # Without that instance b is faster, by the mean and by the ranks.
    fewer = {name: values[:-1] for name, values in times.items()}
    (row,) = pairwise(results_of(trials_of(fewer, timeout_s=1e4))).to_dict("records")
    assert (row["backend"], row["different"]) == ("b", True)


def test_times_without_an_upper_bound_have_an_infinite_end() -> None:
    logs = [-0.02, 11.743, -0.017, -0.032, 11.434, -0.09, -0.005, -0.01, 0.016]
    ((low, high),) = factor_intervals([np.array(logs)])
    assert 0 < low < 1 < high
    ((low, high),) = factor_intervals([np.array(logs) * 1_000])
    assert high == np.inf


# Machines and the factors between them, and several runs as one.


def test_machines_are_compared_only_on_request(trials_of: Trials) -> None:
    trials = pd.concat([trials_of({"a": [1.0] * 9}), trials_of({"b": [2.0] * 9}, host="there")])
    assert pairwise(results_of(trials)).empty
    table = pairwise(results_of(across_machines(trials)))
    assert table["factor"].tolist() == [pytest.approx(2.0)]
    assert set(table["host"]) == {"here + there"}


def test_several_runs_keep_every_trial(trials_of: Trials) -> None:
    first, two = trials_of({"a": [1.0, 2.0]}), trials_of({"a": [3.0], "b": [4.0]})
    both = concatenated([first, two])
    assert len(both) == 4
    trials = both[(both["backend"] == "a") & (both["puzzle_id"] == "p0000")]
    assert trials["repetition"].tolist() == [1, 2]
    table = results_of(both).set_index(["backend", "puzzle_id"])
    assert table["time_s"].to_dict() == {
        ("a", "p0000"): 2.0,
        ("a", "p0001"): 2.0,
        ("b", "p0000"): 4.0,
    }


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"x": "9.14.1"}, {"x": "9.14.2"}, {"a#9.14.1", "a#9.14.2"}),
        ({"x": "1.0", "code": "sha256:1"}, {"x": "1.0", "code": "sha256:2"}, {"a#1", "a#2"}),
        ({"x": "1.0", "y": "1.0"}, {"x": "1.1", "y": "1.1"}, {"a#1", "a#2"}),
        ({"x": "1.0", "Python": "3.11.7"}, {"x": "1.0", "Python": "3.12.1"}, {"a#1", "a#2"}),
        ({"sudoku-harness": "0.1.0"}, {"sudoku-harness": "0.2.0"}, {"a#1", "a#2"}),
        ({"x": "1.0"}, {}, {"a#1", "a#2"}),
    ],
)
def test_the_only_version_that_differs_is_in_the_label(
    trials_of: Trials, old: dict[str, str], new: dict[str, str], expected: set[str]
) -> None:
    parts = [trials_of({"a": [1.0]}, versions=json.dumps(versions)) for versions in (old, new)]
    both = concatenated(parts)
    assert set(both["backend"]) == expected
    assert set(concatenated([both, parts[0]])["backend"]) == expected


def test_a_solution_in_one_run_refutes_a_denial_in_another(trials_of: Trials) -> None:
    unsatisfiable = trials_of({"a": ["unsatisfiable"]})
    solved = trials_of({"b": [1.0]}, solution="1234341221434321")
    assert list(concatenated([unsatisfiable, solved])["verdict"]) == ["wrong", "solved"]


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
    on_both = trials.assign(
        host=trials["host"].mask(slow, "slow"),
        wall_s=trials["wall_s"].mask(slow, trials["wall_s"] * factor),
        timeout_s=trials["timeout_s"],
    )
    return Run(Path("run"), on_both, shards=ShardProgress(2, 2)).across_machines()


def test_factors_ranks_and_intervals_are_those_of_one_machine(trials_of: Trials) -> None:
    random = np.random.default_rng(5)
    results = {
        name: list(np.exp(random.normal(mean, 1, 60)))
        for name, mean in (("a", -4.0), ("b", -3.5), ("c", -3.45))
    }
    first_run = Run(Path("run"), trials_of(results))
    two = blocks_of(trials_of(results), 1.7)
    assert two.joint_hosts == ("here", "slow")
    columns = ["backend", "other", "wins", "ties", "losses", "factor", "factor_low", "factor_high"]
    expected, actual = first_run.pairwise()[columns], two.pairwise()[columns]
    pd.testing.assert_frame_equal(expected, actual)
    ranks = ["backend", "mean_rank"]
    pd.testing.assert_frame_equal(first_run.contributions()[ranks], two.contributions()[ranks])
    assert first_run.ranks()["groups"].tolist() == two.ranks()["groups"].tolist()


def test_absolute_times_of_blocks_are_apart(trials_of: Trials) -> None:
    run = blocks_of(trials_of({"a": [1.0] * 10, "b": [2.0] * 10}), 2.0)
    table = run.machines()
    assert table["host"].tolist() == ["here", "slow"]
    assert table["total_s"].tolist() == [15.0, 30.0]
    assert set(run.pairwise()["host"]) == {"here + slow"}


def test_many_machines_have_a_short_name() -> None:
    assert joint_name(["a", "b"]) == "a + b"
    assert joint_name([f"node{n}" for n in range(1_000)]) == "1000 machines"


def test_times_that_differ_between_processes_widen_the_interval_of_a_pair(
    trials_of: Trials,
) -> None:
    """Two backends, eight puzzles, five processes: one is slower by a factor in each process."""
    factors = [1.0, 1.2, 0.9, 1.1, 0.8]
    times = {
        "a": [tuple(0.1 * (1 + at / 10) for _ in factors) for at in range(8)],
        "b": [tuple(0.2 * (1 + at / 10) * factor for factor in factors) for at in range(8)],
    }
    trials = trials_of(times)
    plain = Run(Path(), trials.assign(process=1)).pairwise().iloc[0]
    five = Run(Path(), trials.assign(process=trials["repetition"])).pairwise().iloc[0]
    assert (plain["processes"], five["processes"]) == (0, 5)
    assert plain["factor"] == five["factor"] == pytest.approx(2)
    assert five["factor_low"] < 1.75 < plain["factor_low"]
    assert plain["factor_high"] < 2.25 < five["factor_high"]
    # By hand: Student's interval of the five means of log ratios, as the noise is 0.
    logs = np.log(factors)
    reach = scipy.stats.t.ppf(0.975, 4) * logs.std(ddof=1) / np.sqrt(5)
    assert np.log(five["factor_high"] / five["factor"]) == pytest.approx(reach, rel=0.01)
    # A backend that fails in two of five processes: as different as processes can be.
    failing = trials["repetition"].le(2) & trials["backend"].eq("b")
    failed = trials.assign(
        process=trials["repetition"], verdict=trials["verdict"].mask(failing, "timeout")
    )
    row = Run(Path(), failed).pairwise().iloc[0]
    assert row["processes"] == 5
    assert row["p"] > 0.01
    assert not row["different"]
    parts = trials.assign(process=trials["repetition"].where(trials["repetition"] > 2, None))
    assert Run(Path(), parts).pairwise().iloc[0]["processes"] == 3
