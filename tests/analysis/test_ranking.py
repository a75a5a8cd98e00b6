"""Ranks, groups without difference, and the contribution of each backend.

The values are those of their definitions by test_oracles.py.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.measures.columns import ValueKind
from harness.analysis.measures.results import results_of
from harness.analysis.pairs import pairwise
from harness.analysis.ranking import CONTRIBUTIONS, contributions, ranks
from tests.trials import Trials


def column(table: pd.DataFrame, name: str) -> dict[str, Any]:
    return dict(zip(table["backend"], table[name], strict=True))


def test_groups_may_overlap(trials_of: Trials) -> None:
    # Each neighbour is within a tenth of the next, the first and the last are not.
    base = np.exp(np.random.default_rng(2).normal(-5, 1, 40))
    results = {name: list(base * 1.07**n) for n, name in enumerate("abc")}
    groups = column(ranks(results_of(trials_of(results))), "groups")
    assert groups == {"a": "a", "b": "ab", "c": "b"}


@pytest.mark.parametrize(("backends", "least"), [(2, 8), (4, 11)])
def test_there_are_no_groups_with_too_few_instances(
    trials_of: Trials, backends: int, least: int
) -> None:
    for size, has_groups in ((least - 1, False), (least, True)):
        base = np.exp(np.random.default_rng(3).normal(-5, 1, size))
        results = {f"b{n}": list(base * 2.0**n) for n in range(backends)}
        table = results_of(trials_of(results))
        ranking, pairs = ranks(table), pairwise(table)
        assert ranking["groups"].notna().all() == has_groups
        assert pairs["different"].any() == has_groups


def test_a_pair_with_one_instance_counts_as_a_test(trials_of: Trials) -> None:
    """Nine instances can show a difference in two tests, but not in three."""
    only_first: list[Any] = [0.1, *["timeout"] * 8]
    table = results_of(trials_of({"a": only_first, "b": [0.1] * 9, "c": only_first}))
    assert ranks(table)["groups"].isna().all()
    assert not pairwise(table)["different"].any()
    none: list[Any] = ["timeout"] * 9
    table = results_of(trials_of({"a": none, "b": [0.1] * 9, "c": none}))
    assert column(ranks(table), "groups") == {"a": "b", "b": "a", "c": "b"}


# Contributions of backends.


def test_the_note_names_the_single_best_solver(trials_of: Trials) -> None:
    table = contributions(results_of(trials_of({"a": [1.0, 2.0], "b": [2.0, 3.0]})))
    assert table[["instances", "left_out", "wrong"]].to_numpy().tolist() == [[2, 0, 0]] * 2
    (note,) = CONTRIBUTIONS.notes(table)
    assert note.values == {"best": (ValueKind.BACKEND, ["a"])}
    nobody = contributions(results_of(trials_of({"a": ["wrong"], "b": ["wrong"]})))
    assert not nobody["single_best"].any()
    assert all("VBS" not in note.text for note in CONTRIBUTIONS.notes(nobody))


def test_without_answers_or_common_instances_there_are_no_shares(trials_of: Trials) -> None:
    table = contributions(results_of(trials_of({"a": ["timeout"], "b": ["timeout"]})))
    assert table["shapley_s"].tolist() == table["best_on"].tolist() == [0.0, 0.0]
    assert table["shapley_share"].isna().all()
    table = contributions(results_of(trials_of({"a": [1.0, None], "b": [None, 1.0]})))
    assert table["backend"].tolist() == ["a", "b"]
    assert not table["single_best"].any()
    assert table["par2_s"].isna().all()
