"""How times grow with the size of the puzzle, and with its difficulty."""

from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.averages import FIGURES, figures
from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES, rows_frame
from harness.puzzles.shape import Shape
from harness.records.question import Task

_OVER_DATASETS: Final = [name for name in COMPARISON_GROUP if name != "dataset"]

SCALING_DTYPES: Final[dict[str, str]] = {
    **{name: GROUP_DTYPES[name] for name in _OVER_DATASETS},
    "shape": "string",
    "size": "int64",
    "backend": "string",
    "wrong": "int64",
    **FIGURES,
}

BY_DIFFICULTY_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "difficulty": "string",
    "place": "int64",
    "reference": "string",
    "backend": "string",
    "wrong": "int64",
    **FIGURES,
    "ratio": "float64",
}

_GUESSES: Final = {"no guess": 1, "1-9 guesses": 10, "10-99 guesses": 100, "100-999 guesses": 1000}
_MANY: Final = "1000 guesses or more"
_SHARES: Final = (0.2, 0.25, 0.3, 0.4)


def scaling(results: pd.DataFrame) -> pd.DataFrame:
    """One row for each task, start, limits and machine, shape and backend; datasets together.

    Columns `SCALING_DTYPES`: ``size`` N of the ``shape``, the smallest first;
    ``wrong`` instances; those of `averages.FIGURES`: ``instances``,
    ``answered`` and ``share_answered``, and in seconds with failures at the
    limit ``median_s``, with ``median_is_bound`` where it is only a lower bound,
    ``par2_s`` (failures at twice the limit) and ``sgm_1ms_s``.
    """
    sizes = {str(spec): Shape.parse(str(spec)).size for spec in results["shape"].unique()}
    rows = []
    by = [*_OVER_DATASETS, "shape", "backend"]
    for key, table in results.groupby(by, dropna=False, observed=True, sort=False):
        row = dict(zip(by, key, strict=True))
        rows.append(row | {"size": sizes[str(row["shape"])]} | _of(table))
    found = rows_frame(rows, SCALING_DTYPES)
    order = ["task", "limit", "start", "size", "shape", "backend"]
    return found.sort_values(order, kind="stable", ignore_index=True)


def by_difficulty(results: pd.DataFrame) -> pd.DataFrame:
    """One row for each comparison group, difficulty of difficulty and backend, the easiest first.

    How difficult a puzzle is must not be read off the times that are compared,
    or whoever was lucky on it would look good. So it is the number of guesses
    of one backend, the reference: `reference_backend`. A guess count does not
    depend on machine or clock. Puzzles that the reference did not answer are
    the last difficulty. It is difficulty as that backend sees it: where others
    would guess elsewhere, it is for them only related to it. Where no backend
    tells its guesses, by_difficulty are shares of the cells that are given.

    Columns `BY_DIFFICULTY_DTYPES`: ``difficulty`` in words with its ``place`` from 0;
    ``reference``, the backend whose guesses were counted, missing for none;
    ``wrong`` instances; those of `averages.FIGURES` as in `scaling`;
    ``ratio``, PAR-2 over the least of those without a wrong answer in the
    comparison group and difficulty, missing where there is a wrong one.
    """
    if results.empty:
        return rows_frame([], BY_DIFFICULTY_DTYPES)
    place, names = _difficulties(results)
    rows = []
    reference = reference_backend(results)
    by = [*COMPARISON_GROUP, "place", "backend"]
    placed = results.assign(place=place)
    for key, table in placed.groupby(by, dropna=False, observed=True, sort=False):
        row: dict[str, Any] = dict(zip(by, key, strict=True))
        row |= {"difficulty": names[row["place"]], "reference": reference, "ratio": np.nan}
        rows.append(row | _of(table))
    found = rows_frame(rows, BY_DIFFICULTY_DTYPES)
    group = [*COMPARISON_GROUP, "place"]
    bad = found.groupby([*COMPARISON_GROUP, "backend"], dropna=False)["wrong"].transform("sum") > 0
    eligible = found["par2_s"].mask(bad)
    keys = [found[name] for name in group]
    found["ratio"] = eligible / eligible.groupby(keys, dropna=False).transform("min")
    order = [*COMPARISON_GROUP, "place", "ratio", "backend"]
    return found.sort_values(order, kind="stable", ignore_index=True)


def reference_backend(results: pd.DataFrame) -> str | None:
    """The backend whose guesses say how difficult a puzzle is; None where nobody tells any.

    The one that tells them, under the name ``guesses``, of the most instances;
    of several the first by name.
    """
    telling = results[results["guesses_are"] == "guesses"]
    if telling.empty:
        return None
    numbers = telling["backend"].astype("string").value_counts()
    return str(min(numbers[numbers == numbers.max()].index))


def _difficulties(results: pd.DataFrame) -> "tuple[np.ndarray[tuple[int], Any], list[str]]":
    """The place of the difficulty of each row, and the names of all by_difficulty."""
    reference = reference_backend(results)
    if reference is None:
        cells = results["shape"].map(_cells).astype("float64").to_numpy()
        share = results["clues"].to_numpy(dtype=np.float64) / cells
        edges = [f"{edge:.0%}".rstrip("%") for edge in reversed(_SHARES)]
        names = [f"{edges[0]} % given or more"]
        names += [f"{low}-{high} % given" for high, low in pairwise(edges)]
        names.append(f"under {edges[-1]} % given")
        return len(_SHARES) - np.digitize(share, _SHARES), names
    names = [*_GUESSES, _MANY, f"no answer from {reference}"]
    rows = results["backend"] == reference
    known = results[rows & results["answered"]]
    # Counting guesses more than solving; where a puzzle was solved, that is what it takes.
    first = np.argsort((known["task"] != Task.SOLVE).to_numpy(), kind="stable")
    known = known.iloc[first].drop_duplicates("puzzle_id")
    guesses = known.set_index(known["puzzle_id"].astype("string"))["guesses"]
    told = results["puzzle_id"].astype("string").map(guesses).to_numpy(dtype=np.float64)
    bins = np.digitize(told, list(_GUESSES.values()))
    return np.where(np.isnan(told), len(names) - 1, bins), names


def _cells(spec: str) -> int:
    return Shape.parse(spec).size ** 2


def _of(table: pd.DataFrame) -> dict[str, Any]:
    limit = float(table["timeout_s"].iloc[0])
    time = table["time_s"].to_numpy(dtype=np.float64)
    found = figures(time, table["answered"].to_numpy(dtype=bool), limit)
    return found | {"wrong": int((table["wrong"] > 0).sum())}
