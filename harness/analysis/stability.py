"""How far a backend's times differ over the repetitions of the same trial."""

from typing import Final

import pandas as pd

from harness.analysis.results import GROUP_DTYPES, RIGHT, with_group_columns
from harness.analysis.summary import GROUP

UNSTABLE: Final = 0.10
"""The spread from which on a cell is flagged."""

STABILITY_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "cells": "int64",
    "unstable": "int64",
    "median_spread": "float64",
    "largest_spread": "float64",
}


def stability(trials: pd.DataFrame) -> pd.DataFrame:
    """One row for each group of `summary.GROUP` in which trials were repeated.

    A *cell* is a puzzle within a group; its *spread* is the difference between
    the longest and the shortest wall time of its right answers, over their
    mean. Columns `STABILITY_DTYPES`: those of `GROUP`; ``cells`` with two or more; ``unstable``,
    those whose spread is `UNSTABLE` or more; ``median_spread`` and
    ``largest_spread``, shares of the mean.
    """
    right = with_group_columns(trials[trials["verdict"].isin(RIGHT)])
    times = right.groupby([*GROUP, "puzzle_id"], sort=False, dropna=False)["wall_s"]
    cells: pd.DataFrame = times.agg(["count", "min", "max", "mean"]).reset_index()
    cells = cells[cells["count"] > 1]
    cells["spread"] = (cells["max"] - cells["min"]) / cells["mean"]
    cells["flagged"] = cells["spread"] >= UNSTABLE
    table: pd.DataFrame = cells.groupby(GROUP, sort=True, dropna=False).agg(
        cells=("spread", "size"),
        unstable=("flagged", "sum"),
        median_spread=("spread", "median"),
        largest_spread=("spread", "max"),
    )
    return table.reset_index().astype(STABILITY_DTYPES)
