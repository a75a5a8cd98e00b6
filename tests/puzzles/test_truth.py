"""What is known of a puzzle, and which answers it contradicts."""

from typing import Any

import pytest

from harness.errors import InputError
from harness.puzzles import Truth


@pytest.mark.parametrize(
    ("text", "truth", "sentence"),
    [
        (0, Truth(0), "0 solutions"),
        (1, Truth(1), "1 solution"),
        (38122, Truth(38122), "38122 solutions"),
        ("7", Truth(7), "7 solutions"),
        (">=2000000", Truth(2000000, exact=False), "at least 2000000 solutions"),
        (" >= 1 ", Truth(1, exact=False), "at least 1 solution"),
        (10**77, Truth(10**77), f"{10**77} solutions"),
    ],
)
def test_a_number_of_solutions_is_read(text: object, truth: Truth, sentence: str) -> None:
    assert Truth.parse(text) == truth
    assert str(truth) == sentence


@pytest.mark.parametrize(
    "text", [-1, True, 1.0, None, [1], "", "many", "> 3", "<=3", "1.5", "\u0663", "1 2"]
)
def test_what_is_no_number_of_solutions_is_an_error(text: Any) -> None:
    with pytest.raises(InputError) as caught:
        Truth.parse(text)
    assert str(caught.value) == (
        f"{text!r} is no number of solutions; expected a whole number or '>=number'"
    )


def test_a_number_of_5000_digits_is_an_error_like_any_other() -> None:
    with pytest.raises(InputError, match="is no number of solutions"):
        Truth.parse(">=" + "9" * 5000)


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 solutions"), (2, "2 solutions"), (">=1", "at least 1 solution")],
)
def test_a_solution_belongs_to_a_puzzle_with_exactly_one(count: object, said: str) -> None:
    with pytest.raises(InputError) as caught:
        Truth.parse(count, "1234")
    assert str(caught.value) == f"a solution is given for a puzzle with {said}; expected 1 solution"


def test_unsatisfiable_is_wrong_where_a_solution_is_known() -> None:
    assert Truth(0).contradicts_unsatisfiable is None
    assert Truth(0, exact=False).contradicts_unsatisfiable is None
    assert Truth(1).contradicts_unsatisfiable == "it has 1 solution"
    assert Truth(5, exact=False).contradicts_unsatisfiable == "it has at least 5 solutions"


@pytest.mark.parametrize(
    ("truth", "number", "exact", "wrong"),
    [
        (Truth(15), 15, True, False),
        (Truth(15), 14, True, True),
        (Truth(15), 16, True, True),
        (Truth(15), 10, False, False),
        (Truth(15), 15, False, False),
        (Truth(15), 16, False, True),
        (Truth(15, exact=False), 14, True, True),
        (Truth(15, exact=False), 15, True, False),
        (Truth(15, exact=False), 9999, True, False),
        (Truth(15, exact=False), 2, False, False),
        (Truth(15, exact=False), 9999, False, False),
        (Truth(0), 0, True, False),
        (Truth(0), 1, False, True),
    ],
)
def test_a_count_is_wrong_where_it_excludes_what_is_known(
    truth: Truth, number: int, exact: bool, wrong: bool
) -> None:
    assert truth.contradicts_count(number, exact) == (f"it has {truth}" if wrong else None)


def test_a_solution_is_wrong_where_there_is_none_or_another() -> None:
    assert Truth(0).contradicts_solution("12") == "it has no solution"
    assert Truth(1, solution="12").contradicts_solution("21") == "its one solution is 12"
    assert Truth(1, solution="12").contradicts_solution("12") is None
    assert Truth(1).contradicts_solution("12") is None
    assert Truth(2).contradicts_solution("12") is None
    assert Truth(0, exact=False).contradicts_solution("12") is None
