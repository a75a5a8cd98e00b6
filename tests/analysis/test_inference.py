"""Tests and intervals for paired times, and their power."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.analysis.measures.inference import (
    DEFAULT,
    Criterion,
    Floats,
    ProcessError,
    _studentized_means,
    detectable_factor,
    holm,
    mean_interval,
    process_error,
    signed_ranks,
)
from harness.base.errors import OptionError

# Tests and intervals, against values by hand and against scipy.


def wilcoxon_p(differences: Any) -> float:
    return signed_ranks([differences])[0].p


def test_holm_counts_no_missing_value_as_a_test() -> None:
    # Sorted: 0.01 * 4, 0.02 * 3, max(0.03 * 2, 0.06), max(0.04 * 1, 0.06).
    p_holm = holm(np.array([0.04, 0.01, np.nan, 0.03, 0.02]))
    assert p_holm.tolist() == pytest.approx([0.06, 0.04, np.nan, 0.06, 0.06], nan_ok=True)
    assert holm(np.array([])).size == 0


def test_equal_ratios_of_times_are_ties_whatever_their_rounding() -> None:
    """The logarithms of 0.3 / 0.1, 0.6 / 0.2 and 3 / 1 differ in their last digit."""
    ours = np.array([0.1, 0.2, 1.0, 0.7, 0.5, 0.9, 0.3])
    ratios = np.array([3, 1 / 3, 3, 3, 1 / 3, 5, 1])
    logs = np.log(ratios * ours / ours) + np.array([0, 1, -1, 0, 2, 0, 1]) * 2.0**-53
    exact = wilcoxon_p(np.array([1.0, -1.0, 1.0, 1.0, -1.0, 2.0, 0.0]))
    assert len(set(np.abs(logs))) > len({0, 1, 2})
    assert wilcoxon_p(logs) == exact


def test_equal_rows_have_a_point_and_fewer_than_eight_have_nothing() -> None:
    low, high = mean_interval(np.full((9, 2), 0.1))
    assert low.tolist() == high.tolist() == [pytest.approx(0.1)] * 2
    random = np.random.default_rng(0)
    for n in range(8):
        assert all(np.isnan(ends).all() for ends in mean_interval(random.normal(0, 1, (n, 2))))
    assert all(np.isfinite(ends).all() for ends in mean_interval(random.normal(0, 1, (8, 2))))


@settings(max_examples=30)
@example([0.0] * 4 + [1.0] * 3 + [1.5e-13], 0.0, 4.0)
@given(st.lists(st.floats(-5, 5), min_size=8, max_size=30), st.floats(-3, 3), st.floats(0.1, 10))
def test_an_interval_moves_and_grows_with_its_values(
    values: list[float], shift: float, scale: float
) -> None:
    plain = np.array(values)[:, None]
    low, high = mean_interval(plain, resamples=200)
    assert low[0] <= high[0]
    after_shift = mean_interval(shift + scale * plain, resamples=200)
    size = 1e-6 * (1 + abs(shift) + scale * np.ptp(plain) * 100)
    assert after_shift[0][0] == pytest.approx(shift + scale * low[0], abs=size)
    assert after_shift[1][0] == pytest.approx(shift + scale * high[0], abs=size)


def test_the_criterion_takes_any_factor_from_1() -> None:
    p, factor = np.array([0.005, 0.005, 0.005]), np.array([1.04, 1 / 1.04, 1.02])
    ranks = np.array([1, -1, 1])
    assert Criterion.parse(1.03).different(p, factor, ranks).tolist() == [True, True, False]
    assert Criterion.parse(1).different(p, factor, ranks).tolist() == [True] * 3
    assert Criterion.parse(2).different(p, np.array([2.0, 0.5, 1.99]), ranks).tolist() == [
        *(True, True, False)
    ]
    assert Criterion.parse(np.float64(1.5)) == Criterion(1.5)
    for value in (0.99, -2.0, 1001, 2**70, float("nan"), float("inf"), "1.1", True, None):
        with pytest.raises(OptionError) as error:
            Criterion.parse(value)
        assert error.value.where == "least_factor"
        assert error.value.expected.startswith("a number from 1")


def test_different_needs_both_significance_and_size() -> None:
    p = np.array([0.005, 0.005, 0.02, 0.005, np.nan])
    factor = np.array([1.2, 1.05, 5.0, 1 / 1.2, 9.0])
    ranks = np.array([1, 1, 1, -1, 1])
    assert Criterion().different(p, factor, ranks).tolist() == [True, False, False, True, False]
    assert not Criterion().different(p, factor, -ranks).any()


def test_a_resample_without_a_spread_has_no_ratio() -> None:
    values = np.array([[0.0, 1.0]] * 7 + [[1.0, 0.3]])
    ratios = _studentized_means(values - values.mean(axis=0), 20_000)
    equal = (7 / 8) ** 8 + (1 / 8) ** 8
    assert (~np.isfinite(ratios)).mean(axis=0) == pytest.approx([equal, equal], abs=0.015)
    spread = ratios[np.isfinite(ratios[:, 0]), 0]
    # Drawn k times, the one has weight k / 8, less 1 / 8 over the root of k (8 - k) / 64 / 7.
    possible = {round((k - 1) / np.sqrt(k * (8 - k) / 7), 9) for k in range(1, 8)}
    assert set(spread.round(9)) <= possible


@pytest.mark.parametrize("zeros", [0, 20])
@pytest.mark.parametrize("decimals", [0, 6])
def test_the_normal_approximation_counts_zeros_and_ties_as_scipy_does(
    zeros: int, decimals: int
) -> None:
    random = np.random.default_rng(zeros + decimals)
    values = np.concatenate([np.zeros(zeros), random.normal(0.6, 2, 80).round(decimals)])
    theirs = scipy.stats.wilcoxon(
        values, zero_method="pratt", correction=False, method="asymptotic"
    )
    assert wilcoxon_p(values) == pytest.approx(theirs.pvalue, rel=1e-9)


# The detectable factor: a comparison finds it in 80 % of cases, whatever the spread.


Draw = Callable[[np.random.Generator, int], Floats]

SPREADS: dict[str, Draw] = {
    "normal": lambda random, n: random.normal(0, 1, n),
    "laplace": lambda random, n: random.laplace(0, 0.7, n),
    "t3": lambda random, n: random.standard_t(3, n) / 3**0.5,
    "outliers": lambda random, n: random.normal(0, 1, n) * np.where(random.random(n) < 0.1, 3, 1),
}


def is_found(logs: Floats, criterion: Criterion, tests: int) -> bool:
    """The decision of a comparison, with Bonferroni's correction in the place of Holm's."""
    (test,) = signed_ranks([logs])
    p, direction = np.array([min(1.0, tests * test.p)]), np.array([test.direction])
    return bool(criterion.different(p, np.exp(np.array([logs.mean()])), direction)[0])


def power(
    draw: Draw, n: int, spread: float, criterion: Criterion, tests: int, runs: int
) -> tuple[float, float]:
    """The detectable factor of a typical run, and the share of runs that find it."""
    random = np.random.default_rng(n)
    samples = (spread * draw(random, n) for _ in range(runs))
    factors = [detectable_factor(logs, criterion, tests) for logs in samples]
    typical = float(np.median(factors))
    with_shift = (spread * draw(random, n) + np.log(typical) for _ in range(runs))
    return typical, sum(is_found(logs, criterion, tests) for logs in with_shift) / runs


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
    _, share = power(SPREADS[name], n, spread, criterion, 1, min(4000, 80_000 // n))
    assert 0.74 <= share <= 0.87


def test_the_threshold_alone_decides_where_times_are_exact() -> None:
    """A spread of 0.1 % over many instances: only the threshold is in the way."""
    logs = np.random.default_rng(0).normal(0, 0.001, 500)
    assert detectable_factor(logs, DEFAULT) == pytest.approx(1.1, abs=1e-3)
    assert detectable_factor(logs, Criterion(1.03)) == pytest.approx(1.03, abs=1e-3)
    assert 1.0 < detectable_factor(logs, Criterion(1.0)) < 1.001
    assert detectable_factor(np.full(20, 0.5), DEFAULT) == 1.1
    assert detectable_factor(np.zeros(20), Criterion(1.0)) == 1.0


def test_too_few_instances_have_no_detectable_factor() -> None:
    logs = np.random.default_rng(2).normal(0, 1, 20)
    assert np.isnan(detectable_factor(logs[:7], DEFAULT))
    assert not np.isnan(detectable_factor(logs[:8], DEFAULT))
    assert np.isnan(detectable_factor(logs[:8], DEFAULT, tests=2))
    assert np.isnan(detectable_factor(logs[:0], DEFAULT))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=8, max_size=60), st.floats(1.0, 2.0), st.floats(-3, 3))
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


def half_width(walsh: Floats, share: float) -> float:
    low, high = np.quantile(walsh, [0.5 - share, 0.5 + share])
    return float(high - low) / 2


@pytest.mark.parametrize("n", [8, 50, 51])
@pytest.mark.parametrize("least_factor", [1.0, 1.1])
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
    is_different = np.log(detectable_factor(logs, Criterion(least_factor=least_factor)))
    assert is_different - least == pytest.approx(expected - least, rel=1e-3)


def signed_rank_chances(n: int) -> Floats:
    """The probability of each sum of positive ranks, from all signs rank by rank."""
    chances = {0: 1.0}
    for rank in range(1, n + 1):
        following: dict[int, float] = {}
        for total, chance in chances.items():
            for sum_of_ranks in (total, total + rank):
                following[sum_of_ranks] = following.get(sum_of_ranks, 0.0) + chance / 2
        chances = following
    return np.array([chances[total] for total in range(len(chances))])


# Processes.


def levels_of(
    random: np.random.Generator, processes: int, instances: int, spread: float, repeat: int
) -> Floats:
    """Log ratios of equal backends whose times differ from process to process.

    The processes share this number of repetitions of all instances.
    """
    level = random.normal(0, 0.3, instances) + random.normal(0, spread, (processes, 1))
    level = level + random.normal(0, 0.05, (processes, instances))
    known = np.zeros(level.shape, dtype=bool)
    for repetition in range(repeat):
        for place, instance in enumerate(random.permutation(instances), repetition * instances):
            known[place * processes // (repeat * instances), instance] = True
    return np.where(known, level, np.nan)


@pytest.mark.parametrize("repeat", [1, 2, 4, 6])
@pytest.mark.parametrize(("spread", "least_before"), [(0.0, 90), (0.15, 0)])
def test_an_interval_over_processes_covers_equal_backends(
    repeat: int, spread: float, least_before: float
) -> None:
    random, runs = np.random.default_rng(4), 300
    levels = [levels_of(random, 6, 120, spread, repeat) for _ in range(runs)]
    logs = [np.nanmean(level, axis=0) for level in levels]
    errors = [process_error(level) for level in levels]
    rows, before = ([{"factor": float(np.exp(log.mean()))} for log in logs] for _ in range(2))
    criterion = Criterion(least_factor=1.0)
    criterion.add_intervals(rows, logs, errors, power=False)
    criterion.add_intervals(before, logs, power=False)
    covered, covered_before = (
        100 * sum(row["factor_low"] <= 1 <= row["factor_high"] for row in table) / runs
        for table in (rows, before)
    )
    assert 91 <= covered <= 98.5
    assert least_before <= covered_before <= max(70, least_before + 8)
    criterion.judge(rows, logs, errors)
    assert sum(row["p"] < 0.01 for row in rows) <= 0.04 * runs


def test_processes_that_differ_widen_the_interval_raise_p_and_the_detectable_factor() -> None:
    random = np.random.default_rng(1)
    same, other = (levels_of(random, 5, 30, spread, 5) for spread in (0.0, 0.2))
    logs = [0.5 + np.mean(level, axis=0) for level in (other, other)]
    errors = [None, process_error(other)]
    rows = [{"factor": float(np.exp(log.mean()))} for log in logs]
    criterion = Criterion()
    criterion.judge(rows, logs, errors)
    criterion.add_intervals(rows, logs, errors)
    plain, wide = rows
    assert wide["factor_low"] < plain["factor_low"] < plain["factor"]
    assert wide["factor_high"] > plain["factor_high"]
    assert wide["p"] > plain["p"]
    assert wide["detectable"] > plain["detectable"]
    error = process_error(same)
    assert error is not None
    assert error.variance < 1e-4


def test_the_error_of_processes_is_that_of_an_analysis_of_variance() -> None:
    """One-way: a textbook example, three groups of sizes 2, 3 and 4, by hand."""
    groups = [[1.0, 3.0], [4.0, 5.0, 6.0], [8.0, 9.0, 9.0, 10.0]]
    level = np.full((3, 9), np.nan)
    level[0, :2], level[1, 2:5], level[2, 5:] = groups
    mean = 55 / 9
    between = (2 * (2 - mean) ** 2 + 3 * (5 - mean) ** 2 + 4 * (9 - mean) ** 2) / 2
    within = (2 + 2 + 2) / 6
    size = (9 - (4 + 9 + 16) / 9) / 2
    error = process_error(level)
    assert error is not None
    assert error.processes == 3
    assert error.variance == pytest.approx((between - within) / size * (4 + 9 + 16) / 81)


def test_two_processes_or_missing_ratios_give_no_error() -> None:
    assert process_error(np.zeros((2, 20))) is None
    assert process_error(np.full((5, 20), np.nan)) is None
    assert process_error(np.where(np.arange(4) % 3 == np.arange(3)[:, None], 1.0, np.nan)) == (0, 3)
    each_its_own = process_error(np.where(np.eye(9) > 0, np.arange(9.0), np.nan))
    assert each_its_own == (0, 9)  # differences between instances are those between processes, too


@pytest.mark.parametrize(("processes", "repeat"), [(5, 5), (10, 2), (4, 2), (20, 4), (9, 3)])
def test_the_variance_between_processes_is_right_on_average_in_every_plan(
    processes: int, repeat: int
) -> None:
    random = np.random.default_rng(2)
    levels = [levels_of(random, processes, 60, 0.5, repeat) for _ in range(400)]
    errors = [process_error(level) for level in levels]
    mean = np.mean([error.variance for error in errors if error])
    assert mean == pytest.approx(0.25 / processes, rel=0.15)


def test_the_shares_of_processes_in_the_mean_count() -> None:
    level = levels_of(np.random.default_rng(3), 4, 50, 0.5, 4)
    equal, uneven = process_error(level), process_error(level, np.array([1.0, 1.0, 1.0, 17.0]))
    assert equal is not None
    assert uneven is not None
    assert uneven.variance / equal.variance == pytest.approx((3 + 17**2) / 400 * 4)


def test_processes_alone_decide_what_is_detectable_where_ratios_are_equal() -> None:
    factors = [
        detectable_factor(np.full(12, 0.5), DEFAULT, 1, ProcessError(v, 5)) for v in (0, 0.1)
    ]
    assert factors[0] == DEFAULT.least_factor
    assert factors[1] > ProcessError(0.1, 5).critical_mean(np.full(12, 0.5), DEFAULT.alpha)
