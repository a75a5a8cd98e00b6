"""Tests and intervals for paired times: differences and their power.

All functions take one value for each instance. `Criterion.different` alone decides which
differences tables report.

A comparison finds a factor if the paired test is significant and the estimate reaches the
threshold, see `inference.Criterion`. Test and estimate vary from run to run, so a true factor is
found only with some probability.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, hypot, isnan, log, nan, sqrt
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy  # each part of it is loaded at its first use

from harness.base.errors import invalid, python_value

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

# Tests and intervals for paired times: whether a difference is more than chance.


SEED: Final = 0
"""The seed of the bootstrap: the same trials give the same interval."""

_CHUNK: Final = 2_000_000
"""Maximum number of draws in memory."""
_CACHED: Final = 50_000
"""Maximum number of draws that are counted at a time, in the cache of a core."""
_MOST_KEPT: Final = 8_000_000
"""Maximum number of draws that are kept for one number of rows, a byte each."""
_DECIMALS: Final = 12
"""Values that are equal to this number of decimals are equal, up to rounding."""
_LEAST_VARIANCE: Final = 1e-12
"""A variance below this part of the largest squared deviation is rounding."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """What makes a difference of times count: it is significant and large enough to matter."""

    ALPHA: ClassVar = 0.01
    """The accepted probability of a false positive in a set of tests with one correction. It is
    lower than the usual 0.05, because a run has many such sets of tests and runs are compared again
    and again: with 0.05 one in twenty would report a difference by chance."""
    CONFIDENCE: ClassVar = 0.95
    """How often an interval contains the true value."""
    MEANINGFUL: ClassVar = 1.1
    """The default of `least_factor`: memory layout alone can change a time by several per cent
    (Mytkowicz et al., "Producing wrong data without doing anything obviously wrong", 2009)."""
    RESAMPLES: ClassVar = 2000
    """Bootstrap samples behind an interval; its ends need 1,000 or more (Efron and Tibshirani
    1993)."""
    LEAST: ClassVar = 8
    """The smallest number of instances that have an interval: with fewer, no usual interval
    contains the true value as often as it claims. It is also the smallest number with which two
    backends can be different: from here on, Wilcoxon's lowest p is below `ALPHA`."""
    LEAST_FACTOR_EXPECTED: ClassVar = "a number from 1 to 1,000, for example 1.05 for 5 %"

    least_factor: float = MEANINGFUL
    """The smallest ratio of times that counts; with 1, every significant difference does."""
    alpha: float = ALPHA
    """The level of the test."""

    @classmethod
    def parse(cls, least_factor: object) -> "Criterion":
        """The criterion with this smallest factor that counts.

        Raises:
            OptionError: `least_factor` is not a number from 1 to 1,000.
        """
        value = python_value(least_factor)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= 1000:
            raise invalid("least_factor", least_factor, cls.LEAST_FACTOR_EXPECTED)
        return cls(least_factor=float(value))

    def different(self, p: Floats, factor: Floats, direction: Ints) -> Bools:
        """Decide which differences count.

        A few instances with extreme ratios can turn a mean against the ranks of all others. A rank
        test cannot support a factor of the opposite sign.

        Args:
            p: p-values of the paired test, corrected for all tests, shape (k,).
            factor: ratios of times, in either direction, shape (k,).
            direction: the sign of the sum of signed ranks of the logarithms of the ratios,
                shape (k,).
        """
        size = np.maximum(factor, 1 / factor)
        agree = np.sign(np.log(factor)) == direction
        is_different: Bools = (p < self.alpha) & (size >= self.least_factor) & agree
        return is_different

    @classmethod
    def cannot_differ(cls, instances: int, tests: int) -> bool:
        """Whether so few instances cannot show a difference in any of these tests.

        Wilcoxon's lowest p is 2 / 2^n; Holm's correction multiplies the lowest p by the number of
        tests.
        """
        return instances < cls.LEAST or tests * 2.0 ** (1 - instances) >= cls.ALPHA

    def judge(
        self,
        rows: Sequence[dict[str, Any]],
        logs: Sequence[Floats],
        errors: "Sequence[ProcessError | None]" = (),
    ) -> None:
        """Test the log ratios of each row, all tests corrected together, and decide on the rows.

        Rows get ``p``, ``p_holm``, ``different`` and ``least_factor``; p is missing without a
        ratio. With an error of processes, p is the larger one of the test of ranks and of a t-test
        whose standard error includes it.

        Args:
            rows: the rows.
            logs: the logarithms of the ratios of each row, shape (n,) each.
            errors: the error of each row that is due to processes; None where it is unknown.
        """
        tests = signed_ranks(logs)
        for at, error in enumerate(errors):
            if error and error.variance > 0:
                p = max(tests[at].p, error.p_of_mean(logs[at]))
                tests[at] = tests[at]._replace(p=p)
        p_holm = holm(np.array([test.p for test in tests], dtype=np.float64))
        factors = np.array([row["factor"] for row in rows], dtype=np.float64)
        directions = np.array([test.direction for test in tests], dtype=np.int64)
        verdicts = self.different(p_holm, factors, directions)
        for row, test, p, verdict in zip(rows, tests, p_holm, verdicts, strict=True):
            row |= {"p": test.p, "p_holm": float(p), "different": bool(verdict)}
            row["least_factor"] = self.least_factor

    def add_intervals(
        self,
        rows: Sequence[dict[str, Any]],
        logs: Sequence[Floats],
        errors: "Sequence[ProcessError | None]" = (),
        *,
        power: bool = True,
    ) -> None:
        """Add the interval of the factor, and with `power` the detectable factor, to each row.

        Args:
            rows: the rows.
            logs: the logarithms of the ratios of each row.
            errors: the error of each row that is due to processes; None where it is unknown.
            power: whether to compute detectable factors, which takes most of the time.
        """
        for row, ends in zip(rows, factor_intervals(logs), strict=True):
            row |= {"factor_low": ends[0], "factor_high": ends[1]}
        for row, error in zip(rows, errors, strict=bool(errors)):
            if error and not isnan(row["factor_low"]):
                low, high = error.widened(row["factor"], row["factor_low"], row["factor_high"])
                row |= {"factor_low": low, "factor_high": high}
        if power:
            # As in the first step of Holm's correction; rows without a ratio are not tested.
            tests = sum(len(log_ratios) > 0 for log_ratios in logs)
            for at, (row, log_ratios) in enumerate(zip(rows, logs, strict=True)):
                error = errors[at] if errors else None
                row["detectable"] = detectable_factor(log_ratios, self, tests, error)


DEFAULT: Final = Criterion()
"""The criterion of tables unless another one is chosen."""


def holm(p: Floats) -> Floats:
    """Correct p-values for the number of tests by Holm's step-down method.

    Missing values stay missing and do not count as tests. Holm, "A simple sequentially
    rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
    """
    p_holm = np.full(len(p), np.nan)
    tests = np.flatnonzero(~np.isnan(p))
    order = tests[np.argsort(p[tests], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    p_holm[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return p_holm


_EXACT: Final = 50
"""Up to this number of instances the signed-rank test is exact, above it the normal
approximation."""
_ROUNDED: Final = 1e-12
"""A thousand times the rounding error of a logarithm, far below the resolution of any clock."""


class SignedRank(NamedTuple):
    """The result of Wilcoxon's signed-rank test."""

    p: float
    """The two-sided p-value."""
    direction: int
    """1 if the ranks of positive differences have the larger sum, -1 for negative ones, else 0."""


def signed_ranks(samples: Sequence[Floats]) -> list[SignedRank]:
    """Wilcoxon's signed-rank test of each sample, with Pratt's treatment of zeros.

    p is 1 if all differences are zero, and missing without differences. Up to `_EXACT` differences
    it is exact, even with ties: the share of all assignments of signs whose sum of ranks is as
    extreme. With more, p is that of the normal approximation. Differences below `_ROUNDED` in size
    or between sizes are rounding, and equal: the ratios 2 / 1 and 6 / 3 are a tie. Wilcoxon,
    "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945; Pratt, "Remarks on
    zeros and ties in the Wilcoxon signed rank procedures", JASA 54, 1959.

    Args:
        samples: logarithms of ratios, one for each instance, shape (n,) each.
    """
    tests = [SignedRank(nan, 0)] * len(samples)
    for places in places_by_length(samples):
        most = max(1, _CHUNK // len(samples[places[0]]))
        for begin in range(0, len(places), most):
            part = places[begin : begin + most]
            results = _signed_ranks(np.stack([samples[n] for n in part]))
            for n, test in zip(part, results, strict=True):
                tests[n] = test
    return tests


def places_by_length(samples: Sequence[Floats]) -> Iterator[list[int]]:
    """The places of the samples of each length except 0, for samples that are computed at once."""
    for size in {len(sample) for sample in samples} - {0}:
        yield [n for n, sample in enumerate(samples) if len(sample) == size]


def _signed_ranks(differences: Floats) -> Iterator[SignedRank]:
    """The tests of the rows, shape (k, n)."""
    n = differences.shape[1]
    differences = np.round(differences / _ROUNDED) * _ROUNDED
    ranks, ties = mean_ranks_of(np.abs(differences))
    sums = np.sign(differences) * ranks
    directions = np.sign(sums.sum(axis=1)).astype(np.int64)
    if n > _EXACT:
        for p, direction in zip(_normal_p(differences, ranks, ties), directions, strict=True):
            yield SignedRank(float(p), int(direction))
        return
    for row, double_ranks, direction in zip(
        differences, np.rint(2 * ranks).astype(np.int64), directions, strict=True
    ):
        if not row.any():
            yield SignedRank(1.0, 0)
            continue
        positive = int(double_ranks[row > 0].sum())
        ways = _ways(tuple(np.sort(double_ranks[row != 0]).tolist()))
        tails = ways[: positive + 1].sum(), ways[positive:].sum()
        yield SignedRank(float(min(1.0, 2 * min(tails) / ways.sum())), int(direction))


@lru_cache(maxsize=256)
def _ways(ranks: tuple[int, ...]) -> Floats:
    """How many assignments of signs give each sum of positive ranks; exact below 2^53.

    Without ties, the ranks of n differences are the same in every test.
    """
    ways = np.ones(1)
    for rank in ranks:
        ways = np.concatenate([ways, np.zeros(rank)]) + np.concatenate([np.zeros(rank), ways])
    return ways


def _normal_p(differences: Floats, ranks: Floats, ties: Ints) -> Floats:
    """The normal approximation of p in `signed_ranks`, corrected for ties and zeros, shape (k,).

    Cureton, "The normal approximation to the signed-rank sampling distribution when zero
    differences are present", JASA 62, 1967.

    Args:
        differences: shape (k, n), as have ranks and ties.
        ranks: the mean rank of the size of each difference.
        ties: how many differences have that rank.
    """
    n, zeros = differences.shape[1], (differences == 0).sum(axis=1)
    # A tie of t differences counts t^3 - t, so each of them t^2 - 1.
    tie_terms = np.where(differences == 0, 0, ties**2 - 1).sum(axis=1)
    mean = (n * (n + 1) - zeros * (zeros + 1)) / 4
    squares = n * (n + 1) * (2 * n + 1) - zeros * (zeros + 1) * (2 * zeros + 1)
    deviation = np.sqrt((squares - tie_terms / 2) / 24)
    positive = np.where(differences > 0, ranks, 0).sum(axis=1)
    deviation[zeros == n] = np.inf  # all are equal
    p: Floats = 2 * scipy.special.ndtr(-abs(positive - mean) / deviation)
    return p


def mean_ranks_of(values: Floats | Ints) -> tuple[Floats, Ints]:
    """The rank of each value in its row, shape (..., n); ties share the mean of their ranks.

    Returns:
        The ranks, and how many values of the row have each rank; both of the same shape.
    """
    rows = np.atleast_2d(values)
    order = np.argsort(rows, axis=1, kind="stable")
    in_order = np.take_along_axis(rows, order, axis=1)
    starts = np.ones(rows.shape, dtype=np.bool_)
    starts[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    tie = np.cumsum(starts) - 1  # the number of the tie of each value
    sizes = np.bincount(tie)
    middles = np.flatnonzero(starts) % rows.shape[1] + (sizes + 1) / 2
    ranks, ties = np.empty(rows.shape), np.empty(rows.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, middles[tie].reshape(rows.shape), axis=1)
    np.put_along_axis(ties, order, sizes[tie].reshape(rows.shape), axis=1)
    return ranks.reshape(values.shape), ties.reshape(values.shape)


def mean_interval(samples: Floats, resamples: int = Criterion.RESAMPLES) -> tuple[Floats, Floats]:
    """The studentized bootstrap interval of the mean of each column, over resampled rows.

    Also called bootstrap-t: each resampled mean is divided by its own standard error, as in
    Student's interval (Hall, "Theoretical comparison of bootstrap confidence intervals", Annals
    of Statistics 16, 1988; Efron and Tibshirani, "An introduction to the bootstrap", 1993,
    section 12.5). With few instances it contains the true value more often than percentile and
    BCa intervals do; see ``docs/statistics.md``. The same resamples serve all columns. A resample
    without a spread has no standard error and is left out; if more than half of the values are
    equal, too many are left out, and the interval is Student's. The ends are missing for fewer than
    `Criterion.LEAST` rows.

    Args:
        samples: shape (n, k).
        resamples: number of samples of n rows.

    Returns:
        Lower and upper ends, each of shape (k,).
    """
    n, k = samples.shape
    if n < Criterion.LEAST:
        return np.full(k, np.nan), np.full(k, np.nan)
    mean = samples.mean(axis=0)
    deviation = samples - mean
    error = np.sqrt((deviation**2).sum(axis=0) / (n - 1) / n)
    ratios: Floats = np.ascontiguousarray(_studentized_means(deviation, resamples).T)
    low, high = mean.copy(), mean.copy()
    tails = ((1 - Criterion.CONFIDENCE) / 2, (1 + Criterion.CONFIDENCE) / 2)
    is_known: npt.NDArray[np.bool_] = np.isfinite(ratios)
    is_whole: npt.NDArray[np.bool_] = np.all(is_known, axis=1)
    quantiles = np.full((2, k), np.nan)
    quantiles[:, is_whole] = np.quantile(ratios[is_whole], tails, axis=1)  # faster in one call
    varying = np.flatnonzero(np.ptp(samples, axis=0) > 0)
    for at, most in zip(varying, _most_equal(samples[:, varying].T), strict=True):
        if 2 * most > n or not is_known[at].any():
            first, last = scipy.special.stdtrit(n - 1, tails)
        elif is_whole[at]:
            first, last = quantiles[:, at]
        else:
            first, last = np.quantile(ratios[at, is_known[at]], tails)
        low[at], high[at] = mean[at] - last * error[at], mean[at] - first * error[at]
    return low, high


# The error of a mean log ratio that is due to processes: times differ from process to process,
# because of the layout of memory and the order of hashes (Kalibera and Jones, "Rigorous
# benchmarking in reasonable time", ISMM 2013).


LEAST_PROCESSES: Final = 3
"""The smallest number of processes whose differences widen an interval: with two, Student's
quantile is 12.7."""


class ProcessError(NamedTuple):
    """The error of a mean log ratio that is due to the processes in which it was measured."""

    variance: float
    """The variance of the mean between sets of as many processes."""
    processes: int

    def widened(self, factor: float, low: float, high: float) -> tuple[float, float]:
        """The interval of a factor for new processes, from its interval for these.

        The distances of both intervals are added as squares (Graybill and Wang, "Confidence
        intervals on nonnegative linear combinations of variances", JASA 75, 1980; Zou and Donner,
        "Construction of confidence limits about effect measures", Statistics in Medicine 27, 2008).
        """
        quantile = scipy.special.stdtrit(self.processes - 1, (1 + Criterion.CONFIDENCE) / 2)
        reach, middle = float(quantile) * sqrt(self.variance), log(factor)
        lower, upper = hypot(middle - log(low), reach), hypot(log(high) - middle, reach)
        return exp(middle - lower), exp(middle + upper)

    def p_of_mean(self, log_ratios: Floats) -> float:
        """The p-value of a t-test of a mean with errors of instances and of processes."""
        freedom, error = self._freedom_and_error(log_ratios)
        return float(2 * scipy.special.stdtr(freedom, -abs(float(log_ratios.mean())) / error))

    def critical_mean(self, log_ratios: Floats, alpha: float) -> float:
        """The smallest mean with this spread that the test finds significant at a level."""
        freedom, error = self._freedom_and_error(log_ratios)
        return float(scipy.special.stdtrit(freedom, 1 - alpha / 2)) * error

    def _freedom_and_error(self, log_ratios: Floats) -> tuple[float, float]:
        """The degrees of freedom and the standard error of the mean.

        Satterthwaite, "An approximate distribution of estimates of variance components", Biometrics
        Bulletin 2, 1946.
        """
        size = len(log_ratios)
        own = float(log_ratios.var(ddof=1)) / size if size > 1 else 0.0
        variance = own + self.variance
        weights = own**2 / max(1, size - 1) + self.variance**2 / (self.processes - 1)
        return variance**2 / weights, sqrt(variance)


def process_error(level: Floats, shares: Floats | None = None) -> ProcessError | None:
    """The error that is due to processes, from the log ratios of instances in processes.

    The variance between processes is estimated after that of instances if instances with ratios in
    several processes connect all processes (Henderson, "Estimation of variance and covariance
    components", Biometrics 9, 1953, method 3), otherwise by a one-way analysis of variance. A
    variance below what instances and noise explain is 0.

    Args:
        level: the log ratio of each instance in each process, missing where there is none, shape
            (p, n).
        shares: the share of each process in the mean log ratio, shape (p,); by default instances
            have equal shares, and so have the processes of an instance.

    Returns:
        The error; None for fewer than `LEAST_PROCESSES` processes with a ratio.
    """
    known = ~np.isnan(level)
    filled = np.ix_(known.any(axis=1), known.any(axis=0))
    if shares is None:
        shares = (known / np.maximum(1, known.sum(axis=0))).sum(axis=1)
    shares = shares[known.any(axis=1)] / max(shares.sum(), 1e-300)
    level, known = level[filled], known[filled].astype(np.float64)
    (processes, instances), ratios = level.shape, int(known.sum())
    if processes < LEAST_PROCESSES:
        return None
    if ratios == processes == instances:
        # The differences between instances include those between processes.
        return ProcessError(0.0, processes)
    ratio = np.where(known > 0, level, 0.0)
    of_instance = known.sum(axis=0)
    # What remains of each process after the means of instances.
    design = np.diag(known.sum(axis=1)) - (known / of_instance) @ known.T
    is_connected = np.linalg.matrix_rank(design) == processes - 1
    if is_connected:
        rest = known * (ratio - ratio.sum(axis=0) / of_instance)
        freedom, size = ratios - instances - processes + 1, (ratios - instances) / (processes - 1)
    else:
        of_process = known.sum(axis=1)
        design = np.diag(of_process) - np.outer(of_process, of_process) / ratios
        rest = known * (ratio - ratio.sum() / ratios)
        freedom = ratios - processes
        size = (ratios - float((of_process**2).sum()) / ratios) / (processes - 1)
    if freedom < 1:
        return None
    sums = rest.sum(axis=1)
    explained = float(sums @ np.linalg.pinv(design, hermitian=True) @ sums)
    within = max(0.0, float((rest**2).sum()) - explained) / freedom
    variance = max(0.0, explained / (processes - 1) - within) / size
    return ProcessError(variance * float((shares**2).sum()), processes)


def geometric_mean(logs: Floats) -> float:
    """The geometric mean of values with these logarithms; missing without any."""
    return float(np.exp(logs.mean())) if len(logs) else float("nan")


def factor_intervals(logs: Sequence[Floats]) -> list[tuple[float, float]]:
    """The interval of the geometric mean for each array of logarithms, shape (n,) each.

    The ends are missing for arrays of fewer than `Criterion.LEAST`.
    """
    ends = [(nan, nan)] * len(logs)
    # Arrays of one length share their resamples, which are expensive to draw.
    for places in places_by_length(logs):
        low, high = mean_interval(np.column_stack([logs[n] for n in places]))
        with np.errstate(over="ignore"):  # a few wild times can leave no upper end
            factors = np.exp(low), np.exp(high)
        for n, a, b in zip(places, *factors, strict=True):
            ends[n] = (float(a), float(b))
    return ends


def _most_equal(rows: Floats) -> Ints:
    """How often the most frequent value of each row occurs, up to rounding; no row is constant."""
    lowest, reach = rows.min(axis=1, keepdims=True), np.ptp(rows, axis=1, keepdims=True)
    most: Ints = mean_ranks_of(np.round((rows - lowest) / reach, _DECIMALS))[1].max(axis=1)
    return most


def _studentized_means(deviation: Floats, resamples: int) -> Floats:
    """The means of resampled rows over their standard errors, shape (resamples, k).

    Infinite or missing for a sample whose rows are all equal.
    """
    n = len(deviation)
    parts: list[Floats] = []
    room = np.empty((min(resamples, max(1, _CHUNK // n)), n))
    for counts in (_kept_counts if n * resamples <= _MOST_KEPT else _counts)(n, resamples):
        # As shares of n rows, so that one product serves all columns.
        weights = np.divide(counts, np.float64(n), out=room[: len(counts)])
        means = weights @ deviation
        variance = np.clip(weights @ deviation**2 - means**2, 0, None)
        # Rounding leaves a little of a variance that is 0.
        variance[variance < _LEAST_VARIANCE * (deviation**2).max(axis=0)] = 0
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append(means / np.sqrt(variance / (n - 1)))
    return np.concatenate(parts)


def _counts(n: int, resamples: int) -> Iterator[npt.NDArray[np.uint8]]:
    """How often each resample has each of n rows, in parts; never as often as 256 times."""
    random = np.random.default_rng(SEED)
    size, step = max(1, _CHUNK // n), max(1, _CACHED // n)
    for begin in range(0, resamples, size):
        counts = np.empty((min(size, resamples - begin), n), dtype=np.uint8)
        for at in range(0, len(counts), step):
            draws = random.integers(0, n, size=counts[at : at + step].shape)
            draws += np.arange(len(draws))[:, None] * n
            numbers = np.bincount(draws.ravel(), minlength=draws.size)
            counts[at : at + step] = numbers.reshape(draws.shape)
        yield counts


@lru_cache(maxsize=64)
def _kept_counts(n: int, resamples: int) -> list[npt.NDArray[np.uint8]]:
    """The same as `_counts`, kept: a page needs them for each kind of time."""
    return list(_counts(n, resamples))


# The power of a comparison of times: the smallest factor that it would find.


POWER: Final = 0.8
"""The probability with which a comparison finds the factor that it states."""

_QUANTILES: Final = 200
"""More values than this are replaced by this number of quantiles, which have nearly the same Walsh
averages."""
_KURTOSIS: Final = 8.0
"""The kurtosis behind the error of a width. That of a normal distribution is 3; a few values do
not show how heavy their tails are."""
_LARGEST_CORRELATION: Final = 0.99
_STEPS: Final = 40


def detectable_factor(
    log_ratios: Floats,
    criterion: Criterion,
    tests: int = 1,
    process: "ProcessError | None" = None,
) -> float:
    """The smallest factor that a comparison with this spread finds with probability `POWER`.

    The spread of the log ratios is that of the sample, around any true factor. Two conditions
    must hold for an estimate to count:

    - Wilcoxon's test is significant if its confidence interval for the pseudomedian, between
      two Walsh averages, excludes 0 (Hodges and Lehmann, "Estimates of location based on rank
      tests", Annals of Mathematical Statistics 34, 1963). Half its width is the shift that is
      significant; its width at one standard error is the standard error (Lehmann,
      "Nonparametric confidence intervals for a shift parameter", same journal, 1963), so the
      efficiency of the test under heavy tails is that of the sample. The error of the width
      itself is added: it is the error of a standard deviation under heavy tails.
    - The mean log ratio is the threshold or more. Its standard error is s / sqrt(n), with a
    quantile of Student's distribution, because s is an estimate too.

    The estimates are jointly normal; their correlation is that of the values with their ranks.
    Differences are assumed to be spread symmetrically, as Wilcoxon's test does.

    Args:
        log_ratios: logarithms of ratios of times, shape (n,).
        criterion: the level and the threshold.
        tests: the number of tests that are corrected together; each has the level alpha divided
            by it.
        process: the error that is due to processes; None if it is unknown.

    Returns:
        The factor, at least the threshold; missing if n is too small for a difference.
    """
    n = len(log_ratios)
    if n < 2 or criterion.cannot_differ(n, tests):
        return float("nan")
    least = float(np.log(criterion.least_factor))
    deviation = float(np.std(log_ratios, ddof=1))
    if deviation <= 1e-12 * max(1.0, float(np.abs(log_ratios).max())):
        if process is None or not process.variance:
            return criterion.least_factor
        half = process.critical_mean(log_ratios, criterion.alpha / tests)
        error = float(scipy.special.ndtri(POWER)) * sqrt(process.variance)
        return float(np.exp(max(least, half) + error))
    values = np.sort(log_ratios)
    if n > _QUANTILES:
        values = np.quantile(values, (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    first, second = _pairs(len(values))
    walsh = np.sort((values[first] + values[second]) / 2)  # averages of all pairs of values
    share = np.sqrt((2 * n + 1) / (6 * n * (n + 1)))  # standard error of the share below 0
    alpha = criterion.alpha / tests
    if n <= _EXACT:
        rank = _critical_value(n, alpha)
        half = float(walsh[-1 - rank] - walsh[rank]) / 2
    else:
        half = _half_width(walsh, -float(scipy.special.ndtri(alpha / 2)) * share)
    error = np.hypot(_half_width(walsh, share), half * np.sqrt((_KURTOSIS - 1) / (4 * (n - 1))))
    mean_error = (
        deviation / np.sqrt(n) * scipy.special.stdtrit(n - 1, POWER) / scipy.special.ndtri(POWER)
    )
    if process and process.variance:
        half = max(half, process.critical_mean(log_ratios, alpha))
        error, mean_error = (np.hypot(e, sqrt(process.variance)) for e in (error, mean_error))
    rank_correlation = np.corrcoef(values, np.arange(len(values)))[0, 1]
    correlation = min(float(rank_correlation), _LARGEST_CORRELATION)
    low = max(least, half)
    high = low + 10 * max(error, mean_error)
    error = max(error, 1e-12 * mean_error)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        power = _both_below((middle - least) / mean_error, (middle - half) / error, correlation)
        low, high = (middle, high) if power < POWER else (low, middle)
    return float(np.exp(high))


_pairs: Final = lru_cache(maxsize=1)(np.triu_indices)


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
        with_rank = chances.copy()
        with_rank[rank:] += chances[:-rank]
        chances = with_rank / 2
    return int(np.searchsorted(2 * np.cumsum(chances), alpha)) - 1


def _both_below(a: float, b: float, correlation: float) -> float:
    """The probability that two standard normal values are below `a` and `b`.

    The integral of Plackett, in the form of Drezner and Wesolowsky ("On the computation of
    the bivariate normal integral", Journal of Statistical Computation and Simulation 35, 1990).
    """
    weights, angle, sines, cosines = _points(correlation)
    exponent = -(a * a + b * b - 2 * a * b * sines) / cosines
    return float(
        scipy.special.ndtr(a) * scipy.special.ndtr(b)
        + angle * (weights * np.exp(exponent)).sum() / (2 * np.pi)
    )


_legendre: Final = lru_cache(maxsize=1)(np.polynomial.legendre.leggauss)


@lru_cache(maxsize=1)
def _points(correlation: float) -> tuple[Floats, float, Floats, Floats]:
    """What the integral has for any values: weights, angle, and sine and cosine of each point."""
    points, weights = _legendre(48)
    angle = float(np.arcsin(correlation)) / 2
    theta = angle * (points + 1)
    return weights, angle, np.sin(theta), 2 * np.cos(theta) ** 2
