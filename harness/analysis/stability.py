"""Measure `stability`: the spread of times over the repetitions of a result."""

from typing import Final

import pandas as pd

from harness.analysis.calls import single
from harness.analysis.measure import Kind, Measure, MeasureColumn, Scope, Source, View
from harness.analysis.results import BACKEND, GROUP_COLUMNS, RIGHT, with_group_columns
from harness.analysis.summary import GROUP
from harness.analysis.times import TIME_S
from harness.records.dtypes import with_dtypes

UNSTABLE: Final = 0.10
"""The least spread of an unstable result."""


def stability(trials: pd.DataFrame) -> pd.DataFrame:
    """Measure the spread of repeated times of each backend.

    The spread of a result is the difference between the longest and the shortest time of its
    right answers, over their mean. A result is unstable if its spread is 10 % or more.
    Only results with two or more right answers have a spread, and none with the start `batch`,
    which measures calls of many puzzles.
    """
    right = single(with_group_columns(trials[trials["verdict"].isin(RIGHT)]))
    times = right.groupby([*GROUP, "puzzle_id"], sort=False, dropna=False)[TIME_S]
    results: pd.DataFrame = times.agg(["count", "min", "max", "mean"]).reset_index()
    results = results[results["count"] > 1]
    results["spread"] = (results["max"] - results["min"]) / results["mean"]
    results["flagged"] = results["spread"] >= UNSTABLE
    table: pd.DataFrame = results.groupby(GROUP, sort=True, dropna=False).agg(
        results=("spread", "size"),
        unstable=("flagged", "sum"),
        median_spread=("spread", "median"),
        largest_spread=("spread", "max"),
    )
    return with_dtypes(table.reset_index(), STABILITY.dtypes)


STABILITY: Final = Measure(
    name="stability",
    title="Spread over repetitions",
    scope=Scope.GROUP,
    source=Source.TRIALS,
    compute=stability,
    columns=(
        *GROUP_COLUMNS,
        BACKEND,
        MeasureColumn(
            *("results", "int64", "Results with two or more right answers.", ""),
            View(Kind.COUNT, "results"),
        ),
        MeasureColumn(
            *("unstable", "int64", f"Results with a spread of {UNSTABLE:.0%} or more.", ""),
            View(Kind.COUNT, "unstable"),
        ),
        MeasureColumn(
            *("median_spread", "float64", "Median spread, as a share of the mean time.", ""),
            View(Kind.SHARE, "median spread"),
        ),
        MeasureColumn(
            *("largest_spread", "float64", "Largest spread, as a share of the mean time.", ""),
            View(Kind.SHARE, "largest"),
        ),
    ),
    order=("backend", "results", "unstable", "median_spread", "largest_spread"),
)
