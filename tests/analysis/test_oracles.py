"""Every column of every measure, computed again from its definition on random runs."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.measures.measure import MEASURES
from harness.analysis.run import Run
from harness.analysis.summary import SETTINGS, incidents_frame
from tests.analysis.oracles import averaging, classes, compared_runs, lists, pooling, ranking
from tests.analysis.oracles.model import GROUP, Group, groups_of, without
from tests.analysis.oracles.random_runs import FAILURES, Trial, random_trials
from tests.analysis.oracles.statistics import equal_times
from tests.analysis.oracles.tables import Row, differences
from tests.trials import planned_twice, trials_from

Oracle = Callable[[list[Trial], str], list[Row]]

ORACLES: dict[str, Oracle] = {
    "summary": averaging.summary,
    "averages": averaging.averages,
    "throughput": averaging.throughput,
    "ranks": ranking.ranks,
    "pooled": ranking.pooled,
    "pairwise": ranking.pairwise,
    "contributions": ranking.contributions,
    "by-difficulty": classes.by_difficulty,
    "stability": classes.stability,
    "phases": classes.phases,
    "scaling": pooling.scaling,
    "survival": pooling.survival,
    "machines": pooling.machines,
    "machine-factors": pooling.machine_factors,
    "failures": lists.failures,
    "completeness": lambda trials, _: lists.completeness(trials, None),
}
OTHERS = ("incidents", "settings")
"""Measures of other things than trials, which have a test each."""
KEY = (*GROUP, "backend", "other", "shape", "difficulty", "puzzle_id", "repetition")
SKIPPED = {"ranks": ("groups",), "pooled": ("groups",)}
"""Columns with a check of their own."""
SEEDS = (1, 2, 13, 33, 37, 39)
"""Runs with wrong answers, calls, several limits and machines, and both kinds of difficulty."""


def times_of(seed: int) -> str:
    return ("wall", "cpu")[seed % 2]


def run_of(trials: list[Trial], time: str) -> Run:
    return Run(Path(), trials_from(trials)).timed(time)


@lru_cache(len(SEEDS))
def case(seed: int) -> tuple[list[Trial], str, Run, dict[str, list[Row]]]:
    """The trials of a seed, the kind of their times, their run, and what the oracles predict."""
    trials, time = random_trials(seed), times_of(seed)
    predictions = {name: oracle(trials, time) for name, oracle in ORACLES.items()}
    return trials, time, run_of(trials, time), predictions


def test_every_measure_has_an_oracle() -> None:
    assert {*ORACLES, *OTHERS} == set(MEASURES)


def test_the_random_runs_have_cases_of_every_kind() -> None:
    cases = [case(seed) for seed in SEEDS]
    runs = [trials for trials, *_ in cases]
    trials = [trial for run in runs for trial in run]
    groups = [group for run, time, *_ in cases for group in groups_of(run, time)]
    assert {trial["start"] for trial in trials} == {"cold", "warm", "batch"}
    assert {trial["verdict"] for trial in trials} >= {*FAILURES, "wrong"}
    assert any(group.wrong for group in groups)
    assert any(0 < len(group.common) < len(group.instances) for group in groups)
    assert any(len({t["timeout_s"] for t in run}) > 1 for run in runs)
    assert any(len({t["host"] for t in run}) > 1 for run in runs)
    tables = [row for *_, tables in cases for rows in tables.values() for row in rows]
    for column in ("friedman_p", "factor_low", "p_holm", "exponent", "rmst_s", "detectable"):
        assert any(row.get(column) is not None for row in tables), column
    assert any(row.get("different") for row in tables)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_column_is_that_of_its_definition(seed: int) -> None:
    trials, time, run, predictions = case(seed)
    for name, rows in predictions.items():
        table = run.measure(name)
        key = [column for column in KEY if column in table]
        problems = differences(table, rows, key, SKIPPED.get(name, ()))
        assert not problems, (name, problems)
    for name, columns in (("ranks", GROUP), ("pooled", without("dataset"))):
        ranking.assert_letters_are_right(run.measure(name), groups_of(trials, time, columns))
    problems = differences(
        run.results, lists.results(trials, time), (*GROUP, "backend", "puzzle_id")
    )
    assert not problems, problems
    assert_in_order(run)
    frame = Run(Path(), run.trials, planned=planned_twice(run.trials)).completeness()
    problems = differences(frame, lists.completeness(trials, 2), (*without("time"), "backend"))
    assert not problems, problems


def _rows(table: pd.DataFrame, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    whole = table[list(columns)].astype("object")
    return list(whole.where(whole.notna(), None).itertuples(index=False, name=None))


def assert_in_order(run: Run) -> None:
    """Every table of backends has the order of the ranks, and every pair begins with the better."""
    key = [*GROUP, "backend"]
    places = {row[:-1]: row[-1] for row in _rows(run.ranks(), [*key, "rank"])}
    for name in ("ranks", "summary", "averages", "contributions", "throughput"):
        table = run.measure(name)
        for _, part in table[table["wrong"] == 0].groupby(list(GROUP), dropna=False):
            ranks = [places[row] for row in _rows(part, key)]
            assert ranks == sorted(ranks, key=float), (name, part)
    for *group, first, other in _rows(run.pairwise(), [*key, "other"]):
        assert not places[*group, first] > places[*group, other]
    verdicts = [lists.WORST_FIRST.index(verdict) for verdict in run.failures()["verdict"]]
    assert verdicts == sorted(verdicts)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_curves_have_every_step_of_their_definition(seed: int) -> None:
    trials, time, run, _ = case(seed)
    cactus, profile = run.cactus(), run.performance_profile()
    for group in groups_of(trials, time):
        for backend in group.backends:
            is_eligible = backend in group.eligible and group.common
            steps = lists.cactus(group, backend) if is_eligible else []
            assert_steps(cactus, group, backend, ("time_s", "answered"), steps)
            steps = lists.performance_profile(group, backend) if is_eligible else []
            assert_steps(profile, group, backend, ("tau", "share"), steps)


def assert_steps(
    curve: pd.DataFrame,
    group: Group,
    backend: str,
    columns: tuple[str, str],
    steps: Sequence[tuple[float, float]],
) -> None:
    rows = curve[curve["backend"] == backend]
    for column, value in group.key.items():
        rows = rows[rows[column].isna() if value is None else rows[column] == value]
    places, heights = (rows[column].to_numpy(dtype=np.float64).tolist() for column in columns)
    # Of steps that differ by rounding the last one has the height.
    heights_by_place = list(dict(zip(equal_times(places), heights, strict=True)).items())
    assert len(heights_by_place) == len(steps)
    assert np.allclose(np.array(heights_by_place), np.array(steps), rtol=1e-9, atol=0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_comparison_is_that_of_its_definition(seed: int) -> None:
    before = random_trials(seed, starts=(("cold",), ("cold", "warm")))
    after, time = compared_runs.later_trials(before, seed), times_of(seed)
    comparison = run_of(before, "wall").compare(run_of(after, "wall"), time=time)
    for name in ("pairs", "limits", "times", "puzzles", "status"):
        table: pd.DataFrame = getattr(comparison, name)
        oracle: Callable[..., list[Row]] = getattr(compared_runs, name)
        key = [column for column in (*GROUP, "backend", "puzzle_id") if column in table]
        without = [column for column in ("command",) if column in table]
        notes = differences(table, oracle(before, after, time), key, without)
        assert not notes, (name, notes)


@pytest.mark.long
@pytest.mark.parametrize(
    "check",
    [
        test_every_column_is_that_of_its_definition,
        test_the_curves_have_every_step_of_their_definition,
        test_a_comparison_is_that_of_its_definition,
    ],
)
def test_so_are_those_of_194_further_runs(check: Callable[[int], None]) -> None:
    for seed in {*range(200)} - {*SEEDS}:
        check(seed)


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_incidents_are_counted_by_backend_and_kind(seed: int) -> None:
    random = np.random.default_rng(seed)
    kinds, backends = ("left running", "stood still", "replaced"), ("a", "b", "")
    events = [
        (
            f"2026-01-02T03:04:{n:02d}",
            str(random.choice(backends)),
            str(random.choice(kinds)),
            f"{n}",
        )
        for n in range(seed * 3)
    ]
    run = Run(Path(), trials_from([]), events=incidents_frame(events))
    assert not differences(run.incidents(), lists.incidents(events), ("backend", "kind"))


@pytest.mark.parametrize("seed", [0, 3, 7])
def test_settings_have_each_value_once(seed: int) -> None:
    random = np.random.default_rng(seed)
    sweeps: list[dict[str, Any]] = [
        {
            option: str(random.choice(["x", "y", "z"]))
            for option in ("timeout", "seed", "jobs")
            if random.random() < 0.8
        }
        for _ in range(1 + seed % 4)
    ]
    table = SETTINGS.compute(sweeps)
    assert [*dict.fromkeys(table["option"])] == [*dict.fromkeys(chain(*sweeps))]
    assert not differences(table, lists.settings(sweeps), ("option", "value"))
