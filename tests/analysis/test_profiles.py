"""Curves: steps by hand, and what is true of every curve."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.curves import cactus, performance_profile
from harness.analysis.results import results_of

Trials = Callable[..., pd.DataFrame]

cells = st.one_of(st.floats(1e-4, 9), st.just("timeout"))


def steps(table: pd.DataFrame, backend: str, x: str, y: str) -> list[tuple[float, float]]:
    rows = table[table["backend"] == backend]
    return list(zip(rows[x], rows[y], strict=True))


def test_the_profile_by_hand(trials_of: Trials) -> None:
    results = {"a": [1.0, 4.0, "timeout", "timeout"], "b": [2.0, 1.0, 3.0, "timeout"]}
    table = performance_profile(results_of(trials_of(results)))
    assert steps(table, "a", "tau", "share") == [(1.0, 0.25), (4.0, 0.5)]
    assert steps(table, "b", "tau", "share") == [(1.0, 0.5), (2.0, 0.75)]


def test_two_alone_have_a_profile_of_their_own(trials_of: Trials) -> None:
    results = {"a": [2.0], "b": [4.0], "c": [1.0]}
    table = results_of(trials_of(results))
    assert steps(performance_profile(table), "a", "tau", "share") == [(1.0, 0.0), (2.0, 1.0)]
    pair = performance_profile(table, ["a", "b"])
    assert steps(pair, "a", "tau", "share") == [(1.0, 1.0)]
    assert set(pair["backend"]) == {"a", "b"}


def test_the_cactus_by_hand(trials_of: Trials) -> None:
    table = cactus(results_of(trials_of({"a": [3.0, 1.0, "timeout", 1.0]})))
    assert steps(table, "a", "time_s", "answered") == [(1.0, 2), (3.0, 3)]
    assert table["share"].tolist() == [0.5, 0.75]


def test_a_wrong_backend_has_no_curve_and_changes_none(trials_of: Trials) -> None:
    results = {"a": [1.0, 2.0], "liar": [1e-6, "wrong"]}
    alone = results_of(trials_of({"a": results["a"]}))
    for curve in (performance_profile, cactus):
        pd.testing.assert_frame_equal(curve(results_of(trials_of(results))), curve(alone))


def test_a_long_curve_keeps_its_ends_and_exact_steps(trials_of: Trials) -> None:
    times = np.sort(np.random.default_rng(0).random(3000)) + 0.1
    table = cactus(results_of(trials_of({"a": list(times)})))
    assert len(table) == 500
    assert (table["time_s"].iloc[0], table["time_s"].iloc[-1]) == (times[0], times[-1])
    assert (table["time_s"].to_numpy() == times[table["answered"] - 1]).all()
    assert table["share"].diff().max() <= 1 / 400


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=15))
def test_every_profile_rises_from_one_and_ends_at_what_was_answered(
    trials_of: Trials, field: list[tuple[Any, ...]]
) -> None:
    table = performance_profile(
        results_of(trials_of({"abc"[n]: [row[n] for row in field] for n in range(3)}))
    )
    for n, backend in enumerate("abc"):
        curve = np.array(steps(table, backend, "tau", "share"))
        assert curve[0, 0] == 1.0
        assert (np.diff(curve[:, 0]) > 0).all()
        assert (np.diff(curve[:, 1]) >= 0).all()
        assert curve[-1, 1] == sum(row[n] != "timeout" for row in field) / len(field)
    at_one = table[table["tau"] == 1.0]["share"].sum()
    answered = sum(any(cell != "timeout" for cell in row) for row in field) / len(field)
    assert at_one >= answered - 1e-12
