"""Measure `contributions`: virtual best, single best, marginal contribution, Shapley value."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
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
from harness.analysis.results import Floats
from harness.analysis.time_statistics import PENALTY


def contributions(results: pd.DataFrame) -> pd.DataFrame:
    """Measure what each backend adds to a portfolio of all, the largest Shapley value first.

    The virtual best solver (VBS) takes on each instance the least time of a right answer;
    the single best solver (SBS) is the backend with the least PAR-2. The value of a set of
    backends is 2 T minus the PAR-2 of its virtual best, and 0 for no backend. The marginal
    contribution of a backend is the increase of the PAR-2 of the virtual best without it.

    The Shapley value distributes the value of the set of all backends: a backend gets the mean,
    over all orders of joining, of what it adds (Fréchette et al., "Using the Shapley value to
    analyze algorithm portfolios", AAAI 2016). It is exact for any number of backends: on one
    instance it is that of an airport game, which has a closed form (Littlechild and Owen,
    "A simple expression for the Shapley value in a special case", Management Science 20(3),
    1973). If every backend solves everything well below T, all shares are nearly equal and
    marginal values are more informative.

    Backends with a wrong answer are not in the portfolio and come last.
    """
    rows: list[dict[str, Any]] = []
    for group in comparison_groups(results):
        field = group.eligible()
        n, m = field.time.shape
        whole = {**group.key, "instances": n, "left_out": group.left_out}
        found: list[dict[str, Any]] = []
        if n and m:
            cost = field.penalised(PENALTY)
            none = PENALTY * field.limit_s
            par2, best = cost.mean(axis=0), cost.min(axis=1)
            vbs = float(best.mean())
            fastest = field.answered & (cost == best[:, None])
            shares = fastest / np.maximum(fastest.sum(axis=1), 1)[:, None]
            alone = field.answered & (field.answered.sum(axis=1) == 1)[:, None]
            marginal = marginal_values(cost, none)
            shapley = shapley_values(cost, none)
            found = [
                {
                    "backend": backend,
                    "wrong": 0,
                    "par2_s": float(par2[k]),
                    "vbs_par2_s": vbs,
                    "share_of_vbs": vbs / float(par2[k]),
                    "single_best": bool(par2[k] == par2.min()),
                    "best_on": float(shares[:, k].sum()),
                    "alone_on": int(alone[:, k].sum()),
                    "marginal_s": float(marginal[k]),
                    "shapley_s": float(shapley[k]),
                    "shapley_share": float(shapley[k] / shapley.sum()) if vbs < none else None,
                }
                for k, backend in enumerate(field.backends)
            ]
            found.sort(key=lambda row: (-row["shapley_s"], row["backend"]))
        else:
            found = [{"backend": b, "wrong": 0, "single_best": False} for b in field.backends]
        found += [row | {"single_best": False} for row in group.excluded()]
        rows += [whole | row for row in found]
    return CONTRIBUTIONS.frame(rows)


def marginal_values(cost: Floats, none: float) -> Floats:
    """v(all) - v(all without i) for each column i, with v = - the mean of the least cost.

    Args:
        cost: shape (n, m).
        none: the cost of an instance without any backend.
    """
    padded = np.column_stack([cost, np.full(len(cost), none)])
    two_least = np.sort(padded, axis=1)[:, :2]
    without = np.where(cost == two_least[:, :1], two_least[:, 1:], two_least[:, :1])
    # The mean of the differences: rounding makes no difference of equal means negative.
    values: Floats = (without - two_least[:, :1]).mean(axis=0)
    return values


def shapley_values(cost: Floats, none: float) -> Floats:
    """The Shapley value of each column in the game v = - the mean of the least cost.

    On one instance the value of a set is the largest saving ``none - cost`` in it, which is
    an airport game (Littlechild and Owen, 1973); the value of a sum of games is the sum of
    their values.

    Args:
        cost: shape (n, m), at most `none`.
        none: the cost of an instance without any backend.
    """
    n, m = cost.shape
    saving = none - cost
    order = np.argsort(saving, axis=1, kind="stable")
    ordered = np.take_along_axis(saving, order, axis=1)
    # A backend shares each step of its saving with all that save as much or more.
    steps = np.diff(ordered, axis=1, prepend=0.0) / np.arange(m, 0, -1)
    values = np.zeros((n, m))
    np.put_along_axis(values, order, np.cumsum(steps, axis=1), axis=1)
    mean: Floats = values.mean(axis=0)
    return mean


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    best = list(frame.loc[frame["single_best"], "backend"])
    if best:
        yield Note(
            "VBS: virtual best solver, the fastest backend on each instance; single best solver: "
            "{best}; marginal: increase of the PAR-2 of the VBS without the backend",
            {"best": (Kind.BACKEND, best)},
        )


CONTRIBUTIONS: Final = Measure(
    name="contributions",
    title="Contributions",
    scope=Scope.GROUP,
    source=Source.RESULTS,
    compute=contributions,
    columns=(
        *COMPARED,
        PAR2,
        MeasureColumn("vbs_par2_s", "float64", "PAR-2 of the virtual best of all.", "s"),
        MeasureColumn(
            *("share_of_vbs", "float64", "`vbs_par2_s` over `par2_s`: 1 for the virtual best.", ""),
            View(Kind.SHARE, "of VBS"),
        ),
        MeasureColumn("single_best", "bool", "Whether its PAR-2 is the least."),
        MeasureColumn(
            *("best_on", "float64", "Instances on which it is the fastest; ties are shared.", ""),
            View(Kind.NUMBER, "fastest on", "fastest"),
        ),
        MeasureColumn(
            *("alone_on", "Int64", "Instances that only this backend answered.", ""),
            View(Kind.COUNT, "alone on", "alone"),
        ),
        MeasureColumn(
            *("marginal_s", "float64", "PAR-2 of the virtual best without it, less with it.", "s"),
            View(Kind.SECONDS, "marginal"),
        ),
        MeasureColumn(
            *("shapley_s", "float64", "Shapley value.", "s"), View(Kind.SECONDS, "Shapley")
        ),
        MeasureColumn(
            *("shapley_share", "float64", "Shapley value over the sum of all.", ""),
            View(Kind.SHARE, "share"),
        ),
    ),
    order=(
        *("backend", "instances", "par2_s", "share_of_vbs", "best_on", "alone_on"),
        *("marginal_s", "shapley_s", "shapley_share"),
    ),
    applies=varies("backend"),
    notes=_notes,
)
