"""Ranks, groups without difference, and the contribution of each backend.

The values are those of their definitions by test_oracles.py.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness.analysis.measures.columns import ValueKind
from harness.analysis.measures.results import results_of
from harness.analysis.pairs import pairwise
from harness.analysis.ranking import (
    CONTRIBUTIONS,
    contributions,
    ranks,
)

Trials = Callable[..., pd.DataFrame]


def column(table: pd.DataFrame, name: str) -> dict[str, Any]:
    return dict(zip(table["backend"], table[name], strict=True))


def test_more_answers_come_before_less_time(trials_of: Trials) -> None:
    results = {"quick": [0.1, 0.1, "timeout"], "sure": [5.0, 5.0, 5.0], "slow": [6.0, 6.0, 6.0]}
    table = ranks(results_of(trials_of(results)))
    assert list(table["backend"]) == ["sure", "slow", "quick"]
    assert table["rank"].tolist() == [1.0, 2.0, 3.0]
    assert column(table, "total_s") == {"sure": 15.0, "slow": 18.0, "quick": 10.2}


def test_a_wrong_answer_excludes_from_every_rank(trials_of: Trials) -> None:
    results = {"liar": [1e-6] * 99 + ["wrong"], "a": [1.0] * 100, "b": ["timeout"] * 100}
    table = ranks(results_of(trials_of(results)))
    assert list(table["backend"]) == ["a", "b", "liar"]
    liar = table.iloc[2]
    assert liar["wrong"] == 1
    assert liar[["rank", "mean_s", "groups", "answered"]].isna().all()
    # The others have the same values without it.
    alone = ranks(results_of(trials_of({name: results[name] for name in ("a", "b")})))
    assert alone.equals(table.iloc[:2])


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


def test_contributions_by_hand(trials_of: Trials) -> None:
    # T = 10, so no backend costs 20. VBS: 1 and 2, PAR-2 1.5.
    table = contributions(results_of(trials_of({"a": [1.0, "timeout"], "b": [3.0, 2.0]})))
    by_backend = table.set_index("backend")
    assert by_backend["par2_s"].to_dict() == {"a": 10.5, "b": 2.5}
    assert by_backend["vbs_par2_s"].to_dict() == {"a": 1.5, "b": 1.5}
    assert by_backend["share_of_vbs"].to_dict() == {"a": 1.5 / 10.5, "b": 1.5 / 2.5}
    assert by_backend["marginal_s"].to_dict() == {"a": 1.0, "b": 9.0}
    # a: half of (20 - 10.5) alone and of 1 after b; b: half of 17.5 and of 9.
    assert by_backend["shapley_s"].to_dict() == {
        "a": pytest.approx(5.25),
        "b": pytest.approx(13.25),
    }
    assert by_backend["single_best"].to_dict() == {"a": False, "b": True}
    assert by_backend["best_on"].to_dict() == {"a": 1.0, "b": 1.0}
    assert by_backend["alone_on"].to_dict() == {"a": 0, "b": 1}
    assert list(table["backend"]) == ["b", "a"]
    assert table["shapley_share"].sum() == pytest.approx(1.0)


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
