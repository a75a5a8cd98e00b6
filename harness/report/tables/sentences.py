"""The verdict on each backend of a comparison group in one sentence."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from harness.report.formatting import number_of, ratio, shown_backend


def sentences(ranks: pd.DataFrame, pairs: pd.DataFrame) -> Iterator[str]:
    """A sentence for each backend of one comparison group, the best first, those with a wrong answer last.

    Each but the first by rank is compared with that one: ``cpsat answered all
    1,465; 3.10x slower than cnf, interval 2.90x to 3.40x``.

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
            yield f"{name} was WRONG on {number_of(row['wrong'], 'puzzle')}: it is not ranked"
        elif pd.isna(row["rank"]):
            yield f"{name} has no puzzle in common with all others: it is not ranked"
        elif row["backend"] == first:
            yield f"{name} {_answered(row)}; first by rank"
        else:
            pair = with_first[row["backend"]]
            yield f"{name} {_answered(row)}; {_beside(pair, row['backend'], first)}"


def _answered(row: Mapping[Any, Any]) -> str:
    if row["answered"] == row["instances"]:
        return f"answered all {row['instances']:,}"
    return f"answered {row['answered']:,} of {row['instances']:,}"


def _beside(pair: Mapping[Any, Any], backend: str, first: str) -> str:
    """How a backend compares with the first one."""
    factor, low, high = pair["factor"], pair["factor_low"], pair["factor_high"]
    # The factor tells how many times faster the first named of the pair is.
    word = "faster" if (pair["backend"] == backend) != (factor < 1) else "slower"
    if factor < 1:
        factor, low, high = 1 / factor, 1 / high, 1 / low
    told = f"{ratio(factor)} {word}"
    between = "" if pd.isna(low) else f", interval {ratio(low)} to {ratio(high)}"
    if pair["different"]:
        return f"{told} than {shown_backend(first)}{between}"
    return f"not called different from {shown_backend(first)} ({told}{between})"
