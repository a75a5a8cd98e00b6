"""Contributions: by hand, against the definition, and properties that always hold."""

from collections.abc import Callable
from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.columns import ValueKind
from harness.analysis.inference import Floats
from harness.analysis.ranking import CONTRIBUTIONS, contributions, marginal_values, shapley_values
from harness.analysis.results import results_of

Trials = Callable[..., pd.DataFrame]
NONE = 20.0

costs = st.integers(1, 6).flatmap(
    lambda m: st.lists(
        st.lists(st.one_of(st.just(NONE), st.floats(1e-6, 10)), min_size=m, max_size=m),
        min_size=1,
        max_size=12,
    )
)


def value(cost: Floats, members: tuple[int, ...]) -> float:
    """Minus the PAR-2 of the virtual best of `members`, by the definition."""
    return -float(np.column_stack([cost[:, list(members)], np.full(len(cost), NONE)]).min(1).mean())


def shapley_by_definition(cost: Floats) -> list[float]:
    m = cost.shape[1]
    values = []
    for i in range(m):
        others = [j for j in range(m) if j != i]
        total = 0.0
        for size in range(m):
            weight = factorial(size) * factorial(m - size - 1) / factorial(m)
            for group in combinations(others, size):
                total += weight * (value(cost, (*group, i)) - value(cost, group))
        values.append(total)
    return values


@given(costs)
def test_shapley_values_are_those_of_the_definition(rows: list[list[float]]) -> None:
    cost = np.array(rows)
    assert shapley_values(cost, NONE) == pytest.approx(shapley_by_definition(cost), abs=1e-9)


@given(costs)
def test_shapley_values_sum_to_the_value_of_all(rows: list[list[float]]) -> None:
    cost = np.array(rows)
    worth = value(cost, tuple(range(cost.shape[1]))) - value(cost, ())
    assert shapley_values(cost, NONE).sum() == pytest.approx(worth, abs=1e-9)


@given(costs)
def test_marginal_values_are_those_of_the_definition(rows: list[list[float]]) -> None:
    cost = np.array(rows)
    everyone = range(cost.shape[1])
    expected = [
        value(cost, tuple(everyone)) - value(cost, tuple(j for j in everyone if j != i))
        for i in everyone
    ]
    assert marginal_values(cost, NONE) == pytest.approx(expected, abs=1e-9)
    assert (marginal_values(cost, NONE) >= 0).all()
    assert (shapley_values(cost, NONE) >= 0).all()


@given(costs, st.randoms(use_true_random=False))
def test_the_order_of_backends_and_instances_changes_nothing(
    rows: list[list[float]], random: "np.random.Generator"
) -> None:
    cost = np.array(rows)
    columns, lines = list(range(cost.shape[1])), list(range(cost.shape[0]))
    random.shuffle(columns)
    random.shuffle(lines)
    shuffled = shapley_values(cost[np.ix_(lines, columns)], NONE)
    assert shuffled == pytest.approx(shapley_values(cost, NONE)[columns], abs=1e-9)


def test_contributions_by_hand(trials_of: Trials) -> None:
    # T = 10, so no backend costs 20. VBS: 1 and 2, PAR-2 1.5.
    table = contributions(results_of(trials_of({"a": [1.0, "timeout"], "b": [3.0, 2.0]})))
    found = table.set_index("backend")
    assert found["par2_s"].to_dict() == {"a": 10.5, "b": 2.5}
    assert found["vbs_par2_s"].to_dict() == {"a": 1.5, "b": 1.5}
    assert found["share_of_vbs"].to_dict() == {"a": 1.5 / 10.5, "b": 1.5 / 2.5}
    assert found["marginal_s"].to_dict() == {"a": 1.0, "b": 9.0}
    # a: half of (20 - 10.5) alone and of 1 after b; b: half of 17.5 and of 9.
    assert found["shapley_s"].to_dict() == {"a": pytest.approx(5.25), "b": pytest.approx(13.25)}
    assert found["single_best"].to_dict() == {"a": False, "b": True}
    assert found["best_on"].to_dict() == {"a": 1.0, "b": 1.0}
    assert found["alone_on"].to_dict() == {"a": 0, "b": 1}
    assert list(table["backend"]) == ["b", "a"]
    assert table["shapley_share"].sum() == pytest.approx(1.0)


def test_equal_backends_share_and_a_wrong_one_has_nothing(trials_of: Trials) -> None:
    results = {"a": [1.0, 2.0], "b": [1.0, 2.0], "liar": ["wrong", 1e-6]}
    table = contributions(results_of(trials_of(results)))
    found = table.set_index("backend")
    assert found["best_on"][["a", "b"]].tolist() == [1.0, 1.0]
    assert found["marginal_s"][["a", "b"]].tolist() == [0.0, 0.0]
    assert found["shapley_s"]["a"] == found["shapley_s"]["b"]
    assert found["vbs_par2_s"]["a"] == 1.5
    assert found.loc["liar", ["par2_s", "shapley_s", "share_of_vbs"]].isna().all()
    assert list(table["backend"])[-1] == "liar"


def test_without_answers_every_value_is_zero(trials_of: Trials) -> None:
    table = contributions(results_of(trials_of({"a": ["timeout"], "b": ["timeout"]})))
    assert table["shapley_s"].tolist() == [0.0, 0.0]
    assert table["shapley_share"].isna().all()
    assert table["best_on"].tolist() == [0.0, 0.0]


def test_without_common_instances_there_are_no_values(trials_of: Trials) -> None:
    table = contributions(results_of(trials_of({"a": [1.0, None], "b": [None, 1.0]})))
    assert table["backend"].tolist() == ["a", "b"]
    assert table[["instances", "wrong"]].to_numpy().tolist() == [[0, 0]] * 2
    assert not table["single_best"].any()
    assert table["par2_s"].isna().all()


def test_the_note_names_the_single_best_solver(trials_of: Trials) -> None:
    table = contributions(results_of(trials_of({"a": [1.0, 2.0], "b": [2.0, 3.0]})))
    assert table[["instances", "left_out", "wrong"]].to_numpy().tolist() == [[2, 0, 0]] * 2
    (note,) = CONTRIBUTIONS.notes(table)
    assert note.values == {"best": (ValueKind.BACKEND, ["a"])}
    nobody = contributions(results_of(trials_of({"a": ["wrong"], "b": ["wrong"]})))
    assert not nobody["single_best"].any()
    assert all("VBS" not in note.text for note in CONTRIBUTIONS.notes(nobody))
