"""Comparison groups as arrays: the times of several backends on the same instances."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.common_set import common_instances
from harness.analysis.inference import DEFAULT, Criterion
from harness.analysis.results import COMPARISON_GROUP, Bools, Floats, groups_of
from harness.analysis.times import TIME_S, limit_of


@dataclass(frozen=True, eq=False)
class ComparisonGroup:
    """The results of a comparison group: n instances in rows, m backends in columns.

    The instances are those of `on_common_instances`. Instances and backends are sorted, so
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
    """Shape (n, m); False for a backend with a wrong answer where it was not run."""
    wrong: npt.NDArray[np.int64]
    """Instances with a wrong answer, shape (m,)."""
    left_out: int
    """Instances left out because not all eligible backends were run on them."""
    run_on: npt.NDArray[np.int64]
    """Instances of these that each backend was run on: all n, but for wrong answers, shape (m,)."""
    criterion: Criterion = DEFAULT
    """What makes a difference of two backends count."""

    @property
    def limit_s(self) -> float:
        """The limit T in seconds that a failure counts as."""
        return limit_of(self.key)

    def penalised(self, factor: float) -> Floats:
        """Times with failures at `factor` times the limit, shape (n, m)."""
        return np.where(self.answered, self.time, factor * self.limit_s)

    def of(self, backends: Sequence[int]) -> "ComparisonGroup":
        """Only these columns."""
        chosen = np.asarray(backends, dtype=np.intp)
        return ComparisonGroup(
            self.key,
            tuple(self.backends[n] for n in backends),
            self.puzzles,
            self.time[:, chosen],
            self.answered[:, chosen],
            self.wrong[chosen],
            self.left_out,
            self.run_on[chosen],
            self.criterion,
        )

    def excluded(self) -> list[dict[str, Any]]:
        """A row for each backend with a wrong answer, with the columns that it has a value of."""
        return [
            {"backend": backend, "instances": int(self.run_on[n]), "wrong": int(self.wrong[n])}
            for n, backend in enumerate(self.backends)
            if self.wrong[n]
        ]

    def eligible(self) -> "ComparisonGroup":
        """Only the backends without a wrong answer, which may be ranked."""
        return self.of([n for n, wrong in enumerate(self.wrong) if wrong == 0])


def comparison_groups(
    results: pd.DataFrame, criterion: Criterion = DEFAULT
) -> Iterator[ComparisonGroup]:
    """The comparison groups of a frame of results, in its order; `criterion` is theirs."""
    common, left_out = common_instances(results)
    columns = {
        name: results[name].to_numpy()
        for name in ("backend", "puzzle_id", TIME_S, "answered", "wrong")
    }
    for key, rows in groups_of(results, COMPARISON_GROUP):
        column, backends = _sorted_codes(columns["backend"][rows])
        wrong = np.bincount(column, weights=columns["wrong"][rows] > 0, minlength=len(backends))
        missing = int(left_out[rows[0]])
        column, rows = column[common[rows]], rows[common[rows]]
        row, puzzles = _sorted_codes(columns["puzzle_id"][rows])
        shape = (len(puzzles), len(backends))
        time = np.full(shape, limit_of(key))
        answered = np.zeros(shape, dtype=bool)
        time[row, column] = columns[TIME_S][rows]
        answered[row, column] = columns["answered"][rows]
        run_on = np.bincount(column, minlength=len(backends)).astype(np.int64)
        yield ComparisonGroup(
            *(key, tuple(backends), puzzles, time, answered, wrong.astype(np.int64), missing),
            run_on=run_on,
            criterion=criterion,
        )


def _sorted_codes(
    values: Any,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.object_]]:
    codes, uniques = pd.factorize(values, sort=False)
    names = np.asarray(uniques, dtype=object)
    order = np.argsort(names)
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return place[codes], names[order]
