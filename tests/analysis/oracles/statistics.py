"""Tests, corrections and means by their definitions."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import scipy

Check = Callable[[Any], bool]
"""Whether a value that has no exact prediction agrees with the definition."""

ALPHA = 0.01
LEAST_FACTOR = 1.1
LEAST_FOR_INTERVAL = 8
EXACT = 50


def log(value: float) -> float:
    return math.log(value)


def geometric(values: Iterable[float], shift: float = 0.0) -> float:
    return math.exp(float(np.mean([log(value + shift) for value in values]))) - shift


def quantile(values: Sequence[float], share: float) -> float:
    """Linear between neighbours in order; infinite if an infinite one has a weight."""
    in_order = sorted(values)
    place = share * (len(in_order) - 1)
    lower = math.floor(place + 1e-9)
    weight = max(place - lower, 0.0)
    if weight < 1e-9:
        return in_order[lower]
    return (1 - weight) * in_order[lower] + weight * in_order[lower + 1]


def equal_times(values: Sequence[float]) -> list[float]:
    """The values, with those that differ by rounding only made equal."""
    return [float(f"{value:.12g}") for value in values]


def mean_ranks(values: Sequence[float]) -> list[float]:
    """Rank 1 for the least; ties share the mean rank."""
    rounded_values = equal_times(values)
    return [
        sum(v < own for v in rounded_values) + (rounded_values.count(own) + 1) / 2
        for own in rounded_values
    ]


def wilcoxon(differences: Sequence[float]) -> float:
    """The two-sided p-value with zeros after Pratt, over all assignments of signs."""
    rounded_values = [0.0 if abs(d) < 1e-12 else float(f"{d:.11g}") for d in differences]
    if not any(rounded_values):
        return 1.0
    if len(rounded_values) > EXACT:
        result = scipy.stats.wilcoxon(
            rounded_values, zero_method="pratt", method="approx", correction=False
        )
        return float(result.pvalue)
    ranks = [
        round(2 * rank)
        for rank, value in zip(
            mean_ranks([abs(value) for value in rounded_values]), rounded_values, strict=True
        )
        if value
    ]
    nonzero = [value for value in rounded_values if value]
    statistic = abs(sum(math.copysign(r, v) for r, v in zip(ranks, nonzero, strict=True)))
    ways = {0: 1}
    for rank in ranks:
        following: dict[int, int] = {}
        for total, number in ways.items():
            for sign in (-rank, rank):
                following[total + sign] = following.get(total + sign, 0) + number
        ways = following
    extreme = sum(number for total, number in ways.items() if abs(total) >= statistic)
    return float(extreme / 2 ** len(ranks))


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p times the number of hypotheses not yet rejected, never falling, at most 1."""
    p_holm = [0.0] * len(p_values)
    least = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[index]))
        p_holm[index] = least
    return p_holm


def rank_sum(differences: Sequence[float]) -> float:
    """The sum of signed ranks."""
    ranks = mean_ranks([abs(difference) for difference in differences])
    return sum(math.copysign(r, d) for r, d in zip(ranks, differences, strict=True) if d)


def is_different(p_holm: float, logs: Sequence[float], least: float = LEAST_FACTOR) -> bool:
    """Whether a mean ratio counts: significant, large enough and supported by the ranks."""
    if not logs or p_holm >= ALPHA:
        return False
    size = sum(logs) / len(logs)
    return abs(size) >= math.log(least) - 1e-12 and size * rank_sum(logs) > 0


def cannot_differ(instances: int, tests: int) -> bool:
    """Whether the least p, 2 of 2^n assignments of signs, is too large for every test."""
    return instances < LEAST_FOR_INTERVAL or tests * 2.0 / 2**instances >= ALPHA


def friedman(times: Sequence[Sequence[float]]) -> float | None:
    """The p-value; `times` has a list for each backend, failures infinite."""
    if len(times) < 3 or len(times[0]) < 2:
        return None
    p = scipy.stats.friedmanchisquare(*map(equal_times, times)).pvalue
    return 1.0 if math.isnan(p) else float(p)


def interval_ends(logs: Sequence[float]) -> tuple[Any, Any]:
    """Checks of the ends of the studentized bootstrap interval of exp of the mean.

    An end is right if the quantile of resampled t that it implies is 2.5 %, up to 5 standard
    errors of 2,000 resamples. Resamples of equal values have no t and are left out; if more than
    half of the values are equal, the interval is Student's. Missing for fewer than 8 values.
    """
    n, mean = len(logs), float(np.mean(logs)) if len(logs) else 0.0
    if n < LEAST_FOR_INTERVAL:
        return None, None
    values = np.array(logs)
    error = values.std(ddof=1) / math.sqrt(n)
    if error < 1e-12:
        return math.exp(mean), math.exp(mean)
    sample = np.random.default_rng(n).choice(values, (20_000, n))
    spread = sample.std(axis=1, ddof=1) / math.sqrt(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (sample.mean(axis=1) - mean) / np.where(spread < 1e-12, 0, spread)
    t = t[np.isfinite(t)]
    if max(np.sum(np.abs(values - value) < 1e-12) for value in values) > n / 2:
        half = error * float(scipy.stats.t.ppf(0.975, n - 1))
        return math.exp(mean - half), math.exp(mean + half)

    def check(share: float) -> Check:
        def is_end(end: Any) -> bool:
            if end is None:
                return False
            quantile_of_end = (mean - log(end)) / error
            below, up_to = np.mean(t < quantile_of_end - 1e-6), np.mean(t <= quantile_of_end + 1e-6)
            slack = 5 * math.sqrt(0.025 * 0.975 / 2000)
            return bool(below - slack <= share <= up_to + slack)

        return is_end

    return check(0.975), check(0.025)


def shapley(worth: Callable[[frozenset[str]], float], members: Sequence[str], player: str) -> float:
    """The weighted mean over all coalitions of the others of what `player` adds."""
    others = [member for member in members if member != player]
    total = 0.0
    for size in range(len(others) + 1):
        weight = 1 / (len(members) * math.comb(len(others), size))
        for coalition in map(frozenset, combinations(others, size)):
            total += weight * (worth(coalition | {player}) - worth(coalition))
    return total
