"""The power of a comparison of times: the least factor that it would find.

A comparison finds a factor if the paired test is significant and the estimate reaches the
threshold, see `inference.Criterion`. Both estimates vary from run to run, so a true factor is
found with a probability.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import numpy as np

from harness.analysis.inference import Criterion, cannot_differ
from harness.analysis.results import Floats

POWER: Final = 0.8
"""The probability with which a comparison finds the factor that it states."""

_EXACT: Final = 50
"""Up to this number of instances the test of scipy is exact, from there on normal."""
_QUANTILES: Final = 200
"""More values than this are replaced by as many quantiles, which have the same Walsh averages."""
_KURTOSIS: Final = 8.0
"""The kurtosis behind the error of a width. That of a normal distribution is 3; a few values do
not show how heavy their tails are."""
_LARGEST_CORRELATION: Final = 0.99
_STEPS: Final = 40


def detectable_factors(logs: Iterable[Floats], criterion: Criterion) -> list[float]:
    """For each array of log ratios the least factor that is found with probability `POWER`.

    All arrays are tested together: as in the first step of Holm's correction, each test has
    the level alpha divided by their number. Arrays without a value are no tests.
    """
    arrays = list(logs)
    tests = sum(len(array) > 0 for array in arrays)
    return [detectable_factor(array, criterion, tests) for array in arrays]


def detectable_factor(log_ratios: Floats, criterion: Criterion, tests: int = 1) -> float:
    """The least factor that a comparison with this spread finds with probability `POWER`.

    The spread of the log ratios is that of the sample, around any true factor. Two conditions
    must hold for an estimate to count:

    - Wilcoxon's test is significant if its confidence interval for the pseudomedian, between
      two Walsh averages, excludes 0 (Hodges and Lehmann, "Estimates of location based on rank
      tests", Annals of Mathematical Statistics 34, 1963). Half its width is the shift that is
      significant; its width at one standard error is the standard error (Lehmann,
      "Nonparametric confidence intervals for a shift parameter", same journal, 1963), so the
      efficiency of the test under heavy tails is that of the sample. The error of the width
      itself is added: that of a standard deviation, for heavy tails.
    - The mean log ratio is the threshold or more. Its standard error is s / sqrt(n), with a
      quantile of Student's distribution, as s is an estimate too.

    The estimates are jointly normal; their correlation is that of the values with their ranks.
    Differences are assumed to be spread symmetrically, as Wilcoxon's test does.

    Args:
        log_ratios: logarithms of ratios of times, shape (n,).
        criterion: the level and the threshold.
        tests: the number of tests that are corrected together.

    Returns:
        The factor, at least the threshold; missing if n is too small for a difference.
    """
    from scipy.special import ndtri, stdtrit

    n = len(log_ratios)
    if n < 2 or cannot_differ(n, tests):
        return float("nan")
    least = float(np.log(criterion.least_factor))
    deviation = float(np.std(log_ratios, ddof=1))
    if deviation <= 1e-12 * max(1.0, float(np.abs(log_ratios).max())):
        return criterion.least_factor
    values = np.sort(log_ratios)
    if n > _QUANTILES:
        values = np.quantile(values, (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    walsh = _walsh_averages(values)
    share = np.sqrt((2 * n + 1) / (6 * n * (n + 1)))  # standard error of the share below 0
    alpha = criterion.alpha / tests
    if n <= _EXACT:
        rank = _critical_value(n, alpha)
        half = float(walsh[-1 - rank] - walsh[rank]) / 2
    else:
        half = _half_width(walsh, -float(ndtri(alpha / 2)) * share)
    error = np.hypot(_half_width(walsh, share), half * np.sqrt((_KURTOSIS - 1) / (4 * (n - 1))))
    mean_error = deviation / np.sqrt(n) * stdtrit(n - 1, POWER) / ndtri(POWER)
    ranked = np.corrcoef(values, np.arange(len(values)))[0, 1]
    correlation = min(float(ranked), _LARGEST_CORRELATION)
    low = max(least, half)
    high = low + 10 * max(error, mean_error)
    error = max(error, 1e-12 * mean_error)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        found = _both_below((middle - least) / mean_error, (middle - half) / error, correlation)
        low, high = (middle, high) if found < POWER else (low, middle)
    return float(np.exp(high))


def _walsh_averages(values: Floats) -> Floats:
    """The averages of all pairs of values, each with itself too, sorted."""
    first, second = np.triu_indices(len(values))
    averages: Floats = np.sort((values[first] + values[second]) / 2)
    return averages


def _half_width(walsh: Floats, share: float) -> float:
    """Half the distance of the quantiles at 1/2 - `share` and 1/2 + `share`."""
    ends = np.quantile(walsh, [max(0.5 - share, 0.0), min(0.5 + share, 1.0)])
    return float(ends[1] - ends[0]) / 2


@lru_cache(maxsize=1024)
def _critical_value(n: int, alpha: float) -> int:
    """The largest k for which a signed-rank sum of k or less has a two-sided p below `alpha`."""
    chances = np.zeros(n * (n + 1) // 2 + 1)
    chances[0] = 1.0
    for rank in range(1, n + 1):
        shifted = chances.copy()
        shifted[rank:] += chances[:-rank]
        chances = shifted / 2
    return int(np.searchsorted(2 * np.cumsum(chances), alpha)) - 1


def _both_below(a: float, b: float, correlation: float) -> float:
    """The probability that two standard normal values are below `a` and `b`.

    The integral of Plackett, in the form of Drezner and Wesolowsky ("On the computation of
    the bivariate normal integral", Journal of Statistical Computation and Simulation 35, 1990).
    """
    from scipy.special import ndtr

    points, weights = _legendre()
    angle = np.arcsin(correlation) / 2
    theta = angle * (points + 1)
    exponent = -(a * a + b * b - 2 * a * b * np.sin(theta)) / (2 * np.cos(theta) ** 2)
    return float(ndtr(a) * ndtr(b) + angle * (weights * np.exp(exponent)).sum() / (2 * np.pi))


@lru_cache(maxsize=1)
def _legendre() -> tuple[Floats, Floats]:
    points, weights = np.polynomial.legendre.leggauss(48)
    return points, weights
