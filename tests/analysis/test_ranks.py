"""Ranks, points and groups, worked out by hand and by scipy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.pairwise import pairwise
from harness.analysis.ranking import RANKS, ranks
from harness.analysis.results import results_of

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
    for seed in range(16):
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
    assert disagreements > 20  # of about 150


@settings(max_examples=20, deadline=None)
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


@settings(max_examples=20, deadline=None)
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
