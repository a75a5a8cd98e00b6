"""`ranks` and `pooled`, `pairwise`, `contributions`."""

import math
from itertools import combinations
from statistics import mean
from typing import Any

import pandas as pd

from tests.analysis.oracles.model import Group, Result, groups_of, without
from tests.analysis.oracles.random_runs import Trial
from tests.analysis.oracles.statistics import (
    LEAST_FACTOR,
    cannot_differ,
    equal_times,
    friedman,
    geometric,
    holm,
    interval_ends,
    is_different,
    log,
    mean_ranks,
    shapley,
    wilcoxon,
)

Row = dict[str, Any]


def ranks(trials: list[Trial], time: str) -> list[Row]:
    return [row for group in groups_of(trials, time) for row in _ranks(group)]


def pooled(trials: list[Trial], time: str) -> list[Row]:
    groups = groups_of(trials, time, without("dataset"))
    return [row | {"dataset": "all datasets"} for group in groups for row in _ranks(group)]


def _ranks(group: Group) -> list[Row]:
    """The rows without `groups`, which `letters_are_right` checks."""
    own = {backend: group.results_of(backend) for backend in group.eligible}
    answers = {b: sum(r.answered for r in results) for b, results in own.items()}
    totals = {b: sum(r.time * r.puzzles for r in results) for b, results in own.items()}
    order = [rank_of(results) for results in own.values()]
    missing = ("answered", "mean_s", "total_s", "rank")
    rows: list[Row] = []
    for place, backend in enumerate(own):
        row = group.row(backend)
        if group.common:
            first = sum(other < order[place] for other in order)
            row["rank"] = first + (order.count(order[place]) + 1) / 2
            row |= {"answered": answers[backend], "total_s": totals[backend]}
            row["mean_s"] = geometric([r.time for r in own[backend]], 0)
        else:
            row |= dict.fromkeys(missing)
        rows.append(row)
    return [*rows, *(group.row(b) | dict.fromkeys(missing) for b in group.wrong)]


def rank_of(results: list[Result]) -> tuple[float, ...]:
    """The failures, and the geometric mean of times: the least is the best."""
    if not results:
        return (0.0,)
    failures = sum(not r.answered for r in results)
    return (failures, *equal_times([geometric([r.time for r in results], 0)]))


def _points(own: Result, other: Result) -> float:
    if not own.answered:
        return 0
    return other.time / (own.time + other.time) if other.answered else 1


def pairwise(trials: list[Trial], time: str) -> list[Row]:
    return [row for group in groups_of(trials, time) for row in pairs_of(group)]


def pairs_of(group: Group) -> list[Row]:
    rows = []
    for pair in combinations(group.eligible, 2):
        first, other = sorted(pair, key=lambda b: (rank_of(group.results_of(b)), b))
        both = list(zip(group.results_of(first), group.results_of(other), strict=True))
        either = [(a, b) for a, b in both if a.answered or b.answered]
        logs = [log(b.time / a.time) for a, b in either]
        wins = sum(_ahead(a, b) for a, b in both)
        losses = sum(_ahead(b, a) for a, b in both)
        low, high = interval_ends(logs)
        rows.append(
            {
                **group.row(first),
                "other": other,
                "wins": wins,
                "losses": losses,
                "ties": len(both) - wins - losses,
                "only_backend": sum(a.answered and not b.answered for a, b in both),
                "only_other": sum(b.answered and not a.answered for a, b in both),
                "neither": len(both) - len(either),
                "factor": math.exp(mean(logs)) if logs else None,
                "factor_low": low,
                "factor_high": high,
                "processes": 0,
                "resamples": 0 if low is None else 2000,
                "p": wilcoxon(logs) if logs else None,
                "least_factor": LEAST_FACTOR,
                "used": len(either),
                "logs": logs,
            }
        )
        del rows[-1]["wrong"]
    tests = [row for row in rows if row["used"]]
    for row in rows:
        row |= {"p_holm": None, "different": False}
    for row, p in zip(tests, holm([row["p"] for row in tests]), strict=True):
        row |= {"p_holm": p, "different": is_different(p, row["logs"])}
    for row in rows:
        few = cannot_differ(row["used"], len(tests))
        row["detectable"] = None if few else (lambda factor: factor >= LEAST_FACTOR)
        del row["used"], row["logs"]
    return rows


def _ahead(first: Result, other: Result) -> bool:
    times = equal_times([first.time, other.time])
    return first.answered and (not other.answered or times[0] < times[1])


def assert_letters_are_right(table: pd.DataFrame, groups: list[Group]) -> None:
    """Two share a letter exactly if they are not different; missing for too few instances."""
    for group in groups:
        rows = table
        for column, value in group.key.items():
            rows = rows[rows[column].isna() if value is None else rows[column] == value]
        letters = dict(zip(rows["backend"], rows["groups"], strict=True))
        assert all(pd.isna(letters[backend]) for backend in group.wrong)
        pairs = pairs_of(group)
        sizes = [pair["instances"] - pair["neither"] for pair in pairs]
        if cannot_differ(max(sizes, default=0), sum(n > 0 for n in sizes)):
            assert all(pd.isna(letter) for letter in letters.values()), (letters, group.key)
            continue
        for pair in pairs:
            common_letters = set(letters[pair["backend"]]) & set(letters[pair["other"]])
            assert bool(common_letters) != pair["different"], (letters, pair)
        members = [{b for b in group.eligible if letter in letters[b]}
                   for letter in set("".join(letters[b] for b in group.eligible))]  # fmt: skip
        assert not any(a < b or (a == b and a is not b) for a in members for b in members)


def contributions(trials: list[Trial], time: str) -> list[Row]:
    rows = []
    for group in groups_of(trials, time):
        rows += [
            _contribution(group, backend) | _scores(group, backend) for backend in group.eligible
        ]
        missing = dict.fromkeys(_MISSING) | {"single_best": False}
        rows += [group.row(backend) | missing for backend in group.wrong]
    return rows


_SCORES = ("borda", "mean_rank", "friedman_p")
_MISSING = ("par2_s", "vbs_par2_s", "share_of_vbs", "best_on", "alone_on", "marginal_s",
            "shapley_s", "shapley_share", *_SCORES)  # fmt: skip


def _scores(group: Group, backend: str) -> Row:
    """Borda points, mean rank and Friedman's test."""
    if not group.common:
        return dict.fromkeys(_SCORES)
    own = {b: group.results_of(b) for b in group.eligible}
    on_each = [
        mean_ranks([r.endless for r in column]) for column in zip(*own.values(), strict=True)
    ]
    others = (own[other] for other in own if other != backend)
    pairs = (zip(own[backend], results, strict=True) for results in others)
    return {
        "borda": sum(_points(*pair) for of_both in pairs for pair in of_both),
        "mean_rank": mean(ranks[group.eligible.index(backend)] for ranks in on_each),
        "friedman_p": friedman([[r.endless for r in results] for results in own.values()]),
    }


def _contribution(group: Group, backend: str) -> Row:
    row = group.row(backend)
    par = {b: [r.par(2) for r in group.results_of(b)] for b in group.eligible}
    if not group.common:
        return row | dict.fromkeys(_MISSING) | {"single_best": False}
    number = len(group.common)

    def best_par2(members: frozenset[str]) -> float:
        return sum(min(par[b][i] for b in members) for i in range(number)) / number

    def worth(members: frozenset[str]) -> float:
        return 2 * group.limit - best_par2(members) if members else 0.0

    everyone = frozenset(group.eligible)
    means = dict(zip(par, equal_times([mean(times) for times in par.values()]), strict=True))
    best_on = alone_on = 0.0
    for column in zip(*(group.results_of(b) for b in group.eligible), strict=True):
        own = next(r for r in column if r.backend == backend)
        times = equal_times([r.time for r in column if r.answered])
        if own.answered:
            mine = equal_times([own.time])[0]
            best_on += (mine == min(times)) / times.count(min(times))
            alone_on += len(times) == 1
    whole = worth(everyone)
    value = shapley(worth, group.eligible, backend)
    others = everyone - {backend}
    marginal = best_par2(others) - best_par2(everyone) if others else whole
    return row | {
        "par2_s": mean(par[backend]),
        "vbs_par2_s": best_par2(everyone),
        "share_of_vbs": best_par2(everyone) / mean(par[backend]),
        "single_best": means[backend] == min(means.values()),
        "best_on": best_on,
        "alone_on": alone_on,
        "marginal_s": marginal,
        "shapley_s": value,
        "shapley_share": value / whole if whole > 1e-12 else None,
    }
