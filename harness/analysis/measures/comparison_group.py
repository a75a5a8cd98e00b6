"""Comparison groups: the times of several backends on the same instances, and their statistics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.measures import columns as col
from harness.analysis.measures.columns import COMPARISON_GROUP, Columns
from harness.analysis.measures.inference import (
    DEFAULT,
    Bools,
    Criterion,
    Floats,
    ProcessError,
    mean_ranks_of,
    process_error,
)
from harness.analysis.measures.results import common_instances, groups_of, limits

# Comparison groups as arrays: the times of several backends on the same instances.


@dataclass(frozen=True, eq=False)
class ComparisonGroup:
    """The results of a comparison group: n instances in rows, m backends in columns.

    The instances are the common ones, see `common_instances`. Instances and backends are sorted, so
    that no value depends on the order of trials.
    """

    key: Mapping[str, Any]
    """The values of `COMPARISON_GROUP`."""
    backends: tuple[str, ...]
    puzzles: npt.NDArray[np.object_]
    """The ids of the instances, shape (n,)."""
    time: Floats
    """Seconds, shape (n, m); the limit for an instance without a right answer."""
    answered: Bools
    """Shape (n, m); False too where a backend with a wrong answer was not run."""
    wrong: npt.NDArray[np.int64]
    """Instances with a wrong answer, shape (m,)."""
    left_out: int
    """Instances left out because not all eligible backends were run on them."""
    limit_s: float
    """The limit T in seconds that a failure counts as."""
    run_on: npt.NDArray[np.int64]
    """The number of these instances that each backend was run on, shape (m,): n, but possibly less
    for a backend with a wrong answer."""
    sizes: npt.NDArray[np.int64]
    """The number of puzzles of each instance, shape (n,): 1, or more in a call with the start
    `batch`."""
    criterion: Criterion = DEFAULT
    """What makes a difference of two backends count."""
    levels: Floats | None = None
    """The logarithm of the time in each process, with failures at the limit, missing without a
    trial there, shape (p, n, m); None for too few processes."""
    repetitions: Floats | None = None
    """The number of trials in each process, of the same shape."""

    @property
    def mean_s(self) -> Floats:
        """The geometric mean of the times of each backend, shape (m,)."""
        mean: Floats = np.exp(np.log(self.time).mean(axis=0))
        return mean

    @property
    def ranks(self) -> Floats:
        """The rank of each backend by its `rank_key`, shape (m,); ties share the average rank."""
        keys = [rank_key(self.time[:, n], self.answered[:, n]) for n in range(len(self.backends))]
        places = np.unique(np.reshape(keys, (-1, 2)), axis=0, return_inverse=True)[1]
        return mean_ranks_of(places.astype(np.int64))[0]

    @property
    def order(self) -> list[int]:
        """The columns, the best rank first."""
        order: list[int] = np.argsort(self.ranks, kind="stable").tolist()
        return order

    def eligible(self) -> "ComparisonGroup":
        """The group with only the backends without a wrong answer, which may be ranked."""
        columns = np.flatnonzero(self.wrong == 0)
        return replace(
            self,
            backends=tuple(self.backends[n] for n in columns),
            time=self.time[:, columns],
            answered=self.answered[:, columns],
            wrong=self.wrong[columns],
            run_on=self.run_on[columns],
            levels=None if self.levels is None else self.levels[:, :, columns],
            repetitions=None if self.repetitions is None else self.repetitions[:, :, columns],
        )

    def process_error(self, first: int, second: int, instances: Bools) -> ProcessError | None:
        """The error of the mean log ratio of two backends on these instances between processes.

        Args:
            first: the column of a backend.
            second: the column of the other.
            instances: shape (n,).
        """
        if self.levels is None or self.repetitions is None:
            return None
        columns = [first, second]
        levels = self.levels[:, instances][:, :, columns]
        trials = self.repetitions[:, instances][:, :, columns]
        shares = (trials / np.maximum(1, trials.sum(axis=0))).sum(axis=1)
        # The backend whose trials are less evenly spread over the processes.
        uneven = np.argmax((shares**2).sum(axis=0))
        return process_error(levels[:, :, 1] - levels[:, :, 0], shares[:, uneven])

    def wrong_rows(self) -> list[dict[str, Any]]:
        """A row for each backend with a wrong answer, with the columns in which it has a value."""
        return [
            {"backend": backend, "instances": int(self.run_on[n]), "wrong": int(self.wrong[n])}
            for n, backend in enumerate(self.backends)
            if self.wrong[n]
        ]


def comparison_groups(
    results: pd.DataFrame,
    criterion: Criterion = DEFAULT,
    process_results: pd.DataFrame | None = None,
) -> Iterator[ComparisonGroup]:
    """The comparison groups of a frame of results, in its order.

    Args:
        results: the results.
        criterion: what makes a difference count in each group.
        process_results: the results in each process, with the column ``process``.
    """
    parts: dict[tuple[Any, ...], pd.DataFrame] = {}
    if process_results is not None:
        for key, rows in groups_of(process_results, COMPARISON_GROUP):
            parts[tuple(map(str, key.values()))] = process_results.iloc[rows]
    common, left_out = common_instances(results)
    limit = limits(results)
    columns = {
        name: results[name].to_numpy()
        for name in ("backend", "puzzle_id", "time_s", "answered", "wrong", "puzzles")
    }
    for key, rows in groups_of(results, COMPARISON_GROUP):
        column, backends = pd.factorize(columns["backend"][rows], sort=True)
        wrong = np.bincount(column, weights=columns["wrong"][rows] > 0, minlength=len(backends))
        limit_s, missing = float(limit[rows[0]]), int(left_out[rows[0]])
        column, rows = column[common[rows]], rows[common[rows]]
        row, puzzles = pd.factorize(columns["puzzle_id"][rows], sort=True)
        shape = (len(puzzles), len(backends))
        time = np.full(shape, limit_s)
        is_answered = np.zeros(shape, dtype=bool)
        time[row, column] = columns["time_s"][rows]
        is_answered[row, column] = columns["answered"][rows]
        sizes = np.ones(len(puzzles), dtype=np.int64)
        sizes[row] = columns["puzzles"][rows]
        run_on = np.bincount(column, minlength=len(backends)).astype(np.int64)
        part = parts.get(tuple(map(str, key.values())))
        yield ComparisonGroup(
            *(key, tuple(backends), puzzles, time, is_answered, wrong.astype(np.int64)),
            *(missing, limit_s, run_on, sizes, criterion),
            *(None, None) if part is None else _levels(part, puzzles, backends),
        )


def _levels(process_results: pd.DataFrame, puzzles: Any, backends: Any) -> tuple[Floats, Floats]:
    """``levels`` and ``repetitions`` of a `ComparisonGroup`."""
    process, numbers = pd.factorize(process_results["process"])
    row = pd.Index(puzzles).get_indexer(process_results["puzzle_id"])
    column = pd.Index(backends).get_indexer(process_results["backend"])
    known = (row >= 0) & (column >= 0)
    places = process[known], row[known], column[known]
    levels: Floats = np.full((len(numbers), len(puzzles), len(backends)), np.nan)
    repetitions: Floats = np.zeros(levels.shape)
    levels[places] = np.log(process_results["time_s"].to_numpy(dtype=np.float64)[known])
    repetitions[places] = process_results["trials"].to_numpy(dtype=np.float64)[known]
    return levels, repetitions


# Statistics of the times of one backend, with failures in them.


def rank_key(time: Floats, is_answered: Bools) -> tuple[int, float]:
    """The key that ranks backends in every table, lowest first: answers, then times.

    It has the number of instances without an answer, and the mean logarithm of times with failures
    at the limit, which orders as the geometric mean does. The mean is missing for no times.

    Args:
        time: seconds on the same instances for all backends, shape (n,).
        is_answered: shape (n,).
    """
    # Rounded, so that equal times in another order are a tie.
    mean = round(float(np.log(time).mean()), 12) if time.size else float("nan")
    return int((~is_answered).sum()), mean


PENALTY: Final = 2
"""The factor of the limit in PAR-2."""


def par(time: Floats, is_answered: Bools, limit: float, factor: float = PENALTY) -> float:
    """The mean of times with failures at `factor` times the limit: PAR-2, PAR-10.

    The penalised average running time of algorithm configuration (Hutter et al., "ParamILS",
    JAIR 36, 2009). Missing for no times.
    """
    if not time.size:
        return float("nan")
    return float(np.where(is_answered, time, factor * limit).mean())


def shifted_geometric_mean(time: Floats, shift: float = 1e-3) -> float:
    """exp(mean(ln(t + s))) - s, in the unit of both; failures must be in `time` at the limit.

    The shift limits the influence of the smallest times (Achterberg, "Constraint integer
    programming", 2007, appendix A). Missing for no times.
    """
    if not time.size:
        return float("nan")
    return float(np.exp(np.log(time + shift).mean()) - shift)


def quantile(time: Floats, is_answered: Bools, share: float = 0.5) -> tuple[float, bool]:
    """A quantile with failures at the limit, and whether it is only a lower bound."""
    if not time.size:
        return float("nan"), False
    # Failures count as the limit: a quantile that reaches them is a bound.
    above = np.quantile(time, share, method="higher")
    return float(np.quantile(time, share)), bool((time[~is_answered] <= above).any())


TIME_COLUMNS: Final[Columns] = (
    col.INSTANCES,
    col.ANSWERED,
    col.number("share_answered", "Share of the instances that is answered."),
    col.seconds("median_s", "Median time, failures at T.", "median", bound_flag="median_is_bound"),
    col.flag("median_is_bound", "Whether `median_s` is only a lower bound."),
    col.PAR2,
    col.seconds("sgm_1ms_s", "Geometric mean shifted by 1 ms, failures at T.", "SGM"),
)
"""The columns of `statistics_by`."""


def statistics_by(results: pd.DataFrame, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The values of `TIME_COLUMNS` for the common set in each group of `columns`.

    Each row also has the values of `columns`, ``left_out`` and, over all results, ``wrong``.

    Args:
        results: with the columns of `results.with_common_set`.
        columns: those of a comparison group and ``backend``, and others.
    """
    limit, left_out = limits(results), results["left_out"].to_numpy()
    common, wrong = results["common"].to_numpy(), results["wrong"].to_numpy() > 0
    times, answers = results["time_s"].to_numpy(np.float64), results["answered"].to_numpy(bool)
    for key, rows in groups_of(results, columns):
        common_rows, first = rows[common[rows]], rows[0]
        time, is_answered = times[common_rows], answers[common_rows]
        middle, is_bound = quantile(time, is_answered)
        yield key | {
            "instances": len(time),
            "answered": int(is_answered.sum()),
            "share_answered": float(is_answered.mean()) if is_answered.size else float("nan"),
            "median_s": middle,
            "median_is_bound": is_bound,
            "par2_s": par(time, is_answered, float(limit[first])),
            "sgm_1ms_s": shifted_geometric_mean(time),
            "wrong": int(wrong[rows].sum()),
            "left_out": int(left_out[first]),
        }
