"""Statistics of the times of one backend, with failures in them."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.common_columns import ANSWERED, INSTANCES, PAR2
from harness.analysis.common_set import COMMON, LEFT_OUT
from harness.analysis.measure import Columns, Kind, MeasureColumn, View
from harness.analysis.results import Bools, Floats, groups_of
from harness.analysis.times import TIME_S, limits

PENALTY: Final = 2
"""The factor of the limit in PAR-2."""

MAIN_SHIFT: Final = 1e-3
"""The shift of the geometric mean in seconds, where a table has only one."""


def par(time: Floats, answered: Bools, limit: float, factor: float = PENALTY) -> float:
    """The mean of times with failures at `factor` times the limit: PAR-2, PAR-10.

    The penalised average running time of algorithm configuration (Hutter et al., "ParamILS",
    JAIR 36, 2009). Missing for no times.
    """
    if not time.size:
        return float("nan")
    return float(np.where(answered, time, factor * limit).mean())


def shifted_geometric_mean(time: Floats, shift: float = MAIN_SHIFT) -> float:
    """exp(mean(ln(t + s))) - s, in the unit of both; failures must be in `time` at the limit.

    The shift limits the influence of the smallest times (Achterberg, "Constraint integer
    programming", 2007, appendix A). Missing for no times.
    """
    if not time.size:
        return float("nan")
    return float(np.exp(np.log(time + shift).mean()) - shift)


def median(time: Floats, answered: Bools) -> tuple[float, bool]:
    """The median with failures at the limit, and whether it is only a lower bound."""
    if not time.size:
        return float("nan"), False
    upper_middle = np.sort(time)[len(time) // 2]
    failed = time[~answered]
    return float(np.median(time)), bool(failed.size and upper_middle >= failed.min())


TIME_COLUMNS: Final[Columns] = (
    INSTANCES,
    ANSWERED,
    MeasureColumn("share_answered", "float64", "Share of the instances that is answered."),
    MeasureColumn(
        *("median_s", "float64", "Median time, failures at T.", "s"),
        View(Kind.SECONDS, "median", bound="median_is_bound"),
    ),
    MeasureColumn("median_is_bound", "bool", "Whether `median_s` is only a lower bound."),
    PAR2,
    MeasureColumn(
        *("sgm_1ms_s", "float64", "Geometric mean shifted by 1 ms, failures at T.", "s"),
        View(Kind.SECONDS, "SGM"),
    ),
)
"""The columns of `time_statistics`."""


def time_statistics(time: Floats, answered: Bools, limit: float) -> dict[str, Any]:
    """The values of `TIME_COLUMNS` for the results of one backend.

    Args:
        time: seconds, failures at the limit, shape (n,).
        answered: shape (n,).
        limit: seconds.
    """
    middle, bound = median(time, answered)
    return {
        "instances": len(time),
        "answered": int(answered.sum()),
        "share_answered": float(answered.mean()) if answered.size else float("nan"),
        "median_s": middle,
        "median_is_bound": bound,
        "par2_s": par(time, answered, limit),
        "sgm_1ms_s": shifted_geometric_mean(time),
    }


def statistics_by(results: pd.DataFrame, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The values of `TIME_COLUMNS` for the common set in each group of `columns`.

    Besides them, those of `columns`, ``left_out`` and, over all results, ``wrong``.

    Args:
        results: with the columns of `common_set.with_common_set`.
        columns: those of a comparison group and ``backend``, and others.
    """
    limit, left_out = limits(results), results[LEFT_OUT].to_numpy()
    common, wrong = results[COMMON].to_numpy(), results["wrong"].to_numpy() > 0
    time, answered = results[TIME_S].to_numpy(np.float64), results["answered"].to_numpy(bool)
    for key, rows in groups_of(results, columns):
        kept, first = rows[common[rows]], rows[0]
        found = time_statistics(time[kept], answered[kept], float(limit[first]))
        yield key | found | {"wrong": int(wrong[rows].sum()), "left_out": int(left_out[first])}
