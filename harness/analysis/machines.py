"""The machine as a factor: what ran where, and how much slower one machine is than another."""

from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.pairwise import factor_intervals
from harness.analysis.results import COMPARISON_GROUP, rows_frame

MACHINES_DTYPES: Final[dict[str, str]] = {
    "host": "string",
    "trials": "int64",
    "backends": "int64",
    "puzzles": "int64",
    "wall_s": "float64",
}

MACHINE_FACTORS_DTYPES: Final[dict[str, str]] = {
    "host": "string",
    "other": "string",
    "instances": "int64",
    "factor": "float64",
    "factor_low": "float64",
    "factor_high": "float64",
}

JOINT: Final = " + "
"""Between the names of machines whose trials are taken as one machine's."""


def machines(trials: pd.DataFrame) -> pd.DataFrame:
    """One row for each machine that trials ran on, by name.

    Columns `MACHINES_DTYPES`: ``trials``; different ``backends`` and
    ``puzzles``; ``wall_s``, the sum of wall times in seconds.
    """
    rows = [
        {
            "host": host,
            "trials": len(table),
            "backends": table["backend"].nunique(),
            "puzzles": table["puzzle_id"].nunique(),
            "wall_s": table["wall_s"].sum(),
        }
        for host, table in trials.groupby(trials["host"].fillna(""), sort=True)
    ]
    return rows_frame(rows, MACHINES_DTYPES)


def machine_factors(results: pd.DataFrame) -> pd.DataFrame:
    """How much slower one machine is than another on what both of them ran.

    One row for each two machines. Columns `MACHINE_FACTORS_DTYPES`:
    ``instances`` that both answered, of any backend and dataset; ``factor``,
    the geometric mean of the other's time over that of ``host``, with its 95 %
    BCa bootstrap interval; missing where they have nothing in common.
    """
    by = [name for name in COMPARISON_GROUP if name != "host"] + ["backend", "puzzle_id"]
    answered = results[results["answered"]]
    keyed = answered.assign(cell=answered.groupby(by, dropna=False, observed=True).ngroup())
    hosts = sorted(results["host"].astype("string").unique())
    times = {host: keyed[keyed["host"] == host].set_index("cell")["time_s"] for host in hosts}
    rows: list[dict[str, Any]] = []
    for host, other in combinations(hosts, 2):
        both = pd.concat([times[host], times[other]], axis=1, join="inner").to_numpy()
        logs = np.log(both[:, 1]) - np.log(both[:, 0])
        ((low, high),) = factor_intervals([logs])
        rows.append(
            {
                "host": host,
                "other": other,
                "instances": len(logs),
                "factor": float(np.exp(logs.mean())) if len(logs) else float("nan"),
                "factor_low": low,
                "factor_high": high,
            }
        )
    return rows_frame(rows, MACHINE_FACTORS_DTYPES)


def across_machines(trials: pd.DataFrame) -> pd.DataFrame:
    """`trials` as if all had run on one machine, which is called after all of them.

    Times of different machines are not comparable; this is for who asks for it.
    """
    hosts = sorted(trials["host"].fillna("").unique())
    return trials.assign(host=JOINT.join(hosts)).astype({"host": "string"})
