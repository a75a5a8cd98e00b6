"""The detectable factor: a comparison finds it in 80 % of cases, whatever the spread."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.inference import (
    DEFAULT,
    Criterion,
    Floats,
    _both_below,
    _critical_value,
    detectable_factor,
    detectable_factors,
    signed_rank,
)

Draw = Callable[[np.random.Generator, int], Floats]

SPREADS: dict[str, Draw] = {
    "normal": lambda random, n: random.normal(0, 1, n),
    "laplace": lambda random, n: random.laplace(0, 0.7, n),
    "t3": lambda random, n: random.standard_t(3, n) / 3**0.5,
    "outliers": lambda random, n: random.normal(0, 1, n) * np.where(random.random(n) < 0.1, 3, 1),
}


def is_found(logs: Floats, criterion: Criterion, tests: int) -> bool:
    """The decision of a comparison, with Bonferroni's correction in the place of Holm's."""
    test = signed_rank(logs)
    p, direction = np.array([min(1.0, tests * test.p)]), np.array([test.direction])
    return bool(criterion.different(p, np.exp(np.array([logs.mean()])), direction)[0])


def power(
    draw: Draw, n: int, spread: float, criterion: Criterion, tests: int, runs: int
) -> tuple[float, float]:
    """The detectable factor of a typical run, and the share of runs that find it."""
    random = np.random.default_rng(n)
    drawn = (spread * draw(random, n) for _ in range(runs))
    factors = [detectable_factor(logs, criterion, tests) for logs in drawn]
    typical = float(np.median(factors))
    shifted = (spread * draw(random, n) + np.log(typical) for _ in range(runs))
    return typical, sum(is_found(logs, criterion, tests) for logs in shifted) / runs


@pytest.mark.long
@pytest.mark.parametrize(
    ("criterion", "spread"),
    [(DEFAULT, 0.02), (DEFAULT, 0.1), (DEFAULT, 0.5), (Criterion(least_factor=1.0), 0.1)],
)
@pytest.mark.parametrize("n", [10, 20, 50, 200])
@pytest.mark.parametrize("name", SPREADS)
def test_the_detectable_factor_is_found_in_80_per_cent(
    name: str, n: int, spread: float, criterion: Criterion
) -> None:
    # The fewer the instances, the more the typical factor varies.
    _, found = power(SPREADS[name], n, spread, criterion, 1, min(4000, 80_000 // n))
    assert 0.74 <= found <= 0.87


@pytest.mark.parametrize(("n", "tests"), [(10, 1), (30, 6), (100, 1)])
def test_the_detectable_factor_of_a_normal_spread_is_found(n: int, tests: int) -> None:
    _, found = power(SPREADS["normal"], n, 0.2, DEFAULT, tests, 300)
    # 80 %, with three standard deviations of a share of 300 runs.
    assert 0.73 <= found <= 0.87


def test_the_threshold_alone_decides_where_times_are_exact() -> None:
    """A spread of 0.1 % over many instances: only the threshold is in the way."""
    logs = np.random.default_rng(0).normal(0, 0.001, 500)
    assert detectable_factor(logs, DEFAULT) == pytest.approx(1.1, abs=1e-3)
    assert detectable_factor(logs, Criterion(1.03)) == pytest.approx(1.03, abs=1e-3)
    assert 1.0 < detectable_factor(logs, Criterion(1.0)) < 1.001
    assert detectable_factor(np.full(20, 0.5), DEFAULT) == 1.1
    assert detectable_factor(np.zeros(20), Criterion(1.0)) == 1.0


def test_a_true_factor_equal_to_the_threshold_is_found_in_half_of_the_cases() -> None:
    random = np.random.default_rng(1)
    runs = [random.normal(np.log(1.1), 0.05, 200) for _ in range(400)]
    found = sum(is_found(logs, DEFAULT, 1) for logs in runs) / len(runs)
    assert abs(found - 0.5) < 4 * np.sqrt(0.25 / len(runs))


def test_too_few_instances_have_no_detectable_factor() -> None:
    logs = np.random.default_rng(2).normal(0, 1, 20)
    assert np.isnan(detectable_factor(logs[:7], DEFAULT))
    assert not np.isnan(detectable_factor(logs[:8], DEFAULT))
    assert np.isnan(detectable_factor(logs[:8], DEFAULT, tests=2))
    assert np.isnan(detectable_factor(logs[:0], DEFAULT))


@pytest.mark.parametrize("n", [8, 10, 25, 50])
def test_the_critical_value_is_that_of_scipy(n: int) -> None:
    for alpha in (0.05, 0.01):
        k = _critical_value(n, alpha)
        for rank_sum, significant in ((k, True), (k + 1, False)):
            # Ranks that add up to the sum are negative.
            signs = np.ones(n)
            left = rank_sum
            for rank in range(n, 0, -1):
                if rank <= left:
                    signs[rank - 1], left = -1, left - rank
            assert left == 0
            assert (scipy.stats.wilcoxon(signs * np.arange(1, n + 1)).pvalue < alpha) == significant


def test_the_bivariate_probability_is_that_of_scipy() -> None:
    for correlation in (0.0, 0.3, 0.9, 0.98):
        joint = scipy.stats.multivariate_normal(cov=[[1, correlation], [correlation, 1]])
        for a, b in ((0.0, 0.0), (1.0, 0.5), (-2.0, 3.0), (0.84, 0.84)):
            assert _both_below(a, b, correlation) == pytest.approx(joint.cdf([a, b]), abs=1e-5)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.floats(-3, 3), min_size=8, max_size=60),
    st.floats(1.0, 2.0),
    st.floats(-3, 3),
)
def test_neither_order_nor_level_changes_it_and_it_grows_with_the_threshold(
    values: list[float], least: float, shift: float
) -> None:
    logs = np.array(values)
    factor = detectable_factor(logs, Criterion(least))
    assert factor >= least
    assert detectable_factor(logs[::-1], Criterion(least)) == pytest.approx(factor, rel=1e-6)
    assert detectable_factor(-logs, Criterion(least)) == pytest.approx(factor, rel=1e-6)
    assert detectable_factor(logs + shift, Criterion(least)) == pytest.approx(factor, rel=1e-3)
    assert detectable_factor(logs, Criterion(1.1 * least)) >= factor * (1 - 1e-9)


def test_pairs_without_a_ratio_are_no_tests() -> None:
    logs = np.random.default_rng(4).normal(0, 0.2, 9)
    none, some = detectable_factors([np.array([]), logs], DEFAULT)
    assert np.isnan(none)
    assert some == detectable_factor(logs, DEFAULT, tests=1)
    assert np.isnan(detectable_factors([logs] * 3, DEFAULT)).all()


def half_width(walsh: Floats, share: float) -> float:
    low, high = np.quantile(walsh, [0.5 - share, 0.5 + share])
    return float(high - low) / 2


@pytest.mark.parametrize("n", [8, 11, 50, 51, 120, 200])
@pytest.mark.parametrize("least_factor", [1.0, 1.1, 3.0])
def test_the_detectable_factor_is_that_of_its_definition(n: int, least_factor: float) -> None:
    logs = 0.2 * np.random.default_rng(n).standard_t(4, n)
    least = np.log(least_factor)
    walsh = np.sort([(logs[i] + logs[j]) / 2 for i in range(n) for j in range(i, n)])
    ranks = n * (n + 1) / 2
    error_of_share = np.sqrt(n * (n + 1) * (2 * n + 1) / 24) / ranks
    if n <= 50:
        exact = 2 * np.cumsum(signed_rank_chances(n))
        rank = int(np.flatnonzero(exact < 0.01)[-1])
        half = (walsh[-1 - rank] - walsh[rank]) / 2
    else:
        half = half_width(walsh, scipy.stats.norm.ppf(0.995) * error_of_share)
    error = np.hypot(half_width(walsh, error_of_share), half * np.sqrt(7 / 4 / (n - 1)))
    wider = scipy.stats.t.ppf(0.8, n - 1) / scipy.stats.norm.ppf(0.8)
    mean_error = np.std(logs, ddof=1) / np.sqrt(n) * wider
    correlation = min(0.99, np.corrcoef(np.sort(logs), np.arange(n))[0, 1])

    def missing(shift: float) -> float:
        at = [(shift - least) / mean_error, (shift - half) / error]
        covariance = [[1, correlation], [correlation, 1]]
        return float(scipy.stats.multivariate_normal.cdf(at, cov=covariance)) - 0.8

    expected = scipy.optimize.brentq(missing, 0, 10)
    found = np.log(detectable_factor(logs, Criterion(least_factor=least_factor)))
    assert found - least == pytest.approx(expected - least, rel=1e-3)


def signed_rank_chances(n: int) -> Floats:
    """The probability of each sum of positive ranks, from all signs rank by rank."""
    chances = {0: 1.0}
    for rank in range(1, n + 1):
        following: dict[int, float] = {}
        for total, chance in chances.items():
            for reached in (total, total + rank):
                following[reached] = following.get(reached, 0.0) + chance / 2
        chances = following
    return np.array([chances[total] for total in range(len(chances))])
