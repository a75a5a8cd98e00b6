"""`compare`: `pairs`, `limits`, `times`, `puzzles` and `status` of two runs."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np

from tests.analysis.oracles.model import GROUP, Result, groups_of
from tests.analysis.oracles.random_runs import FAILURES, RIGHT, Trial
from tests.analysis.oracles.statistics import (
    ALPHA,
    LEAST_FACTOR,
    cannot_differ,
    geometric,
    holm,
    interval_ends,
    is_different,
    log,
    quantile,
    wilcoxon,
)

Row = dict[str, Any]

MIB = 1 << 20


def later_trials(trials: list[Trial], seed: int) -> list[Trial]:
    """The trials of a later run: some missing, some failing now or answering, other times."""
    random = np.random.default_rng(seed)
    factor = float(random.choice([1, 1, 1.05, 2, 0.5]))
    failing, repair = random.choice([0, 0.05, 0.5]), random.choice([0.1, 0.9])
    liar = random.choice(["b0", "b1", "", "", ""])
    trials_made: list[Trial] = []
    for trial in trials:
        if trials_made and random.random() < 0.03:
            continue
        new = dict(trial)
        verdict = trial["verdict"]
        if verdict in RIGHT and random.random() < failing:
            verdict = str(random.choice(["timeout", "timeout", "timeout", *FAILURES]))
        elif verdict not in RIGHT and random.random() < repair and trial["wall_s"]:
            verdict = "counted" if trial["task"] == "count" else "solved"
        if trial["backend"] == liar and random.random() < 0.1:
            verdict = "wrong"
        new["verdict"] = verdict
        new["reason"] = "" if verdict in RIGHT else f"it was {verdict}"
        if trial["wall_s"]:
            change = factor * float(random.choice([1, 1, 1.01, 0.9]))
            new["wall_s"] = min(trial["wall_s"] * change, trial["timeout_s"])
        if verdict == "timeout":
            new["wall_s"] = trial["timeout_s"]
        trials_made.append(new)
    return trials_made


def at_limit(trial: Trial) -> bool:
    """A timeout, a backend that gave up, or lack of memory under a limit of memory."""
    if trial["verdict"] == "out_of_memory":
        return bool(trial["memory_limit_mib"])
    return trial["verdict"] in ("timeout", "unknown")


@dataclass(frozen=True)
class Pair:
    """A result of both runs."""

    key: dict[str, Any]
    before: Result
    after: Result

    @property
    def sides(self) -> tuple[tuple[str, Result], tuple[str, Result]]:
        return ("before", self.before), ("after", self.after)

    def common_limited(self, result: Result) -> int:
        number = min(len(self.before.trials), len(self.after.trials))
        first = sorted(result.trials, key=lambda trial: int(trial["repetition"]))[:number]
        return sum(map(at_limit, first))

    @property
    def other_failures(self) -> tuple[int, int]:
        """Repetitions of each run that failed, and neither at a limit nor with a wrong answer."""
        first, two = (
            sum(t["verdict"] not in (*RIGHT, "wrong") and not at_limit(t) for t in side.trials)
            for _, side in self.sides
        )
        return first, two

    @property
    def has_other_failure(self) -> bool:
        return any(self.other_failures) or self.before.wrong or self.after.wrong


def pairs_of(before: list[Trial], after: list[Trial], time: str) -> list[Pair]:
    later = {
        repr([group.key, result.backend, result.instance]): result
        for group in groups_of(after, time)
        for result in group.results
    }
    return [
        Pair(group.key, result, later[place])
        for group in groups_of(before, time)
        for result in group.results
        if (place := repr([group.key, result.backend, result.instance])) in later
    ]


def failed_trials(result: Result) -> list[Trial]:
    return [trial for trial in result.trials if trial["verdict"] not in RIGHT]


def time_share(result: Result) -> float | None:
    """The largest share of a limit of wall or CPU time."""
    shares = [t["wall_s"] / t["timeout_s"] for t in result.trials if t["wall_s"] is not None]
    shares += [
        t["cpu_s"] / t["cpu_limit_s"]
        for t in result.trials
        if t["cpu_limit_s"] and t["cpu_s"] is not None
    ]
    return max(shares, default=None)


def memory_share(result: Result) -> float | None:
    limit = result.trials[0]["memory_limit_mib"] * MIB
    return max(t["memory_bytes"] / limit for t in result.trials) if limit else None


def identity(pair: Pair) -> Row:
    trial = pair.after.trials[0]
    return pair.key | {name: trial[name] for name in ("backend", "name", "puzzle_id")}


def one_of(values: Sequence[str]) -> Callable[[Any], bool]:
    return lambda value: value in values


def verdicts(pair: Pair) -> Row:
    """Any verdict of a repetition that failed, or of a right one if none did."""
    return {
        name: one_of([t["verdict"] for t in failed_trials(side) or side.trials])
        for name, side in pair.sides
    }


def pairs(before: list[Trial], after: list[Trial], time: str) -> list[Row]:
    rows = []
    for pair in pairs_of(before, after, time):
        row = identity(pair) | verdicts(pair)
        row |= {name: pair.after.trials[0][name] for name in ("shape", "puzzle", "spec")}
        row["reason"] = one_of(
            ["", *(t["reason"] for _, s in pair.sides for t in failed_trials(s))]
        )
        for name, side in pair.sides:
            row |= {
                f"failed_{name}": len(failed_trials(side)),
                f"limited_{name}": sum(map(at_limit, side.trials)),
                f"common_limited_{name}": pair.common_limited(side),
                f"trials_{name}": len(side.trials),
                f"wrong_{name}": sum(t["verdict"] == "wrong" for t in side.trials),
                f"answered_{name}": side.answered,
                f"{name}_s": side.time,
                f"time_share_{name}": time_share(side),
                f"memory_share_{name}": memory_share(side),
            }
        rows.append(row)
    return rows


def by_configuration(group: list[Pair]) -> list[tuple[Row, list[Pair]]]:
    parts: dict[str, tuple[Row, list[Pair]]] = {}
    for pair in group:
        key = pair.key | {"backend": pair.after.backend}
        parts.setdefault(repr(key), (key, []))[1].append(pair)
    return list(parts.values())


def limits(before: list[Trial], after: list[Trial], time: str) -> list[Row]:
    rows = []
    for key, group in by_configuration(pairs_of(before, after, time)):
        candidates = [pair for pair in group if not pair.has_other_failure]
        changes = [p.common_limited(p.after) - p.common_limited(p.before) for p in candidates]
        more, fewer = sum(c > 0 for c in changes), sum(c < 0 for c in changes)
        n, p = more + fewer, None
        if 2 * 0.5**n < ALPHA:
            tail = sum(math.comb(n, k) for k in range(max(more, fewer), n + 1)) / 2**n
            p = min(1.0, 2 * tail)
        row = {"instances": len(candidates), "more": more, "fewer": fewer, "p": p, "p_holm": None}
        rows.append(key | row)
    tests = [row for row in rows if row["p"] is not None]
    for row, p_holm in zip(tests, holm([row["p"] for row in tests]), strict=True):
        row["p_holm"] = p_holm
    for row in rows:
        significant = row["p_holm"] is not None and row["p_holm"] < ALPHA
        direction = "more" if row["more"] > row["fewer"] else "fewer"
        row["change"] = f"{direction} failures at the limit" if significant else "no change"
    return [row for row in rows if row["more"] or row["fewer"]]


def times(before: list[Trial], after: list[Trial], time: str) -> list[Row]:
    wrong = {
        repr(group.key | {"backend": backend})
        for trials in (before, after)
        for group in groups_of(trials, time)
        for backend in group.wrong
    }
    rows = []
    for key, group in by_configuration(pairs_of(before, after, time)):
        if repr(key) in wrong:
            continue
        either = [p for p in group if p.before.answered or p.after.answered]
        logs = [log(p.after.time / p.before.time) for p in either]
        low, high = interval_ends(logs)
        rows.append(
            key
            | {
                "instances": len(group),
                "unanswered_before": sum(not p.before.answered for p in group),
                "unanswered_after": sum(not p.after.answered for p in group),
                "unanswered_both": len(group) - len(either),
                "before_s": geometric([p.before.time for p in either]) if either else None,
                "after_s": geometric([p.after.time for p in either]) if either else None,
                "factor": math.exp(mean(logs)) if either else None,
                "factor_low": low,
                "factor_high": high,
                "spread_low": math.exp(quantile(logs, 0.1)) if either else None,
                "spread_high": math.exp(quantile(logs, 0.9)) if either else None,
                "p": wilcoxon(logs) if either else None,
                "p_holm": None,
                "different": False,
                "least_factor": LEAST_FACTOR,
                "logs": logs,
                "change": "no change",
            }
        )
    tests = [row for row in rows if row["p"] is not None]
    for row, p in zip(tests, holm([row["p"] for row in tests]), strict=True):
        row |= {"p_holm": p, "different": is_different(p, row["logs"])}
        if row["different"]:
            row["change"] = "slower" if row["factor"] > 1 else "faster"
    for row in rows:
        few = cannot_differ(row["instances"] - row["unanswered_both"], len(tests))
        row["detectable"] = None if few else (lambda factor: factor >= LEAST_FACTOR)
        del row["logs"]
    return rows


def puzzles(before: list[Trial], after: list[Trial], time: str) -> list[Row]:
    """Up to five puzzles of each change, with the largest factors in its direction."""
    changes = {
        repr({name: row[name] for name in (*key, "backend")}): row["change"]
        for row in times(before, after, time)
        for key in [[name for name in row if name in GROUP]]
    }
    rows = []
    for key, group in by_configuration(pairs_of(before, after, time)):
        change = changes.get(repr(key), "no change")
        if change == "no change" or key["start"] == "batch":
            continue
        sign = 1 if change == "slower" else -1
        large = [
            (sign * log(p.after.time / p.before.time), p)
            for p in group
            if p.before.answered and p.after.answered
        ]
        large = sorted(
            (pair for pair in large if pair[0] >= log(LEAST_FACTOR)), key=lambda pair: -pair[0]
        )
        for size, pair in large[:5]:
            row = {"before_s": pair.before.time, "after_s": pair.after.time, "change": change}
            rows.append(identity(pair) | row | {"factor": math.exp(sign * size)})
    return rows


def status(before: list[Trial], after: list[Trial], time: str) -> list[Row]:
    more = {
        repr({name: row[name] for name in row if name in GROUP or name == "backend"})
        for row in limits(before, after, time)
        if row["change"] == "more failures at the limit"
    }
    rows = []
    for pair in pairs_of(before, after, time):
        key = repr(pair.key | {"backend": pair.after.backend})
        if (change := _change(pair, key in more)) is None:
            continue
        row = identity(pair) | verdicts(pair) | {"change": change}
        for name, side in pair.sides:
            row |= {f"failed_{name}": len(failed_trials(side)), f"trials_{name}": len(side.trials)}
        row["reason"] = one_of(
            ["", *(t["reason"] for _, s in pair.sides for t in failed_trials(s))]
        )
        rows.append(row)
    return rows


def _change(pair: Pair, significantly_more: bool) -> Any:
    """The change of a result; a check where two limits were reached, None for no change."""
    if pair.after.wrong and not pair.before.wrong:
        return "now wrong"
    old, new = pair.other_failures
    if new and not old:
        return "new failure"
    first, two = (
        (len(failed_trials(s)) / len(s.trials), sum(map(at_limit, s.trials)) / len(s.trials))
        for _, s in pair.sides
    )
    if two[0] > first[0] and two[1] > first[1]:
        if len(kinds := {t["verdict"] == "unknown" for t in failed_trials(pair.after)}) > 1:
            return one_of(
                ["gave up", "near the limit", "more failures at the limit", "new failure"]
            )
        chance = "gave up" if kinds == {True} else "near the limit"
        often = "more failures at the limit" if significantly_more else chance
        if not pair.before.answered or pair.after.answered or kinds == {True}:
            return often
        far = _was_far(pair)
        return one_of([often, "new failure"]) if far is None else "new failure" if far else often
    return "fixed" if failed_trials(pair.before) and not failed_trials(pair.after) else None


def _was_far(pair: Pair) -> bool | None:
    """Whether it was far from the limit; None if that depends on which of two limits counts."""
    if any(map(at_limit, pair.before.trials)):
        return False
    of_memory = {t["verdict"] == "out_of_memory" for t in failed_trials(pair.after)}
    shares = {True: memory_share(pair.before), False: time_share(pair.before)}
    far = {(shares[kind] or 0.0) < 0.5 for kind in of_memory}
    return far.pop() if len(far) == 1 else None
