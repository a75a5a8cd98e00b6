"""What is known of a puzzle, and which answers it contradicts."""

from typing import Any

import pytest

from harness.base.errors import PuzzleError
from harness.puzzles import SolutionCount
from harness.puzzles.solution_count import EVERY_NUMBER, NO_SOLUTION


@pytest.mark.parametrize(
    ("text", "expected_count", "sentence"),
    [
        (0, SolutionCount.from_number(0), "0 solutions"),
        (1, SolutionCount.from_number(1), "1 solution"),
        (38122, SolutionCount.from_number(38122), "38122 solutions"),
        ("7", SolutionCount.from_number(7), "7 solutions"),
        (
            ">=2000000",
            SolutionCount.from_number(2000000, exact=False),
            "at least 2000000 solutions",
        ),
        (" >= 1 ", SolutionCount.from_number(1, exact=False), "at least 1 solution"),
        (10**77, SolutionCount.from_number(10**77), f"{10**77} solutions"),
    ],
)
def test_a_number_of_solutions_is_read(
    text: object, expected_count: SolutionCount, sentence: str
) -> None:
    assert SolutionCount.parse(text) == expected_count
    assert expected_count.text == sentence
    assert SolutionCount.of_text(sentence) == expected_count


@pytest.mark.parametrize(
    "text", [-1, True, 1.0, None, [1], "", "many", "> 3", "<=3", "1.5", "\u0663", "1 2"]
)
def test_a_malformed_number_of_solutions_is_an_error(text: Any) -> None:
    with pytest.raises(PuzzleError) as caught:
        SolutionCount.parse(text)
    assert repr(text) in caught.value.what
    assert ">=" in caught.value.expected


def test_a_number_of_5000_digits_is_an_error_like_any_other() -> None:
    with pytest.raises(PuzzleError):
        SolutionCount.parse(">=" + "9" * 5000)


@pytest.mark.parametrize(
    ("count", "number"), [(0, "0 solutions"), (2, "2 solutions"), (">=1", "at least 1 solution")]
)
def test_a_solution_belongs_to_a_puzzle_with_exactly_one(count: object, number: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        SolutionCount.parse(count, "1234")
    assert number in caught.value.what
    assert caught.value.expected == "1 solution"


@pytest.mark.parametrize(
    ("known", "number", "exact", "excluded"),
    [
        (SolutionCount(15, 15), 15, True, False),
        (SolutionCount(15, 15), 14, True, True),
        (SolutionCount(15, 15), 16, True, True),
        (SolutionCount(15, 15), 10, False, False),
        (SolutionCount(15, 15), 15, False, False),
        (SolutionCount(15, 15), 16, False, True),
        (SolutionCount(15), 14, True, True),
        (SolutionCount(15), 15, True, False),
        (SolutionCount(15), 9999, True, False),
        (SolutionCount(15), 2, False, False),
        (SolutionCount(15), 9999, False, False),
        (NO_SOLUTION, 0, True, False),
        (NO_SOLUTION, 1, False, True),
    ],
)
def test_counts_without_a_common_number_exclude_each_other(
    known: SolutionCount, number: int, exact: bool, excluded: bool
) -> None:
    claim = SolutionCount.from_number(number, exact)
    assert known.excludes(claim) is claim.excludes(known) is excluded
    assert (SolutionCount.common([known, claim]) is None) is excluded


def test_the_common_numbers_are_in_all_counts() -> None:
    counts = [SolutionCount(2), SolutionCount(0, 9), SolutionCount(3, 12)]
    common = SolutionCount.common(counts)
    assert common == SolutionCount(3, 9)
    assert all(count.includes(common) for count in counts)
    assert not common.includes(SolutionCount(3))
    assert not common.includes(SolutionCount(2, 4))
    assert common.is_below(SolutionCount(10))
    assert not common.is_below(SolutionCount(9))
    assert SolutionCount.common([]) == EVERY_NUMBER


def test_counts_in_words() -> None:
    counts = NO_SOLUTION, SolutionCount(1, 1), SolutionCount(38122, 38122), SolutionCount(1)
    assert [*map(str, (*counts, SolutionCount(2, 3)))] == [
        "no solution",
        "exactly 1 solution",
        "exactly 38,122 solutions",
        "at least 1 solution",
        "2 to 3 solutions",
    ]
