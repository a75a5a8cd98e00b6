"""Measure `throughput`: puzzles per second and guesses per puzzle."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.common_columns import COMPARED, left_out_notes
from harness.analysis.common_set import common_instances
from harness.analysis.measure import Kind, Measure, MeasureColumn, Note, Scope, Source, View
from harness.analysis.results import COMPARISON_GROUP, PUZZLES, Floats, groups_of
from harness.analysis.times import TIME_S
from harness.records.question import Start


def throughput(results: pd.DataFrame) -> pd.DataFrame:
    """Measure the rate and the guesses of each backend, the most puzzles per second first.

    The rate is the number of puzzles over the sum of their times, failures at the time
    limit, after the benchmark of tdoku (https://github.com/t-dillon/tdoku). Guesses are the
    numbers that the solver reports as `guesses`, `decisions` or `branches`; counts of
    different names are not comparable. With the start `batch` a solver reports the guesses of a
    call, so it is unknown which puzzles took none. All are over the instances that every
    eligible backend was run on. A backend with a wrong answer has no rate and comes last.
    """
    rows: list[dict[str, Any]] = []
    time, puzzles, guesses = (
        results[name].to_numpy(dtype=np.float64) for name in (TIME_S, PUZZLES, "guesses")
    )
    answered, is_wrong = results["answered"].to_numpy(dtype=bool), results["wrong"].to_numpy() > 0
    is_known = answered & ~np.isnan(guesses)
    common, left_out = common_instances(results)
    for key, whole in groups_of(results, [*COMPARISON_GROUP, "backend"]):
        kept = whole[common[whole]]
        mean = _mean(time[kept], puzzles[kept])
        wrong = int(is_wrong[whole].sum())
        known = kept[is_known[kept]]
        of_one = len(known) > 0 and key["start"] != Start.BATCH
        rows.append(
            {
                **key,
                "paradigm": results["paradigm"].iloc[whole[0]],
                "instances": len(kept),
                "left_out": left_out[whole[0]],
                "answered": int(answered[kept].sum()),
                "wrong": wrong,
                "puzzles_per_s": float("nan") if wrong else 1 / mean,
                "us_per_puzzle": float("nan") if wrong else 1e6 * mean,
                "is_bound": not answered[kept].all(),
                "share_without_guess": float((guesses[known] == 0).mean()) if of_one else np.nan,
                "guesses_per_puzzle": _mean(guesses[known], puzzles[known]),
                "guesses_are": results["guesses_are"].iloc[known[0]] if len(known) else None,
            }
        )
    found = THROUGHPUT.frame(rows)
    found["place"] = found.groupby(COMPARISON_GROUP, dropna=False, sort=False).ngroup()
    order = ["place", "us_per_puzzle", "backend"]
    return found.sort_values(order, kind="stable", ignore_index=True).drop(columns="place")


def _mean(values: Floats, puzzles: Floats) -> float:
    """The mean over puzzles, of values that each hold for a number of puzzles."""
    return float(np.average(values, weights=puzzles)) if len(puzzles) else float("nan")


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    if (frame["is_bound"] & frame["puzzles_per_s"].notna()).any():
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
        *COMPARED,
        MeasureColumn(
            *("paradigm", "string", "How the backend solves.", ""), View(Kind.TEXT, "paradigm")
        ),
        MeasureColumn("answered", "int64", "Answered instances."),
        MeasureColumn(
            *("puzzles_per_s", "float64", "Puzzles over the sum of their times.", "1/s"),
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
        *("backend", "instances", "puzzles_per_s", "us_per_puzzle", "share_without_guess"),
        *("guesses_per_puzzle", "guesses_are", "paradigm"),
    ),
    notes=_notes,
)
