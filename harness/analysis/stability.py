"""Measure `stability`: the spread of times over the repetitions of a result."""

from typing import Final

import pandas as pd

from harness.analysis.calls import single
from harness.analysis.common_columns import LEFT_OUT as LEFT_OUT_COLUMN
from harness.analysis.common_columns import answers_left_out_notes
from harness.analysis.common_set import LEFT_OUT
from harness.analysis.measure import Kind, Measure, MeasureColumn, Scope, Source, View
from harness.analysis.results import BACKEND, GROUP_COLUMNS
from harness.analysis.summary import GROUP
from harness.analysis.times import TIME_S
from harness.records.dtypes import with_dtypes

UNSTABLE: Final = 0.10
"""The least spread of an unstable result."""


def stability(answers: pd.DataFrame) -> pd.DataFrame:
    """Measure the spread of repeated times of each backend.

    The spread of a result is the difference between the longest and the shortest time of its
    right answers, over their mean. A result is unstable if its spread is 10 % or more.
    Only results with two or more right answers have a spread, and none with the start `batch`,
    which measures calls of many puzzles. All are results on the instances that every eligible
    backend was run on.
    """
    results = spreads(answers)
    results["flagged"] = results["spread"] >= UNSTABLE
    table: pd.DataFrame = results.groupby(GROUP, sort=True, dropna=False, observed=True).agg(
        left_out=(LEFT_OUT, "first"),
        results=("spread", "size"),
        unstable=("flagged", "sum"),
        median_spread=("spread", "median"),
        largest_spread=("spread", "max"),
    )
    return with_dtypes(table.reset_index(), STABILITY.dtypes)


def spreads(answers: pd.DataFrame) -> pd.DataFrame:
    """The column ``spread`` for each result with two or more right answers, see `stability`."""
    by = [*GROUP, "puzzle_id"]
    times = single(answers).groupby(by, sort=False, dropna=False, observed=True)
    results: pd.DataFrame = times[TIME_S].agg(["count", "min", "max", "mean"])
    results[LEFT_OUT] = times[LEFT_OUT].first()
    results = results[results["count"] > 1].reset_index()
    results["spread"] = (results["max"] - results["min"]) / results["mean"]
    return results


STABILITY: Final = Measure(
    name="stability",
    title="Spread over repetitions",
    scope=Scope.GROUP,
    source=Source.ANSWERS,
    compute=stability,
    columns=(
        *GROUP_COLUMNS,
        BACKEND,
        LEFT_OUT_COLUMN,
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
    notes=answers_left_out_notes,
)
