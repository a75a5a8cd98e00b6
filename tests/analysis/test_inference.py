"""Tests and intervals, against values by hand and against scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap, norm, wilcoxon

from harness.analysis.inference import Criterion, holm, mean_interval, wilcoxon_p
from harness.errors import OptionError


def test_holm_by_hand() -> None:
    # Sorted: 0.01 * 4, 0.02 * 3, max(0.03 * 2, 0.06), max(0.04 * 1, 0.06).
    assert holm(np.array([0.04, 0.01, 0.03, 0.02])).tolist() == [0.06, 0.04, 0.06, 0.06]
    assert holm(np.array([0.5, 0.9])).tolist() == [1.0, 1.0]


def test_a_missing_value_is_not_a_test() -> None:
    corrected = holm(np.array([0.02, np.nan, 0.03]))
    assert corrected[[0, 2]].tolist() == [0.04, 0.04]
    assert np.isnan(corrected[1])
    assert holm(np.array([])).size == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(values: list[float]) -> None:
    p = np.array(values)
    corrected = holm(p)
    assert (corrected >= p).all()
    assert (corrected <= np.minimum(len(p) * p, 1) + 1e-15).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()


def test_wilcoxon_is_that_of_scipy_and_one_where_nothing_differs() -> None:
    random = np.random.default_rng(0)
    values = random.normal(0.2, 1, 60)
    values[:10] = 0
    assert wilcoxon_p(values) == wilcoxon(values, zero_method="pratt").pvalue
    assert wilcoxon_p(np.zeros(5)) == 1.0
    assert wilcoxon_p(np.array([])) == 1.0
    # Three pluses of three: 2 of the 8 patterns of signs are as extreme.
    assert wilcoxon_p(np.array([1.0, 2.0, 3.0])) == 0.25


@pytest.mark.parametrize("shape", ["normal", "skewed", "heavy"])
def test_the_interval_is_that_of_scipy(shape: str) -> None:
    random = np.random.default_rng(3)
    values = {
        "normal": random.normal(1, 0.5, 80),
        "skewed": random.exponential(1, 40),
        "heavy": random.standard_t(2, 60),
    }[shape]
    low, high = mean_interval(values[:, None], resamples=20_000)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(4)
    ).confidence_interval
    width = theirs.high - theirs.low
    assert low[0] == pytest.approx(theirs.low, abs=0.03 * width)
    assert high[0] == pytest.approx(theirs.high, abs=0.03 * width)


def test_an_interval_has_its_nominal_coverage() -> None:
    random = np.random.default_rng(5)
    low, high = mean_interval(random.normal(0.3, 1, (100, 400)))
    held = ((low <= 0.3) & (high >= 0.3)).mean()
    # 400 intervals of 95 %: four standard deviations of a binomial share.
    assert abs(held - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 400)


def test_the_interval_of_many_rows_is_nearly_normal() -> None:
    values = np.random.default_rng(6).normal(0, 1, 20_000)
    low, high = mean_interval(values[:, None])
    half = norm.ppf(0.975) * values.std() / np.sqrt(len(values))
    assert high[0] - low[0] == pytest.approx(2 * half, rel=0.1)


def test_equal_rows_have_a_point_and_fewer_than_two_have_nothing() -> None:
    low, high = mean_interval(np.full((5, 2), 0.1))
    assert low.tolist() == high.tolist() == [pytest.approx(0.1)] * 2
    assert all(np.isnan(mean_interval(np.ones((n, 1)))).all() for n in (0, 1))


@settings(max_examples=30)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=30))
def test_an_interval_lies_among_the_values(values: list[float]) -> None:
    low, high = mean_interval(np.array(values)[:, None], resamples=200)
    assert min(values) - 1e-9 <= low[0] <= high[0] <= max(values) + 1e-9


def test_the_criterion_takes_any_factor_from_1() -> None:
    p, factor = np.array([0.005, 0.005, 0.005]), np.array([1.04, 1 / 1.04, 1.02])
    assert Criterion.of(1.03).different(p, factor).tolist() == [True, True, False]
    assert Criterion.of(1).different(p, factor).tolist() == [True] * 3
    assert Criterion.of(np.float64(1.5)) == Criterion(1.5)
    for value in (0.99, -2.0, 1001, 2**70, float("nan"), float("inf"), "1.1", True, None):
        with pytest.raises(OptionError) as error:
            Criterion.of(value)
        assert error.value.where == "least_factor"
        assert error.value.expected.startswith("a number from 1")


def test_different_needs_both_significance_and_size() -> None:
    p = np.array([0.005, 0.005, 0.02, 0.005, np.nan])
    factor = np.array([1.2, 1.05, 5.0, 1 / 1.2, 9.0])
    assert Criterion().different(p, factor).tolist() == [True, False, False, True, False]
