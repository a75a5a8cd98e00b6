"""Measure `throughput`: puzzles per second and guesses per puzzle."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.common_columns import WRONG
from harness.analysis.measure import Kind, Measure, MeasureColumn, Note, Scope, Source, View
from harness.analysis.results import BACKEND, COMPARISON_GROUP, GROUP_COLUMNS


def throughput(results: pd.DataFrame) -> pd.DataFrame:
    """Measure the rate and the guesses of each backend, the most puzzles per second first.

    The rate is the number of instances over the sum of their times, failures at the time
    limit, after the benchmark of tdoku (https://github.com/t-dillon/tdoku). Guesses are the
    numbers that the solver reports as `guesses`, `decisions` or `branches`; counts of
    different names are not comparable. A backend with a wrong answer has no rate and comes
    last.
    """
    rows: list[dict[str, Any]] = []
    by = [*COMPARISON_GROUP, "backend"]
    for key, table in results.groupby(by, dropna=False, observed=True, sort=False):
        answered = table["answered"].to_numpy(dtype=bool)
        mean = float(table["time_s"].mean())
        wrong = int((table["wrong"] > 0).sum())
        known = table["answered"] & table["guesses"].notna()
        guesses = table.loc[known, "guesses"].to_numpy(dtype=np.float64)
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
                "share_without_guess": float((guesses == 0).mean()) if known.any() else np.nan,
                "guesses_per_puzzle": float(guesses.mean()) if known.any() else np.nan,
                "guesses_are": table.loc[known, "guesses_are"].iloc[0] if known.any() else None,
            }
        )
    found = THROUGHPUT.frame(rows)
    found["place"] = found.groupby(COMPARISON_GROUP, dropna=False, sort=False).ngroup()
    order = ["place", "us_per_puzzle", "backend"]
    return found.sort_values(order, kind="stable", ignore_index=True).drop(columns="place")


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    if frame["is_bound"].any():
        yield Note("an instance without a right answer counts as the time limit")
    if frame["guesses_are"].nunique() > 1:
        yield Note("guesses counted under different names are not comparable")


THROUGHPUT: Final = Measure(
    name="throughput",
    title="Throughput",
    scope=Scope.GROUP,
    source=Source.RESULTS,
    compute=throughput,
    columns=(
        *GROUP_COLUMNS,
        BACKEND,
        MeasureColumn(
            *("paradigm", "string", "How the backend solves.", ""), View(Kind.TEXT, "paradigm")
        ),
        MeasureColumn("instances", "int64", "Instances."),
        MeasureColumn("answered", "int64", "Answered instances."),
        WRONG,
        MeasureColumn(
            *("puzzles_per_s", "float64", "Instances over the sum of their times.", "1/s"),
            View(Kind.NUMBER, "puzzles/s"),
        ),
        MeasureColumn(
            *("us_per_puzzle", "float64", "Mean time, failures at T.", "µs"),
            View(Kind.NUMBER, "us/puzzle"),
        ),
        MeasureColumn(
            "is_bound",
            "bool",
            "Whether failures make `puzzles_per_s` an upper and `us_per_puzzle` a lower bound.",
        ),
        MeasureColumn(
            *("share_without_guess", "float64"),
            "Share of the answered instances with known guesses that took none.",
            "",
            View(Kind.SHARE, "no guess"),
        ),
        MeasureColumn(
            *(
                "guesses_per_puzzle",
                "float64",
                "Mean number of guesses over the same instances.",
                "",
            ),
            View(Kind.NUMBER, "guesses/puzzle", "guesses"),
        ),
        MeasureColumn(
            *("guesses_are", "string", "The solver's name of the counter of guesses.", ""),
            View(Kind.TEXT, "counted as"),
        ),
    ),
    order=(
        *("backend", "puzzles_per_s", "us_per_puzzle", "share_without_guess"),
        *("guesses_per_puzzle", "guesses_are", "paradigm"),
    ),
    notes=_notes,
)
