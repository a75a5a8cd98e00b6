"""Measure `machines`: the trials of each machine; and runs of several machines as one."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from harness.analysis.measure import Kind, Measure, MeasureColumn, Scope, Source, View, varies
from harness.analysis.results import with_group_columns
from harness.analysis.times import TIME, TIME_S

_MOST_NAMES: Final = 3
"""Machines whose names make the name of all of them."""


def machines(trials: pd.DataFrame) -> pd.DataFrame:
    """Count the trials, backends and puzzles of each machine, by name."""
    rows = [
        {
            "host": host,
            "trials": len(table),
            "backends": table["backend"].nunique(),
            "puzzles": table["puzzle_id"].nunique(),
            TIME: kind,
            "total_s": table[TIME_S].sum(),
        }
        for (host, kind), table in with_group_columns(trials).groupby(["host", TIME], sort=True)
    ]
    return MACHINES.frame(rows)


def across_machines(trials: pd.DataFrame) -> pd.DataFrame:
    """`trials` as if all had run on one machine, named after all machines.

    Times of different machines are not comparable; the caller takes responsibility.
    """
    hosts = sorted(trials["host"].fillna("").unique())
    return trials.assign(host=joint_name(hosts)).astype({"host": "string"})


def joint_name(hosts: Sequence[str]) -> str:
    """The name of several machines together: ``a + b``, or ``12 machines``."""
    if len(hosts) > _MOST_NAMES:
        return f"{len(hosts)} machines"
    return " + ".join(hosts)


MACHINES: Final = Measure(
    name="machines",
    title="Machines",
    scope=Scope.RUN,
    source=Source.MACHINE_TRIALS,
    compute=machines,
    columns=(
        MeasureColumn(
            *("host", "string", "Name of the machine; empty if unknown.", ""),
            View(Kind.TEXT, "machine"),
        ),
        MeasureColumn("trials", "int64", "Trials.", "", View(Kind.COUNT, "trials")),
        MeasureColumn(
            *("backends", "int64", "Different backends.", ""), View(Kind.COUNT, "backends")
        ),
        MeasureColumn(*("puzzles", "int64", "Different puzzles.", ""), View(Kind.COUNT, "puzzles")),
        MeasureColumn(TIME, "string", "Kind of the times: `wall` or `cpu`."),
        MeasureColumn(
            *("total_s", "float64", "Sum of the times of all trials, failures as measured.", "s"),
            View(Kind.SECONDS, "total"),
        ),
    ),
    applies=varies("host"),
)
