"""Two backends on the same puzzles: who wins how often, by how much, and is it real."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.inference import RESAMPLES, different, holm, mean_interval, wilcoxon_p
from harness.analysis.results import (
    GROUP_DTYPES,
    ComparisonGroup,
    Floats,
    comparison_groups,
    rows_frame,
)

PAIRWISE_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "other": "string",
    "instances": "int64",
    "wins": "int64",
    "ties": "int64",
    "losses": "int64",
    "only_backend": "int64",
    "only_other": "int64",
    "neither": "int64",
    "factor": "float64",
    "factor_low": "float64",
    "factor_high": "float64",
    "resamples": "int64",
    "p": "float64",
    "p_holm": "float64",
    "different": "bool",
}


def pairwise(results: pd.DataFrame) -> pd.DataFrame:
    """Each two backends of a comparison group, on the puzzles that both were asked about.

    Backends with a wrong answer take no part. The one with the less PAR-2 of a
    pair is ``backend``.

    Columns `PAIRWISE_DTYPES`: ``wins``, ``ties`` and ``losses`` of ``backend``,
    where an answer beats none, a shorter time a longer one, and two failures
    are a tie; ``only_backend``, ``only_other`` and ``neither``, how many were
    answered so; ``factor``, the geometric mean of the other's time over the
    backend's, 2 where ``backend`` is twice as fast, failures at the limit;
    ``factor_low`` and ``factor_high``, its 95 % BCa bootstrap interval over
    instances from so many ``resamples``; ``p`` of Wilcoxon's signed-rank test
    on the logarithms of times (zeros after Pratt, two failures being one);
    ``p_holm``, corrected for all pairs of the comparison group; ``different``, see
    `inference.different`.
    """
    rows: list[dict[str, Any]] = []
    for group in comparison_groups(results):
        right = [n for n, wrong in enumerate(group.wrong) if wrong == 0]
        cost = group.penalised(2)
        mean = {n: cost[group.asked[:, n], n].mean() for n in right}
        order = sorted(right, key=lambda n: (mean[n], group.backends[n]))
        rows += compare_pairs(group, list(combinations(order, 2)))
    return rows_frame(rows, PAIRWISE_DTYPES)


def compare_pairs(
    group: ComparisonGroup, pairs: Sequence[tuple[int, int]], *, intervals: bool = True
) -> list[dict[str, Any]]:
    """The rows of `pairwise` for pairs of columns of a comparison group.

    Without `intervals` their ends are missing, which saves the bootstrap.
    """
    rows: list[dict[str, Any]] = []
    logs: list[Floats] = []
    for n, m in pairs:
        both_asked = group.asked[:, n] & group.asked[:, m]
        time, answered = group.time[both_asked], group.answered[both_asked]
        ours, theirs = answered[:, n], answered[:, m]
        # Two failures are equal, as both stand at the limit.
        log = np.log(time[:, m]) - np.log(time[:, n])
        wins = (ours & ~theirs) | (ours & theirs & (log > 0))
        losses = (theirs & ~ours) | (ours & theirs & (log < 0))
        logs.append(log)
        rows.append(
            {
                **group.key,
                "backend": group.backends[n],
                "other": group.backends[m],
                "instances": len(log),
                "wins": int(wins.sum()),
                "ties": int((~wins & ~losses).sum()),
                "losses": int(losses.sum()),
                "only_backend": int((ours & ~theirs).sum()),
                "only_other": int((theirs & ~ours).sum()),
                "neither": int((~ours & ~theirs).sum()),
                "factor": float(np.exp(log.mean())) if len(log) else float("nan"),
                "resamples": RESAMPLES if intervals and len(log) > 1 else 0,
                "p": wilcoxon_p(log) if len(log) else float("nan"),
            }
        )
    judge_family(rows)
    ends = factor_intervals(logs) if intervals else [(float("nan"), float("nan"))] * len(rows)
    for row, (low, high) in zip(rows, ends, strict=True):
        row |= {"factor_low": low, "factor_high": high}
    return rows


def judge_family(rows: Sequence[dict[str, Any]]) -> None:
    """Add ``p_holm`` and ``different`` to rows that make up one kind of tests."""
    corrected = holm(np.array([row["p"] for row in rows], dtype=np.float64))
    factors = np.array([row["factor"] for row in rows], dtype=np.float64)
    verdicts = different(corrected, factors)
    for row, p, verdict in zip(rows, corrected, verdicts, strict=True):
        row |= {"p_holm": float(p), "different": bool(verdict)}


def factor_intervals(logs: Iterable[Floats]) -> list[tuple[float, float]]:
    """The interval of the geometric mean behind each of the arrays of logarithms."""
    arrays = list(logs)
    ends = [(float("nan"), float("nan"))] * len(arrays)
    for size in {len(array) for array in arrays}:
        # Arrays of one length share their resamples, and so the time to draw them.
        places = [n for n, array in enumerate(arrays) if len(array) == size]
        low, high = mean_interval(np.column_stack([arrays[n] for n in places]))
        for n, a, b in zip(places, np.exp(low), np.exp(high), strict=True):
            ends[n] = (float(a), float(b))
    return ends
