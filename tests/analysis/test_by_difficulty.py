"""Times by difficulty."""

from collections.abc import Callable

import pandas as pd

from harness.analysis.columns import ValueKind
from harness.analysis.difficulty import BY_DIFFICULTY, by_difficulty, reference_backend
from harness.analysis.results import results_of

Trials = Callable[..., pd.DataFrame]


def reported(*guesses: int) -> Callable[[int], str]:
    return lambda number: f'{{"guesses": {guesses[number]}}}'


def test_difficulty_is_the_number_of_guesses_of_the_reference(trials_of: Trials) -> None:
    guesses = trials_of({"ref": [1.0] * 5 + ["timeout"]}, stats=reported(0, 9, 10, 999, 1000, 5))
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


def test_the_reference_reports_the_most_guesses(trials_of: Trials) -> None:
    few = trials_of({"a": [1.0]}, stats=reported(1))
    many = trials_of({"b": [1.0, 1.0]}, stats=reported(1, 1))
    other = trials_of({"c": [1.0] * 9}, stats='{"decisions": 3}')
    assert reference_backend(results_of(pd.concat([few, many, other]))) == "b"
    assert reference_backend(results_of(other)) is None


def test_without_guesses_difficulty_is_the_share_of_given_cells(trials_of: Trials) -> None:
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
    ref = trials_of({"ref": [2.0, 2.0]}, stats=reported(0, 50))
    table = by_difficulty(results_of(pd.concat([ref, trials_of({"liar": [1.0, "wrong"]})])))
    ratios = {(r["difficulty"], r["backend"]): r["ratio"] for r in table.to_dict("records")}
    assert ratios[("no guess", "ref")] == 1.0
    assert pd.isna(ratios[("no guess", "liar")])


def test_the_reference_answers_and_each_of_its_puzzles_counts_once(trials_of: Trials) -> None:
    """`a` reports guesses of failures, and `b` of one puzzle under three limits."""
    own = trials_of({"a": ["unknown"] * 4, "c": [1.0, 1.0, None, None]}, stats='{"guesses": 5}')
    others = [
        trials_of({"b": [1.0]}, stats='{"guesses": 50}', timeout_s=limit)
        for limit in (10.0, 20.0, 30.0)
    ]
    table = by_difficulty(results_of(pd.concat([own, *others], ignore_index=True)))
    assert set(table["reference"]) == {"c"}


def test_the_note_names_the_reference_and_what_is_left_out(trials_of: Trials) -> None:
    guesses = trials_of({"b": [1.0, 1.0]}, stats='{"guesses": 5}')
    table = by_difficulty(results_of(guesses))
    (note,) = BY_DIFFICULTY.notes(table.iloc[:1])
    assert note.values == {"reference": (ValueKind.BACKEND, ["b"])}
