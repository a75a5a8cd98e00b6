"""Synthetic runs with known differences: the measures find these and no others."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.comparison import compare
from harness.analysis.inference import Floats
from harness.analysis.pairwise import pairwise
from harness.analysis.ranking import ranks
from harness.analysis.results import results_of
from harness.analysis.run import Run
from harness.records.fields import DTYPES

PUZZLES = 100
REPETITIONS = 3
LIMIT = 10.0
RUNS = 200
FALSE_POSITIVES = 0.05

Noise = Callable[[np.random.Generator], Floats]


def quiet(random: np.random.Generator) -> Floats:
    """5 % of noise."""
    return random.normal(0, 0.05, (PUZZLES, REPETITIONS))


def loud(random: np.random.Generator) -> Floats:
    """The same puzzle takes twice as long or half, the same in all repetitions, and noise."""
    return random.normal(0, 0.7, (PUZZLES, 1)) + quiet(random)


def heavy(random: np.random.Generator) -> Floats:
    """Now and then a puzzle takes a hundred times as long."""
    return np.clip(random.standard_t(1.5, (PUZZLES, 1)), -20, 20) + quiet(random)


def synthetic(
    factors: Mapping[str, float], random: np.random.Generator, noise: Noise = quiet
) -> pd.DataFrame:
    """Trials of backends that take `factors` times as long as the puzzles are hard."""
    hard = random.normal(-4, 1.5, (PUZZLES, 1))
    frames = []
    for backend, factor in factors.items():
        wall = np.exp(hard + np.log(factor) + noise(random)).ravel()
        number = np.repeat(np.arange(PUZZLES), REPETITIONS)
        frames.append(
            pd.DataFrame(
                {
                    "backend": backend,
                    "dataset": "d",
                    "name": number.astype(str),
                    "puzzle_id": number.astype(str),
                    "shape": "9x9",
                    "puzzle": "." * 81,
                    "clues": 20,
                    "task": "solve",
                    "start": "cold",
                    "repetition": np.tile(np.arange(1, REPETITIONS + 1), PUZZLES),
                    "verdict": np.where(wall > LIMIT, "timeout", "solved"),
                    "wall_s": np.minimum(wall, LIMIT),
                    "timeout_s": LIMIT,
                    "host": "here",
                    "stats": "{}",
                    "paradigm": "",
                }
            )
        )
    trials = pd.concat(frames, ignore_index=True).reindex(columns=list(DTYPES))
    return trials.astype(DTYPES)


def failing(trials: pd.DataFrame, backend: str, verdict: str, share: float) -> pd.DataFrame:
    """`trials` with `verdict` for a share of the puzzles of `backend`."""
    every = round(1 / share)
    hit = (trials["backend"] == backend) & (trials["puzzle_id"].astype(int) % every == 0)
    return trials.assign(
        verdict=trials["verdict"].mask(hit, verdict),
        wall_s=trials["wall_s"].mask(hit & (verdict == "timeout"), LIMIT),
    )


def is_different(trials: pd.DataFrame, one: str, other: str) -> bool:
    table = pairwise(results_of(trials))
    row = table[(table["backend"].isin([one, other])) & (table["other"].isin([one, other]))]
    assert len(row) == 1
    return bool(row["different"].iloc[0])


@pytest.mark.long
@pytest.mark.parametrize("noise", [quiet, loud, heavy])
def test_equal_backends_have_no_significant_difference(noise: Noise) -> None:
    different = sum(
        is_different(synthetic({"a": 1, "b": 1}, np.random.default_rng(seed), noise), "a", "b")
        for seed in range(RUNS)
    )
    assert different <= FALSE_POSITIVES * RUNS


@pytest.mark.long
def test_three_equal_backends_are_one_group() -> None:
    different = 0
    for seed in range(RUNS):
        trials = synthetic({"a": 1, "b": 1, "c": 1}, np.random.default_rng(seed), loud)
        table = ranks(results_of(trials))
        different += table["groups"].nunique() > 1
    assert different <= FALSE_POSITIVES * RUNS


@pytest.mark.long
def test_a_run_again_is_no_regression() -> None:
    different = 0
    for seed in range(RUNS):
        random = np.random.default_rng(seed)
        before = synthetic({"a": 1, "b": 2}, random)
        again = np.exp(random.normal(0, 0.05, len(before)))
        after = before.assign(wall_s=np.minimum(before["wall_s"] * again, LIMIT))
        different += compare(before, after).regressed
    assert different <= FALSE_POSITIVES * RUNS


def test_a_fifth_slower_is_found_every_time() -> None:
    for seed in range(3):
        trials = synthetic({"slow": 1.2, "a": 1}, np.random.default_rng(seed))
        table = pairwise(results_of(trials))
        assert (table["backend"][0], table["different"][0]) == ("a", True)
        assert table["factor_low"][0] < 1.2 * 1.02
        assert table["factor_high"][0] > 1.2 * 0.98
        assert table["factor"][0] == pytest.approx(1.2, rel=0.02)
        assert list(ranks(results_of(trials))["backend"]) == ["a", "slow"]


@pytest.mark.long
def test_the_interval_holds_the_planted_factor() -> None:
    held = 0
    for seed in range(RUNS):
        trials = synthetic({"a": 1, "slow": 1.5}, np.random.default_rng(seed), loud)
        (row,) = pairwise(results_of(trials)).to_dict("records")
        factor = 1.5 if row["backend"] == "a" else 1 / 1.5
        held += row["factor_low"] <= factor <= row["factor_high"]
    # 95 % of 200 are 190; less than 180 has a chance under one in 500.
    assert held >= 180


def test_the_report_ranks_what_was_planted() -> None:
    factors = {"equal 1": 1.0, "equal 2": 1.0, "slower": 1.2, "liar": 0.1, "stopped": 0.5}
    trials = synthetic(factors, np.random.default_rng(0))
    trials = failing(trials, "liar", "wrong", 0.01)
    trials = failing(trials, "stopped", "timeout", 0.25)
    run = Run(Path(), trials)
    table = run.ranks().set_index("backend")
    assert table["rank"]["slower"] == 3.0
    assert table["rank"]["stopped"] == 4.0
    assert table["groups"]["equal 1"] == table["groups"]["equal 2"] != table["groups"]["slower"]
    assert pd.isna(table["rank"]["liar"])
    assert list(table.index)[-1] == "liar"
    # It has no value in any other comparison either.
    assert pd.isna(run.summary().set_index("backend")["ratio"]["liar"])
    assert "liar" not in {*run.pairwise()["backend"], *run.pairwise()["other"]}
    assert "liar" not in set(run.performance_profile()["backend"])
    assert "liar" not in set(run.cactus()["backend"])
    for measure in (run.contributions(), run.averages()):
        assert pd.isna(measure.set_index("backend")["par2_s"]["liar"])
    assert pd.isna(run.throughput().set_index("backend")["puzzles_per_s"]["liar"])
