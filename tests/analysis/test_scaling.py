"""By size and by difficulty."""

from collections.abc import Callable

import pandas as pd
import pytest

from harness.analysis.results import results_of
from harness.analysis.scaling import by_difficulty, reference_backend, scaling
from harness.analysis.throughput import throughput

Trials = Callable[..., pd.DataFrame]


def told(*guesses: int) -> Callable[[int], str]:
    return lambda number: f'{{"guesses": {guesses[number]}}}'


def test_sizes_stand_in_their_order_over_all_datasets(trials_of: Trials) -> None:
    places = [("16x16", "d"), ("4x4", "d"), ("4x4", "e"), ("box5x2", "d"), ("latin7", "d")]
    trials = pd.concat(
        [
            trials_of(
                {"a": [1.0, "timeout"]},
                shape=shape,
                dataset=name,
                puzzle_id=lambda n, shape=shape: f"{shape}{n}",
            )
            for shape, name in places
        ]
    )
    table = scaling(results_of(trials))
    assert list(table["shape"]) == ["4x4", "latin7", "box5x2", "16x16"]
    assert table["size"].tolist() == [4, 7, 10, 16]
    assert table["instances"].tolist() == [4, 2, 2, 2]
    assert table["share_answered"].tolist() == [0.5] * 4
    assert table["par2_s"].tolist() == [10.5] * 4
    assert table["median_is_bound"].all()


def test_difficulty_is_how_often_the_reference_guesses(trials_of: Trials) -> None:
    guesses = trials_of({"ref": [1.0] * 5 + ["timeout"]}, stats=told(0, 9, 10, 999, 1000, 5))
    others = trials_of({"a": [2.0] * 6})
    table = by_difficulty(results_of(pd.concat([guesses, others])))
    assert list(table[table["backend"] == "a"]["difficulty"]) == [
        "no guess",
        "1-9 guesses",
        "10-99 guesses",
        "100-999 guesses",
        "1000 guesses or more",
        "no answer from ref",
    ]
    assert list(table["place"]) == sorted(table["place"])
    assert table["instances"].sum() == 12
    last = table[table["difficulty"] == "no answer from ref"].set_index("backend")
    assert last["ratio"].to_dict() == {"a": 1.0, "ref": 10.0}


def test_the_reference_is_who_tells_most_guesses(trials_of: Trials) -> None:
    few = trials_of({"a": [1.0]}, stats=told(1))
    many = trials_of({"b": [1.0, 1.0]}, stats=told(1, 1))
    other = trials_of({"c": [1.0] * 9}, stats='{"decisions": 3}')
    assert reference_backend(results_of(pd.concat([few, many, other]))) == "b"
    assert reference_backend(results_of(other)) is None


def test_without_guesses_difficulty_is_how_much_is_given(trials_of: Trials) -> None:
    table = by_difficulty(
        results_of(trials_of({"a": [1.0] * 4}, clues=lambda n: [30, 20, 17, 60][n], shape="9x9"))
    )
    assert list(table["difficulty"]) == [
        "40 % given or more",
        "30-40 % given",
        "20-25 % given",
    ]
    assert table["instances"].tolist() == [1, 1, 2]


def test_a_backend_with_a_wrong_answer_anywhere_has_no_ratio(trials_of: Trials) -> None:
    ref = trials_of({"ref": [2.0, 2.0]}, stats=told(0, 50))
    table = by_difficulty(results_of(pd.concat([ref, trials_of({"liar": [1.0, "wrong"]})])))
    ratios = {(r["difficulty"], r["backend"]): r["ratio"] for r in table.to_dict("records")}
    assert ratios[("no guess", "ref")] == 1.0
    assert pd.isna(ratios[("no guess", "liar")])


def test_throughput_by_hand(trials_of: Trials) -> None:
    ref = trials_of({"ref": [0.001, 0.003, "timeout"]}, stats=told(0, 4, 9), timeout_s=0.002)
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
