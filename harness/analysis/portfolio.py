"""What each backend is worth beside the others: virtual best, single best, contributions."""

from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.averages import PENALTY
from harness.analysis.results import GROUP_DTYPES, Floats, comparison_groups, rows_frame

CONTRIBUTIONS_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "instances": "int64",
    "left_out": "int64",
    "wrong": "int64",
    "par2_s": "float64",
    "vbs_par2_s": "float64",
    "share_of_vbs": "float64",
    "single_best": "bool",
    "best_on": "float64",
    "alone_on": "Int64",
    "marginal_s": "float64",
    "shapley_s": "float64",
    "shapley_share": "float64",
}


def contributions(results: pd.DataFrame) -> pd.DataFrame:
    """What each backend adds to a portfolio of all, the largest Shapley value first.

    The *virtual best* solver (VBS) takes on each instance the least time of a
    right answer; the value of a set of backends is minus the PAR-2 of their
    virtual best, and of no backend minus 2 T. Backends with a wrong answer are
    not in it and stand last, without figures.

    Columns `CONTRIBUTIONS_DTYPES`: ``instances``, and ``left_out``, those that
    not all were asked about; ``wrong`` instances; ``par2_s`` and
    ``vbs_par2_s`` of the virtual best of all, in seconds; ``share_of_vbs``,
    their ratio, 1 for a backend as good as the virtual best; ``single_best``,
    whether its PAR-2 is the least (SBS); ``best_on``, the instances on which
    it is the fastest, shared where several are; ``alone_on``, those that only
    it answered; ``marginal_s``, v(all) - v(all without it); ``shapley_s``, see
    `shapley_values`; ``shapley_share``, of their sum v(all) - v(none).
    """
    rows: list[dict[str, Any]] = []
    for group in comparison_groups(results):
        field = group.eligible()
        n, m = field.time.shape
        whole = {**group.key, "instances": n, "left_out": len(group.puzzles) - n}
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
                    "shapley_share": float(shapley[k] / (none - vbs)) if vbs < none else 0.0,
                }
                for k, backend in enumerate(field.backends)
            ]
            found.sort(key=lambda row: (-row["shapley_s"], row["backend"]))
        else:
            found = [{"backend": b, "wrong": 0, "single_best": False} for b in field.backends]
        found += [
            {"backend": b, "wrong": int(w), "single_best": False}
            for b, w in zip(group.backends, group.wrong, strict=True)
            if w
        ]
        rows += [whole | row for row in found]
    return rows_frame(rows, CONTRIBUTIONS_DTYPES)


def marginal_values(cost: Floats, none: float) -> Floats:
    """v(all) - v(all without i) for each column i, with v = - the mean of the least cost.

    Args:
        cost: shape (n, m).
        none: the cost of an instance that no backend is there for.
    """
    padded = np.column_stack([cost, np.full(len(cost), none)])
    two_least = np.sort(padded, axis=1)[:, :2]
    without = np.where(cost == two_least[:, :1], two_least[:, 1:], two_least[:, :1])
    values: Floats = without.mean(axis=0) - two_least[:, 0].mean()
    return values


def shapley_values(cost: Floats, none: float) -> Floats:
    """The Shapley value of each column in the game v = - the mean of the least cost.

    Exact for any number of backends: on one instance the value of a set is the
    largest saving ``none - cost`` in it, which is an airport game, whose
    Shapley value has a closed form; and the value of a sum of games is the sum
    of their values. Littlechild and Owen, "A simple expression for the Shapley
    value in a special case", Management Science 20(3), 1973; as a measure of
    solvers: Fréchette et al., "Using the Shapley value to analyze algorithm
    portfolios", AAAI 2016.

    Args:
        cost: shape (n, m), at most `none`.
        none: the cost of an instance that no backend is there for.
    """
    n, m = cost.shape
    saving = np.clip(none - cost, 0, None)
    order = np.argsort(saving, axis=1, kind="stable")
    ordered = np.take_along_axis(saving, order, axis=1)
    # Whoever saves the k-th step shares it with all that save as much or more.
    steps = np.diff(ordered, axis=1, prepend=0.0) / np.arange(m, 0, -1)
    values = np.zeros((n, m))
    np.put_along_axis(values, order, np.cumsum(steps, axis=1), axis=1)
    mean: Floats = values.mean(axis=0)
    return mean
