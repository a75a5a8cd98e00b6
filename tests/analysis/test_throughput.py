"""Throughput by hand."""

from collections.abc import Callable

import pandas as pd
import pytest

from harness.analysis.results import results_of
from harness.analysis.timing import throughput

Trials = Callable[..., pd.DataFrame]


def reported(*guesses: int) -> Callable[[int], str]:
    return lambda number: f'{{"guesses": {guesses[number]}}}'


def test_throughput_by_hand(trials_of: Trials) -> None:
    ref = trials_of({"ref": [0.001, 0.003, "timeout"]}, stats=reported(0, 4, 9), timeout_s=0.002)
    plain = trials_of({"a": [0.001, 0.001, 0.001]}, timeout_s=0.002)
    liar = trials_of({"liar": ["wrong", 1e-6, 1e-6]}, timeout_s=0.002)
    table = throughput(results_of(pd.concat([liar, ref, plain])))
    assert list(table["backend"]) == ["a", "ref", "liar"]
    a, r, wrong = table.to_dict("records")
    assert (a["puzzles_per_s"], a["us_per_puzzle"]) == (
        pytest.approx(1000.0),
        pytest.approx(1000.0),
    )
    assert pd.isna(a["guesses_per_puzzle"])
    assert r["us_per_puzzle"] == pytest.approx(2000.0)
    assert (r["is_bound"], a["is_bound"]) == (True, False)
    assert (r["share_without_guess"], r["guesses_per_puzzle"]) == (0.5, 2.0)
    assert (r["guesses_are"], r["paradigm"]) == ("guesses", "made up")
    assert pd.isna(wrong["puzzles_per_s"])


def test_groups_are_in_the_order_of_the_results(trials_of: Trials) -> None:
    parts = [trials_of({"b": [0.1], "a": [0.1]}, dataset=dataset) for dataset in "zxy"]
    table = throughput(results_of(pd.concat(parts, ignore_index=True)))
    expected = list(dict.fromkeys(results_of(pd.concat(parts, ignore_index=True))["dataset"]))
    assert list(table["dataset"].drop_duplicates()) == expected == ["z", "x", "y"]
    assert list(table["backend"]) == ["a", "b"] * 3
