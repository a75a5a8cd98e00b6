"""The verdict on each backend of a comparison group in one sentence."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from harness.records.question import Start
from harness.report.formatting import number_of, ratio, shown_backend


def sentences(ranks: pd.DataFrame, pairs: pd.DataFrame) -> Iterator[str]:
    """A sentence on each backend of one comparison group, in the order of their ranks.

    Every other backend is compared with the first: ``cpsat answered all 1,465; 3.10x slower
    than cnf, interval 2.90x to 3.40x``. Backends with a wrong answer come last.

    Args:
        ranks: the rows of `harness.analysis.ranks` for the comparison group.
        pairs: its rows of `harness.analysis.pairwise`.
    """
    rows = ranks.to_dict("records")
    first = rows[0]["backend"]
    with_first = {
        row["other"] if row["backend"] == first else row["backend"]: row
        for row in pairs.to_dict("records")
        if first in (row["backend"], row["other"])
    }
    for row in rows:
        name = shown_backend(row["backend"])
        if row["wrong"]:
            yield f"{name} was WRONG on {number_of(row['wrong'], 'instance')}: not ranked"
        elif pd.isna(row["rank"]):
            yield f"{name} has no instance in common with all others: not ranked"
        elif row["backend"] == first:
            yield f"{name} {_answered(row)}; first by rank"
        else:
            pair = with_first[row["backend"]]
            yield f"{name} {_answered(row)}; {_compared(pair, row['backend'], first)}"


def _answered(row: Mapping[Any, Any]) -> str:
    unit = " calls" if row["start"] == Start.BATCH else ""
    if row["answered"] == row["instances"]:
        return f"answered all {row['instances']:,}{unit}"
    return f"answered {row['answered']:,} of {row['instances']:,}{unit}"


def _compared(pair: Mapping[Any, Any], backend: str, first: str) -> str:
    """The comparison of a backend with the first one."""
    if pair["instances"] == pair["neither"]:
        return f"no time to compare with {shown_backend(first)}"
    factor, low, high = pair["factor"], pair["factor_low"], pair["factor_high"]
    # A factor above 1 means that the first backend of the pair is faster.
    word = "faster" if (pair["backend"] == backend) != (factor < 1) else "slower"
    if factor < 1:
        factor, low, high = 1 / factor, 1 / high, 1 / low
    size = f"{ratio(factor)} {word}"
    between = "" if pd.isna(low) else f", interval {ratio(low)} to {ratio(high)}"
    if pair["different"]:
        return f"{size} than {shown_backend(first)}{between}"
    return f"no significant difference from {shown_backend(first)} ({size}{between})"
