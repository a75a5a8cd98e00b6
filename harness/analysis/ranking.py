"""Who is ahead of whom: ranks, Borda points, and which differences hold."""

from itertools import combinations
from string import ascii_lowercase
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.inference import ALPHA
from harness.analysis.pairwise import compare_pairs
from harness.analysis.results import (
    GROUP_DTYPES,
    ComparisonGroup,
    Floats,
    comparison_groups,
    rows_frame,
)

RANKS_DTYPES: Final[dict[str, str]] = {
    **GROUP_DTYPES,
    "backend": "string",
    "instances": "int64",
    "left_out": "int64",
    "wrong": "int64",
    "answered": "Int64",
    "total_s": "float64",
    "rank": "float64",
    "borda": "float64",
    "mean_rank": "float64",
    "groups": "string",
    "friedman_p": "float64",
}


def ranks(results: pd.DataFrame) -> pd.DataFrame:
    """The ranks of the backends of each comparison group, the best first.

    A backend with a wrong answer has no rank and no other figure, and stands
    last. Ranks are taken over the puzzles that all others were asked about.

    Columns `RANKS_DTYPES`: ``instances``, and ``left_out``, the puzzles that
    not all were asked about; ``wrong`` instances; ``answered`` ones and
    ``total_s``, the sum of times with failures at the limit; ``rank``, by
    answered, then by total time, with the average rank for ties; ``borda``,
    the points of the MiniZinc challenge (see `borda`); ``mean_rank``, the mean
    over instances of the rank by time, failures sharing the last ones;
    ``groups``, letters: two backends that share one are not called different
    (see `critical_groups`); ``friedman_p``, of Friedman's test that all are
    equal ("The use of ranks to avoid the assumption of normality", JASA 32,
    1937), missing for fewer than three backends or two instances.
    """
    from scipy.stats import rankdata

    rows: list[dict[str, Any]] = []
    for group in comparison_groups(results):
        field = group.eligible()
        count = len(field.puzzles)
        whole = {**group.key, "instances": count, "left_out": len(group.puzzles) - count}
        wrong = [(b, int(w)) for b, w in zip(group.backends, group.wrong, strict=True) if w]
        absent = [whole | {"backend": backend, "wrong": number} for backend, number in wrong]
        if not count or not field.backends:
            rows += [whole | {"backend": b, "wrong": 0} for b in field.backends] + absent
            continue
        answered, total = field.answered.sum(axis=0), field.time.sum(axis=0)
        by_both = np.unique(np.column_stack([-answered, total]), axis=0, return_inverse=True)[1]
        rank = rankdata(by_both.ravel())
        mean_ranks = _instance_ranks(field).mean(axis=0)
        letters = critical_groups(field, mean_ranks)
        points = borda(field)
        whole["friedman_p"] = friedman_p(field)
        for n in np.argsort(rank, kind="stable"):
            rows.append(
                whole
                | {
                    "backend": field.backends[n],
                    "wrong": 0,
                    "answered": int(answered[n]),
                    "total_s": float(total[n]),
                    "rank": float(rank[n]),
                    "borda": float(points[n]),
                    "mean_rank": float(mean_ranks[n]),
                    "groups": letters[n],
                }
            )
        rows += absent
    return rows_frame(rows, RANKS_DTYPES)


def borda(field: ComparisonGroup) -> Floats:
    """The points of each backend by the rules of the MiniZinc challenge, shape (m,).

    Against each other backend and on each instance: 0 if it has no answer, 1
    if only it has one, and of two answers t' / (t + t'). Stuckey, Becket and
    Fischer, "Philosophy of the MiniZinc challenge", Constraints 15, 2010.
    """
    points = np.zeros(len(field.backends))
    for n, m in combinations(range(len(field.backends)), 2):
        ours, theirs = field.time[:, n], field.time[:, m]
        share = theirs / (ours + theirs)
        both = field.answered[:, n] & field.answered[:, m]
        points[n] += np.where(both, share, field.answered[:, n]).sum()
        points[m] += np.where(both, 1 - share, field.answered[:, m]).sum()
    return points


def friedman_p(field: ComparisonGroup) -> float:
    """The p of Friedman's test; missing for fewer than three backends or two instances."""
    from scipy.stats import friedmanchisquare

    n, m = field.time.shape
    if m < 3 or n < 2:
        return float("nan")
    ranked = _instance_ranks(field)
    if np.all(ranked == ranked[0, 0]):
        return 1.0
    return float(friedmanchisquare(*ranked.T).pvalue)


def critical_groups(field: ComparisonGroup, mean_ranks: Floats) -> list[str]:
    """For each backend the letters of the groups that no difference divides.

    The bars of a critical-difference diagram as letters: along the mean ranks,
    every longest run of backends no two of which are `inference.different` in
    Wilcoxon's test with Holm's correction. Unlike Nemenyi's, this test of a
    pair does not depend on who else takes part (Benavoli, Corani and Mangili,
    "Should we really use post-hoc tests based on mean-ranks?", JMLR 17, 2016).
    Of three or more that Friedman's test cannot tell apart, all are one group.
    """
    names = field.backends
    p = friedman_p(field)
    if p >= ALPHA:
        return ["a"] * len(names)
    pairs = compare_pairs(field, list(combinations(range(len(names)), 2)), intervals=False)
    apart = {frozenset((row["backend"], row["other"])) for row in pairs if row["different"]}
    order = sorted(range(len(names)), key=lambda n: (mean_ranks[n], names[n]))
    letters = [""] * len(names)
    reached, group = -1, 0
    for begin in range(len(order)):
        end = begin
        while end + 1 < len(order) and all(
            frozenset((names[order[k]], names[order[end + 1]])) not in apart
            for k in range(begin, end + 1)
        ):
            end += 1
        if end > reached:
            for k in range(begin, end + 1):
                letters[order[k]] += _letter(group)
            reached, group = end, group + 1
    return letters


def _instance_ranks(field: ComparisonGroup) -> Floats:
    """The rank of each backend on each instance, shape (n, m); failures are equal."""
    from scipy.stats import rankdata

    ranked: Floats = rankdata(np.where(field.answered, field.time, np.inf), axis=1)
    return ranked


def _letter(number: int) -> str:
    cycle, place = divmod(number, len(ascii_lowercase))
    return f"{ascii_lowercase[place]}{cycle or ''}"
