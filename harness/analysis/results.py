"""Instances: what the repetitions of a trial come to.

Puzzles are the sample; repetitions only make one figure of it more exact. So
every paired or ranking measure works on *instances*, one row for each backend
and puzzle of a comparison group, and never on single trials.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from harness.records.verdict import Verdict

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

COMPARISON_GROUP: Final = [
    *("dataset", "task", "limit", "start"),
    *("timeout_s", "cpu_limit_s", "memory_limit_mib", "host"),
]
"""What must be equal for times to be compared. The machine is part of it."""

GROUP_DTYPES: Final[dict[str, str]] = {
    "dataset": "string",
    "task": "string",
    "limit": "Int64",
    "start": "string",
    "timeout_s": "float64",
    "cpu_limit_s": "float64",
    "memory_limit_mib": "Int64",
    "host": "string",
}

ALL_DATASETS: Final = "all datasets"

LEAST_TIME: Final = 1e-9
"""Seconds; a shorter time counts as this, so that its logarithm exists."""

GUESS_COUNTERS: Final = ("guesses", "decisions", "branches")
"""The names under which solvers tell how often they guessed, the first one that is told."""

RIGHT: Final = frozenset(str(verdict) for verdict in Verdict if verdict.answered)

_PHASES: Final = ["build_s", "encode_s", "search_s", "decode_s"]
_CARRIED: Final = ["name", "shape", "clues", "paradigm", "verdict"]
_CATEGORIES: Final = [
    *("dataset", "task", "start", "host", "backend", "puzzle_id"),
    *("name", "shape", "paradigm", "verdict", "guesses_are"),
]


def results_of(trials: pd.DataFrame) -> pd.DataFrame:
    """One row for each comparison group, backend and puzzle, in the order of `trials`.

    An instance is *answered* if more than half of its repetitions are right
    answers and none is wrong; its time is then the median over repetitions,
    failures at the limit, which no failure can reach. Otherwise its time is
    the limit.

    Columns: those of `COMPARISON_GROUP`; ``backend``, ``puzzle_id``; ``name``,
    ``shape``, ``clues``, ``paradigm`` and ``verdict`` of its first trial that
    is wrong or else ended as the instance does; ``trials``, the number of
    repetitions; ``right`` and ``wrong``, how many of them were; ``answered``;
    ``time_s``, seconds of wall time; ``guesses``, as that trial told it, and
    ``guesses_are``, the name of the counter, both missing where none is told.
    Texts are categorical.
    """
    trials = with_group_columns(trials)
    number, first = numbered(trials, [*COMPARISON_GROUP, "backend", "puzzle_id"])
    size = len(first)
    limit = trials["timeout_s"].to_numpy(dtype=np.float64)
    verdict_codes, verdicts = pd.factorize(trials["verdict"])
    right = np.array([v in RIGHT for v in verdicts] + [False], dtype=bool)[verdict_codes]
    wrong = np.array([v == Verdict.WRONG for v in verdicts] + [False], dtype=bool)[verdict_codes]
    counts = np.bincount(number, minlength=size)
    rights = np.bincount(number, weights=right, minlength=size).astype(np.int64)
    wrongs = np.bincount(number, weights=wrong, minlength=size).astype(np.int64)
    answered = (2 * rights > counts) & (wrongs == 0)
    wall = trials["wall_s"].to_numpy(dtype=np.float64, na_value=np.nan)
    # A right answer without a time cannot be; were there one, it would be no good one.
    time = np.where(right & ~np.isnan(wall), np.clip(wall, LEAST_TIME, None), limit)
    middle = _medians(time, number, counts)
    telling = np.where(wrong, 0, np.where(right == answered[number], 1, 2))
    chosen = np.lexsort((telling, number))[np.concatenate([[0], np.cumsum(counts)[:-1]])[:size]]
    table = trials.iloc[chosen][[*COMPARISON_GROUP, "backend", "puzzle_id", *_CARRIED]]
    table = table.reset_index(drop=True)
    table["trials"], table["right"], table["wrong"] = counts, rights, wrongs
    table["answered"] = answered
    table["time_s"] = np.where(answered, middle, limit[chosen])
    told = _guesses(trials["stats"].iloc[chosen])
    table["guesses"], table["guesses_are"] = told
    categorical: pd.DataFrame = table.astype(dict.fromkeys(_CATEGORIES, "category"))
    return categorical


def answers(trials: pd.DataFrame) -> pd.DataFrame:
    """The trials that are right answers, one row each, with the index of `trials`.

    Columns: those of `COMPARISON_GROUP`, ``backend``, ``puzzle_id`` and ``name``, all
    categorical, so that a large run is grouped fast; ``repetition``;
    ``wall_s`` and the phases ``build_s``, ``encode_s``, ``search_s`` and
    ``decode_s``, seconds; ``stats``, JSON.
    """
    grouped = [*COMPARISON_GROUP, "backend", "puzzle_id", "name"]
    columns = [*grouped, "repetition", "wall_s", *_PHASES, "stats"]
    right = with_group_columns(trials.loc[trials["verdict"].isin(RIGHT), columns])
    categorical: pd.DataFrame = right.astype(dict.fromkeys(grouped, "category"))
    return categorical


def with_group_columns(trials: pd.DataFrame) -> pd.DataFrame:
    """`trials` with no limit of CPU time or memory as 0 and an unknown machine as ``""``."""
    return trials.assign(
        cpu_limit_s=trials["cpu_limit_s"].fillna(0.0),
        memory_limit_mib=trials["memory_limit_mib"].fillna(0),
        host=trials["host"].fillna(""),
    )


def pooled(results: pd.DataFrame) -> pd.DataFrame:
    """`instances` with all datasets as one, called `ALL_DATASETS`; each puzzle weighs the same.

    Columns are those of `instances`. A puzzle that stands in two datasets is two
    instances.
    """
    dataset, puzzle = results["dataset"].astype("string"), results["puzzle_id"]
    table = results.assign(dataset=ALL_DATASETS, puzzle_id=dataset + "/" + puzzle.astype("string"))
    return table.astype({"dataset": "category", "puzzle_id": "category"})


@dataclass(frozen=True, eq=False)
class ComparisonGroup:
    """The instances that compete: n puzzles in rows, m backends in columns.

    Both are sorted, so that no figure depends on the order of trials.
    """

    key: Mapping[str, Any]
    """The values of `COMPARISON_GROUP`."""
    backends: tuple[str, ...]
    puzzles: npt.NDArray[np.object_]
    """Their ids, shape (n,)."""
    time: Floats
    """Seconds, shape (n, m); the limit where there is no right answer."""
    answered: Bools
    """Shape (n, m)."""
    asked: Bools
    """Whether there is a trial, shape (n, m)."""
    wrong: npt.NDArray[np.int64]
    """Instances with a wrong answer, shape (m,)."""

    @property
    def limit_s(self) -> float:
        """The time limit T in seconds."""
        return float(self.key["timeout_s"])

    def penalised(self, factor: float) -> Floats:
        """Times with failures at `factor` times the limit, shape (n, m)."""
        return np.where(self.answered, self.time, factor * self.limit_s)

    def of(self, backends: Sequence[int]) -> "ComparisonGroup":
        """These columns alone, and the puzzles that every one of them was asked about."""
        chosen = np.asarray(backends, dtype=np.intp)
        rows = self.asked[:, chosen].all(axis=1)
        return ComparisonGroup(
            self.key,
            tuple(self.backends[n] for n in backends),
            self.puzzles[rows],
            self.time[np.ix_(rows, chosen)],
            self.answered[np.ix_(rows, chosen)],
            self.asked[np.ix_(rows, chosen)],
            self.wrong[chosen],
        )

    def eligible(self) -> "ComparisonGroup":
        """Without the backends that gave a wrong answer: those that may be ranked."""
        return self.of([n for n, wrong in enumerate(self.wrong) if wrong == 0])


def comparison_groups(results: pd.DataFrame) -> Iterator[ComparisonGroup]:
    """The comparison groups of a frame of `instances`, in its order."""
    number, first = numbered(results, COMPARISON_GROUP)
    if not len(first):
        return
    keys = results.iloc[first][COMPARISON_GROUP].to_dict("records")
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=len(first)))
    columns = {
        name: results[name].to_numpy()
        for name in ("backend", "puzzle_id", "time_s", "answered", "wrong")
    }
    for key, rows in zip(keys, np.split(order, ends[:-1]), strict=True):
        column, backends = _sorted_codes(columns["backend"][rows])
        row, puzzles = _sorted_codes(columns["puzzle_id"][rows])
        shape = (len(puzzles), len(backends))
        time = np.full(shape, float(key["timeout_s"]))
        answered, asked = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        time[row, column] = columns["time_s"][rows]
        answered[row, column] = columns["answered"][rows]
        asked[row, column] = True
        wrong = np.bincount(column, weights=columns["wrong"][rows] > 0, minlength=len(backends))
        names = {str(name): key[name] for name in COMPARISON_GROUP}
        yield ComparisonGroup(
            names, tuple(backends), puzzles, time, answered, asked, wrong.astype(np.int64)
        )


def rows_frame(rows: Sequence[Mapping[Any, Any]], dtypes: Mapping[str, str]) -> pd.DataFrame:
    """The rows as a frame with these columns and dtypes, also where there are none."""
    columns = {
        name: pd.Series([row.get(name) for row in rows], dtype=dtype)
        for name, dtype in dtypes.items()
    }
    return pd.DataFrame(columns)


def numbered(
    frame: pd.DataFrame, columns: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """A number for each row, equal where all `columns` are, and the first row of each number.

    Numbers are given in the order of their first rows. Much faster than a
    `groupby` over many columns of text, and a missing value is a value.
    """
    number = np.zeros(len(frame), dtype=np.int64)
    for name in columns:
        codes, uniques = pd.factorize(frame[name])
        number = pd.factorize(number * (len(uniques) + 1) + codes + 1)[0].astype(np.int64)
    _, first = np.unique(number, return_index=True)
    return number, first


def _medians(
    values: Floats, number: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> Floats:
    ordered = values[np.lexsort((values, number))]
    begin = np.cumsum(counts) - counts
    middle: Floats = (ordered[begin + (counts - 1) // 2] + ordered[begin + counts // 2]) / 2
    return middle


def _sorted_codes(
    values: Any,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.object_]]:
    codes, uniques = pd.factorize(values, sort=False)
    names = np.asarray(uniques, dtype=object)
    order = np.argsort(names)
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return place[codes], names[order]


def _guesses(stats: "pd.Series[str]") -> tuple[Floats, list[str | None]]:
    codes, texts = pd.factorize(stats)
    told: list[tuple[float, str | None]] = [_told(text) for text in texts]
    told.append((float("nan"), None))
    numbers = np.array([number for number, _ in told], dtype=np.float64)[codes]
    names = [told[code][1] for code in codes]
    return numbers, names


def _told(text: str) -> tuple[float, str | None]:
    stats = json.loads(text)
    for name in GUESS_COUNTERS:
        if name in stats:
            return float(stats[name]), name
    return float("nan"), None
