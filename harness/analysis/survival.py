"""Measure `survival`: mean times over trials with different time limits."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.common_columns import ANSWERED, LEFT_OUT_SHOWN, WRONG, left_out_notes
from harness.analysis.common_set import COMMON, LEFT_OUT, with_common_set
from harness.analysis.measure import Kind, Measure, MeasureColumn, Note, Scope, Source, View
from harness.analysis.results import BACKEND, LABELLED_GROUP_COLUMNS, WHERE, Bools, Floats
from harness.analysis.times import limits

_WITHOUT_LIMIT: Final = tuple(c for c in LABELLED_GROUP_COLUMNS if c.name != "timeout_s")
_USED: Final = (
    *("puzzle_id", "answered", "wrong", "time_s", "timeout_s", "limit_s"),
    *(COMMON, LEFT_OUT),
)


def survival(results: pd.DataFrame) -> pd.DataFrame:
    """Estimate mean times up to a common horizon, whatever the time limits were.

    A result without a right answer is censored at its limit T: its time is taken to be
    longer, whatever the failure was. If an instance was run under several limits, the result
    under the longest limit counts. The horizon is the longest time up to which there is data
    on every eligible backend of a group: the least of their longest limits. The restricted
    mean survival time (RMST) is the area under the Kaplan-Meier curve up to the horizon; with
    one limit T for all it is the mean of min(t, T). A group is a comparison group without the
    time limit. All is over the instances of the group that every eligible backend was run on,
    under any limit. A backend with a wrong answer has no horizon and no mean.

    Kaplan and Meier, "Nonparametric estimation from incomplete observations", JASA 53, 1958;
    Royston and Parmar, "Restricted mean survival time", BMC Medical Research Methodology 13,
    2013.
    """
    rows: list[dict[str, Any]] = []
    group = [column.name for column in _WITHOUT_LIMIT]
    whole = with_common_set(results.assign(limit_s=limits(results)), group)
    whole = whole[[*group, "backend", *_USED]]
    for key, table in whole.groupby(group, dropna=False, observed=True, sort=False):
        names = dict(zip(group, key, strict=True))
        parts = {str(b): part for b, part in table.groupby("backend", observed=True, sort=True)}
        wrong = {b: part["puzzle_id"][part["wrong"] > 0].nunique() for b, part in parts.items()}
        parts = {backend: part[part[COMMON]] for backend, part in parts.items()}
        longest = [part["limit_s"].max() for b, part in parts.items() if not wrong[b]]
        horizon = float(min(longest, default=np.nan))
        for backend, part in parts.items():
            last = part.sort_values(["limit_s", "timeout_s"], kind="stable").drop_duplicates(
                "puzzle_id", keep="last"
            )
            answered = last["answered"].to_numpy(dtype=bool)
            row = {
                **names,
                "backend": backend,
                "limits": part["limit_s"].nunique(),
                "instances": len(last),
                "left_out": int(table[LEFT_OUT].iloc[0]),
                "answered": int(answered.sum()),
                "wrong": wrong[backend],
            }
            if len(last) and not wrong[backend]:
                time = last["time_s"].to_numpy(dtype=np.float64)
                mean, still_open = restricted_mean(time, answered, horizon)
                row |= {"horizon_s": horizon, "rmst_s": mean, "share_open": still_open}
            rows.append(row)
    return SURVIVAL.frame(rows)


def restricted_mean(time: Floats, answered: Bools, horizon: float) -> tuple[float, float]:
    """The area under the Kaplan-Meier curve up to `horizon`, and its height there.

    Args:
        time: seconds to the answer, or to the limit without an answer, shape (n,).
        answered: whether there was an answer, shape (n,); False is censored.
        horizon: seconds.
    """
    moments, number = np.unique(time, return_inverse=True)
    ended = np.bincount(number, minlength=len(moments))
    at_risk = len(time) - np.concatenate([[0], np.cumsum(ended)[:-1]])
    found = np.bincount(number[answered], minlength=len(moments))
    curve = np.cumprod(1 - found / at_risk)  # the product-limit estimate after each moment
    below = moments < horizon
    edges = np.concatenate([[0.0], moments[below], [horizon]])
    heights = np.concatenate([[1.0], curve[below]])
    reached = curve[moments <= horizon]
    return float((np.diff(edges) * heights).sum()), float(reached[-1]) if len(reached) else 1.0


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    yield Note(
        "RMST: restricted mean survival time up to the horizon, failures censored at the limit"
    )


SURVIVAL: Final = Measure(
    name="survival",
    title="Restricted mean times",
    scope=Scope.RUN,
    source=Source.RESULTS,
    compute=survival,
    columns=(
        *_WITHOUT_LIMIT,
        BACKEND,
        MeasureColumn(
            *("limits", "int64", "Number of different time limits.", ""),
            View(Kind.COUNT, "limits"),
        ),
        MeasureColumn("instances", "int64", "Instances."),
        LEFT_OUT_SHOWN,
        ANSWERED,
        WRONG,
        MeasureColumn(
            *("horizon_s", "float64", "Common horizon of the group.", "s"),
            View(Kind.SECONDS, "horizon"),
        ),
        MeasureColumn(
            *("rmst_s", "float64", "Restricted mean survival time up to the horizon.", "s"),
            View(Kind.SECONDS, "RMST"),
        ),
        MeasureColumn(
            *("share_open", "float64", "Share of the instances not answered by the horizon.", ""),
            View(Kind.SHARE, "still open"),
        ),
    ),
    order=(
        *(name for name in WHERE if name != "timeout_s"),
        *("backend", "limits", "answered", "left_out", "horizon_s", "rmst_s", "share_open"),
    ),
    applies=lambda frame: bool((frame["limits"] > 1).any()),
    notes=_notes,
)
