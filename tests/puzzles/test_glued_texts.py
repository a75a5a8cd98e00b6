"""Texts with a missing separator are errors, not puzzles of another kind."""

import pytest

from harness.errors import PuzzleError
from harness.puzzles.formats import ReadSettings, TextSource
from harness.puzzles.formats.reading import format_named
from tests.puzzles.detected import read
from tests.puzzles.example import LINE, SOLUTION


def test_a_puzzle_with_its_solution_is_no_jigsaw() -> None:
    with pytest.raises(PuzzleError, match="the solution of the puzzle instead of regions"):
        read(LINE + SOLUTION)


def test_scattered_regions_are_read() -> None:
    """A region may have a cell in each row and column, if it is not the value of givens."""
    other = SOLUTION.translate(str.maketrans("123456789", "234567891"))
    (found,) = read(LINE + other)
    assert found.puzzle.line == LINE


@pytest.mark.parametrize("blank", [".", "0", "_"])
def test_two_digits_of_a_grid_with_blanks_are_no_candidates(blank: str) -> None:
    lines = [LINE.replace(".", blank)[at : at + 9] for at in range(0, 81, 9)]
    rows = [" ".join(line) for line in lines]
    rows[1] = rows[1][:2] + "36" + rows[1][3:]
    text = "\n".join(rows)
    with pytest.raises(PuzzleError, match="10 cells"):
        read(text)
    (found,) = format_named("candidates").read(TextSource.of_text(text, "t"), ReadSettings())
    assert found.puzzle.pencilmarks is not None
