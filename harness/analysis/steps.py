"""Steps in a series of runs: where the level of a configuration's times changes.

The sample is the runs, because all times of a run share what the machine did during it: many
instances make the mean of a run exact, but do not repeat the run. Functions take the means of
the logarithms of times, one value for each run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from harness.analysis.inference import CONFIDENCE, DEFAULT, Criterion, holm
from harness.analysis.results import Floats

RUN_NOISE: Final = (0.03, 0.1)
"""Bounds of the standard deviation that is expected between runs of equal speed, as a part of
their times. Between them it is that of a single instance: a machine whose single times vary is
also expected to vary from run to run."""
RUN_NOISE_WEIGHT: Final = 3
"""How many degrees of freedom the expectation has. With few runs it prevents that two runs that
happen to agree make any third one significant; with many runs their own noise decides."""
LEAST_INSTANCES: Final = 5
"""The least number of instances from which the noise of an instance is estimated."""
_PENALTY: Final = 3.0
"""The cost of a candidate, in logarithms of the number of runs; see `candidates`."""


@dataclass(frozen=True, slots=True)
class LevelChange:
    """A test of the runs before against the runs after one place of a series."""

    at: int
    """The number of runs before the change."""
    begin: int
    """The first run of the level before."""
    end: int
    """The first run after the level after."""
    difference: float
    """The level after minus the level before, in logarithms."""
    low: float
    high: float
    """The ends of the confidence interval of the difference."""
    p: float
    """The p-value, corrected for the number of places in the series."""
    p_holm: float = float("nan")
    """The p-value corrected for all changes that are tested together."""


def steps_of(series: Sequence[Floats], criterion: Criterion = DEFAULT) -> list[list[LevelChange]]:
    """The steps of several series: the changes of level that are both significant and large.

    The tests of all series are corrected together (Holm), and `criterion` decides.
    While one is not significant or not large, each series drops the least significant of
    these places, and the levels that are left are tested again.

    Args:
        series: for each series the logarithms of times, shape (n, k) for n >= 2 instances in
            k >= 2 runs.
        criterion: what makes a difference count.

    Returns:
        The steps of each series, in order.
    """
    means: list[Floats] = [logs.mean(axis=0) for logs in series]
    priors = [prior_variance(logs) for logs in series]
    places = [candidates(*pair) for pair in zip(means, priors, strict=True)]
    while True:
        tested = [level_changes(*parts) for parts in zip(means, places, priors, strict=True)]
        corrected = iter(holm(np.array([change.p for changes in tested for change in changes])))
        tested = [
            [replace(c, p_holm=float(next(corrected))) for c in changes] for changes in tested
        ]
        weak = [[c for c in changes if not _is_step(c, criterion)] for changes in tested]
        if not any(weak):
            return tested
        for kept, dropped in zip(places, weak, strict=True):
            if dropped:
                kept.remove(max(dropped, key=lambda change: (change.p, change.at)).at)


def _is_step(change: LevelChange, criterion: Criterion) -> bool:
    factor = np.exp(np.array([change.difference]))
    direction = np.sign(np.log(factor)).astype(np.int64)  # a test of means
    return bool(criterion.different(np.array([change.p_holm]), factor, direction)[0])


def instance_variance(logs: Floats) -> float:
    """The variance of the logarithm of one instance's time between equal runs.

    The median over pairs of successive runs, so that a step does not count as noise.

    Args:
        logs: logarithms of times, shape (n, k) for n >= 2 instances in k >= 2 runs.
    """
    changes = np.diff(logs, axis=1)
    return float(np.median(changes.var(axis=0, ddof=1))) / 2


def prior_variance(logs: Floats) -> float:
    """The expected variance of the mean of a run: between runs, and of its n instances.

    Args:
        logs: as for `instance_variance`.
    """
    single = instance_variance(logs)
    return float(np.clip(np.sqrt(single), *RUN_NOISE)) ** 2 + single / len(logs)


def candidates(means: Floats, prior: float) -> list[int]:
    """The places where a series of runs may change its level, before they are tested.

    For each number of changes the places with the least sum of squares around the levels
    are found by dynamic programming (Auger and Lawrence, "Algorithms for the optimal
    identification of segment neighborhoods", Bulletin of Mathematical Biology 51, 1989). The
    number is that with the least penalised likelihood (Yao, "Estimating the number of
    change-points via Schwarz' criterion", Statistics and Probability Letters 6, 1988). A
    single run between two others is an outlier, not a level; the first and the last run may
    be levels of their own.

    Args:
        means: shape (k,).
        prior: see `prior_variance`.
    """
    k = len(means)
    if k < 2:
        return []
    weight = RUN_NOISE_WEIGHT + k - 1
    found = _segmentations(means, max(1, k // 2))
    cost = [
        weight * np.log(RUN_NOISE_WEIGHT * prior + squares) + _PENALTY * np.log(k) * len(places)
        for squares, places in found
    ]
    return found[int(np.argmin(cost))][1]


def level_changes(means: Floats, places: Sequence[int], prior: float) -> list[LevelChange]:
    """Test each place against the one before and the one after.

    The test is a t-test whose variance is pooled over all levels of the series and moderated
    by `prior` (Smyth, "Linear models and empirical Bayes methods for assessing differential
    expression in microarray experiments", Statistical Applications in Genetics and Molecular
    Biology 3, 2004). The p-value is corrected for the k - 1 places at which the series
    could have changed (Bonferroni).

    Args:
        means: shape (k,).
        places: numbers of runs before each change, ascending.
        prior: see `prior_variance`.
    """
    from scipy.special import stdtr, stdtrit

    k = len(means)
    bounds = [0, *places, k]
    levels = [means[a:b] for a, b in pairwise(bounds)]
    squares = sum(float(((level - level.mean()) ** 2).sum()) for level in levels)
    freedom = RUN_NOISE_WEIGHT + k - len(levels)
    variance = (RUN_NOISE_WEIGHT * prior + squares) / freedom
    reach = float(stdtrit(freedom, (1 + CONFIDENCE) / 2))
    found = []
    for n, (before, after) in enumerate(pairwise(levels)):
        difference = float(after.mean() - before.mean())
        error = float(np.sqrt(variance * (1 / len(before) + 1 / len(after))))
        p = 2 * float(stdtr(freedom, -abs(difference) / error))
        found.append(
            LevelChange(
                at=bounds[n + 1],
                begin=bounds[n],
                end=bounds[n + 2],
                difference=difference,
                low=difference - reach * error,
                high=difference + reach * error,
                p=min(1.0, p * (k - 1)),
            )
        )
    return found


def _segmentations(means: Floats, most: int) -> list[tuple[float, list[int]]]:
    """The least sum of squares and its places for 0, 1, ... `most` changes, if possible."""
    k = len(means)
    values = means - means.mean()  # small numbers, so that differences of sums stay exact
    sums = np.concatenate([[0.0], np.cumsum(values)])
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    length = np.arange(k + 1)[None, :] - np.arange(k + 1)[:, None]
    inside = length > 0
    scatter = (squares[None, :] - squares[:, None]) - (
        (sums[None, :] - sums[:, None]) ** 2 / np.where(inside, length, 1)
    )
    inner = (np.arange(k + 1)[:, None] > 0) & (np.arange(k + 1)[None, :] < k)
    possible = inside & ~(inner & (length == 1))
    # cost[a, b]: the sum of squares of runs a to b - 1 around their mean.
    cost = np.where(possible, np.maximum(scatter, 0.0), np.inf)
    least = cost[0].copy()
    found: list[tuple[float, list[int]]] = [(float(least[k]), [])]
    last: list[npt.NDArray[np.intp]] = []
    for _ in range(most):
        total = least[:, None] + cost
        last.append(total.argmin(axis=0))
        least = total.min(axis=0)
        if not np.isfinite(least[k]):
            break
        places: list[int] = []
        end = k
        for choice in reversed(last):
            end = int(choice[end])
            places.append(end)
        found.append((float(least[k]), places[::-1]))
    return found
