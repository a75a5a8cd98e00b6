"""Every column of every measure, computed again from its definition on random runs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.analysis.run import Run
from tests.analysis.oracles import averaging, classes, pooling, ranking
from tests.analysis.oracles.model import GROUP, groups_of, without
from tests.analysis.oracles.random_runs import Trial, random_trials
from tests.analysis.oracles.tables import Row, differences
from tests.trials import trials_from

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
}
KEY = (*GROUP, "backend", "other", "shape", "difficulty")
SKIPPED = {"ranks": ("groups",), "pooled": ("groups",)}
EVERY_SEED = [*range(8), *(pytest.param(n, marks=pytest.mark.long) for n in range(8, 200))]


def run_of(trials: list[Trial], time: str) -> Run:
    return Run(Path(), trials_from(trials)).timed(time)


@pytest.mark.parametrize("seed", EVERY_SEED)
def test_every_column_is_that_of_its_definition(seed: int) -> None:
    trials, time = random_trials(seed), ("wall", "cpu")[seed % 2]
    run = run_of(trials, time)
    for name, oracle in ORACLES.items():
        table = run.measure(name)
        key = [column for column in KEY if column in table]
        found = differences(table, oracle(trials, time), key, SKIPPED.get(name, ()))
        assert not found, (name, found)
    for name, columns in (("ranks", GROUP), ("pooled", without("dataset"))):
        ranking.assert_letters_are_right(run.measure(name), groups_of(trials, time, columns))
