"""Rankings: ranks, averages of times, and the contribution of each backend."""

from collections.abc import Callable
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.columns import ValueKind
from harness.analysis.inference import Floats
from harness.analysis.pairwise import pairwise
from harness.analysis.ranking import (
    AVERAGES,
    CONTRIBUTIONS,
    RANKS,
    averages,
    contributions,
    marginal_values,
    ranks,
    shapley_values,
)
from harness.analysis.results import results_of

# Ranks, points and groups, worked out by hand and by scipy.


Trials = Callable[..., pd.DataFrame]

cells = st.one_of(st.sampled_from([0.25, 0.5, 1.0, 2.0, 4.0]), st.just("timeout"))
fields = st.integers(2, 4).flatmap(
    lambda m: st.lists(st.lists(cells, min_size=m, max_size=m), min_size=1, max_size=8)
)


def column(table: pd.DataFrame, name: str) -> dict[str, Any]:
    return dict(zip(table["backend"], table[name], strict=True))


def test_more_answers_come_before_less_time(trials_of: Trials) -> None:
    results = {"quick": [0.1, 0.1, "timeout"], "sure": [5.0, 5.0, 5.0], "slow": [6.0, 6.0, 6.0]}
    table = ranks(results_of(trials_of(results)))
    assert list(table["backend"]) == ["sure", "slow", "quick"]
    assert table["rank"].tolist() == [1.0, 2.0, 3.0]
    assert column(table, "total_s") == {"sure": 15.0, "slow": 18.0, "quick": 10.2}


def test_ties_share_the_average_rank(trials_of: Trials) -> None:
    results = {"a": [1.0, 2.0], "b": [2.0, 1.0], "c": [4.0, 4.0], "d": [0.5, 0.5]}
    assert column(ranks(results_of(trials_of(results))), "rank") == {
        "d": 1.0,
        "a": 2.5,
        "b": 2.5,
        "c": 4.0,
    }


def test_a_wrong_answer_excludes_from_every_rank(trials_of: Trials) -> None:
    results = {"liar": [1e-6] * 99 + ["wrong"], "a": [1.0] * 100, "b": ["timeout"] * 100}
    table = ranks(results_of(trials_of(results)))
    assert list(table["backend"]) == ["a", "b", "liar"]
    liar = table.iloc[2]
    assert liar["wrong"] == 1
    assert liar[["rank", "borda", "mean_rank", "groups", "answered"]].isna().all()
    # The others have the same values without it.
    alone = ranks(results_of(trials_of({name: results[name] for name in ("a", "b")})))
    assert alone.equals(table.iloc[:2])


def test_borda_points_by_hand(trials_of: Trials) -> None:
    # Puzzle 0: a against b 3/4, b 1/4; c unsolved. Puzzle 1: only c.
    results = {"a": [1.0, "timeout"], "b": [3.0, "timeout"], "c": ["crashed", 2.0]}
    points = column(ranks(results_of(trials_of(results))), "borda")
    assert points == {"a": 1.75, "b": 1.25, "c": 2.0}


def test_ranks_are_over_puzzles_that_all_were_tried_on(trials_of: Trials) -> None:
    table = ranks(results_of(trials_of({"a": [1.0, 9.0, 9.0], "b": [2.0, None, None]})))
    assert column(table, "rank") == {"a": 1.0, "b": 2.0}
    assert table["instances"].tolist() == [1, 1]
    assert table["left_out"].tolist() == [2, 2]
    apart = ranks(results_of(trials_of({"a": [1.0, None], "b": [None, 1.0]})))
    assert apart["instances"].tolist() == [0, 0]
    assert apart["rank"].isna().all()


def test_friedman_is_that_of_scipy(trials_of: Trials) -> None:
    random = np.random.default_rng(0)
    times = {name: list(random.exponential(1 + 0.3 * n, 30)) for n, name in enumerate("abc")}
    table = ranks(results_of(trials_of(times)))
    expected = scipy.stats.friedmanchisquare(*times.values()).pvalue
    assert table["friedman_p"][0] == pytest.approx(expected)
    two = ranks(results_of(trials_of({name: times[name] for name in "ab"})))
    assert two["friedman_p"].isna().all()


def test_groups_join_backends_without_significant_difference(trials_of: Trials) -> None:
    random = np.random.default_rng(1)
    base = np.exp(random.normal(-5, 1, 60))

    def noisy(factor: float) -> list[float]:
        return list(base * factor * np.exp(random.normal(0, 0.05, 60)))

    results = {"a": noisy(1.0), "b": noisy(1.0), "c": noisy(2.0), "d": noisy(2.0)}
    groups = column(ranks(results_of(trials_of(results))), "groups")
    assert groups == {"a": "a", "b": "a", "c": "b", "d": "b"}


def test_groups_may_overlap(trials_of: Trials) -> None:
    # Each neighbour is within a tenth of the next, the first and the last are not.
    base = np.exp(np.random.default_rng(2).normal(-5, 1, 40))
    results = {name: list(base * 1.07**n) for n, name in enumerate("abc")}
    groups = column(ranks(results_of(trials_of(results))), "groups")
    assert groups == {"a": "a", "b": "ab", "c": "b"}


@pytest.mark.parametrize(("backends", "least"), [(2, 8), (3, 10), (4, 11), (6, 12), (10, 14)])
def test_there_are_no_groups_with_too_few_instances(
    trials_of: Trials, backends: int, least: int
) -> None:
    for size, known in ((least - 1, False), (least, True)):
        base = np.exp(np.random.default_rng(3).normal(-5, 1, size))
        results = {f"b{n}": list(base * 2.0**n) for n in range(backends)}
        table = results_of(trials_of(results))
        found, pairs = ranks(table), pairwise(table)
        assert found["groups"].notna().all() == known
        assert pairs["different"].any() == known


def test_a_pair_with_one_instance_counts_as_a_test(trials_of: Trials) -> None:
    """Nine instances can show a difference in two tests, but not in three."""
    only_first: list[Any] = [0.1, *["timeout"] * 8]
    table = results_of(trials_of({"a": only_first, "b": [0.1] * 9, "c": only_first}))
    assert ranks(table)["groups"].isna().all()
    assert not pairwise(table)["different"].any()
    none: list[Any] = ["timeout"] * 9
    table = results_of(trials_of({"a": none, "b": [0.1] * 9, "c": none}))
    assert column(ranks(table), "groups") == {"a": "b", "b": "a", "c": "b"}


def test_letters_are_the_decisions_on_pairs(trials_of: Trials) -> None:
    """Two backends share a letter exactly if the pairwise table has no difference."""
    disagreements = 0
    for seed in range(6):
        random = np.random.default_rng(seed)
        count = int(random.integers(3, 7))
        base = np.exp(random.normal(-5, 1, 25))
        results = {
            f"b{n}": list(
                base * random.choice([1, 1.1, 1.2, 1.5]) * np.exp(random.normal(0, 0.15, 25))
            )
            for n in range(count)
        }
        table = results_of(trials_of(results))
        letters = column(ranks(table), "groups")
        for row in pairwise(table).to_dict("records"):
            shared = set(letters[row["backend"]]) & set(letters[row["other"]])
            assert bool(shared) != row["different"], (seed, row["backend"], row["other"])
            disagreements += row["different"]
    assert disagreements > 8  # of about 50


@settings(max_examples=8, deadline=None)
@given(field=fields, factor=st.sampled_from([0.5, 2.0, 8.0]), order=st.randoms())
def test_neither_order_nor_unit_changes_a_rank(
    trials_of: Trials, field: list[list[Any]], factor: float, order: Any
) -> None:
    names = "abcd"[: len(field[0])]
    results = {name: [row[n] for row in field] for n, name in enumerate(names)}
    trials = trials_of(results)
    table = ranks(results_of(trials))
    shuffled = trials.sample(frac=1, random_state=order.randrange(1000))
    again = ranks(results_of(shuffled))
    pd.testing.assert_frame_equal(table, again)
    scaled = trials.assign(wall_s=trials["wall_s"] * factor, timeout_s=trials["timeout_s"] * factor)
    other = ranks(results_of(scaled))
    for name in ("rank", "mean_rank", "borda", "groups"):
        assert column(other, name) == column(table, name)


@settings(max_examples=8, deadline=None)
@given(field=fields)
def test_ranks_and_points_add_up(trials_of: Trials, field: list[list[Any]]) -> None:
    m = len(field[0])
    table = ranks(results_of(trials_of({"abcd"[n]: [r[n] for r in field] for n in range(m)})))
    assert table["rank"].sum() == pytest.approx(m * (m + 1) / 2)
    assert table["mean_rank"].sum() == pytest.approx(m * (m + 1) / 2)
    # Each pair shares one point on each instance that at least one of them answered.
    pairs = sum(
        row[i] != "timeout" or row[j] != "timeout"
        for row in field
        for i in range(m)
        for j in range(i)
    )
    assert table["borda"].sum() == pytest.approx(pairs)


@pytest.mark.parametrize(("number", "note"), [(7, "no groups: too few"), (8, "group: backends")])
def test_groups_are_explained_only_where_there_are_any(
    trials_of: Trials, number: int, note: str
) -> None:
    table = ranks(results_of(trials_of({"a": [0.1] * number, "b": [0.3] * number})))
    texts = [found.text for found in RANKS.notes(table)]
    assert [text for text in texts if "group" in text.split(":")[0]] == [
        text for text in texts if text.startswith(note)
    ]
    assert sum(text.startswith(note) for text in texts) == 1


def test_friedman_needs_two_instances(trials_of: Trials) -> None:
    two = {"a": [1.0, 2.0], "b": [2.0, 3.0], "c": [3.0, 1.0]}
    (p,) = set(ranks(results_of(trials_of(two)))["friedman_p"])
    assert p == pytest.approx(scipy.stats.friedmanchisquare(*two.values()).pvalue)
    one = {name: times[:1] for name, times in two.items()}
    assert ranks(results_of(trials_of(one)))["friedman_p"].isna().all()


# Averages of the backends of a comparison group.


def test_every_average_by_hand(trials_of: Trials) -> None:
    table = averages(results_of(trials_of({"a": [1.0, "timeout"], "b": [2.0, 4.0]})))
    assert list(table["backend"]) == ["b", "a"]
    assert table["par2_s"].tolist() == [3.0, 10.5]
    assert table["par10_s"].tolist() == [3.0, 50.5]
    assert table["par2_ratio"].tolist() == [1.0, 3.5]
    assert table["sgm_1ms_s"][1] == pytest.approx(np.sqrt(1.001 * 10.001) - 0.001)


def test_a_shift_that_decides_is_flagged(trials_of: Trials) -> None:
    # a is 100 times faster where both are fast, b somewhat faster where both are slow.
    decides = {"a": [1e-5, 0.13], "b": [1e-3, 0.1]}
    table = averages(results_of(trials_of(decides)))
    assert table["order_differs"].all()
    ratios = table.set_index("backend")
    assert ratios["sgm_100us_ratio"]["a"] == 1.0
    assert ratios["sgm_10ms_ratio"]["b"] == 1.0
    clear = averages(results_of(trials_of({"a": [1e-5, 0.1], "b": [1e-3, 0.2]})))
    assert not clear["order_differs"].any()


def test_a_wrong_backend_has_no_average_and_sets_no_ratio(trials_of: Trials) -> None:
    table = averages(results_of(trials_of({"liar": [1e-6, "wrong"], "a": [1.0, 1.0]})))
    assert list(table["backend"]) == ["a", "liar"]
    assert table["par2_ratio"][0] == 1.0
    assert table.loc[1, ["par2_s", "sgm_1ms_s", "par2_ratio"]].isna().all()
    assert table["wrong"].tolist() == [0, 1]


def test_the_titles_of_ratios_name_their_shifts() -> None:
    titles = {c.name: c.title for c in AVERAGES.columns if "_ratio" in c.name}
    assert titles == {
        "par2_ratio": "ratio",
        "sgm_100us_ratio": "at 0.1 ms",
        "sgm_1ms_ratio": "1 ms",
        "sgm_10ms_ratio": "10 ms",
    }


# Contributions: by hand, against the definition, and properties that always hold.


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
