"""Synthetic runs with known differences: the measures find these and no others."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

from harness.analysis.comparison import compare
from harness.analysis.measures.inference import Floats
from tests.trials import Trials

PUZZLES = 100
REPETITIONS = 3
LIMIT = 10.0
RUNS = 200
FALSE_POSITIVES = 0.05


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
