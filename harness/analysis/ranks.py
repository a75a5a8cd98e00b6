"""Measure `ranks`: rank, Borda points, mean rank and groups of equal backends."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from string import ascii_lowercase
from typing import Any, Final

import numpy as np
import pandas as pd

from harness.analysis.common_columns import (
    ANSWERED,
    COMPARED,
    left_out_notes,
    optional,
)
from harness.analysis.comparison_group import ComparisonGroup, comparison_groups
from harness.analysis.inference import DEFAULT, Criterion, cannot_differ, mean_ranks_of
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
from harness.analysis.pairwise import compare_pairs
from harness.analysis.results import Floats


def ranks(results: pd.DataFrame, criterion: Criterion = DEFAULT) -> pd.DataFrame:
    """Rank the backends of each comparison group, the best first.

    Rank orders backends by the number of answered instances, then by total time with failures
    at the limit; ties share the average rank. Ranks are over the instances that all eligible
    backends were run on. A backend with a wrong answer has no rank and stands last.

    Borda points are those of the MiniZinc challenge (Stuckey, Becket and Fischer,
    "Philosophy of the MiniZinc challenge", Constraints 15, 2010). Against each other backend
    and on each instance a backend has 0 points without an answer, 1 if only it has one, and
    of two answers t' / (t + t'), where t' is the time of the other.

    The mean rank is the mean over instances of the rank by time on each; failures share the
    last ranks. Friedman's test of the hypothesis that all backends have equal mean ranks ("The
    use of ranks to avoid the assumption of normality", JASA 32, 1937) needs three backends and
    two instances.

    Groups are letters: two backends share a letter exactly if they are not `different` in the
    sense of `pairwise`. This is the compact letter display (Piepho, "An algorithm for a
    letter-based representation of all-pairwise comparisons", Journal of Computational and
    Graphical Statistics 13, 2004) in place of the bars of a critical-difference diagram (Demšar,
    "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006), which can
    show only neighbours in the order of mean ranks. Pairs are tested by Wilcoxon's test with
    Holm's correction rather than by Nemenyi's test, because the statistic of a pair then does not
    depend on the other backends (Benavoli, Corani and Mangili, "Should we really use post-hoc
    tests based on mean-ranks?", JMLR 17, 2016). Holm's correction covers all pairs, so Friedman's
    test decides nothing; it is given for information. Groups are missing where there are too few
    instances for any difference.
    """
    rows: list[dict[str, Any]] = []
    for group in comparison_groups(results, criterion):
        field = group.eligible()
        count = len(field.puzzles)
        whole = {**group.key, "instances": count, "left_out": group.left_out}
        absent = [whole | row for row in group.excluded()]
        if not count or not field.backends:
            rows += [whole | {"backend": b, "wrong": 0} for b in field.backends] + absent
            continue
        answered, total = field.answered.sum(axis=0), field.time.sum(axis=0)
        by_both = np.unique(np.column_stack([-answered, total]), axis=0, return_inverse=True)[1]
        rank = mean_ranks_of(by_both.astype(np.int64))[0]
        mean_ranks = _instance_ranks(field).mean(axis=0)
        letters = groups_of(field, mean_ranks)
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
    return RANKS.frame(rows)


def borda(field: ComparisonGroup) -> Floats:
    """The points of each backend in the MiniZinc challenge, shape (m,); see `ranks`."""
    points = np.zeros(len(field.backends))
    for n, m in combinations(range(len(field.backends)), 2):
        ours, theirs = field.time[:, n], field.time[:, m]
        share = theirs / (ours + theirs)
        both = field.answered[:, n] & field.answered[:, m]
        points[n] += np.where(both, share, field.answered[:, n]).sum()
        points[m] += np.where(both, 1 - share, field.answered[:, m]).sum()
    return points


def friedman_p(field: ComparisonGroup) -> float:
    """The p-value of Friedman's test; missing for fewer than three backends or two instances.

    Ties share the mean of their ranks (Conover, "Practical nonparametric statistics", 1999,
    section 5.8).
    """
    from scipy.special import chdtrc

    n, m = field.time.shape
    if m < 3 or n < 2:
        return float("nan")
    ranked = _instance_ranks(field)
    if np.all(ranked == ranked[0, 0]):
        return 1.0
    from_mean = ranked - (m + 1) / 2
    statistic = (m - 1) * (from_mean.sum(axis=0) ** 2).sum() / (from_mean**2).sum()
    return float(chdtrc(m - 1, statistic))


def groups_of(field: ComparisonGroup, mean_ranks: Floats) -> list[str | None]:
    """For each backend the letters of its groups, shape (m,); see `ranks`.

    The letters are in the order of the best mean rank of each group.
    """
    names = field.backends
    pairs = list(combinations(range(len(names)), 2))
    rows = compare_pairs(field, pairs, intervals=False)
    compared = [row["instances"] - row["neither"] for row in rows]
    if cannot_differ(max(compared, default=0), sum(number > 0 for number in compared)):
        return [None] * len(names)
    place = np.argsort(np.argsort(mean_ranks, kind="stable"))
    found = sorted(
        sorted(int(place[n]) for n in group)
        for group in _undivided(
            len(names), [pair for pair, row in zip(pairs, rows, strict=True) if row["different"]]
        )
    )
    letters = [""] * len(names)
    for number, group in enumerate(found):
        for n in np.flatnonzero(np.isin(place, group)):
            letters[n] += _letter(number)
    return [*letters]


def _undivided(size: int, different: Sequence[tuple[int, int]]) -> list[frozenset[int]]:
    """The largest sets of the numbers below `size` in which no two are different.

    Each pair divides every set that has both into one without each; sets within others are
    absorbed (Piepho, 2004).
    """
    sets = {frozenset(range(size))}
    for one, other in different:
        both = {part for part in sets if one in part and other in part}
        divided = sets - both | {part - {n} for part in both for n in (one, other)}
        sets = {part for part in divided if not any(part < larger for larger in divided)}
    return list(sets)


def _instance_ranks(field: ComparisonGroup) -> Floats:
    """The rank of each backend on each instance, shape (n, m); failures are equal."""
    time = pd.DataFrame(np.where(field.answered, field.time, np.inf))
    return time.rank(axis=1).to_numpy(dtype=np.float64)


def _letter(number: int) -> str:
    cycle, place = divmod(number, len(ascii_lowercase))
    return f"{ascii_lowercase[place]}{cycle or ''}"


def _notes(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    if frame["wrong"].any():
        yield Note("a backend with a wrong answer has no rank")
    if not frame["groups"].notna().any():
        yield Note("no groups: too few instances for a significant difference")
        return
    yield Note("group: backends that share a letter are not significantly different, others are")
    p = frame["friedman_p"].iloc[0]
    if not pd.isna(p):
        yield Note(
            "Friedman's test of equal mean ranks, for information: p {p}",
            {"p": (Kind.PROBABILITY, float(p))},
        )


RANKS: Final = Measure(
    name="ranks",
    title="Ranks",
    scope=Scope.GROUP,
    source=Source.RESULTS,
    compute=ranks,
    decides=True,
    columns=(
        *COMPARED,
        optional(ANSWERED),
        MeasureColumn(
            *("total_s", "float64", "Sum of times, failures at T.", "s"),
            View(Kind.SECONDS, "total"),
        ),
        MeasureColumn(
            *("rank", "float64", "Rank by answered instances, then by total time.", ""),
            View(Kind.RANK, "rank"),
        ),
        MeasureColumn(
            *("borda", "float64", "Borda points of the MiniZinc challenge.", ""),
            View(Kind.NUMBER, "Borda"),
        ),
        MeasureColumn(
            *("mean_rank", "float64", "Mean over instances of the rank by time.", ""),
            View(Kind.NUMBER, "mean rank"),
        ),
        MeasureColumn(
            *("groups", "string", "Letters: backends that share one are not different.", ""),
            View(Kind.TEXT, "group"),
        ),
        MeasureColumn(
            "friedman_p", "float64", "p-value of Friedman's test over the comparison group."
        ),
    ),
    order=("rank", "backend", "answered", "total_s", "borda", "mean_rank", "groups"),
    applies=varies("backend"),
    notes=_notes,
)
