"""Comparison by a factor: scrambles, starts, limits, versions and options of backends."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.base.errors import InputError
from tests.trials import Trials

TIMES = np.exp(np.random.default_rng(1).normal(-5, 1, 40))
EACH = np.exp(np.random.default_rng(2).normal(0.7, 0.4, 40))
"""What a value of the factor multiplies each time with."""


def run_of(*parts: pd.DataFrame) -> Run:
    return Run(Path("run"), pd.concat(parts, ignore_index=True))


def scramble(trials: pd.DataFrame, seed: str) -> pd.DataFrame:
    """The trials as those of scrambled puzzles, in another order."""
    puzzle, other = trials["puzzle"], f"scramble {seed} of "
    scrambled_trials = trials.assign(scramble=seed, original=puzzle, puzzle=other + puzzle)
    return scrambled_trials.assign(puzzle_id=other + scrambled_trials["puzzle_id"]).iloc[::-1]


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
    comparison = run.compare(run, factor=factor)
    (row,) = comparison.times.to_dict("records")
    assert row["instances"] == 40
    assert row["factor"] == pytest.approx(np.exp(np.log(EACH).mean()))
    ends = row["spread_low"], row["spread_high"]
    assert ends == pytest.approx(np.exp(np.quantile(np.log(EACH), [0.1, 0.9])))
    assert row["change"] == "slower"
    assert not comparison.partial
    (apart,) = ((run_of(part(TIMES, False)), run_of(part(TIMES * EACH, True))),)
    between = apart[0].compare(apart[1], factor=factor).times
    pd.testing.assert_frame_equal(between, comparison.times)


def test_the_time_with_several_seeds_is_their_geometric_mean(trials_of: Trials) -> None:
    factors = (1, 2, 32)  # neither their median nor their mean is 4
    plain = trials_of({"a": list(TIMES)})
    seeds = [scramble(plain.assign(wall_s=plain["wall_s"] * n), f"{n:g}") for n in factors]
    # Repetitions with one seed have the median.
    again = [part.assign(repetition=n, wall_s=part["wall_s"] * n) for part in seeds for n in (2, 3)]
    for parts, expected in ((seeds, 1.0), ([*seeds, *again], 2.0)):
        run = run_of(plain, *parts)
        comparison = run.compare(run, factor="scramble")
        values = ", ".join(f"{n:g}" for n in factors)
        assert str(comparison.factor) == f"scramble none before, {values} after"
        mean = np.exp(np.log(factors).mean())
        assert comparison.times["factor"].tolist() == pytest.approx([mean * expected])
        assert set(comparison.pairs["trials_after"]) == {len(parts)}


def test_a_scramble_that_fails_is_the_puzzle_to_repeat(trials_of: Trials) -> None:
    plain = trials_of({"a": list(TIMES)})
    wrong = scramble(plain.assign(verdict="wrong", reason="R1C1"), "5")
    run = run_of(plain, wrong)
    for factor in ("scramble=none,5", "scramble=5,none"):
        assert {*run.compare(run, factor=factor).pairs["puzzle"]} == {*wrong["puzzle"]}


def test_batches_and_single_calls_have_no_common_times(trials_of: Trials) -> None:
    trials = trials_of({"a": list(TIMES)})
    run = run_of(trials.assign(start="warm"), trials.assign(start="batch", call="c"))
    with pytest.raises(InputError, match="a batch pairs with a batch"):
        run.compare(run, factor="start")


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
        ("colour", "--factor colour: the trials have no colour;"),
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
    if factor == "solver":
        assert len(run.compare(run, factor="solver=a,c").pairs) == 1
