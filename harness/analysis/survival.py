"""Times from runs with different limits: Kaplan-Meier and the restricted mean."""

from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.results import GROUP_DTYPES, Bools, Floats, rows_frame

_WITHOUT_LIMIT: Final = {n: t for n, t in GROUP_DTYPES.items() if n != "timeout_s"}

SURVIVAL_DTYPES: Final[dict[str, str]] = {
    **_WITHOUT_LIMIT,
    "backend": "string",
    "limits": "int64",
    "instances": "int64",
    "answered": "int64",
    "wrong": "int64",
    "horizon_s": "float64",
    "rmst_s": "float64",
    "share_open": "float64",
}


def survival(results: pd.DataFrame) -> pd.DataFrame:
    """Mean times up to a common horizon, whatever the limits of the trials were.

    A trial without a right answer says only that the time is longer than its
    limit: it is censored there. Of an instance that was tried under several
    limits the longest counts. The *horizon* is the longest time up to which
    something is known of every backend of a group: of their longest limits the
    shortest. The restricted mean survival time (RMST) is the area under the
    Kaplan-Meier curve up to it; with one limit T for all it is the mean of
    min(t, T). Kaplan and Meier, JASA 53, 1958; Royston and Parmar, "Restricted
    mean survival time", BMC Medical Research Methodology 13, 2013.

    One row for each group, those of `COMPARISON_GROUP` but the time limit, and backend.
    Columns `SURVIVAL_DTYPES`: the number of different ``limits``; ``instances``,
    ``answered`` and ``wrong`` ones; ``horizon_s`` and ``rmst_s`` in seconds;
    ``share_open``, the share not answered by the horizon. A backend with a
    wrong answer has none of these three.
    """
    rows: list[dict[str, Any]] = []
    group = list(_WITHOUT_LIMIT)
    for key, table in results.groupby(group, dropna=False, observed=True, sort=False):
        names = dict(zip(group, key, strict=True))
        parts = {str(b): part for b, part in table.groupby("backend", observed=True, sort=True)}
        wrong = {backend: int((part["wrong"] > 0).sum()) for backend, part in parts.items()}
        longest = [part["timeout_s"].max() for b, part in parts.items() if not wrong[b]]
        horizon = float(min(longest, default=np.nan))
        for backend, part in parts.items():
            last = part.sort_values("timeout_s", kind="stable").drop_duplicates(
                "puzzle_id", keep="last"
            )
            answered = last["answered"].to_numpy(dtype=bool)
            row = {
                **names,
                "backend": backend,
                "limits": part["timeout_s"].nunique(),
                "instances": len(last),
                "answered": int(answered.sum()),
                "wrong": wrong[backend],
            }
            if not wrong[backend]:
                time = last["time_s"].to_numpy(dtype=np.float64)
                mean, still_open = restricted_mean(time, answered, horizon)
                row |= {"horizon_s": horizon, "rmst_s": mean, "share_open": still_open}
            rows.append(row)
    return rows_frame(rows, SURVIVAL_DTYPES)


def restricted_mean(time: Floats, answered: Bools, horizon: float) -> tuple[float, float]:
    """The area under the Kaplan-Meier curve up to `horizon`, and its height there.

    Args:
        time: seconds to the answer, or to the limit where there was none.
        answered: whether there was an answer; False is censored.
        horizon: seconds.
    """
    from scipy.stats import CensoredData, ecdf

    curve = ecdf(CensoredData(uncensored=time[answered], right=time[~answered])).sf
    below = curve.quantiles < horizon
    edges = np.concatenate([[0.0], curve.quantiles[below], [horizon]])
    heights = np.concatenate([[1.0], curve.probabilities[below]])
    reached = curve.probabilities[curve.quantiles <= horizon]
    return float((np.diff(edges) * heights).sum()), float(reached[-1]) if len(reached) else 1.0
