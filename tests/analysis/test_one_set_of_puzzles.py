"""Every comparative figure, computed again by its definition over the common set.

The runs are random: backends were run on different puzzles, with failures, repetitions, ties and
at times a wrong answer. The oracles here know the trials and `docs/tables.md`, and share no code
with `harness.analysis`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.measures import measures_of
from harness.analysis.run import Run
from harness.report.tables.columns import table_notes
from tests.trials import trials_from

T = 10.0
BACKENDS = ("w", "x", "y", "z")
SHAPES = (("4x4", 4), ("9x9", 9), ("16x16", 16))
PHASES = ("build", "encode", "search", "decode")
RIGHT = "solved"
SHIFT = 1e-3
Trial = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """A backend on an instance."""

    backend: str
    puzzle: str
    trials: tuple[Trial, ...]

    @property
    def wrong(self) -> bool:
        return any(trial["verdict"] == "wrong" for trial in self.trials)

    @property
    def answered(self) -> bool:
        right = [trial for trial in self.trials if trial["verdict"] == RIGHT]
        return 2 * len(right) > len(self.trials) and not self.wrong

    @property
    def time(self) -> float:
        """The median over repetitions with failures longer than every answer, or T."""
        times = (t["wall_s"] if t["verdict"] == RIGHT else np.inf for t in self.trials)
        return median(times) if self.answered else T

    def par(self, factor: float) -> float:
        return self.time if self.answered else factor * T


@dataclass(frozen=True)
class Group:
    """The results of a comparison group, and its common set."""

    results: tuple[Result, ...]

    @property
    def wrong(self) -> set[str]:
        return {result.backend for result in self.results if result.wrong}

    @property
    def eligible(self) -> list[str]:
        return sorted({result.backend for result in self.results} - self.wrong)

    @property
    def puzzles(self) -> set[str]:
        return {result.puzzle for result in self.results}

    @property
    def common(self) -> list[str]:
        run_on = [
            {result.puzzle for result in self.results if result.backend == backend}
            for backend in self.eligible
        ]
        return sorted(self.puzzles.intersection(*run_on))

    def of(self, backend: str) -> list[Result]:
        """The results of a backend on the common set."""
        return [r for r in self.results if r.backend == backend and r.puzzle in self.common]


def random_trials(seed: int) -> list[Trial]:
    """Trials of up to four backends on two datasets, each on puzzles of its own choice."""
    random = np.random.default_rng(seed)
    trials = []
    liar = random.choice([*BACKENDS, "", ""])
    repetitions = int(random.integers(1, 4))
    for dataset in ("d", "e"):
        for backend in BACKENDS[: random.integers(2, 5)]:
            for number in range(9):
                if random.random() < 0.25:
                    continue
                shape, size = SHAPES[number % 3]
                # Times are whole milliseconds, so that there are ties.
                time = 1e-3 * size * int(random.integers(1, 8))
                for repetition in range(1, 1 + int(random.integers(1, repetitions + 1))):
                    verdict = random.choice([RIGHT] * 8 + ["timeout", "crashed"])
                    if backend == liar and random.random() < 0.2:
                        verdict = "wrong"
                    wall = time * int(random.integers(1, 3))
                    shares = random.dirichlet(np.ones(5))[:4] * wall
                    trials.append(
                        {
                            "dataset": dataset,
                            "backend": backend,
                            "shape": shape,
                            "puzzle": "." * size**2,
                            "clues": 0,
                            "host": "here",
                            "puzzle_id": f"{shape}-{number}",
                            "name": f"{number}",
                            "verdict": str(verdict),
                            "wall_s": wall,
                            "timeout_s": T,
                            "repetition": repetition,
                            "paradigm": "made up",
                            "stats": f'{{"guesses": {number * 5}}}',
                            **{f"{p}_s": s for p, s in zip(PHASES, shares, strict=True)},
                        }
                    )
    return trials


def groups_of(trials: list[Trial], key: Callable[[Trial], Any]) -> dict[Any, Group]:
    """The groups of trials with equal keys. A puzzle of two datasets is two instances."""
    found: dict[Any, dict[tuple[str, str], list[Trial]]] = {}
    for trial in trials:
        place = (trial["backend"], f"{trial['dataset']}/{trial['puzzle_id']}")
        found.setdefault(key(trial), {}).setdefault(place, []).append(trial)
    return {
        group: Group(tuple(Result(*place, tuple(of)) for place, of in results.items()))
        for group, results in found.items()
    }


def by_dataset(trials: list[Trial]) -> dict[Any, Group]:
    return groups_of(trials, lambda trial: trial["dataset"])


def geometric(times: list[float], shift: float = SHIFT) -> float:
    return float(np.exp(np.mean([np.log(time + shift) for time in times])) - shift)


Expected = Iterator[tuple[Any, str, dict[str, float]]]
"""The key of the group, the backend, and values by the names of columns."""


def summary(trials: list[Trial]) -> Expected:
    for dataset, group in by_dataset(trials).items():
        means = {
            b: mean(r.par(2) for r in group.of(b))
            for b in (*group.eligible, *group.wrong)
            if group.of(b)
        }
        for backend in means:
            own = [t for r in group.of(backend) for t in r.trials]
            times = [t["wall_s"] if t["verdict"] == RIGHT else T for t in own]
            values = {"par2_s": means[backend], "total_s": sum(times)}
            values |= {"instances": len(group.of(backend))}
            if backend in group.eligible:
                values["ratio"] = means[backend] / min(means[b] for b in group.eligible)
            yield dataset, backend, values


def throughput(trials: list[Trial]) -> Expected:
    for dataset, group in by_dataset(trials).items():
        for backend in group.eligible:
            if own := group.of(backend):
                values = {"puzzles_per_s": len(own) / sum(r.time for r in own)}
                values["instances"] = len(own)
                guesses = [5 * int(r.puzzle.rpartition("-")[2]) for r in own if r.answered]
                values["guesses_per_puzzle"] = mean(guesses) if guesses else np.nan
                yield dataset, backend, values


def times_of(own: list[Result]) -> dict[str, float]:
    return {
        "instances": len(own),
        "answered": sum(r.answered for r in own),
        "median_s": median(r.time for r in own),
        "par2_s": mean(r.par(2) for r in own),
        "sgm_1ms_s": geometric([r.time for r in own]),
    }


def by_difficulty(trials: list[Trial]) -> Expected:
    """The classes are a partition: the sums over all classes are those of the common set."""
    for dataset, group in by_dataset(trials).items():
        for backend in (*group.eligible, *group.wrong):
            if own := group.of(backend):
                values = times_of(own)
                yield dataset, backend, {k: values[k] for k in ("instances", "answered")}


def survival(trials: list[Trial]) -> Expected:
    """With one limit for all, the restricted mean is the mean of min(t, T)."""
    for dataset, group in by_dataset(trials).items():
        for backend in group.eligible:
            if own := group.of(backend):
                yield dataset, backend, {"rmst_s": mean(r.time for r in own), "instances": len(own)}


def scaling(trials: list[Trial]) -> Expected:
    for shape, group in groups_of(trials, lambda trial: trial["shape"]).items():
        for backend in group.eligible:
            if own := group.of(backend):
                yield shape, backend, times_of(own)


def phases(trials: list[Trial]) -> Expected:
    for dataset, group in by_dataset(trials).items():
        for backend in (*group.eligible, *group.wrong):
            own = [t for r in group.of(backend) for t in r.trials if t["verdict"] == RIGHT]
            if own:
                whole = sum(t["wall_s"] for t in own)
                values = {f"{p}_share": sum(t[f"{p}_s"] for t in own) / whole for p in PHASES}
                values |= {"answers": len(own), "mean_s": whole / len(own)}
                yield dataset, backend, values


def averages(trials: list[Trial]) -> Expected:
    for dataset, group in by_dataset(trials).items():
        for backend in group.eligible:
            if own := group.of(backend):
                values = {"par2_s": mean(r.par(2) for r in own), "instances": len(own)}
                values["par10_s"] = mean(r.par(10) for r in own)
                for name, shift in (("100us", 1e-4), ("1ms", 1e-3), ("10ms", 1e-2)):
                    values[f"sgm_{name}_s"] = geometric([r.time for r in own], shift)
                yield dataset, backend, values


def rank_values(group: Group) -> Iterator[tuple[str, dict[str, float]]]:
    places = {}
    for backend in group.eligible:
        own = group.of(backend)
        places[backend] = (-sum(r.answered for r in own), sum(r.time for r in own))
    for backend, place in places.items():
        if own := group.of(backend):
            better = sum(p < place and not np.isclose(p, place).all() for p in places.values())
            equal = sum(bool(np.isclose(p, place).all()) for p in places.values())
            values = {"rank": better + (equal + 1) / 2, "answered": -place[0]}
            values |= {"total_s": place[1], "instances": len(own)}
            points = 0.0
            for other in set(group.eligible) - {backend}:
                theirs = {r.puzzle: r for r in group.of(other)}
                for r in own:
                    rival = theirs[r.puzzle]
                    if r.answered:
                        ratio = rival.time / (r.time + rival.time)
                        points += ratio if rival.answered else 1
            values["borda"] = points
            yield backend, values


def ranks(trials: list[Trial]) -> Expected:
    for dataset, group in by_dataset(trials).items():
        for backend, values in rank_values(group):
            yield dataset, backend, values


def pooled(trials: list[Trial]) -> Expected:
    for group in groups_of(trials, lambda _: "").values():
        for backend, values in rank_values(group):
            yield "all datasets", backend, values


def worth(group: Group, members: tuple[str, ...]) -> float:
    """2 T less the PAR-2 of the virtual best of these backends."""
    best = dict.fromkeys(group.common, 2 * T)
    for result in (r for backend in members for r in group.of(backend)):
        best[result.puzzle] = min(best[result.puzzle], result.par(2))
    return mean(2 * T - cost for cost in best.values())


def contributions(trials: list[Trial]) -> Expected:
    for dataset, group in by_dataset(trials).items():
        puzzles, backends = group.common, group.eligible
        if not puzzles or not backends:
            continue
        orders = list(permutations(backends))
        for backend in backends:
            others = tuple(b for b in backends if b != backend)
            before = [order[: order.index(backend)] for order in orders]
            joined = (worth(group, (*b, backend)) - worth(group, b) for b in before)
            yield (
                dataset,
                backend,
                {
                    "marginal_s": worth(group, tuple(backends)) - worth(group, others),
                    "shapley_s": sum(joined) / len(orders),
                    "vbs_par2_s": 2 * T - worth(group, tuple(backends)),
                    "instances": len(puzzles),
                },
            )


MEASURES: dict[str, tuple[Callable[[list[Trial]], Expected], str]] = {
    "summary": (summary, "dataset"),
    "throughput": (throughput, "dataset"),
    "survival": (survival, "dataset"),
    "scaling": (scaling, "shape"),
    "phases": (phases, "dataset"),
    "averages": (averages, "dataset"),
    "ranks": (ranks, "dataset"),
    "pooled": (pooled, "dataset"),
    "contributions": (contributions, "dataset"),
    "by-difficulty": (by_difficulty, "dataset"),
}
EVERY_SEED = [0, 1, 2, *(pytest.param(n, marks=pytest.mark.long) for n in range(3, 60))]


@pytest.mark.parametrize("seed", EVERY_SEED)
def test_every_measure_is_over_the_common_set(seed: int) -> None:
    trials = random_trials(seed)
    run = Run(Path(), trials_from(trials))
    for name, (oracle, place) in MEASURES.items():
        table = run.measure(name).drop(columns="name", errors="ignore")
        if name == "by-difficulty":
            table = table.groupby([place, "backend"])[["instances", "answered"]].sum()
            table = table.reset_index()
        rows = {(row[place], row["backend"]): row for row in table.to_dict("records")}
        for key, backend, values in oracle(trials):
            found = {column: rows[key, backend][column] for column in values}
            assert found == pytest.approx(values, rel=1e-9, abs=1e-12, nan_ok=True), (
                *(name, key, backend),
            )


@pytest.mark.parametrize("seed", EVERY_SEED)
def test_each_pair_is_compared_on_the_common_set(seed: int) -> None:
    trials = random_trials(seed)
    table = Run(Path(), trials_from(trials)).pairwise()
    rows = {(r["dataset"], r["backend"], r["other"]): r for r in table.to_dict("records")}
    number = 0
    for dataset, group in by_dataset(trials).items():
        for (one, other), row in (
            ((one, other), row) for (d, one, other), row in rows.items() if d == dataset
        ):
            number += 1
            assert {one, other} <= set(group.eligible)
            ours = {r.puzzle: r for r in group.of(one)}
            theirs = {r.puzzle: r for r in group.of(other)}
            assert row["instances"] == len(ours) == len(theirs) == len(group.common)
            assert row["left_out"] == len(group.puzzles) - len(group.common)
            pairs = [(ours[p], theirs[p]) for p in ours]
            assert row["only_backend"] == sum(a.answered and not b.answered for a, b in pairs)
            assert row["only_other"] == sum(b.answered and not a.answered for a, b in pairs)
            assert row["neither"] == sum(not a.answered and not b.answered for a, b in pairs)
    assert number == len(rows)


def best_time(group: Group, puzzle: str) -> float:
    """The least time of an eligible backend that answered the puzzle."""
    results = (r for backend in group.eligible for r in group.of(backend))
    return min((r.time for r in results if r.puzzle == puzzle and r.answered), default=np.inf)


@pytest.mark.parametrize("seed", EVERY_SEED)
def test_curves_are_over_the_common_set(seed: int) -> None:
    trials = random_trials(seed)
    run = Run(Path(), trials_from(trials))
    curve, profile = run.cactus(), run.performance_profile()
    for dataset, group in by_dataset(trials).items():
        for backend in group.eligible:
            own = group.of(backend)
            best = {puzzle: best_time(group, puzzle) for puzzle in group.common}
            times = [r.time for r in own if r.answered]
            ratios = [r.time / best[r.puzzle] for r in own if r.answered]
            for frame, values, column in ((curve, times, "time_s"), (profile, ratios, "tau")):
                mine = frame[(frame["dataset"] == dataset) & (frame["backend"] == backend)]
                assert len(mine) or not values
                for row in mine.to_dict("records"):
                    # Equal times differ by rounding, so two shares are right at a step.
                    least, most = (
                        sum(v <= row[column] * (1 + error) for v in values) / len(own)
                        for error in (-1e-12, 1e-12)
                    )
                    assert least <= row["share"] <= most


@pytest.mark.parametrize("name", MEASURES)
def test_the_random_runs_have_values_of_every_measure(name: str) -> None:
    oracle, _ = MEASURES[name]
    assert all(list(oracle(random_trials(seed))) for seed in range(3))
    groups = [group for seed in range(3) for group in by_dataset(random_trials(seed)).values()]
    assert any(group.wrong for group in groups)
    assert any(len(group.common) < len(group.puzzles) for group in groups)


@pytest.mark.parametrize("name", [*MEASURES, "pairwise"])
def test_a_table_states_what_it_leaves_out(
    trials_of: Callable[..., pd.DataFrame], name: str
) -> None:
    """Two instances of five are only those of `a`."""
    times = {"a": [0.1, 0.2, 0.3, 0.4, 0.5], "b": [0.1, 0.2, 0.3, None, None]}
    run = Run(Path(), trials_of(times, shape="4x4", search_s=0.01))
    (measure,) = measures_of([name])
    table = run.measure(measure)
    assert set(table["left_out"]) == {2}
    notes = table_notes(measure, table)
    assert any("all backends were run on" in note and "left out: 2" in note for note in notes)
    count = "answers" if name == "phases" else "instances"
    shown = {column.name for column in measure.shown(table)}
    assert shown & {count, "answered"}
    assert set(table[count]) == {3}
