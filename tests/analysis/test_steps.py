"""Steps in a series: the test by independent computations, its errors by simulation."""

from itertools import combinations, pairwise

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis import trend_tables
from harness.analysis.inference import Floats
from harness.analysis.trend_tables import (
    RUN_NOISE,
    RUN_NOISE_WEIGHT,
    candidates,
    instance_variance,
    level_changes,
    prior_variance,
    steps_of,
)

INSTANCES = 40


def noisy(
    random: np.random.Generator, runs: int, run_noise: float, instance_noise: float
) -> Floats:
    """Logarithms of times of a configuration whose speed does not change."""
    hard = random.normal(-4, 1.5, (INSTANCES, 1))
    noise: Floats = hard + random.normal(0, instance_noise, (INSTANCES, runs))
    return noise + random.normal(0, run_noise, runs)


def places_of(logs: Floats) -> list[int]:
    (found,) = steps_of([logs])
    return [step.at for step in found]


def test_the_variance_of_an_instance_ignores_steps() -> None:
    # Changes of the instances between runs: -1 and 1, 3 and 1 (a step of 2 is in them), -1 and 1.
    logs = np.array([[0.0, -1.0, 2.0, 1.0], [5.0, 6.0, 7.0, 8.0]])
    assert instance_variance(logs) == pytest.approx(2 / 2)
    assert instance_variance(logs + np.array([0.0, 0.0, 9.0, 9.0])) == pytest.approx(2 / 2)


@pytest.mark.parametrize(
    ("noise", "expected"), [(0.001, RUN_NOISE[0]), (0.06, 0.06), (0.5, RUN_NOISE[1])]
)
def test_the_expected_noise_of_a_run_has_bounds(noise: float, expected: float) -> None:
    # Two instances whose logarithms change by c and -c: their variance is c^2.
    logs = np.array([[0.0, noise, 0.0], [0.0, -noise, 0.0]])
    assert prior_variance(logs) == pytest.approx(expected**2 + noise**2 / 2)


def test_a_step_is_tested_with_the_expected_and_the_seen_noise() -> None:
    means = np.array([0.0, 0.02, 0.5, 0.54])
    (change,) = level_changes(means, [2], prior=0.01)
    squares = 2 * 0.01**2 + 2 * 0.02**2
    freedom = RUN_NOISE_WEIGHT + 2
    error = np.sqrt((RUN_NOISE_WEIGHT * 0.01 + squares) / freedom * (1 / 2 + 1 / 2))
    assert change.difference == pytest.approx(0.51)
    assert change.p == pytest.approx(3 * 2 * scipy.stats.t.sf(0.51 / error, freedom))
    assert change.high - 0.51 == pytest.approx(scipy.stats.t.ppf(0.975, freedom) * error)
    assert (change.begin, change.at, change.end) == (0, 2, 4)
    assert change.low == pytest.approx(2 * 0.51 - change.high)


def test_without_an_expectation_it_is_the_t_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trend_tables, "RUN_NOISE_WEIGHT", 0)
    means = np.random.default_rng(3).normal(0, 1, 9)
    (change,) = level_changes(means, [4], prior=7.0)
    expected = scipy.stats.ttest_ind(means[:4], means[4:])
    assert change.p == pytest.approx(min(1, 8 * expected.pvalue))
    interval = expected.confidence_interval()
    assert (-change.high, -change.low) == pytest.approx((interval.low, interval.high))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-2, 2, allow_subnormal=False), min_size=2, max_size=7),
    st.sampled_from([1e-4, 1e-2]),
)
def test_candidates_are_the_best_of_all_possible_places(values: list[float], prior: float) -> None:
    means = np.array(values)
    k = len(means)

    def cost(places: tuple[int, ...]) -> float:
        levels = [means[a:b] for a, b in pairwise((0, *places, k))]
        if any(len(level) == 1 for level in levels[1:-1]):
            return float("inf")
        squares = sum(((level - level.mean()) ** 2).sum() for level in levels)
        weight = RUN_NOISE_WEIGHT + k - 1
        return float(
            weight * np.log(RUN_NOISE_WEIGHT * prior + squares) + 3 * np.log(k) * len(places)
        )

    possible = [
        places
        for number in range(max(1, k // 2) + 1)
        for places in combinations(range(1, k), number)
    ]
    chosen = tuple(candidates(means, prior))
    assert cost(chosen) == pytest.approx(min(map(cost, possible)), abs=1e-6)


def test_each_step_is_found_with_its_factor() -> None:
    logs = noisy(np.random.default_rng(0), 12, 0.01, 0.03)
    logs[:, 4:] += np.log(1.5)
    logs[:, 8:] -= np.log(2)
    (found,) = steps_of([logs])
    assert [step.at for step in found] == [4, 8]
    factors = [np.exp(step.difference) for step in found]
    assert factors == pytest.approx([1.5, 0.5], rel=0.02)
    for step, factor in zip(found, (1.5, 0.5), strict=True):
        assert step.low < np.log(factor) < step.high
        assert step.p <= step.p_holm < 0.01


def test_one_slow_run_between_others_is_not_a_step() -> None:
    logs = noisy(np.random.default_rng(1), 9, 0.01, 0.03)
    logs[:, 4] += np.log(2)
    assert places_of(logs) == []


@pytest.mark.parametrize("runs", [3, 8])
def test_a_slow_last_run_is_a_step(runs: int) -> None:
    logs = noisy(np.random.default_rng(2), runs, 0.01, 0.03)
    logs[:, -1] += np.log(1.5)
    assert places_of(logs) == [runs - 1]


@pytest.mark.parametrize(("factor", "found"), [(1.09, []), (1.11, [10])])
def test_a_step_is_at_least_as_large_as_a_difference(factor: float, found: list[int]) -> None:
    logs = np.repeat(np.random.default_rng(4).normal(-4, 1, (INSTANCES, 1)), 20, axis=1)
    logs[:, 10:] += np.log(factor)
    assert places_of(logs) == found


def test_more_steps_need_more_evidence() -> None:
    step = np.repeat([[0.0, 0.0, 0.0, 0.21]], INSTANCES, axis=0)
    (change,) = level_changes(step.mean(axis=0), [3], prior_variance(step))
    assert 0.001 < change.p < 0.01
    assert steps_of([step])[0][0].p_holm == change.p
    assert steps_of([step] * 20) == [[]] * 20


def test_neither_unit_nor_order_of_instances_matters() -> None:
    logs = noisy(np.random.default_rng(6), 10, 0.02, 0.05) + 0.3 * (np.arange(10) > 5)
    (expected,) = steps_of([logs])
    (shuffled,) = steps_of([logs[::-1] + np.log(1000)])
    assert [one.at for one in expected] == [6]
    assert shuffled[0].p == pytest.approx(expected[0].p)
    assert shuffled[0].difference == pytest.approx(expected[0].difference)


def test_a_series_backwards_has_the_same_steps() -> None:
    logs = noisy(np.random.default_rng(7), 11, 0.02, 0.05) + 0.4 * (np.arange(11) > 3)
    (forward,), (backward,) = steps_of([logs]), steps_of([logs[:, ::-1]])
    assert [11 - one.at for one in backward] == [one.at for one in forward] == [4]
    assert backward[0].difference == pytest.approx(-forward[0].difference)


def false_positives(runs: int, run_noise: float, instance_noise: float, number: int) -> float:
    random = np.random.default_rng(runs)
    found = sum(
        bool(places_of(noisy(random, runs, run_noise, instance_noise))) for _ in range(number)
    )
    return found / number


@pytest.mark.parametrize("runs", [3, 6, 12])
def test_at_most_5_percent_of_equal_series_have_a_step(runs: int) -> None:
    assert false_positives(runs, 0.05, 0.03, 100) <= 0.05


@pytest.mark.long
@pytest.mark.parametrize("runs", [3, 4, 5, 7, 10, 20, 50])
@pytest.mark.parametrize(
    ("run_noise", "instance_noise"),
    [(0.0, 0.02), (0.02, 0.05), (0.05, 0.05), (0.05, 0.02), (0.1, 0.1), (0.05, 0.7)],
)
def test_at_most_5_percent_of_equal_series_have_a_step_at_any_noise(
    runs: int, run_noise: float, instance_noise: float
) -> None:
    assert false_positives(runs, run_noise, instance_noise, 1000) <= 0.05


@pytest.mark.long
@pytest.mark.parametrize("runs", [5, 10, 20])
@pytest.mark.parametrize(("factor", "least"), [(1.2, 0.9), (1.5, 0.99)])
def test_a_planted_step_is_found_at_its_place(runs: int, factor: float, least: float) -> None:
    random = np.random.default_rng(runs)
    found = 0
    for _ in range(300):
        at = int(random.integers(1, runs))
        logs = noisy(random, runs, 0.02, 0.03)
        logs[:, at:] += np.log(factor)
        found += places_of(logs) == [at]
    assert found >= least * 300


def least_cost(means: Floats, prior: float) -> list[int]:
    """The places with the least penalised likelihood, of all that leave no single run between."""
    k, found = len(means), []
    for number in range(max(1, k // 2) + 1):
        for places in combinations(range(1, k), number):
            ends = [0, *places, k]
            if any(b - a == 1 for a, b in pairwise(ends[1:-1])):
                continue
            levels = [means[a:b] for a, b in pairwise(ends)]
            squares = sum(float(((level - level.mean()) ** 2).sum()) for level in levels)
            likelihood = (3 + k - 1) * np.log(3 * prior + squares)
            found.append((likelihood + 3 * np.log(k) * number, list(places)))
    return min(found)[1]


@given(st.integers(2, 8), st.integers(0, 2**32), st.sampled_from([0.01, 0.1, 1.0]))
@settings(max_examples=300)
def test_the_places_have_the_least_penalised_likelihood(k: int, seed: int, prior: float) -> None:
    random = np.random.default_rng(seed)
    jump = random.choice([0.0, 1.0, 3.0], k) * (random.random(k) < 0.3)
    means = random.normal(0, 0.3, k) + jump.cumsum()
    assert trend_tables.candidates(means, prior) == least_cost(means, prior)
