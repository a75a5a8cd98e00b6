"""Series: the results of each configuration in several runs, on the instances of all of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.analysis.results import COMPARISON_GROUP, Bools, Floats, numbered
from harness.analysis.run import Run

SERIES_GROUP: Final = [name for name in COMPARISON_GROUP if name != "host"]
"""What is equal in all runs of a series. The machine may change, and is then reported."""

SERIES_KEY: Final = [*SERIES_GROUP, "backend"]
"""The columns that identify a series."""

LEAST_RUNS: Final = 3
"""The least number of runs of a trend, and of a series that is tested."""

_COLUMNS: Final = [*SERIES_KEY, "puzzle_id", "time_s", "answered", "wrong"]


def series_key(row: Mapping[Any, Any]) -> tuple[str, ...]:
    """The series of a row of any frame as texts, equal for equal series; empty if missing."""
    return tuple("" if pd.isna(row[name]) else str(row[name]) for name in SERIES_KEY)


@dataclass(frozen=True, eq=False)
class Series:
    """A configuration in k of the runs, on the n instances that its group has in common."""

    key: Mapping[str, Any]
    """The values of `SERIES_GROUP`."""
    backend: str
    runs: tuple[int, ...]
    """The runs that have the configuration: their places among all runs, ascending."""
    time: Floats
    """Seconds with failures at the limit, shape (n, k)."""
    answered: Bools
    """Shape (n, k)."""
    wrong: npt.NDArray[np.int64]
    """Wrong answers in each run, whatever their instances, shape (k,)."""
    has: npt.NDArray[np.int64]
    """Instances that each run has, in common or not, shape (k,)."""

    @property
    def group(self) -> tuple[Any, ...]:
        """The comparison group without its machine, equal for all its series."""
        return tuple(None if pd.isna(value) else value for value in self.key.values())

    @property
    def title(self) -> str:
        """Dataset, task, start and scramble of the group in words."""
        scramble = f", scramble {self.key['scramble']}" if self.key["scramble"] else ""
        return f"{self.key['dataset']}: {self.key['task']}, {self.key['start']} start{scramble}"

    @property
    def instances(self) -> int:
        """The number n of common instances."""
        return len(self.time)

    @property
    def right(self) -> npt.NDArray[np.intp]:
        """The columns of the runs without a wrong answer; only these have comparable times."""
        return np.flatnonzero(self.wrong == 0)


def series_of(runs: Sequence[Run]) -> Iterator[Series]:
    """The series of each comparison group and configuration, in the order of the runs.

    An instance is common if every run has a result of it for every configuration of the
    group that the run contains: so all values of a group, of any configuration and any run,
    are about the same instances. A run with several machines counts as one machine.
    """
    frames = []
    for place, run in enumerate(runs):
        results = (run.across_machines() if len(run.hosts) > 1 else run).results
        frames.append(results[_COLUMNS].astype(_plain_dtypes(results)).assign(run=place))
    table = pd.concat(frames, ignore_index=True)
    number, first = numbered(table, SERIES_GROUP)
    keys = table.iloc[first][SERIES_GROUP].to_dict("records")
    for group, key in enumerate(keys):
        part = table[number == group]
        cells = len(part[["backend", "run"]].drop_duplicates())
        sizes = part.groupby("puzzle_id", sort=True).size()
        common = sizes.index[sizes == cells]
        names = {str(name): value for name, value in key.items()}
        for backend, rows in part.groupby("backend", sort=True):
            yield _series(names, str(backend), rows, common)


def _series(
    key: Mapping[str, Any], backend: str, rows: pd.DataFrame, common: "pd.Index[Any]"
) -> Series:
    places = sorted(map(int, rows["run"].unique()))
    by_run = rows.groupby("run")
    inside = rows[rows["puzzle_id"].isin(common)]
    shape = (len(common), len(places))
    time, answered = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    row = common.get_indexer(pd.Index(inside["puzzle_id"]))
    column = np.searchsorted(places, inside["run"].to_numpy())
    time[row, column] = inside["time_s"].to_numpy(dtype=np.float64)
    answered[row, column] = inside["answered"].to_numpy(dtype=bool)
    return Series(
        key=key,
        backend=backend,
        runs=tuple(places),
        time=time,
        answered=answered,
        wrong=_of_each(by_run["wrong"].sum(), places),
        has=_of_each(by_run.size(), places),
    )


def _of_each(numbers: "pd.Series[Any]", places: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.array([numbers[place] for place in places], dtype=np.int64)


def _plain_dtypes(results: pd.DataFrame) -> dict[str, str]:
    """Texts for the categories, which differ between runs."""
    return {name: "string" for name in _COLUMNS if results[name].dtype == "category"}
