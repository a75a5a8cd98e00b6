"""Measure `summary`: verdicts and times of each backend on each dataset."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd

from harness.analysis.common_columns import COMPARED, PAR2, left_out_notes
from harness.analysis.common_set import COMMON, LEFT_OUT, with_common_set
from harness.analysis.measure import (
    Columns,
    Condition,
    Kind,
    Measure,
    MeasureColumn,
    Scope,
    Source,
    View,
    varies,
)
from harness.analysis.results import COMPARISON_GROUP, RIGHT, with_group_columns
from harness.analysis.time_statistics import PENALTY
from harness.records.question import Task
from harness.records.verdict import Verdict

GROUP: Final = [*COMPARISON_GROUP, "backend"]
"""The key of a row of the summary."""

_MAIN: Final = {
    Task.SOLVE: (Verdict.SOLVED, Verdict.UNSATISFIABLE, Verdict.TIMEOUT, Verdict.WRONG),
    Task.COUNT: (Verdict.COUNTED, Verdict.TIMEOUT, Verdict.WRONG),
}
"""The verdicts that a table of a task always has."""

_SHORT: Final = {
    Verdict.UNSATISFIABLE: "unsat",
    Verdict.OUT_OF_MEMORY: "no memory",
    Verdict.UNSUPPORTED: "unsupp.",
}

_STATISTICS: Final = {
    "median": "Median wall time",
    "mean": "Mean wall time",
    "p95": "95th percentile of wall time",
    "total": "Sum of wall times over all trials on these instances",
}


def summary(trials: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts and summarize the times of each backend, the best one first.

    Every failure counts: a trial without a right answer counts as the time limit T in
    median, mean, percentile and total, which are lower bounds then and are marked as such,
    and as 2 T in PAR-2. Each instance has the same weight, whatever the number of its
    repetitions; only the total is over all their trials. A backend with a wrong answer has no
    ratio. Verdicts are counted over all trials; times are over the instances that every
    eligible backend was run on.
    """
    whole = with_common_set(with_group_columns(trials))
    rows = [
        _row(dict(zip(GROUP, key, strict=True)), group)
        for key, group in whole.groupby(GROUP, sort=False, dropna=False)
    ]
    table = SUMMARY.frame(rows)
    eligible = table["par2_s"].where(table[Verdict.WRONG] == 0)
    keys = [table[name] for name in COMPARISON_GROUP]
    best = eligible.groupby(keys, dropna=False).transform("min")
    table["ratio"] = eligible / best
    order = table.assign(task=table["task"].map(list(Task).index))
    order = order.sort_values([*COMPARISON_GROUP, "ratio", "par2_s"], kind="stable")
    return table.loc[order.index].reset_index(drop=True)


def _row(key: dict[str, object], group: pd.DataFrame) -> dict[str, object]:
    row = key | {"trials": len(group), "left_out": int(group[LEFT_OUT].iloc[0])}
    row |= {str(verdict): int((group["verdict"] == verdict).sum()) for verdict in Verdict}
    row["failed"] = int((~group["verdict"].isin(RIGHT)).sum())
    common = group[group[COMMON]]
    row["instances"] = common["puzzle_id"].nunique()
    return row | (_times(common) if len(common) else {})


def _times(group: pd.DataFrame) -> dict[str, object]:
    """The statistics of the times of these trials of one backend."""
    answered = group["verdict"].isin(RIGHT).to_numpy()
    limit = group["timeout_s"].to_numpy()
    wall = group["wall_s"].to_numpy()
    times = np.where(answered, wall, limit)
    row: dict[str, object] = {}
    repetitions = group.groupby("puzzle_id")["puzzle_id"].transform("size").to_numpy()
    weights = 1 / repetitions
    alike = bool((repetitions == repetitions[0]).all())
    # Failures are the largest times, so a percentile is a bound if it reaches them.
    for name, share in (("median", 0.5), ("p95", 0.95)):
        if alike:
            at = np.quantile(times, share, method="higher")
            row[f"{name}_s"] = float(np.quantile(times, share))
        else:
            at = np.quantile(times, share, method="inverted_cdf", weights=weights)
            row[f"{name}_s"] = float(at)
        row[f"{name}_is_bound"] = bool((~answered).any() and at >= times[~answered].min())
    for name, value in (("mean", np.average(times, weights=weights)), ("total", times.sum())):
        row[f"{name}_s"] = float(value)
        row[f"{name}_is_bound"] = bool((~answered).any())
    penalised = np.where(answered, times, PENALTY * limit)
    row["par2_s"] = float(np.average(penalised, weights=weights))
    return row


def _is_main(frame: pd.DataFrame, verdict: Verdict) -> bool:
    return verdict in _MAIN[Task(str(frame["task"].iloc[0]))]


def _shown(verdict: Verdict) -> Condition:
    return lambda frame: _is_main(frame, verdict) or bool(frame[str(verdict)].any())


def _verdict_columns() -> Iterator[MeasureColumn]:
    for verdict in Verdict:
        view = View(
            *(Kind.COUNT, str(verdict), _SHORT.get(verdict, "")),
            shown=_shown(verdict),
        )
        yield MeasureColumn(str(verdict), "int64", f"Trials with verdict `{verdict}`.", "", view)


def _time_columns() -> Iterator[MeasureColumn]:
    for name, meaning in _STATISTICS.items():
        bound = f"{name}_is_bound"
        view = View(Kind.SECONDS, name, bound=bound)
        yield MeasureColumn(f"{name}_s", "float64", f"{meaning}, failures at T.", "s", view)
        yield MeasureColumn(bound, "bool", f"Whether `{name}_s` is only a lower bound.")


_COLUMNS: Final[Columns] = (
    *COMPARED[:-1],  # `wrong` is among the verdicts
    MeasureColumn(
        *("trials", "int64", "Trials.", ""), View(Kind.COUNT, "trials", shown=varies("trials"))
    ),
    *_verdict_columns(),
    MeasureColumn("failed", "int64", "Trials without a right answer."),
    *_time_columns(),
    PAR2,
    MeasureColumn(
        *("ratio", "float64", "PAR-2 over the least of the eligible backends.", ""),
        View(Kind.RATIO, "ratio"),
    ),
)

SUMMARY: Final = Measure(
    name="summary",
    title="",
    scope=Scope.GROUP,
    source=Source.TRIALS,
    compute=summary,
    columns=_COLUMNS,
    order=(
        *("backend", "trials", *map(str, Verdict), "instances"),
        *("median_s", "mean_s", "p95_s", "total_s", "par2_s", "ratio"),
    ),
    notes=left_out_notes,
)
