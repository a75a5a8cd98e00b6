"""Measure `averages`: several averages of times, and whether the order depends on the choice."""

from collections.abc import Iterator
from typing import Final

import pandas as pd

from harness.analysis.common_columns import COMPARED, PAR2, left_out_notes
from harness.analysis.comparison_group import comparison_groups
from harness.analysis.measure import (
    Kind,
    Measure,
    MeasureColumn,
    Note,
    Scope,
    Source,
    View,
    varies,
)
from harness.analysis.time_statistics import PENALTY, par, shifted_geometric_mean

SHIFTS: Final[dict[str, float]] = {"sgm_100us": 1e-4, "sgm_1ms": 1e-3, "sgm_10ms": 1e-2}
"""Shifts of the geometric mean in seconds, by the names of their columns."""

_SHIFT_TITLES: Final = {"sgm_100us": "0.1 ms", "sgm_1ms": "1 ms", "sgm_10ms": "10 ms"}


def averages(results: pd.DataFrame) -> pd.DataFrame:
    """Compare PAR-2, PAR-10 and geometric means with three shifts, the least PAR-2 first.

    PAR-2 is the mean time with failures at 2 T, PAR-10 with failures at 10 T (penalised
    average running time: Hutter et al., "ParamILS", JAIR 36, 2009). The shifted geometric
    mean (SGM) is exp(mean(ln(t + s))) - s with failures at T (Achterberg, "Constraint
    integer programming", 2007, appendix A). The shift s limits the influence of the smallest
    times. All are over the instances that every eligible backend was run on. A backend
    with a wrong answer has no average and stands last.
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
        whole = {
            **group.key,
            "instances": len(field.puzzles),
            "wrong": 0,
            "left_out": group.left_out,
            "order_differs": len(field.puzzles) > 0 and len(orders) > 1,
        }
        ordered = table.sort_values("par2_s", kind="stable").to_dict("records")
        rows += [{**whole, **row} for row in ordered]
        rows += [whole | row for row in group.excluded()]
    return AVERAGES.frame(rows)


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    yield Note("SGM: shifted geometric mean, shift 1 ms; its ratios at shifts of 0.1, 1 and 10 ms")
    if frame["order_differs"].any():
        yield Note("the order of the backends by SGM depends on the shift")


def _means() -> Iterator[MeasureColumn]:
    for name, title in _SHIFT_TITLES.items():
        view = View(Kind.SECONDS, "SGM") if name == "sgm_1ms" else None
        meaning = f"Geometric mean shifted by {title}, failures at T."
        yield MeasureColumn(f"{name}_s", "float64", meaning, "s", view)


def _ratios() -> Iterator[MeasureColumn]:
    for name, title in _SHIFT_TITLES.items():
        first = "at " if name == "sgm_100us" else ""
        meaning = f"`{name}_s` over the least of the comparison group."
        view = View(Kind.RATIO, f"{first}{title}")
        yield MeasureColumn(f"{name}_ratio", "float64", meaning, "", view)


AVERAGES: Final = Measure(
    name="averages",
    title="Averages compared",
    scope=Scope.GROUP,
    source=Source.RESULTS,
    compute=averages,
    columns=(
        *COMPARED,
        PAR2,
        MeasureColumn(
            *("par10_s", "float64", "PAR-10: mean time with failures at 10 T.", "s"),
            View(Kind.SECONDS, "PAR-10"),
        ),
        *_means(),
        MeasureColumn(
            *("par2_ratio", "float64", "`par2_s` over the least of the comparison group.", ""),
            View(Kind.RATIO, "ratio"),
        ),
        *_ratios(),
        MeasureColumn(
            "order_differs", "bool", "Whether the three shifts order the backends differently."
        ),
    ),
    order=(
        *("backend", "instances", "par2_s", "par10_s", "par2_ratio", "sgm_1ms_s"),
        *("sgm_100us_ratio", "sgm_1ms_ratio", "sgm_10ms_ratio"),
    ),
    applies=varies("backend"),
    notes=_notes,
)
