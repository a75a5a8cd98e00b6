"""`summary`, `averages`, `throughput`."""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from tests.analysis.oracles.model import Group, Result, groups_of
from tests.analysis.oracles.random_runs import FAILURES, RIGHT, Trial
from tests.analysis.oracles.statistics import equal_times, geometric, mean_ranks, quantile

Row = dict[str, Any]

SHIFTS = {"100us": 1e-4, "1ms": 1e-3, "10ms": 1e-2}


def is_bound(results: Sequence[Result], share: float) -> bool:
    """Whether longer times of the failures would change the quantile."""
    return quantile([r.endless for r in results], share) != quantile(
        [r.time for r in results], share
    )


def verdict_of(trials: Sequence[Trial]) -> str:
    """The verdict on a puzzle: wrong if any trial is, else that of the majority's first trial."""
    verdicts = [str(trial["verdict"]) for trial in trials]
    right = [verdict for verdict in verdicts if verdict in RIGHT]
    failures = [verdict for verdict in verdicts if verdict not in RIGHT]
    if "wrong" in verdicts:
        return "wrong"
    return right[0] if len(right) > len(failures) else failures[0]


def average(results: Sequence[Result]) -> Row:
    """The columns of times that `by-difficulty` and `scaling` share."""
    answers = sum(result.answered for result in results)
    if not results:
        missing = dict.fromkeys(("share_answered", "median_s", "par2_s", "sgm_1ms_s"))
        return {"instances": 0, "answered": 0, "median_is_bound": False, **missing}
    return {
        "instances": len(results),
        "answered": answers,
        "share_answered": answers / len(results),
        "median_s": quantile([r.time for r in results], 0.5),
        "median_is_bound": is_bound(results, 0.5),
        "par2_s": mean(r.par(2) for r in results),
        "sgm_1ms_s": geometric([r.time for r in results], 1e-3),
    }


def summary(trials: list[Trial], time: str) -> list[Row]:
    place = {id(trial): number for number, trial in enumerate(trials)}
    return [row for group in groups_of(trials, time) for row in _summary(group, place)]


def _summary(group: Group, place: dict[int, int]) -> list[Row]:
    rows = []
    own = {backend: group.results_of(backend) for backend in group.backends}
    par = {b: mean(r.par(2) for r in results) for b, results in own.items() if results}
    for backend, results in own.items():
        row = group.row(backend)
        every = sorted((t for r in group.all_of(backend) for t in r.trials),
                       key=lambda t: place[id(t)])  # fmt: skip
        row["trials"] = len(every)
        row["failed_trials"] = sum(t["verdict"] not in RIGHT for t in every)
        of_puzzles = [verdict_of([t for t in every if t["puzzle_id"] == puzzle])
                      for puzzle in {t["puzzle_id"] for t in every}]  # fmt: skip
        row |= {verdict: of_puzzles.count(verdict) for verdict in (*RIGHT, *FAILURES, "wrong")}
        row["failed"] = sum(verdict not in RIGHT for verdict in of_puzzles)
        times = [r.time for r in results]
        failures = [r for r in results if not r.answered]
        row |= {
            "median_s": quantile(times, 0.5) if times else None,
            "median_is_bound": bool(times) and is_bound(results, 0.5),
            "mean_s": mean(times) if times else None,
            "mean_is_bound": bool(failures),
            "gmean_s": geometric(times, 0) if times else None,
            "gmean_is_bound": bool(failures),
            "p95_s": quantile(times, 0.95) if times else None,
            "p95_is_bound": bool(times) and is_bound(results, 0.95),
            "total_s": sum(r.time * r.puzzles for r in results) if results else None,
            "total_is_bound": bool(failures),
            "par2_s": par.get(backend),
        }
        eligible = backend in group.eligible and results
        row["ratio"] = par[backend] / min(par[b] for b in group.eligible) if eligible else None
        rows.append(row)
    return rows


def averages(trials: list[Trial], time: str) -> list[Row]:
    return [row for group in groups_of(trials, time) for row in _averages(group)]


def _averages(group: Group) -> list[Row]:
    names = [f"sgm_{name}" for name in SHIFTS]
    values: dict[str, Row] = {}
    for backend in group.eligible if group.common else ():
        own = group.results_of(backend)
        values[backend] = {"par2_s": mean(r.par(2) for r in own)}
        values[backend]["par10_s"] = mean(r.par(10) for r in own)
        for name, shift in zip(names, SHIFTS.values(), strict=True):
            values[backend][f"{name}_s"] = geometric([r.time for r in own], shift)
    for row in list(values.values()):
        for name in ("par2", *names):
            least = min(other[f"{name}_s"] for other in values.values())
            row[f"{name}_ratio"] = row[f"{name}_s"] / least
    orders = {
        tuple(mean_ranks(equal_times([row[f"{name}_s"] for row in values.values()])))
        for name in names
    }
    columns = ("par2_s", "par10_s", *(f"{n}_s" for n in names), "par2_ratio",
               *(f"{n}_ratio" for n in names))  # fmt: skip
    differs = {"order_differs": len(orders) > 1}
    return [
        group.row(b) | dict.fromkeys(columns) | values.get(b, {}) | differs
        for b in (*group.eligible, *group.wrong)
    ]


def throughput(trials: list[Trial], time: str) -> list[Row]:
    return [
        _throughput(group, backend)
        for group in groups_of(trials, time)
        for backend in (*group.eligible, *group.wrong)
    ]


def _throughput(group: Group, backend: str) -> Row:
    own = group.results_of(backend)
    row = group.row(backend)
    row["paradigm"] = group.all_of(backend)[0].trials[0]["paradigm"]
    row["answered"] = sum(r.answered for r in own)
    row["is_bound"] = not all(r.answered for r in own)
    row |= dict.fromkeys(("puzzles_per_s", "us_per_puzzle"))
    if own and backend in group.eligible:
        puzzles = sum(r.puzzles for r in own)
        row["puzzles_per_s"] = puzzles / sum(r.puzzles * r.time for r in own)
        row["us_per_puzzle"] = 1e6 / row["puzzles_per_s"]
    counters = [(*r.guesses, r.puzzles) for r in own if r.answered and r.guesses is not None]
    row |= dict.fromkeys(("guesses_per_puzzle", "guesses_are", "share_without_guess"))
    if counters:
        number = sum(puzzles for _, _, puzzles in counters)
        row["guesses_are"] = counters[0][0]
        row["guesses_per_puzzle"] = (
            sum(guesses * puzzles for _, guesses, puzzles in counters) / number
        )
        if not own[0].is_call:
            row["share_without_guess"] = sum(not guesses for _, guesses, _ in counters) / number
    return row
