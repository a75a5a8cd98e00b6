"""Verdicts and times of each backend on each dataset.

No failure is left out of a figure: a trial that did not end in a right answer
counts as the limit T in median, mean, percentile and total, which are lower
bounds then and marked so, and as 2 T in PAR-2.
"""

from typing import Final

import numpy as np
import pandas as pd

from harness.analysis.averages import PENALTY
from harness.analysis.results import (
    COMPARISON_GROUP,
    GROUP_DTYPES,
    RIGHT,
    rows_frame,
    with_group_columns,
)
from harness.records.question import Task
from harness.records.verdict import Verdict

GROUP: Final = [*COMPARISON_GROUP, "backend"]
"""What tells one row of the summary from another."""

VERDICTS: Final = [str(verdict) for verdict in Verdict]

_NAMES: Final = ("median", "mean", "p95", "total")

SUMMARY_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "trials": "int64",
    **dict.fromkeys(VERDICTS, "int64"),
    "failed": "int64",
    **{f"{n}_{what}": t for n in _NAMES for what, t in (("s", "float64"), ("is_bound", "bool"))},
    "par2_s": "float64",
    "ratio": "float64",
}


def summary(trials: pd.DataFrame) -> pd.DataFrame:
    """One row for each comparison group and backend, the best of a comparison group first.

    Columns `SUMMARY_DTYPES`: those of `GROUP`; ``trials``; one for each
    verdict with its number; ``failed``, the number of trials without a right
    answer; ``median_s``, ``mean_s``, ``p95_s`` and ``total_s`` of wall time in
    seconds with failures at T; ``median_is_bound`` and the like, true where the
    figure is only a lower bound; ``par2_s``, the mean with failures at 2 T;
    ``ratio``, PAR-2 over the least PAR-2 of a backend without a wrong answer in
    the same comparison group, missing for those with a wrong one.

    Every puzzle weighs the same, however often it was repeated; only the total
    is that of all trials.
    """
    rows = [
        _row(dict(zip(GROUP, key, strict=True)), group)
        for key, group in with_group_columns(trials).groupby(GROUP, sort=False, dropna=False)
    ]
    table = rows_frame(rows, SUMMARY_DTYPES)
    eligible = table["par2_s"].where(table[Verdict.WRONG] == 0)
    keys = [table[name] for name in COMPARISON_GROUP]
    best = eligible.groupby(keys, dropna=False).transform("min")
    table["ratio"] = eligible / best
    order = table.assign(task=table["task"].map(list(Task).index))
    order = order.sort_values([*COMPARISON_GROUP, "ratio", "par2_s"], kind="stable")
    return table.loc[order.index].reset_index(drop=True)


def _row(key: dict[str, object], group: pd.DataFrame) -> dict[str, object]:
    answered = group["verdict"].isin(RIGHT).to_numpy()
    limit = group["timeout_s"].to_numpy()
    wall = group["wall_s"].to_numpy()
    times = np.where(answered, wall, limit)
    row = key | {"trials": len(group)}
    row |= {verdict: int((group["verdict"] == verdict).sum()) for verdict in VERDICTS}
    row["failed"] = int((~answered).sum())
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
