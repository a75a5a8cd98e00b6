"""Comparison by a factor: scrambles, starts, limits, versions and options of backends."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.errors import InputError

Trials = Callable[..., pd.DataFrame]
TIMES = np.exp(np.random.default_rng(1).normal(-5, 1, 40))
EACH = np.exp(np.random.default_rng(2).normal(0.7, 0.4, 40))
"""What a value of the factor multiplies each time with."""


def run_of(*parts: pd.DataFrame) -> Run:
    return Run(Path("run"), pd.concat(parts, ignore_index=True))


def scramble(trials: pd.DataFrame, seed: str) -> pd.DataFrame:
    """The trials as those of scrambled puzzles, in another order."""
    puzzle, other = trials["puzzle"], f"scramble {seed} of "
    made = trials.assign(scramble=seed, original=puzzle, puzzle=other + puzzle)
    return made.assign(puzzle_id=other + made["puzzle_id"]).iloc[::-1]


@pytest.mark.parametrize("factor", ["scramble", "start", "timeout", "solver", "version"])
def test_a_planted_factor_has_its_mean_and_its_spread_over_instances(
    trials_of: Trials, factor: str
) -> None:
    def part(times: np.ndarray[tuple[int], np.dtype[np.float64]], second: bool) -> pd.DataFrame:
        solver, version = ("b", "2") if factor in ("solver", "version") and second else ("a", "1")
        label = f"cnf@{version}" if factor == "version" else f"cnf[encoding=c,solver={solver}]"
        options = f'{{"encoding": "c", "solver": "{solver}"}}'
        trials = trials_of({label: list(times)}).assign(options=options)
        match factor:
            case "scramble":
                return scramble(trials, "7") if second else trials
            case "start":
                return trials.assign(start="warm" if second else "cold")
            case "timeout":
                return trials.assign(timeout_s=20.0 if second else 10.0)
        return trials

    run = run_of(part(TIMES, False), part(TIMES * EACH, True))
    found = run.compare(run, factor=factor)
    (row,) = found.times.to_dict("records")
    assert row["instances"] == 40
    assert row["factor"] == pytest.approx(np.exp(np.log(EACH).mean()))
    ends = row["spread_low"], row["spread_high"]
    assert ends == pytest.approx(np.exp(np.quantile(np.log(EACH), [0.1, 0.9])))
    assert row["change"] == "slower"
    assert not found.partial
    (apart,) = ((run_of(part(TIMES, False)), run_of(part(TIMES * EACH, True))),)
    between = apart[0].compare(apart[1], factor=factor).times
    pd.testing.assert_frame_equal(between, found.times)


def test_several_seeds_are_repetitions_of_one_puzzle(trials_of: Trials) -> None:
    plain = trials_of({"a": list(TIMES)})
    seeds = [scramble(plain.assign(wall_s=plain["wall_s"] * n), str(n)) for n in (2, 3, 10)]
    run = run_of(plain, *seeds)
    found = run.compare(run, factor="scramble")
    assert str(found.factor) == "scramble none before, 2, 3, 10 after"
    assert found.times["factor"].tolist() == pytest.approx([3.0])
    assert set(found.pairs["trials_after"]) == {3}


def test_a_failure_counts_as_the_limit_of_its_own_side(trials_of: Trials) -> None:
    short = trials_of({"a": ["timeout", 1.0]}, timeout_s=2.0)
    run = run_of(short, trials_of({"a": [4.0, 1.0]}, timeout_s=10.0))
    pairs = run.compare(run, factor="timeout").pairs
    assert pairs[["before_s", "after_s"]].to_numpy().tolist() == [[2.0, 4.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("factor", "message"),
    [
        ("solver", "--factor solver: the trials have a, b, c; expected two values"),
        ("solver=a,d", "--factor solver=a,d: the trials have a, b, c;"),
        ("start", "--factor start: the trials have cold;"),
        ("colour", "--factor colour: the trials have no value;"),
    ],
)
def test_a_factor_without_two_values_is_an_error(
    trials_of: Trials, factor: str, message: str
) -> None:
    parts = [
        trials_of({f"cnf[solver={name}]": [1.0]}).assign(options=f'{{"solver": "{name}"}}')
        for name in "abc"
    ]
    run = run_of(*parts, trials_of({"native": [1.0]}).assign(options="{}"))
    with pytest.raises(InputError) as caught:
        run.compare(run, factor=factor)
    assert message in str(caught.value)
    assert len(run.compare(run, factor="solver=a,c").pairs) == 1
