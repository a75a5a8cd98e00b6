"""The growth of times with the size of a puzzle: a fitted exponent with its interval."""

from dataclasses import dataclass
from math import nan
from typing import Final

import numpy as np

from harness.analysis.results import Bools, Floats

LEAST_SIZES: Final = 3
"""Fewer sizes have no exponent: a line through two sizes always fits."""
LEAST_INSTANCES: Final = 8
"""Fewer instances have no exponent."""
SQUARE: Final = "NxN"
"""The series of shapes with boxes as square as possible: 4x4, 6x6, 9x9, 16x16."""
LATIN: Final = "latin"
"""The series of Latin squares."""
_CONFIDENCE: Final = 0.95
_ROUNDING: Final = 1e-9
"""A logarithm this close to the mean is at the mean: that of 6 is the mean of those of 4 and 9."""


@dataclass(frozen=True, slots=True)
class Exponent:
    """A fitted exponent; NaN where it is missing."""

    value: float = nan
    low: float = nan
    high: float = nan
    is_bound: bool = False
    """Whether the value is only a lower bound."""


def series_of(shape: str, size: int) -> str:
    """The shapes that differ from this one only in their size."""
    for name, of_size in ((SQUARE, f"{size}x{size}"), (LATIN, f"latin{size}")):
        if shape == of_size:
            return name
    return shape


def exponent_of(size: Floats, time: Floats, answered: Bools) -> Exponent:
    """Fit ``time = a * size ** exponent`` by least squares on the logarithms of both.

    The spread of times differs between sizes, and a size may have few instances. The 95 %
    interval therefore has the standard error HC3, which is valid for unequal variances
    (MacKinnon and White, "Some heteroskedasticity-consistent covariance matrix estimators
    with improved finite sample properties", Journal of Econometrics 29, 1985), and Student's t
    with the degrees of freedom of Bell and McCaffrey ("Bias reduction in standard errors for
    linear regression with multi-stage samples", Survey Methodology 28(2), 2002), which are few
    if few instances determine the slope.

    A failure has at least the time T that it counts as. At a size above the mean of the
    logarithms a longer time makes the slope steeper, and at the mean it changes nothing. If all
    failures are there, the exponent is a lower bound, without an upper end. Otherwise it is
    missing, as it is below `LEAST_SIZES` sizes or `LEAST_INSTANCES` instances, or with a time of
    zero.

    Args:
        size: the size N of each instance, shape (n,).
        time: seconds, failures at T, shape (n,).
        answered: shape (n,).
    """
    if len(size) < LEAST_INSTANCES or len(np.unique(size)) < LEAST_SIZES or (time <= 0).any():
        return Exponent()
    from scipy.special import stdtrit

    log_size, log_time = np.log(size), np.log(time)
    from_mean = log_size - log_size.mean()
    if (from_mean[~answered] < -_ROUNDING).any():
        return Exponent()
    squares = (from_mean**2).sum()
    slope = float((from_mean * log_time).sum() / squares)
    residual = log_time - log_time.mean() - slope * from_mean
    weight = from_mean / squares / (1 - _leverage(from_mean))
    error = float(np.sqrt(((weight * residual) ** 2).sum()))
    quantile = float(stdtrit(_degrees_of_freedom(from_mean, weight**2), (1 + _CONFIDENCE) / 2))
    is_bound = not bool(answered.all())
    high = nan if is_bound else slope + quantile * error
    return Exponent(slope, slope - quantile * error, high, is_bound)


def _leverage(from_mean: Floats) -> Floats:
    """The diagonal of the projection on a line, 1/n + d²/sum(d²)."""
    projection: Floats = 1 / len(from_mean) + from_mean**2 / (from_mean**2).sum()
    return projection


def _degrees_of_freedom(from_mean: Floats, squared: Floats) -> float:
    """The degrees of freedom of the variance ``sum(w² r²)`` of residuals r of a line.

    With the projection M on the residuals and W = diag(w²), the variance is a sum of chi-squared
    variables with the eigenvalues of W M. Satterthwaite's approximation has trace(W M)² /
    trace(W M W M) degrees of freedom. M has the entries [i = j] - 1/n - d_i d_j / sum(d²), so the
    sum over all pairs is a product of sums, apart from the diagonal.

    Args:
        from_mean: d, the deviations of the abscissae from their mean, shape (n,).
        squared: w², shape (n,).
    """
    n, squares, leverage = len(from_mean), (from_mean**2).sum(), _leverage(from_mean)
    pairs = (squared.sum() / n) ** 2
    pairs += 2 * (squared * from_mean).sum() ** 2 / (n * squares)
    pairs += (squared * from_mean**2).sum() ** 2 / squares**2
    diagonal = squared**2 * ((1 - leverage) ** 2 - leverage**2)
    return float((squared * (1 - leverage)).sum() ** 2 / (pairs + diagonal.sum()))
