"""Puzzles a second and guesses a puzzle: the table that the fast solvers are known by."""

from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.results import COMPARISON_GROUP, GROUP_DTYPES, rows_frame

THROUGHPUT_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "paradigm": "string",
    "instances": "int64",
    "answered": "int64",
    "wrong": "int64",
    "puzzles_per_s": "float64",
    "us_per_puzzle": "float64",
    "is_bound": "bool",
    "share_without_guess": "float64",
    "guesses_per_puzzle": "float64",
    "guesses_are": "string",
}


def throughput(results: pd.DataFrame) -> pd.DataFrame:
    """One row for each comparison group and backend, the most puzzles a second first.

    After the benchmark of tdoku (https://github.com/t-dillon/tdoku). Those
    with a wrong answer stand last and have no rate.

    Columns `THROUGHPUT_DTYPES`: ``paradigm``, what the backend says of how it
    infers; ``instances``, ``answered`` and ``wrong`` ones; ``puzzles_per_s``
    and ``us_per_puzzle``, instances over the sum of their times, failures at
    the limit, and the inverse in microseconds; ``is_bound`` where a failure
    makes them bounds; ``share_without_guess`` and ``guesses_per_puzzle`` over
    the answered instances of which guesses are told, missing where none are;
    ``guesses_are``, the solver's own name of what is counted as guesses (see
    `instances.GUESS_COUNTERS`): counts of different names are not the same thing.
    """
    rows: list[dict[str, Any]] = []
    by = [*COMPARISON_GROUP, "backend"]
    for key, table in results.groupby(by, dropna=False, observed=True, sort=False):
        answered = table["answered"].to_numpy(dtype=bool)
        mean = float(table["time_s"].mean())
        wrong = int((table["wrong"] > 0).sum())
        told = table["answered"] & table["guesses"].notna()
        guesses = table.loc[told, "guesses"].to_numpy(dtype=np.float64)
        rows.append(
            {
                **dict(zip(by, key, strict=True)),
                "paradigm": table["paradigm"].iloc[0],
                "instances": len(table),
                "answered": int(answered.sum()),
                "wrong": wrong,
                "puzzles_per_s": float("nan") if wrong else 1 / mean,
                "us_per_puzzle": float("nan") if wrong else 1e6 * mean,
                "is_bound": not answered.all(),
                "share_without_guess": float((guesses == 0).mean()) if told.any() else np.nan,
                "guesses_per_puzzle": float(guesses.mean()) if told.any() else np.nan,
                "guesses_are": table.loc[told, "guesses_are"].iloc[0] if told.any() else None,
            }
        )
    found = rows_frame(rows, THROUGHPUT_DTYPES)
    found["place"] = found.groupby(COMPARISON_GROUP, dropna=False, sort=False).ngroup()
    order = ["place", "us_per_puzzle", "backend"]
    return found.sort_values(order, kind="stable", ignore_index=True).drop(columns="place")
