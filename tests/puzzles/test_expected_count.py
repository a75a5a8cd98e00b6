"""What is known of a puzzle, and which answers it contradicts."""

from typing import Any

import pytest

from harness.errors import PuzzleError
from harness.puzzles import ExpectedCount


@pytest.mark.parametrize(
    ("text", "expected_count", "sentence"),
    [
        (0, ExpectedCount(0), "0 solutions"),
        (1, ExpectedCount(1), "1 solution"),
        (38122, ExpectedCount(38122), "38122 solutions"),
        ("7", ExpectedCount(7), "7 solutions"),
        (">=2000000", ExpectedCount(2000000, exact=False), "at least 2000000 solutions"),
        (" >= 1 ", ExpectedCount(1, exact=False), "at least 1 solution"),
        (10**77, ExpectedCount(10**77), f"{10**77} solutions"),
    ],
)
def test_a_number_of_solutions_is_read(
    text: object, expected_count: ExpectedCount, sentence: str
) -> None:
    assert ExpectedCount.parse(text) == expected_count
    assert str(expected_count) == sentence


@pytest.mark.parametrize(
    "text", [-1, True, 1.0, None, [1], "", "many", "> 3", "<=3", "1.5", "\u0663", "1 2"]
)
def test_a_malformed_number_of_solutions_is_an_error(text: Any) -> None:
    with pytest.raises(PuzzleError) as caught:
        ExpectedCount.parse(text)
    assert repr(text) in caught.value.what
    assert ">=" in caught.value.expected


def test_a_number_of_5000_digits_is_an_error_like_any_other() -> None:
    with pytest.raises(PuzzleError):
        ExpectedCount.parse(">=" + "9" * 5000)


@pytest.mark.parametrize(
    ("count", "number"),
    [(0, "0 solutions"), (2, "2 solutions"), (">=1", "at least 1 solution")],
)
def test_a_solution_belongs_to_a_puzzle_with_exactly_one(count: object, number: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        ExpectedCount.parse(count, "1234")
    assert number in caught.value.what
    assert caught.value.expected == "1 solution"


def test_unsatisfiable_is_wrong_where_a_solution_is_known() -> None:
    assert ExpectedCount(0).contradicts_unsatisfiable is None
    assert ExpectedCount(0, exact=False).contradicts_unsatisfiable is None
    for known in (ExpectedCount(1), ExpectedCount(5, exact=False)):
        assert str(known) in (known.contradicts_unsatisfiable or "")


@pytest.mark.parametrize(
    ("expected_count", "number", "exact", "wrong"),
    [
        (ExpectedCount(15), 15, True, False),
        (ExpectedCount(15), 14, True, True),
        (ExpectedCount(15), 16, True, True),
        (ExpectedCount(15), 10, False, False),
        (ExpectedCount(15), 15, False, False),
        (ExpectedCount(15), 16, False, True),
        (ExpectedCount(15, exact=False), 14, True, True),
        (ExpectedCount(15, exact=False), 15, True, False),
        (ExpectedCount(15, exact=False), 9999, True, False),
        (ExpectedCount(15, exact=False), 2, False, False),
        (ExpectedCount(15, exact=False), 9999, False, False),
        (ExpectedCount(0), 0, True, False),
        (ExpectedCount(0), 1, False, True),
    ],
)
def test_a_count_that_contradicts_the_expected_count_is_wrong(
    expected_count: ExpectedCount, number: int, exact: bool, wrong: bool
) -> None:
    reason = expected_count.contradicts_count(number, exact)
    assert (reason is not None) is wrong
    assert reason is None or str(expected_count) in reason


def test_a_solution_is_wrong_where_there_is_none_or_another() -> None:
    assert ExpectedCount(0).contradicts_solution("12") is not None
    assert "12" in (ExpectedCount(1, solution="12").contradicts_solution("21") or "")
    assert ExpectedCount(1, solution="12").contradicts_solution("12") is None
    assert ExpectedCount(1).contradicts_solution("12") is None
    assert ExpectedCount(2).contradicts_solution("12") is None
    assert ExpectedCount(0, exact=False).contradicts_solution("12") is None
