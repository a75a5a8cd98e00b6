"""Random runs: failures of every kind, ties, missing pairs, unequal repetitions, any size."""

import json
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

Trial = dict[str, Any]

RIGHT = ("solved", "unsatisfiable", "counted")
FAILURES = ("timeout", "out_of_memory", "crashed", "unknown", "unsupported")
PHASES = ("build", "encode", "search", "decode")
SIZES = {"4x4": 4, "6x6": 6, "9x9": 9, "latin5": 5, "box5x2": 10}
COUNTERS = ("guesses", "decisions", "branches", "")
STARTS = (("cold",), ("warm",), ("batch",), ("cold", "batch"))
LIMITS = (0.04, 0.08, 0.16)


def random_trials(seed: int, starts: Sequence[tuple[str, ...]] = STARTS) -> list[Trial]:
    """The trials of a run with up to 5 backends, 12 instances and 5 comparison groups.

    Its starts are one of `starts`. There is at least one trial.
    """
    random = np.random.default_rng(seed)
    while not (trials := _trials(random, starts)):
        pass
    return trials


def _trials(random: np.random.Generator, starts: Sequence[tuple[str, ...]]) -> list[Trial]:
    backends = [f"b{number}" for number in random.permutation(int(random.integers(1, 6)))]
    groups = _groups(random, starts)
    number = int(random.integers(1, 13))
    puzzles = _puzzles(random, number)
    missing = random.choice([0, 0, 0.05, 0.25])
    failing = {backend: random.choice([0, 0, 0.1, 0.4, 1], p=[0.4, 0.2, 0.2, 0.15, 0.05])
               for backend in backends}  # fmt: skip
    liar = random.choice([*backends, "", "", "", "", "", ""])
    lies = random.choice([0.05, 0.5])
    counters = {backend: random.choice(COUNTERS) for backend in backends}
    trials: list[Trial] = []
    for group, backend in product(groups, backends):
        if random.random() < 0.05:
            continue
        own = {
            **group,
            "backend": backend,
            "spec": backend,
            "paradigm": "search" if backend < "b2" else "other",
        }
        part = [puzzle for puzzle in puzzles if random.random() >= missing]
        if group["start"] == "batch":
            of_call = part if random.random() < 0.2 else puzzles
            trials += _calls(random, own, of_call, float(failing[backend]))
        else:
            for puzzle in part:
                trials += _repetitions(random, own, puzzle, float(failing[backend]))
    for trial in trials:
        if trial["backend"] == liar and random.random() < lies:
            trial["verdict"], trial["reason"] = "wrong", "a wrong answer"
        counter = counters[trial["backend"]]
        trial["stats"] = json.dumps({counter: trial.pop("guesses")} if counter else {})
    return [trials[place] for place in random.permutation(len(trials))]


def _groups(random: np.random.Generator, starts: Sequence[tuple[str, ...]]) -> list[Trial]:
    """Up to five comparison groups that differ in some of their columns."""
    whole = list(
        product(
            ["d", "e"][: random.integers(1, 3)],
            [("solve", None), ("count", 2)][: random.choice([1, 1, 2])],
            starts[int(random.integers(len(starts)))],
            LIMITS[: random.choice([1, 1, 3])],
            ["", "here"][: random.integers(1, 3)],
            ["", "7"][: random.choice([1, 1, 1, 2])],
        )
    )
    cpu_limit = float(random.choice([0, 0, 0.05]))
    memory = int(random.choice([0, 512]))
    places = random.permutation(len(whole))[:5]
    return [
        {
            "dataset": dataset,
            "scramble": scramble,
            "task": task,
            "limit": limit,
            "start": start,
            "timeout_s": timeout,
            "cpu_limit_s": cpu_limit,
            "memory_limit_mib": memory,
            "host": host,
        }
        for dataset, (task, limit), start, timeout, host, scramble in (
            whole[place] for place in places
        )
    ]


def _puzzles(random: np.random.Generator, number: int) -> list[Trial]:
    shapes = list(SIZES)[: random.choice([1, 3, 5])]
    trials = []
    for place in range(number):
        shape = str(random.choice(shapes))
        cells = SIZES[shape] ** 2
        clues = int(random.integers(0, cells // 2))
        trials.append(
            {
                "puzzle_id": f"p{place:02d}",
                "name": f"n{place}",
                "shape": shape,
                "puzzle": "1" * clues + "." * (cells - clues),
                "clues": clues,
                "guesses": int(random.choice([0, 0, 1, 3, 9, 10, 40, 200, 3000])),
            }
        )
    return trials


def _verdict(random: np.random.Generator, task: str, failing: float) -> str:
    if random.random() < failing:
        return str(random.choice(FAILURES))
    return "counted" if task == "count" else str(random.choice(RIGHT[:2], p=[0.9, 0.1]))


def _with_measurements(random: np.random.Generator, trial: Trial, time: float) -> Trial:
    """The trial with a wall time that is `time` for a right answer, and all that follows."""
    right = trial["verdict"] in RIGHT
    if trial["verdict"] == "timeout":
        time = trial["timeout_s"]
    shares = random.dirichlet(np.ones(5))[:4] * time
    phases = {f"{phase}_s": share for phase, share in zip(PHASES, shares, strict=True)}
    if trial["backend"] == "b1":  # reports neither of them
        phases |= {"encode_s": None, "decode_s": None}
    unknown = not right and random.random() < 0.2
    return {
        **trial,
        **phases,
        "wall_s": None if unknown else time,
        "cpu_s": None if unknown else time * float(random.choice([0.5, 1, 1, 1, 2])),
        "memory_bytes": int(random.integers(50, 600)) << 20,
        "reason": "" if right else f"it was {trial['verdict']}",
    }


def _time(random: np.random.Generator, trial: Trial) -> float:
    """Whole milliseconds, so that there are ties, or any time below the limit."""
    if random.random() < 0.7:
        return 1e-3 * int(random.integers(1, 9))
    return float(random.uniform(1e-4, min(trial["timeout_s"], trial["cpu_limit_s"] or 1)))


def _repetitions(
    random: np.random.Generator, group: Trial, puzzle: Trial, failing: float
) -> list[Trial]:
    time = _time(random, group)
    trials = []
    for repetition in range(1, 1 + int(random.choice([1, 1, 2, 3, 4]))):
        trial = {**group, **puzzle, "repetition": repetition, "call": None}
        trial["verdict"] = _verdict(random, group["task"], failing)
        longest = 0.9 * min(group["timeout_s"], group["cpu_limit_s"] or 1)
        again = min(time * float(random.choice([1, 1.05, 1.1, 2])), longest)
        trials.append(_with_measurements(random, trial, again))
    return trials


def _calls(
    random: np.random.Generator, group: Trial, puzzles: list[Trial], failing: float
) -> list[Trial]:
    """A call for each shape and repetition; its puzzles share its time equally."""
    trials = []
    for shape in sorted({puzzle["shape"] for puzzle in puzzles}):
        own = [puzzle for puzzle in puzzles if puzzle["shape"] == shape]
        for repetition in range(1, 1 + int(random.choice([2, 8, 9, 11]))):
            call = {**group, "repetition": repetition}
            call["call"] = f"call-of-{'-'.join(puzzle['puzzle_id'] for puzzle in own)}"
            time, guesses = _time(random, group), float(random.choice([0, 0.5, 3]))
            cpu = time * float(random.choice([0.5, 1, 2]))
            for puzzle in own:
                verdict = _verdict(random, group["task"], failing / 4)
                trial = {**call, **puzzle, "guesses": guesses, "verdict": verdict}
                trial = _with_measurements(random, trial, time)
                if verdict in RIGHT:
                    trial["cpu_s"] = cpu
                trials.append(trial)
    return trials
