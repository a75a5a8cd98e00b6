"""Rankings: ranks, averages of times, and the contribution of each backend."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from string import ascii_lowercase
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy

from harness.analysis.measures import (
    DEFAULT,
    PENALTY,
    ComparisonGroup,
    Criterion,
    Floats,
    Measure,
    Note,
    Scope,
    comparison_groups,
    left_out_notes,
    par,
    shifted_geometric_mean,
)
from harness.analysis.measures import columns as col
from harness.analysis.pairs import compare_pairs

# Measure `averages`: several averages of times, and whether the order depends on the choice.


SHIFTS: Final[dict[str, float]] = {"sgm_100us": 1e-4, "sgm_1ms": 1e-3, "sgm_10ms": 1e-2}
"""Shifts of the geometric mean in seconds, by the names of their columns."""

_SHIFT_TITLES: Final = {name: f"{1e3 * shift:g} ms" for name, shift in SHIFTS.items()}


def averages(results: pd.DataFrame) -> pd.DataFrame:
    """Compare PAR-2, PAR-10 and geometric means with three shifts, in the order of `ranks`.

    PAR-2 is the mean time with failures at 2 T, PAR-10 with failures at 10 T (penalised
    average running time: Hutter et al., "ParamILS", JAIR 36, 2009). The shifted geometric
    mean (SGM) is exp(mean(ln(t + s))) - s with failures at T (Achterberg, "Constraint
    integer programming", 2007, appendix A). The shift s limits the influence of the smallest
    times. All averages are over the instances that every eligible backend was run on. A backend
    with a wrong answer has no average and comes last.
    """
    rows = []
    for group in comparison_groups(results):
        field = group.eligible()
        table = pd.DataFrame({"backend": list(field.backends)})
        times = [(field.time[:, n], field.answered[:, n]) for n in range(len(field.backends))]
        for name, penalty in (("par2", PENALTY), ("par10", 10)):
            table[f"{name}_s"] = [par(t, a, field.limit_s, penalty) for t, a in times]
        for name, shift in SHIFTS.items():
            table[f"{name}_s"] = [shifted_geometric_mean(t, shift) for t, _ in times]
        for name in ("par2", *SHIFTS):
            table[f"{name}_ratio"] = table[f"{name}_s"] / table[f"{name}_s"].min()
        orders = {tuple(table[f"{name}_s"].rank()) for name in SHIFTS}
        whole = {
            **group.key,
            "instances": len(field.puzzles),
            "wrong": 0,
            "left_out": group.left_out,
            "order_differs": len(field.puzzles) > 0 and len(orders) > 1,
        }
        in_order: list[dict[Any, Any]] = table.iloc[field.order].to_dict("records")
        rows += [whole | row for row in (*in_order, *group.wrong_rows())]
    return AVERAGES.frame(rows)


def _notes_averages(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    yield Note("SGM: shifted geometric mean, shift 1 ms; its ratios at shifts of 0.1, 1 and 10 ms")
    if frame["order_differs"].any():
        yield Note("the order of the backends by SGM depends on the shift")


AVERAGES: Final = Measure(
    title="Averages compared",
    compute=averages,
    columns=(
        *col.COMPARED,
        col.PAR2,
        col.seconds("par10_s", "PAR-10: mean time with failures at 10 T.", "PAR-10"),
        *(
            col.seconds(
                f"{name}_s",
                f"Geometric mean shifted by {shift}, failures at T.",
                "SGM" if name == "sgm_1ms" else "",
            )
            for name, shift in _SHIFT_TITLES.items()
        ),
        col.ratio("par2_ratio", "`par2_s` over the lowest of the comparison group.", "ratio"),
        *(
            col.ratio(
                f"{name}_ratio",
                f"`{name}_s` over the lowest of the comparison group.",
                f"at {shift}" if name == "sgm_100us" else shift,
            )
            for name, shift in _SHIFT_TITLES.items()
        ),
        col.flag("order_differs", "Whether the three shifts order the backends differently."),
    ),
    order=(
        "backend instances par2_s par10_s par2_ratio sgm_1ms_s sgm_100us_ratio sgm_1ms_ratio "
        "sgm_10ms_ratio"
    ),
    applies=col.varies("backend"),
    notes=_notes_averages,
)


# Measure `contributions`: virtual best, single best, marginal contribution, Shapley value.


def contributions(results: pd.DataFrame) -> pd.DataFrame:
    """Measure what each backend adds to a portfolio of all; Borda points and mean ranks.

    Rows have the order of `ranks`. The virtual best solver (VBS) takes on each instance the
    shortest time of a right answer; the single best solver (SBS) is the backend with the lowest
    PAR-2. The value of a set of backends is 2 T minus the PAR-2 of its virtual best, and 0 for no
    backend. The marginal contribution of a backend is the increase of the PAR-2 of the virtual best
    without it.

    The Shapley value distributes the value of the set of all backends: a backend gets the mean,
    over all orders of joining, of what it adds (Fréchette et al., "Using the Shapley value to
    analyze algorithm portfolios", AAAI 2016). It is exact for any number of backends: on one
    instance it is that of an airport game, which has a closed form (Littlechild and Owen,
    "A simple expression for the Shapley value in a special case", Management Science 20(3),
    1973). If every backend solves everything well below T, all shares are nearly equal and
    marginal values are more informative.

    Borda points are those of the MiniZinc challenge (Stuckey, Becket and Fischer,
    "Philosophy of the MiniZinc challenge", Constraints 15, 2010). Against each other backend
    and on each instance a backend has 0 points without an answer, 1 if only it has one, and
    of two answers t' / (t + t'), where t' is the time of the other.

    The mean rank is the mean over instances of the rank by time on each; failures share the
    last ranks. Friedman's test of the hypothesis that all backends have equal mean ranks ("The
    use of ranks to avoid the assumption of normality", JASA 32, 1937) needs three backends and
    two instances. The test decides nothing: groups come from tests of pairs.

    Backends with a wrong answer are not in the portfolio and come last.
    """
    rows: list[dict[str, Any]] = []
    for group in comparison_groups(results):
        field = group.eligible()
        whole = {**group.key, "instances": len(field.puzzles), "left_out": group.left_out}
        whole |= {"wrong": 0, "single_best": False}
        columns: dict[str, Any] = {}
        if field.time.size:
            none = PENALTY * field.limit_s
            cost = np.where(field.answered, field.time, none)
            par2, best = cost.mean(axis=0), cost.min(axis=1)
            vbs = float(best.mean())
            fastest = field.answered & (cost == best[:, None])
            alone = field.answered & (field.answered.sum(axis=1) == 1)[:, None]
            shapley, instance_ranks = shapley_values(cost, none), _instance_ranks(field)
            columns = {
                "par2_s": par2,
                "vbs_par2_s": vbs,
                "share_of_vbs": vbs / par2,
                "single_best": par2 == par2.min(),
                "best_on": (fastest / np.maximum(fastest.sum(axis=1), 1)[:, None]).sum(axis=0),
                "alone_on": alone.sum(axis=0),
                "marginal_s": marginal_values(cost, none),
                "shapley_s": shapley,
                "shapley_share": shapley / shapley.sum() if vbs < none else None,
                "borda": borda(field),
                "mean_rank": instance_ranks.mean(axis=0),
                "friedman_p": friedman_p(instance_ranks),
            }
        rows += [whole | row for row in (*_in_order(field, columns), *group.wrong_rows())]
    return CONTRIBUTIONS.frame(rows)


def _in_order(field: ComparisonGroup, columns: Mapping[str, Any]) -> list[dict[Any, Any]]:
    """A row with these columns for each backend, the best one first."""
    table = pd.DataFrame({"backend": list(field.backends), **columns})
    return table.iloc[field.order].to_dict("records")


def marginal_values(cost: Floats, none: float) -> Floats:
    """v(all) - v(all without i) for each column i, with v = minus the mean of the lowest cost.

    Args:
        cost: shape (n, m).
        none: the cost of an instance without any backend.
    """
    costs = np.column_stack([cost, np.full(len(cost), none)])
    two_least = np.sort(costs, axis=1)[:, :2]
    without = np.where(cost == two_least[:, :1], two_least[:, 1:], two_least[:, :1])
    # The mean of the differences: rounding makes no difference of equal means negative.
    values: Floats = (without - two_least[:, :1]).mean(axis=0)
    return values


def shapley_values(cost: Floats, none: float) -> Floats:
    """The Shapley value of each column, where a set is worth minus the mean of its lowest cost.

    On one instance the value of a set is the largest saving ``none - cost`` in it, which is
    an airport game (Littlechild and Owen, 1973); the value of a sum of games is the sum of
    their values.

    Args:
        cost: shape (n, m), at most `none`.
        none: the cost of an instance without any backend.
    """
    n, m = cost.shape
    saving = none - cost
    order = np.argsort(saving, axis=1, kind="stable")
    in_order = np.take_along_axis(saving, order, axis=1)
    # A backend shares each step of its saving with all that save as much or more.
    steps = np.diff(in_order, axis=1, prepend=0.0) / np.arange(m, 0, -1)
    values = np.zeros((n, m))
    np.put_along_axis(values, order, np.cumsum(steps, axis=1), axis=1)
    mean: Floats = values.mean(axis=0)
    return mean


def borda(field: ComparisonGroup) -> Floats:
    """The points of each backend in the MiniZinc challenge, shape (m,); see `contributions`."""
    points = np.zeros(len(field.backends))
    for n, m in combinations(range(len(field.backends)), 2):
        ours, theirs = field.time[:, n], field.time[:, m]
        share = theirs / (ours + theirs)
        both = field.answered[:, n] & field.answered[:, m]
        points[n] += np.where(both, share, field.answered[:, n]).sum()
        points[m] += np.where(both, 1 - share, field.answered[:, m]).sum()
    return points


def friedman_p(instance_ranks: Floats) -> float:
    """The p-value of Friedman's test; missing for fewer than three backends or two instances.

    Ties share the mean of their ranks (Conover, "Practical nonparametric statistics", 1999,
    section 5.8).

    Args:
        instance_ranks: the rank of each backend on each instance, shape (n, m).
    """
    n, m = instance_ranks.shape
    if m < 3 or n < 2:
        return float("nan")
    if np.all(instance_ranks == instance_ranks[0, 0]):
        return 1.0
    from_mean = instance_ranks - (m + 1) / 2
    statistic = (m - 1) * (from_mean.sum(axis=0) ** 2).sum() / (from_mean**2).sum()
    return float(scipy.special.chdtrc(m - 1, statistic))


def _instance_ranks(field: ComparisonGroup) -> Floats:
    """The rank of each backend on each instance, shape (n, m); failures are equal."""
    time = pd.DataFrame(np.where(field.answered, field.time, np.inf))
    return time.rank(axis=1).to_numpy(dtype=np.float64)


def _notes_contributions(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    best = list(frame.loc[frame["single_best"], "backend"])
    if best:
        yield Note(
            "VBS: virtual best solver, the fastest backend on each instance; single best solver: "
            "{best}; marginal: increase of the PAR-2 of the VBS without the backend",
            {"best": (col.ValueKind.BACKEND, best)},
        )
    if not pd.isna(p := frame["friedman_p"].iloc[0]):
        yield Note(
            "Friedman's test of equal mean ranks, for information: p {p}",
            {"p": (col.ValueKind.PROBABILITY, float(p))},
        )


CONTRIBUTIONS: Final = Measure(
    title="Contributions",
    compute=contributions,
    columns=(
        *col.COMPARED,
        col.PAR2,
        col.seconds("vbs_par2_s", "PAR-2 of the virtual best of all."),
        col.share("share_of_vbs", "`vbs_par2_s` over `par2_s`: 1 for the virtual best.", "of VBS"),
        col.flag("single_best", "Whether its PAR-2 is the lowest."),
        col.number(
            "best_on",
            "Instances on which it is the fastest; ties are shared.",
            "fastest on",
            short="fastest",
        ),
        col.count(
            "alone_on",
            "Instances that only this backend answered.",
            "alone on",
            dtype="Int64",
            short="alone",
        ),
        col.seconds(
            "marginal_s",
            "PAR-2 of the virtual best without the backend minus that with it.",
            "marginal",
        ),
        col.seconds("shapley_s", "Shapley value.", "Shapley"),
        col.share("shapley_share", "Shapley value over the sum of all.", "share"),
        col.number("borda", "Borda points of the MiniZinc challenge.", "Borda"),
        col.number("mean_rank", "Mean over instances of the rank by time.", "mean rank"),
        col.number("friedman_p", "p-value of Friedman's test over the comparison group."),
    ),
    applies=col.varies("backend"),
    notes=_notes_contributions,
)


# Measure `ranks`: rank and groups of equal backends.


def ranks(
    results: pd.DataFrame,
    criterion: Criterion = DEFAULT,
    process_results: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Rank the backends of each comparison group, best first.

    Rank orders backends by the number of answered instances, then by the geometric mean of times
    with failures at the limit; ties share the average rank. Every table of backends has this
    order. Ranks are over the instances that all eligible backends were run on. A backend with a
    wrong answer has no rank and comes last.

    Groups are letters: two backends share a letter unless they are `different` in the
    sense of `pairwise`. This is the compact letter display (Piepho, "An algorithm for a
    letter-based representation of all-pairwise comparisons", Journal of Computational and
    Graphical Statistics 13, 2004) in place of the bars of a critical-difference diagram (Demšar,
    "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006), which can
    show only neighbours in the order of mean ranks. Pairs are tested by Wilcoxon's test with
    Holm's correction rather than by Nemenyi's test, because the statistic of a pair then does not
    depend on the other backends (Benavoli, Corani and Mangili, "Should we really use post-hoc
    tests based on mean-ranks?", JMLR 17, 2016). Groups are missing where there are too few
    instances for any difference.
    """
    rows: list[dict[str, Any]] = []
    for group in comparison_groups(results, criterion, process_results):
        field = group.eligible()
        whole = {**group.key, "instances": len(field.puzzles), "left_out": group.left_out}
        columns: dict[str, Any] = {}
        if field.time.size:
            columns = {
                "answered": field.answered.sum(axis=0),
                "mean_s": field.mean_s,
                "total_s": field.sizes @ field.time,
                "rank": field.ranks,
                "groups": groups_of(field),
            }
        members = (*_in_order(field, columns), *group.wrong_rows())
        rows += [whole | {"wrong": 0} | row for row in members]
    return RANKS.frame(rows)


def groups_of(field: ComparisonGroup) -> list[str | None]:
    """For each backend the letters of its groups, shape (m,); see `ranks`.

    The letters are in the order of the best rank of each group.
    """
    names = field.backends
    pairs = list(combinations(range(len(names)), 2))
    rows = compare_pairs(field, pairs, intervals=False)
    counts = [row["instances"] - row["neither"] for row in rows]
    if Criterion.cannot_differ(max(counts, default=0), sum(number > 0 for number in counts)):
        return [None] * len(names)
    place = np.argsort(field.order).tolist()
    different = [pair for pair, row in zip(pairs, rows, strict=True) if row["different"]]
    groups = _equal_groups(len(names), different)
    letters = [""] * len(names)
    for number, group in enumerate(sorted(groups, key=lambda g: sorted(place[n] for n in g))):
        cycle, letter = divmod(number, len(ascii_lowercase))
        for n in group:
            letters[n] += f"{ascii_lowercase[letter]}{cycle or ''}"
    return [*letters]


def _equal_groups(size: int, different: Sequence[tuple[int, int]]) -> set[frozenset[int]]:
    """The largest sets of the numbers below `size` in which no two are different.

    Each different pair splits every set that has both numbers into two sets without one of them;
    sets within others are absorbed (Piepho, 2004).
    """
    sets = {frozenset(range(size))}
    for first, second in different:
        both = {part for part in sets if first in part and second in part}
        parts = sets - both | {part - {n} for part in both for n in (first, second)}
        sets = {part for part in parts if not any(part < larger for larger in parts)}
    return sets


def _notes_ranks(frame: pd.DataFrame) -> Iterator[Note]:
    yield from left_out_notes(frame)
    if frame["wrong"].any():
        yield Note("a backend with a wrong answer has no rank")
    yield Note(
        "rank: by instances answered, then by gmean, the geometric mean of times; total: sum of "
        "times; a failure counts as the limit"
    )
    if frame["groups"].notna().any():
        yield Note("group: backends that share a letter are not significantly different")
    else:
        yield Note("no groups: too few instances for a significant difference")


RANKS: Final = Measure(
    title="Ranks",
    compute=ranks,
    takes=("results", "criterion", "process_results"),
    columns=(
        *col.COMPARED,
        col.optional(col.ANSWERED),
        col.seconds("mean_s", "Geometric mean of times, failures at T.", "gmean"),
        col.seconds("total_s", "Sum of times, failures at T.", "total"),
        col.rank("rank", "Rank by answered instances, then by `mean_s`.", "rank"),
        col.GROUPS,
    ),
    order="rank backend answered mean_s total_s groups",
    applies=col.varies("backend"),
    notes=_notes_ranks,
)


# Measure `pooled`: ranks over all datasets together.


def pooled(
    results: pd.DataFrame,
    criterion: Criterion = DEFAULT,
    process_results: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Rank the backends over all datasets pooled, each instance with the same weight.

    Ranks and groups are defined as in `ranks`. A puzzle that is in two datasets is
    two instances.
    """
    return ranks(results, criterion, process_results)


POOLED: Final = replace(
    RANKS,
    name="pooled",
    scope=Scope.POOLED,
    takes=("pooled_results", "criterion", "pooled_process_results"),
    compute=pooled,
)
