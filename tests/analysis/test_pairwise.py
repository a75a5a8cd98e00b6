"""Pairs of backends and of machines on the same instances."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy

from harness.analysis.comparison import compare
from harness.analysis.pairwise import (
    PAIRWISE,
    factor_intervals,
    machine_factors,
    machines,
    pairwise,
)
from harness.analysis.results import across_machines, joint_name, results_of
from harness.analysis.run import Run
from harness.records.frame import concatenated
from harness.records.shard import ShardProgress

# Two backends on the same puzzles, worked out by hand and by scipy.


Trials = Callable[..., pd.DataFrame]


def test_wins_ties_and_losses_by_hand(trials_of: Trials) -> None:
    a = [1.0, 2.0, "timeout", "crashed", 5.0, 3.0]
    b = [2.0, 1.0, 4.0, "timeout", "unknown", 3.0]
    (row,) = pairwise(results_of(trials_of({"a": a, "b": b}))).to_dict("records")
    # PAR-2 is 51 / 6 for a and 50 / 6 for b.
    assert (row["backend"], row["other"]) == ("b", "a")
    assert (row["wins"], row["ties"], row["losses"]) == (2, 2, 2)
    assert (row["only_backend"], row["only_other"], row["neither"]) == (1, 1, 1)
    assert row["instances"] == 6


def test_the_factor_is_the_geometric_mean_with_failures_at_the_limit(trials_of: Trials) -> None:
    table = pairwise(
        results_of(trials_of({"a": [1.0, 1.0, "timeout"], "b": [4.0, 2.0, "timeout"]}))
    )
    assert (table["backend"][0], table["other"][0]) == ("a", "b")
    # The third instance, which neither answered, has no part in the factor.
    assert table["factor"][0] == pytest.approx((4 * 2) ** (1 / 2))
    only = pairwise(results_of(trials_of({"a": [1.0], "b": ["timeout"]})))
    assert only["factor"][0] == pytest.approx(10.0)
    assert only[["factor_low", "factor_high"]].isna().all(axis=None)
    assert only["resamples"][0] == 0


def test_p_is_that_of_scipy_over_medians_of_repetitions(trials_of: Trials) -> None:
    random = np.random.default_rng(0)
    a, b = (np.exp(random.normal(-4, 1, 40)) for _ in range(2))
    triple = {"a": [(t, t * 1.5, t * 0.1) for t in a], "b": [(t,) * 3 for t in b]}
    table = pairwise(results_of(trials_of(triple)))
    expected = scipy.stats.wilcoxon(np.log(a) - np.log(b), zero_method="pratt").pvalue
    assert table["p"][0] == pytest.approx(expected)
    assert table["p_holm"][0] == table["p"][0]
    assert table["instances"][0] == 40


def test_instances_that_neither_answered_are_ties_and_have_no_factor(trials_of: Trials) -> None:
    table = pairwise(results_of(trials_of({"a": ["timeout"] * 9, "b": ["crashed"] * 9})))
    (row,) = table.to_dict("records")
    assert (row["ties"], row["neither"], row["different"]) == (9, 9, False)
    assert table[["factor", "factor_low", "p", "p_holm"]].isna().all(axis=None)
    assert row["resamples"] == 0


def test_timeouts_of_both_do_not_dilute_a_difference(trials_of: Trials) -> None:
    base = list(np.exp(np.random.default_rng(3).normal(-4, 1, 14)))
    slow = [t * 1.9 for t in base]
    alone = pairwise(results_of(trials_of({"a": base, "b": slow})))
    lost: list[Any] = ["timeout"] * 86
    table = pairwise(results_of(trials_of({"a": base + lost, "b": slow + lost})))
    (row,) = table.to_dict("records")
    assert (row["instances"], row["neither"], row["different"]) == (100, 86, True)
    assert row["factor"] == pytest.approx(1.9)
    values = ["factor", "factor_low", "factor_high", "p", "p_holm", "wins", "losses"]
    pd.testing.assert_frame_equal(table[values], alone[values])


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


def test_more_pairs_need_more_evidence(trials_of: Trials) -> None:
    times = np.exp(np.random.default_rng(1).normal(-4, 1, 8))
    results = {name: list(times * 2**n) for n, name in enumerate("abcd")}
    two = pairwise(results_of(trials_of({name: results[name] for name in "ab"})))
    # Of 8 differences of one sign p is 2 / 2^8; one pair is different, of six none is.
    assert (two["p_holm"][0], two["different"][0]) == (0.0078125, True)
    four = pairwise(results_of(trials_of(results)))
    assert four["p_holm"].tolist() == [0.046875] * 6
    assert not four["different"].any()


def test_a_wrong_backend_takes_no_part(trials_of: Trials) -> None:
    results = {"a": [1.0, 1.0], "b": [2.0, 2.0], "liar": [1e-6, "wrong"]}
    table = pairwise(results_of(trials_of(results)))
    assert list(zip(table["backend"], table["other"], strict=True)) == [("a", "b")]


def test_all_pairs_are_compared_on_what_every_backend_was_run_on(trials_of: Trials) -> None:
    results = {"a": [1.0, 1.0, 1.0, 9.0], "b": [2.0, 2.0, None, 1.0], "c": [None, 4.0, None, 2.0]}
    table = pairwise(results_of(trials_of(results)))
    assert table["instances"].tolist() == [2, 2, 2]
    assert table["left_out"].tolist() == [2, 2, 2]
    # On the second and the fourth instance b is first by PAR-2, a last.
    assert list(zip(table["backend"], table["other"], strict=True)) == [
        *(("b", "c"), ("b", "a"), ("c", "a")),
    ]
    assert table["factor"].tolist() == pytest.approx([2.0, (0.5 * 9) ** 0.5, (0.25 * 4.5) ** 0.5])
    apart = pairwise(results_of(trials_of({"a": [1.0, None], "b": [None, 1.0]})))
    assert (apart["instances"].tolist(), apart["left_out"].tolist()) == ([0], [2])
    assert apart[["factor", "p", "p_holm"]].isna().all(axis=None)


def test_the_order_of_trials_changes_no_letter(trials_of: Trials) -> None:
    random = np.random.default_rng(2)
    trials = trials_of({b: list(np.exp(random.normal(-4, 1, 30))) for b in "abc"})
    table = pairwise(results_of(trials))
    again = pairwise(results_of(trials.sample(frac=1, random_state=3)))
    pd.testing.assert_frame_equal(table, again)


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


def test_the_backend_with_the_lower_par2_comes_first(trials_of: Trials) -> None:
    # With failures at three times the limit of 10 s, z would be second.
    trials = trials_of({"b": [9.0, 9.0, 9.0], "z": ["timeout", 1.0, 1.0]})
    (row,) = pairwise(results_of(trials)).to_dict("records")
    assert (row["backend"], row["other"]) == ("z", "b")


def test_times_without_an_upper_bound_have_an_infinite_end() -> None:
    logs = [-0.02, 11.743, -0.017, -0.032, 11.434, -0.09, -0.005, -0.01, 0.016]
    ((low, high),) = factor_intervals([np.array(logs)])
    assert 0 < low < 1 < high
    ((low, high),) = factor_intervals([np.array(logs) * 1_000])
    assert high == np.inf


# Machines and the factors between them, and several runs as one.


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
