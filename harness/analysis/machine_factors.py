"""Measure `machine-factors`: how much slower one machine is than another."""

from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.common_columns import factor_columns
from harness.analysis.measure import Kind, Measure, MeasureColumn, Scope, Source, View
from harness.analysis.pairwise import factor_intervals, geometric_mean
from harness.analysis.results import COMPARISON_GROUP
from harness.analysis.times import TIME


def machine_factors(results: pd.DataFrame) -> pd.DataFrame:
    """Compare each pair of machines on the results that both answered, of any backend and dataset.

    The factor is the geometric mean of the other's time over that of ``host``, with a studentized
    bootstrap interval as in `pairwise`; it is missing for machines with nothing in common.
    """
    by = [name for name in COMPARISON_GROUP if name != "host"] + ["backend", "puzzle_id"]
    hosts = sorted(results["host"].astype("string").unique())
    if len(hosts) < 2:
        return MACHINE_FACTORS.frame([])
    answered = results[results["answered"]]
    keyed = answered.assign(result=answered.groupby(by, dropna=False, observed=True).ngroup())
    times = {host: keyed[keyed["host"] == host].set_index("result")["time_s"] for host in hosts}
    rows: list[dict[str, Any]] = []
    for host, other in combinations(hosts, 2):
        both = pd.concat([times[host], times[other]], axis=1, join="inner").to_numpy()
        logs = np.log(both[:, 1]) - np.log(both[:, 0])
        ((low, high),) = factor_intervals([logs])
        rows.append(
            {
                "host": host,
                "other": other,
                TIME: str(results[TIME].iloc[0]),
                "instances": len(logs),
                "factor": geometric_mean(logs),
                "factor_low": low,
                "factor_high": high,
            }
        )
    return MACHINE_FACTORS.frame(rows)


MACHINE_FACTORS: Final = Measure(
    name="machine-factors",
    title="Machine factors",
    scope=Scope.RUN,
    source=Source.RESULTS,
    compute=machine_factors,
    columns=(
        MeasureColumn("host", "string", "Name of the machine.", "", View(Kind.TEXT, "machine")),
        MeasureColumn(
            *("other", "string", "Name of the machine that it is compared with.", ""),
            View(Kind.TEXT, "other"),
        ),
        MeasureColumn(TIME, "string", "Kind of the times: `wall` or `cpu`."),
        MeasureColumn(
            *("instances", "int64", "Results that both machines answered.", ""),
            View(Kind.COUNT, "answers"),
        ),
        *factor_columns("Geometric mean of the other's time over that of `host`."),
    ),
    order=("host", "other", "instances", "factor", "factor_low"),
)
