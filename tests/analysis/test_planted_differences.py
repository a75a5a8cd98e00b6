"""Synthetic runs with known differences: the measures find these and no others."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.comparison import compare
from harness.analysis.measures.inference import Floats
from harness.analysis.measures.results import results_of
from harness.analysis.pairs import pairwise
from harness.analysis.ranking import ranks
from harness.analysis.run import Run

PUZZLES = 100
REPETITIONS = 3
LIMIT = 10.0
RUNS = 200
FALSE_POSITIVES = 0.05

Trials = Callable[..., pd.DataFrame]


def of_times(trials_of: Trials, times: Mapping[str, Floats]) -> pd.DataFrame:
    """Trials with these times of each instance in each repetition."""
    results = {
        backend: [tuple(t if t <= LIMIT else "timeout" for t in row) for row in rows.tolist()]
        for backend, rows in times.items()
    }
    return trials_of(results, shape="9x9", puzzle="." * 81, timeout_s=LIMIT)


def synthetic(
    trials_of: Trials, factors: Mapping[str, float], random: np.random.Generator
) -> pd.DataFrame:
    """Trials of backends that take `factors` times as long as the puzzles are hard."""
    hard = random.normal(-4, 1.5, (PUZZLES, 1))
    noise = {backend: random.normal(0, 0.05, (PUZZLES, REPETITIONS)) for backend in factors}
    return of_times(trials_of, {b: np.exp(hard + np.log(factors[b]) + noise[b]) for b in factors})


def failing(trials: pd.DataFrame, backend: str, verdict: str, share: float) -> pd.DataFrame:
    """`trials` with `verdict` for a share of the puzzles of `backend`."""
    every = round(1 / share)
    hit = (trials["backend"] == backend) & (trials["puzzle_id"].str[1:].astype(int) % every == 0)
    return trials.assign(
        verdict=trials["verdict"].mask(hit, verdict),
        wall_s=trials["wall_s"].mask(hit & (verdict == "timeout"), LIMIT),
    )


@pytest.mark.long
def test_a_run_again_is_no_regression(trials_of: Trials) -> None:
    different = 0
    for seed in range(RUNS):
        random = np.random.default_rng(seed)
        before = synthetic(trials_of, {"a": 1, "b": 2}, random)
        again = np.exp(random.normal(0, 0.05, len(before)))
        after = before.assign(wall_s=np.minimum(before["wall_s"] * again, LIMIT))
        different += compare(before, after).regressed
    assert different <= FALSE_POSITIVES * RUNS


@pytest.mark.long
@pytest.mark.parametrize("repetitions", [1, 3])
def test_equal_backends_near_the_limit_do_not_regress(trials_of: Trials, repetitions: int) -> None:
    runs, comparisons = 100, []
    for seed in range(runs):
        random = np.random.default_rng(seed)
        times = np.exp(random.uniform(np.log(1e-3), np.log(0.3 * LIMIT), 200))
        times[:4] = random.uniform(0.9, 1.1, 4) * LIMIT
        noise = np.exp(random.normal(0, 0.1, (2, 200, repetitions)))
        comparisons.append(
            compare(*(of_times(trials_of, {"a": times[:, None] * n}) for n in noise))
        )
    # Instances near the limit did fail in one run and not in the other.
    assert (
        sum("near the limit" in set(comparison.status["change"]) for comparison in comparisons)
        > runs / 3
    )
    assert sum(comparison.regressed for comparison in comparisons) <= 0.02 * runs


def test_a_fifth_slower_is_found_every_time(trials_of: Trials) -> None:
    for seed in range(3):
        trials = synthetic(trials_of, {"slow": 1.2, "a": 1}, np.random.default_rng(seed))
        table = pairwise(results_of(trials))
        assert (table["backend"][0], table["different"][0]) == ("a", True)
        assert table["factor_low"][0] < 1.2 * 1.02
        assert table["factor_high"][0] > 1.2 * 0.98
        assert table["factor"][0] == pytest.approx(1.2, rel=0.02)
        assert list(ranks(results_of(trials))["backend"]) == ["a", "slow"]


def test_the_report_ranks_what_was_planted(trials_of: Trials) -> None:
    factors = {"equal 1": 1.0, "equal 2": 1.0, "slower": 1.2, "liar": 0.1, "stopped": 0.5}
    trials = synthetic(trials_of, factors, np.random.default_rng(0))
    trials = failing(trials, "liar", "wrong", 0.01)
    trials = failing(trials, "stopped", "timeout", 0.25)
    run = Run(Path(), trials)
    table = run.ranks().set_index("backend")
    assert table["rank"]["slower"] == 3.0
    assert table["rank"]["stopped"] == 4.0
    assert table["groups"]["equal 1"] == table["groups"]["equal 2"] != table["groups"]["slower"]
    assert pd.isna(table["rank"]["liar"])
    assert list(table.index)[-1] == "liar"
    # It has no value in any other comparison either.
    assert pd.isna(run.summary().set_index("backend")["ratio"]["liar"])
    assert "liar" not in {*run.pairwise()["backend"], *run.pairwise()["other"]}
    assert "liar" not in set(run.performance_profile()["backend"])
    assert "liar" not in set(run.cactus()["backend"])
    for measure in (run.contributions(), run.averages()):
        assert pd.isna(measure.set_index("backend")["par2_s"]["liar"])
    assert pd.isna(run.throughput().set_index("backend")["puzzles_per_s"]["liar"])
