"""Averages of times with failures in them, and how far the choice of one decides."""

from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.results import GROUP_DTYPES, Bools, Floats, comparison_groups, rows_frame

PENALTY: Final = 2
"""The factor of the limit in PAR-2."""

SHIFTS: Final[dict[str, float]] = {"sgm_100us": 1e-4, "sgm_1ms": 1e-3, "sgm_10ms": 1e-2}
"""Shifts of the geometric mean in seconds, with the names of their columns."""

MAIN_SHIFT: Final = 1e-3


def par(time: Floats, answered: Bools, limit: float, factor: float = PENALTY) -> float:
    """The mean of times with failures at `factor` times the limit: PAR-2, PAR-10.

    The penalised average running time of algorithm configuration (Hutter et
    al., "ParamILS", JAIR 36, 2009). Missing where there is nothing.
    """
    if not time.size:
        return float("nan")
    return float(np.where(answered, time, factor * limit).mean())


def shifted_geometric_mean(time: Floats, shift: float = MAIN_SHIFT) -> float:
    """exp(mean(ln(t + s))) - s, in the unit of both; failures must be in `time` at the limit.

    The shift keeps the smallest times from deciding (Achterberg, "Constraint
    integer programming", 2007, appendix A). Missing where there is nothing.
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


FIGURES: Final[dict[str, str]] = {
    "instances": "int64",
    "answered": "int64",
    "share_answered": "float64",
    "median_s": "float64",
    "median_is_bound": "bool",
    "par2_s": "float64",
    "sgm_1ms_s": "float64",
}
"""The columns that `figures` gives, with their dtypes."""


def figures(time: Floats, answered: Bools, limit: float) -> dict[str, Any]:
    """What a table says of the instances of one backend, the columns of `FIGURES`."""
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


AVERAGES_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "instances": "int64",
    "left_out": "int64",
    "wrong": "int64",
    "par2_s": "float64",
    "par10_s": "float64",
    **{f"{name}_s": "float64" for name in SHIFTS},
    "par2_ratio": "float64",
    **{f"{name}_ratio": "float64" for name in SHIFTS},
    "order_differs": "bool",
}


def averages(results: pd.DataFrame) -> pd.DataFrame:
    """Several averages beside each other: does the choice of one decide who is best?

    One row for each comparison group and backend, the least PAR-2 first, those with a
    wrong answer last and without figures. Columns `AVERAGES_DTYPES`:
    ``instances`` that all of them were asked about and ``left_out``, those of
    which that is not so; ``wrong`` instances; PAR-2, PAR-10 and the geometric
    means shifted by 0.1, 1 and 10 ms, in seconds; each but PAR-10 also as a
    ratio to the least of the comparison group; ``order_differs``, whether the three
    shifts rank the backends of the comparison group differently.
    """
    rows = []
    for group in comparison_groups(results):
        field = group.eligible()
        table = pd.DataFrame({"backend": list(field.backends)})
        columns = [(field.time[:, n], field.answered[:, n]) for n in range(len(field.backends))]
        for name, penalty in (("par2", PENALTY), ("par10", 10)):
            table[f"{name}_s"] = [par(t, a, field.limit_s, penalty) for t, a in columns]
        for name, shift in SHIFTS.items():
            table[f"{name}_s"] = [shifted_geometric_mean(t, shift) for t, _ in columns]
        for name in ("par2", *SHIFTS):
            table[f"{name}_ratio"] = table[f"{name}_s"] / table[f"{name}_s"].min()
        orders = {tuple(table[f"{name}_s"].rank()) for name in SHIFTS}
        wrong = {b: int(w) for b, w in zip(group.backends, group.wrong, strict=True) if w}
        table = pd.concat(
            [table.sort_values("par2_s", kind="stable"), pd.DataFrame({"backend": list(wrong)})]
        )
        whole = {
            **group.key,
            "instances": len(field.puzzles),
            "left_out": len(group.puzzles) - len(field.puzzles),
            "order_differs": len(orders) > 1,
        }
        rows += [
            whole | row | {"wrong": wrong.get(row["backend"], 0)}
            for row in table.to_dict("records")
        ]
    return rows_frame(rows, AVERAGES_DTYPES)
