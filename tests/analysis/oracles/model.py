"""Results, comparison groups and the common set, by their definitions."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from tests.analysis.oracles.random_runs import RIGHT, Trial

GROUP = (
    "dataset",
    "scramble",
    "task",
    "limit",
    "start",
    "timeout_s",
    "cpu_limit_s",
    "memory_limit_mib",
    "host",
    "time",
)


def without(*names: str) -> tuple[str, ...]:
    """The columns of a comparison group without these."""
    return tuple(name for name in GROUP if name not in names)


@dataclass(frozen=True)
class Result:
    """A backend on an instance; `instance` holds the dataset, and the puzzle or the call."""

    backend: str
    instance: tuple[Any, ...]
    time_kind: str
    trials: tuple[Trial, ...]

    @property
    def limit(self) -> float:
        """T."""
        first = self.trials[0]
        if self.time_kind == "cpu" and first["cpu_limit_s"]:
            return float(first["cpu_limit_s"])
        return float(first["timeout_s"])

    @property
    def is_call(self) -> bool:
        return bool(self.trials[0]["start"] == "batch")

    @property
    def puzzles(self) -> int:
        return len(self.trials) if self.is_call else 1

    @property
    def right(self) -> list[Trial]:
        return [trial for trial in self.trials if trial["verdict"] in RIGHT]

    @property
    def wrong(self) -> bool:
        return any(trial["verdict"] == "wrong" for trial in self.trials)

    @cached_property
    def answered(self) -> bool:
        if self.is_call:
            return len(self.right) == len(self.trials)
        return 2 * len(self.right) > len(self.trials) and not self.wrong

    def time_of(self, trial: Trial) -> float:
        """The time of a trial, a failure at T."""
        if trial["verdict"] not in RIGHT:
            return self.limit
        return float(trial[f"{self.time_kind}_s"])

    @cached_property
    def time(self) -> float:
        """The median over repetitions with failures longer than every answer, or T."""
        if not self.answered:
            return self.limit
        if self.is_call:
            return sum(self.time_of(trial) for trial in self.trials) / len(self.trials)
        return median(self.time_of(t) if t["verdict"] in RIGHT else math.inf for t in self.trials)

    @property
    def endless(self) -> float:
        """The time, with that of a failure beyond every other."""
        return self.time if self.answered else math.inf

    def par(self, factor: float) -> float:
        return self.time if self.answered else factor * self.limit

    @property
    def representative(self) -> Trial:
        """A wrong trial, or the first right one of an answered result, or the first failure."""
        if self.wrong:
            return next(t for t in self.trials if t["verdict"] == "wrong")
        return next(t for t in self.trials if (t["verdict"] in RIGHT) == self.answered)

    @property
    def guesses(self) -> tuple[str, float] | None:
        """The name and value of the counter of guesses."""
        stats = json.loads(self.representative["stats"])
        return next(((n, stats[n]) for n in ("guesses", "decisions", "branches") if n in stats),
                    None)  # fmt: skip


@dataclass(frozen=True)
class Group:
    """The results of a comparison group, and its common set."""

    key: dict[str, Any]
    results: tuple[Result, ...]

    @cached_property
    def backends(self) -> list[str]:
        return sorted({result.backend for result in self.results})

    @cached_property
    def wrong(self) -> list[str]:
        return sorted({result.backend for result in self.results if result.wrong})

    @cached_property
    def eligible(self) -> list[str]:
        return sorted(set(self.backends) - set(self.wrong))

    @cached_property
    def instances(self) -> set[tuple[Any, ...]]:
        return {result.instance for result in self.results}

    @cached_property
    def common(self) -> set[tuple[Any, ...]]:
        """The instances that every eligible backend was run on."""
        run_on = [{r.instance for r in self.results if r.backend == b} for b in self.eligible]
        return self.instances.intersection(*run_on)

    @property
    def left_out(self) -> int:
        return len(self.instances) - len(self.common)

    @property
    def limit(self) -> float:
        return self.results[0].limit

    def all_of(self, backend: str) -> list[Result]:
        """All results of a backend."""
        return [result for result in self.results if result.backend == backend]

    def results_of(self, backend: str) -> list[Result]:
        """The results of a backend on the common set, in the order of instances."""
        own = (r for r in self.all_of(backend) if r.instance in self.common)
        return sorted(own, key=lambda result: str(result.instance))

    def wrong_of(self, backend: str) -> int:
        return sum(result.wrong for result in self.all_of(backend))

    def row(self, backend: str) -> dict[str, Any]:
        """The columns that every comparative table begins with."""
        return {
            **self.key,
            "backend": backend,
            "instances": len(self.results_of(backend)),
            "left_out": self.left_out,
            "wrong": self.wrong_of(backend),
        }


def groups_of(
    trials: Iterable[Trial],
    time: str,
    columns: tuple[str, ...] = GROUP,
    further: Callable[[Trial], dict[str, Any]] = lambda _: {},
) -> list[Group]:
    """The groups of trials with equal values of `columns` and equal `further` values.

    A result holds the trials with equal values of all columns of a comparison group. A puzzle
    of two datasets is two instances; a call is one instance for each of its repetitions.
    """
    groups: dict[str, tuple[dict[str, Any], dict[str, list[Trial]]]] = {}
    for trial in trials:
        whole = {**trial, "time": time}
        key = {column: whole[column] for column in columns} | further(trial)
        results = groups.setdefault(repr(key), (key, {}))[1]
        place = repr([trial["backend"], instance_of(trial), *(whole[c] for c in GROUP)])
        results.setdefault(place, []).append(trial)
    return [
        Group(key, tuple(Result(t[0]["backend"], instance_of(t[0]), time, tuple(t))
                         for t in results.values()))
        for key, results in groups.values()
    ]  # fmt: skip


def instance_of(trial: Trial) -> tuple[Any, ...]:
    if trial["start"] == "batch":
        return trial["dataset"], trial["shape"], trial["call"], trial["repetition"]
    return trial["dataset"], trial["puzzle_id"]
