"""`results`, `failures`, `completeness`, `incidents`, `settings` and the curves."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.analysis.oracles.model import Group, groups_of
from tests.analysis.oracles.random_runs import RIGHT, Trial
from tests.analysis.oracles.statistics import equal_times

Row = dict[str, Any]


def results(trials: list[Trial], time: str) -> list[Row]:
    rows = []
    for group in groups_of(trials, time):
        for result in group.results:
            trial = result.representative
            guesses = result.guesses
            row = {
                **group.key,
                **{name: trial[name] for name in ("backend", "shape", "paradigm", "verdict")},
                "puzzle_id": trial["puzzle_id"],
                "name": trial["name"],
                "clues": trial["clues"],
                "puzzles": result.puzzles,
                "trials": len(result.trials),
                "right": len(result.right),
                "wrong": sum(t["verdict"] == "wrong" for t in result.trials),
                "answered": result.answered,
                "time_s": result.time,
                "guesses": guesses and float(guesses[1]),
                "guesses_are": guesses and guesses[0],
            }
            if result.is_call:
                row |= {"trials": 1, "right": int(result.answered), "wrong": int(result.wrong)}
                row["puzzle_id"] = f"{trial['call']}/{trial['repetition']}"
                row["name"] = f"call of {result.puzzles} puzzle{'s' * (result.puzzles > 1)}"
                row["clues"] = lambda _: True  # of any of its puzzles
            rows.append(row)
    return rows


def failures(trials: list[Trial], time: str) -> list[Row]:
    rows = []
    for group in groups_of(trials, time):
        for trial in (t for r in group.results for t in r.trials if t["verdict"] not in RIGHT):
            names = ("verdict", "backend", "name", "puzzle_id", "repetition", "reason")
            row = group.key | {name: trial[name] for name in names}
            rows.append(row | {"time_s": trial[f"{time}_s"], "command": _repeats(trial)})
    return rows


WORST_FIRST = ("wrong", "crashed", "out_of_memory", "timeout", "unknown", "unsupported")


def _repeats(trial: Trial) -> Callable[[Any], bool]:
    """Whether a command names the puzzle, the shape, the backend and every limit."""
    options = {"--shape": trial["shape"], "--backend": trial["spec"], "--start": trial["start"]}
    options["--timeout"] = f"{trial['timeout_s']:g}"
    if trial["task"] == "count":
        options["--max-solutions"] = f"{trial['limit']}"
    if trial["memory_limit_mib"]:
        options["--memory"] = f"{trial['memory_limit_mib']}"
    if trial["cpu_limit_s"]:
        options["--cpu"] = f"{trial['cpu_limit_s']:g}"

    def check(command: Any) -> bool:
        words = shlex.split(command)
        named_options = dict(zip(words[3::2], words[4::2], strict=True))
        defaults = {"--start": "cold", "--shape": "9x9"}
        return (
            words[:3] == ["harness", trial["task"], trial["puzzle"]]
            and all(
                named_options.get(name, defaults.get(name)) == value
                for name, value in options.items()
            )
            and named_options.keys() <= options.keys()
        )

    return check


def completeness(trials: list[Trial], plan: int | None) -> list[Row]:
    """Of a plan of `plan` times the trials that are done; None for no plan."""
    rows = []
    for group in groups_of(trials, "wall"):
        for backend in group.backends:
            done = sum(len(result.trials) for result in group.all_of(backend))
            row = {name: value for name, value in group.key.items() if name != "time"}
            row |= {"backend": backend, "done": done}
            row["planned"] = None if plan is None else plan * done
            row["missing"] = None if plan is None else (plan - 1) * done
            rows.append(row)
    return rows


def incidents(events: Sequence[tuple[str, str, str, str]]) -> list[Row]:
    """Of events with their time, backend, kind and detail, in their order."""
    rows: dict[tuple[str, str], Row] = {}
    for at, backend, kind, detail in events:
        row = {"backend": backend, "kind": kind, "incidents": 0, "detail": detail, "at": at}
        rows.setdefault((backend, kind), row)["incidents"] += 1
    return list(rows.values())


def settings(sweeps: Sequence[Mapping[str, str]]) -> list[Row]:
    rows: dict[tuple[str, str], list[int]] = {}
    for number, sweep in enumerate(sweeps, 1):
        for option, value in sweep.items():
            rows.setdefault((option, value), []).append(number)
    return [
        {
            "option": option,
            "value": value,
            "sweeps": "all" if len(numbers) == len(sweeps) else ", ".join(map(str, numbers)),
        }
        for (option, value), numbers in rows.items()
    ]


def cactus(group: Group, backend: str) -> list[tuple[float, float]]:
    """The steps of the curve: times, and the numbers answered within each."""
    times = equal_times([r.time for r in group.results_of(backend) if r.answered])
    return [(time, sum(t <= time for t in times)) for time in sorted(set(times))]


def performance_profile(group: Group, backend: str) -> list[tuple[float, float]]:
    """The steps of the profile from tau = 1, and the share answered within each."""
    best: dict[tuple[Any, ...], float] = {}
    for result in (r for b in group.eligible for r in group.results_of(b) if r.answered):
        best[result.instance] = min(result.time, best.get(result.instance, result.time))
    own = group.results_of(backend)
    taus = equal_times([r.time / best[r.instance] for r in own if r.answered])
    return [(tau, sum(t <= tau for t in taus) / len(own)) for tau in sorted({1.0, *taus})]
