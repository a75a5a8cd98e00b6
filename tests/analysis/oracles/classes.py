"""`by-difficulty`, `stability`, `phases`."""

from statistics import mean
from typing import Any

from tests.analysis.oracles.averaging import average
from tests.analysis.oracles.model import Group, Result, groups_of
from tests.analysis.oracles.random_runs import PHASES, RIGHT, SIZES, Trial
from tests.analysis.oracles.statistics import quantile

Row = dict[str, Any]

BY_GUESSES = (
    (1, "no guess"),
    (10, "1-9 guesses"),
    (100, "10-99 guesses"),
    (1000, "100-999 guesses"),
    (float("inf"), "1000 guesses or more"),
)
"""Each class has less than this number of guesses."""
BY_GIVENS = (
    (0.4, "40 % given or more"),
    (0.3, "30-40 % given"),
    (0.25, "25-30 % given"),
    (0.2, "20-25 % given"),
    (0.0, "under 20 % given"),
)
"""Each class but the last has this share of given cells or more."""


def by_difficulty(trials: list[Trial], time: str) -> list[Row]:
    groups = [group for group in groups_of(trials, time) if group.key["start"] != "batch"]
    reference, guesses = _reference(groups)
    rows = []
    for group in groups:
        for backend in group.backends:
            classes: dict[tuple[int, str], list[Result]] = {}
            for result in group.all_of(backend):
                classes.setdefault(_class(result, reference, guesses), []).append(result)
            for (place, name), own in classes.items():
                common = [result for result in own if result.instance in group.common]
                row = group.row(backend) | average(common)
                row["wrong"] = sum(result.wrong for result in own)
                if not common and not row["wrong"]:
                    continue
                row |= {"difficulty": name, "place": place, "reference": reference, "feature": None}
                rows.append((group, row))
    for group, row in rows:
        least = min(
            (
                other["par2_s"]
                for value, other in rows
                if value is group
                and other["place"] == row["place"]
                and other["backend"] in group.eligible
                and other["instances"]
            ),
            default=None,
        )
        eligible = least and row["backend"] in group.eligible and row["instances"]
        row["ratio"] = row["par2_s"] / least if eligible else None
    return [row for _, row in rows]


def _reference(groups: list[Group]) -> tuple[str | None, dict[str, float]]:
    """The backend that reports `guesses` for the most instances, and its numbers by puzzle."""
    by_feature: dict[str, dict[str, float]] = {}
    for result in (result for group in groups for result in group.results):
        if result.answered and result.guesses and result.guesses[0] == "guesses":
            own = by_feature.setdefault(result.backend, {})
            own[result.trials[0]["puzzle_id"]] = result.guesses[1]
    if not by_feature:
        return None, {}
    best = min(sorted(by_feature), key=lambda backend: -len(by_feature[backend]))
    return best, by_feature[best]


def _class(result: Result, reference: str | None, guesses: dict[str, float]) -> tuple[int, str]:
    trial = result.trials[0]
    if reference is None:
        share = trial["clues"] / SIZES[trial["shape"]] ** 2
        return next((n, name) for n, (least, name) in enumerate(BY_GIVENS) if share >= least)
    if trial["puzzle_id"] not in guesses:
        return len(BY_GUESSES), f"no answer from {reference}"
    number = guesses[trial["puzzle_id"]]
    return next((n, name) for n, (most, name) in enumerate(BY_GUESSES) if number < most)


def stability(trials: list[Trial], time: str) -> list[Row]:
    rows = []
    for group in groups_of(trials, time):
        for backend in group.backends if group.key["start"] != "batch" else ():
            spreads = []
            for result in group.results_of(backend):
                times = [result.time_of(trial) for trial in result.right]
                if len(times) > 1:
                    spreads.append((max(times) - min(times)) / mean(times))
            if spreads:
                rows.append(
                    {
                        **group.key,
                        "backend": backend,
                        "left_out": group.left_out,
                        "results": len(spreads),
                        "unstable": sum(spread >= 0.1 for spread in spreads),
                        "median_spread": quantile(spreads, 0.5),
                        "largest_spread": max(spreads),
                    }
                )
    return rows


def phases(trials: list[Trial], time: str) -> list[Row]:
    """Shares of wall time, whatever the time of other tables is."""
    rows = []
    for group in groups_of(trials, "wall"):
        for backend in group.backends:
            right = [
                t for r in group.results_of(backend) for t in r.trials if t["verdict"] in RIGHT
            ]
            if not right:
                continue
            whole = sum(trial["wall_s"] for trial in right)
            shares = {
                f"{phase}_share": sum(trial[f"{phase}_s"] or 0.0 for trial in right) / whole
                for phase in PHASES
            }
            rows.append(
                {
                    **group.key,
                    "backend": backend,
                    "answers": len(right),
                    "left_out": group.left_out,
                    "mean_s": whole / len(right),
                    **shares,
                    "rest_share": 1 - sum(shares.values()),
                }
            )
    return rows
