"""Errors in grids with their positions, and the detection of grids."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InputError
from harness.puzzles import Shape
from harness.puzzles.formats import read_text
from tests.puzzles.example import BOXED, GRID, LINE, NINE, ROWS, bands, lines_of

# Errors in grids.


def test_an_invalid_symbol_in_a_boxed_grid_is_an_error_with_its_column(
    error_of: Callable[..., InputError],
) -> None:
    text = BOXED.replace("| 7 . .", "| ? . .")
    error = error_of(text)
    assert error.where == "p.txt:7:3"
    assert "'?'" in error.what


def test_an_invalid_symbol_is_named_before_the_length_of_its_row(
    error_of: Callable[..., InputError],
) -> None:
    rows = [*ROWS[:4], f"{ROWS[4][:8]}?1", *ROWS[5:]]
    error = error_of("\n".join(rows))
    assert error.where == "p.txt:5:9"
    assert "'?'" in error.what


def test_a_letter_in_a_9x9_grid_is_an_error(error_of: Callable[..., InputError]) -> None:
    text = BOXED.replace("| 7 . .", "| A . .")
    error = error_of(text)
    assert error.where == "p.txt:7:3"
    assert "'A'" in error.what
    assert "1-9," in error.expected


def test_two_blank_symbols_in_a_grid_are_an_error_at_the_second(
    error_of: Callable[..., InputError],
) -> None:
    text = "\n".join([*ROWS[:8], ROWS[8].replace(".", "0")])
    assert error_of(text).where == "p.txt:9:1"


@pytest.mark.parametrize(
    ("number", "row", "where", "cells", "expected"),
    [
        (5, ROWS[4][:8], "p.txt:5:9", "8 cells", "9 cells"),
        (5, ROWS[4] + "1", "p.txt:5:10", "10 cells", "9 cells"),
        (9, "1", "p.txt:9:2", "1 cell", "9 cells"),
        (1, ROWS[0][:8], "p.txt:2:9", "9 cells", "8 cells"),
        (1, ROWS[0] + "1", "p.txt:2:10", "9 cells", "10 cells"),
    ],
)
def test_a_short_or_long_row_is_an_error_at_once(
    error_of: Callable[..., InputError],
    number: int,
    row: str,
    where: str,
    cells: str,
    expected: str,
) -> None:
    rows = [*ROWS[: number - 1], row, *ROWS[number:]]
    error = error_of("\n".join(rows))
    assert error.where == where
    assert cells in error.what
    assert error.expected.startswith(expected)


@pytest.mark.parametrize(("row", "length"), [("." * 7, 7), ("." * 16, 16), ("|", 0)])
def test_a_row_must_match_the_given_shape(
    error_of: Callable[..., InputError], row: str, length: int
) -> None:
    column = 10 if length > 9 else len(row) + 1
    error = error_of(f"{row}\n" * 9, NINE)
    assert error.where == f"p.txt:1:{column}"
    assert f"{length} cells" in error.what
    assert error.expected == "9 cells, or 81 for a puzzle in one line"


@pytest.mark.parametrize(
    ("text", "where", "cells", "expected"),
    [
        ("." * 7, "p.txt:1", "7 cells", "--shape latin7"),
        ("|", "p.txt:1", "0 cells", "4 to 36 cells"),
        ("1", "p.txt:1", "1 cell", "4 to 36 cells"),
        (f"{GRID}\n{LINE}", "p.txt:10", "81 cells", "4 to 36 cells"),
        (f"---\n{LINE}", "p.txt:2", "81 cells", "4 to 36 cells"),
    ],
)
def test_a_first_row_that_fits_no_shape_is_an_error(
    error_of: Callable[..., InputError], text: str, where: str, cells: str, expected: str
) -> None:
    error = error_of(text)
    assert error.where == where
    assert cells in error.what
    assert error.expected.endswith(expected)


def is_incomplete(error: InputError, line: int, rows: int) -> bool:
    """Whether the error is a 9x9 grid that ends on this line, after this number of rows."""
    plural = "" if rows == 1 else "s"
    return (
        error.where == f"p.txt:{line}"
        and f"{rows} row{plural}" in error.what
        and "9 rows" in error.expected
    )


@pytest.mark.parametrize(
    ("lines", "line", "rows"),
    [
        (ROWS[:8], 8, 8),
        (ROWS[:1], 1, 1),
        ([*ROWS, ROWS[0]], 10, 1),
        ([*ROWS[:8], *ROWS], 17, 8),
    ],
)
def test_a_grid_that_ends_early_is_an_error(
    error_of: Callable[..., InputError], lines: list[str], line: int, rows: int
) -> None:
    assert is_incomplete(error_of("\n".join(lines)), line, rows)


@pytest.mark.parametrize(
    ("lines", "line", "rows"),
    [
        ([*ROWS[:8], "", *ROWS], 8, 8),
        ([*ROWS[:6], "", *ROWS], 6, 6),
        ([*ROWS[:3], "", *ROWS], 3, 3),
        ([*ROWS[:6], "# the second", *ROWS], 6, 6),
        ([*ROWS[:6], "------", *ROWS], 6, 6),
        ([*bands(ROWS[:8]), "", *bands(ROWS)], 10, 8),
        ([*bands(ROWS[:6]), "", "", *bands(ROWS)], 7, 6),
        ([*bands(ROWS[:6]), "# the second", *bands(ROWS)], 7, 6),
        (["-----", *bands(ROWS[:6], "-----"), "-----", "", *bands(ROWS, "-----")], 8, 6),
        ([*bands(ROWS[:8], "-----"), "-----", *bands(ROWS, "-----")], 10, 8),
    ],
)
def test_a_grid_cut_short_is_an_error_where_it_ends_and_takes_no_row_of_the_next(
    error_of: Callable[..., InputError], lines: list[str], line: int, rows: int
) -> None:
    assert is_incomplete(error_of("\n".join(lines)), line, rows)


@pytest.mark.parametrize("missing", range(9))
@pytest.mark.parametrize("between", ["", "# next", "-----", "\n\n"])
def test_nine_grids_that_each_lack_a_row_are_never_read_as_eight(
    error_of: Callable[..., InputError], missing: int, between: str
) -> None:
    rows = [row for number, row in enumerate(ROWS) if number != missing]
    text = f"\n{between}\n".join(["\n".join(rows)] * 9)
    assert is_incomplete(error_of(text), 8, 8)


def test_three_grids_that_each_lack_a_band_are_never_read_as_two(
    error_of: Callable[..., InputError],
) -> None:
    for between in ("\n\n", "\n# next\n"):
        assert is_incomplete(error_of(between.join(["\n".join(ROWS[:6])] * 3)), 6, 6)


@given(st.lists(st.integers(0, 8), min_size=1, max_size=9), st.integers(1, 3))
def test_no_row_of_a_grid_is_read_into_another(
    error_of: Callable[..., InputError], missing: list[int], height: int
) -> None:
    """Complete grids and cut ones, separated by blank lines: always an error."""
    grids = ["\n".join(row for at, row in enumerate(ROWS) if at != cut) for cut in missing]
    text = ("\n" * (height + 1)).join([GRID, *grids])
    assert "8 rows" in error_of(text).what


# As many lines as symbols per line.


def square(size: int, symbols: str) -> str:
    row = symbols.ljust(size, ".")
    return "\n".join([row] * size)


@pytest.mark.parametrize(("size", "side"), [(16, 4), (36, 6)])
def test_as_many_lines_as_symbols_may_be_puzzles_or_one_grid(
    error_of: Callable[..., InputError], size: int, side: int
) -> None:
    text = square(size, "1234")
    error = error_of(text)
    assert error.where == "p.txt:1"
    for shape in (f"{side}x{side}", f"{size}x{size}"):
        assert f"--shape {shape}" in error.expected
    assert len(lines_of(text, Shape.parse(f"{side}x{side}"))) == size
    assert len(lines_of(text, Shape.parse(f"{size}x{size}"))) == 1


@pytest.mark.parametrize(("size", "symbol"), [(16, "5"), (16, "G"), (36, "7"), (36, "@")])
def test_a_value_too_large_for_a_line_indicates_a_grid(size: int, symbol: str) -> None:
    (read,) = read_text(square(size, "123" + symbol))
    assert str(read.puzzle.shape) == f"{size}x{size}"


def test_fewer_lines_of_16_symbols_are_4x4_puzzles() -> None:
    shapes = {str(read.puzzle.shape) for read in read_text(f"{'1234'.ljust(16, '.')}\n" * 15)}
    assert shapes == {"4x4"}


def test_16_rows_of_separate_symbols_are_a_grid() -> None:
    text = "\n".join(" ".join("1234".ljust(16, ".")) for _ in range(16))
    assert [str(read.puzzle.shape) for read in read_text(text)] == ["16x16"]


def test_a_4x4_grid_is_distinguished_from_a_line() -> None:
    assert lines_of("1234\n....\n....\n....") == lines_of("1234............")
