"""The place of every mistake in a grid of rows, and what tells a grid from lines."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.puzzles import Shape
from harness.puzzles.formats import read_text

LINE = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
ROWS = [LINE[start : start + 9] for start in range(0, 81, 9)]
GRID = "\n".join(ROWS)
BOXED = """\
+-------+-------+-------+
| . . 3 | . 2 . | 6 . . |
| 9 . . | 3 . 5 | . . 1 |
| . . 1 | 8 . 6 | 4 . . |
+-------+-------+-------+
| . . 8 | 1 . 2 | 9 . . |
| 7 . . | . . . | . . 8 |
| . . 6 | 7 . 8 | 2 . . |
+-------+-------+-------+
| . . 2 | 6 . 9 | 5 . . |
| 8 . . | 2 . 3 | . . 9 |
| . . 5 | . 1 . | 3 . . |
+-------+-------+-------+
"""
NINE = Shape.parse("9x9")
SYMBOLS = "digits, letters, and . or 0 for a blank"
NINE_VALUES = "1-9, or . or 0 for a blank"
LATIN = "the shape by name, for instance --shape latin"


def lines_of(text: str, shape: Shape | None = None) -> list[str]:
    return [read.puzzle.line for read in read_text(text, shape)]


def bands(rows: list[str], between: str = "") -> list[str]:
    """Rows with a line between bands of three."""
    banded: list[str] = []
    for number, row in enumerate(rows):
        banded += [between] * (number > 0 and number % 3 == 0) + [row]
    return banded


# Mistakes in a grid.


def test_a_character_that_is_no_symbol_is_named_with_its_column_in_a_boxed_grid(
    error_of: Callable[..., str],
) -> None:
    text = BOXED.replace("| 7 . .", "| ? . .")
    assert error_of(text) == f"p.txt:7:3: '?' is no symbol of a puzzle; expected {SYMBOLS}"


def test_a_letter_is_no_value_of_a_9x9_grid(error_of: Callable[..., str]) -> None:
    text = BOXED.replace("| 7 . .", "| A . .")
    assert error_of(text) == f"p.txt:7:3: 'A' is no value of 9x9; expected {NINE_VALUES}"


def test_two_blank_symbols_in_a_grid_are_an_error_at_the_second(
    error_of: Callable[..., str],
) -> None:
    text = "\n".join([*ROWS[:8], ROWS[8].replace(".", "0")])
    assert error_of(text) == (
        "p.txt:9:1: '0' stands for a blank where '.' already does; "
        "expected one blank symbol in a puzzle"
    )


@pytest.mark.parametrize(
    ("number", "row", "message"),
    [
        (5, ROWS[4][:8], "p.txt:5:9: a row of 8 cells for 9x9; expected 9 cells"),
        (5, ROWS[4] + "1", "p.txt:5:10: a row of 10 cells for 9x9; expected 9 cells"),
        (9, "1", "p.txt:9:2: a row of 1 cell for 9x9; expected 9 cells"),
        (1, ROWS[0][:8], "p.txt:2:9: a row of 9 cells for 8x8; expected 8 cells"),
        (1, ROWS[0] + "1", "p.txt:2:10: a row of 9 cells for 10x10; expected 10 cells"),
    ],
)
def test_a_short_or_long_row_is_an_error_at_once(
    error_of: Callable[..., str], number: int, row: str, message: str
) -> None:
    rows = [*ROWS[: number - 1], row, *ROWS[number:]]
    assert error_of("\n".join(rows)) == f"{message}, as in its first row"


@pytest.mark.parametrize(("row", "length"), [("." * 7, 7), ("." * 16, 16), ("|", 0)])
def test_a_row_is_measured_by_the_shape_asked_for(
    error_of: Callable[..., str], row: str, length: int
) -> None:
    column = 10 if length > 9 else len(row) + 1
    assert error_of(f"{row}\n" * 9, NINE) == (
        f"p.txt:1:{column}: a row of {length} cells for 9x9; expected 9 cells"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("." * 7, f"p.txt:1: a row of 7 cells fits no shape; expected {LATIN}7"),
        ("|", "p.txt:1: a row of 0 cells fits no shape; expected 4 to 36 cells"),
        ("1", "p.txt:1: a row of 1 cell fits no shape; expected 4 to 36 cells"),
        (f"{GRID}\n{LINE}", "p.txt:10: a row of 81 cells fits no shape; expected 4 to 36 cells"),
        (f"---\n{LINE}", "p.txt:2: a row of 81 cells fits no shape; expected 4 to 36 cells"),
    ],
)
def test_a_first_row_that_fits_no_shape_is_an_error(
    error_of: Callable[..., str], text: str, message: str
) -> None:
    assert error_of(text) == message


def ends(line: int, rows: int, also: str = "") -> str:
    plural = "" if rows == 1 else "s"
    return f"p.txt:{line}: the grid ends after {rows} row{plural}; expected 9 rows for 9x9{also}"


CUT = ", and between them nothing or, after every 3 rows, the same"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (ROWS[:8], ends(8, 8)),
        (ROWS[:1], ends(1, 1)),
        ([*ROWS, ROWS[0]], ends(10, 1)),
        ([*ROWS[:8], *ROWS], ends(17, 8)),
    ],
)
def test_a_grid_that_ends_early_is_an_error(
    error_of: Callable[..., str], lines: list[str], message: str
) -> None:
    assert error_of("\n".join(lines)) == message


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([*ROWS[:8], "", *ROWS], ends(8, 8, CUT)),
        ([*ROWS[:6], "", *ROWS], ends(6, 6, CUT)),
        ([*ROWS[:3], "", *ROWS], ends(3, 3, CUT)),
        ([*ROWS[:6], "# the second", *ROWS], ends(6, 6, CUT)),
        ([*ROWS[:6], "------", *ROWS], ends(6, 6, CUT)),
        ([*bands(ROWS[:8]), "", *bands(ROWS)], ends(10, 8, CUT)),
        ([*bands(ROWS[:6]), "", "", *bands(ROWS)], ends(7, 6, CUT)),
        ([*bands(ROWS[:6]), "# the second", *bands(ROWS)], ends(7, 6, CUT)),
        (["-----", *bands(ROWS[:6], "-----"), "-----", "", *bands(ROWS, "-----")], ends(8, 6, CUT)),
        ([*bands(ROWS[:8], "-----"), "-----", *bands(ROWS, "-----")], ends(10, 8, CUT)),
    ],
)
def test_a_grid_cut_short_is_an_error_where_it_ends_and_takes_no_row_of_the_next(
    error_of: Callable[..., str], lines: list[str], message: str
) -> None:
    assert error_of("\n".join(lines)) == message


@pytest.mark.parametrize("missing", range(9))
@pytest.mark.parametrize("between", ["", "# next", "-----", "\n\n"])
def test_nine_grids_that_each_lack_a_row_are_never_read_as_eight(
    error_of: Callable[..., str], missing: int, between: str
) -> None:
    rows = [row for number, row in enumerate(ROWS) if number != missing]
    text = f"\n{between}\n".join(["\n".join(rows)] * 9)
    assert error_of(text) == ends(8, 8, CUT)


def test_three_grids_that_each_lack_a_band_are_never_read_as_two(
    error_of: Callable[..., str],
) -> None:
    for between in ("\n\n", "\n# next\n"):
        assert error_of(between.join(["\n".join(ROWS[:6])] * 3)) == ends(6, 6, CUT)


@given(st.lists(st.integers(0, 8), min_size=1, max_size=9), st.integers(1, 3))
def test_no_row_of_a_grid_is_read_into_another(
    error_of: Callable[..., str], missing: list[int], height: int
) -> None:
    """Complete grids with cut ones among them, told apart by blank lines: always an error."""
    grids = ["\n".join(row for at, row in enumerate(ROWS) if at != cut) for cut in missing]
    text = ("\n" * (height + 1)).join([GRID, *grids])
    assert "the grid ends after 8 rows" in error_of(text)


# Lines of as many symbols as there are lines.


def square(size: int, symbols: str) -> str:
    row = symbols.ljust(size, ".")
    return "\n".join([row] * size)


@pytest.mark.parametrize(("size", "side"), [(16, 4), (36, 6)])
def test_as_many_lines_as_symbols_may_be_puzzles_or_one_grid(
    error_of: Callable[..., str], size: int, side: int
) -> None:
    text = square(size, "1234")
    assert error_of(text) == (
        f"p.txt:1: {size} lines of {size} symbols may be puzzles of {side}x{side} "
        f"or one grid of {size}x{size}; "
        f"expected the shape by name: --shape {side}x{side} or --shape {size}x{size}"
    )
    assert len(lines_of(text, Shape.parse(f"{side}x{side}"))) == size
    assert len(lines_of(text, Shape.parse(f"{size}x{size}"))) == 1


@pytest.mark.parametrize(("size", "symbol"), [(16, "5"), (16, "G"), (36, "7"), (36, "@")])
def test_a_value_too_large_for_a_line_tells_a_grid(size: int, symbol: str) -> None:
    (read,) = read_text(square(size, "123" + symbol))
    assert str(read.puzzle.shape) == f"{size}x{size}"


def test_fewer_lines_of_16_symbols_are_4x4_puzzles() -> None:
    shapes = {str(read.puzzle.shape) for read in read_text(f"{'1234'.ljust(16, '.')}\n" * 15)}
    assert shapes == {"4x4"}


def test_16_rows_of_separate_symbols_are_a_grid() -> None:
    text = "\n".join(" ".join("1234".ljust(16, ".")) for _ in range(16))
    assert [str(read.puzzle.shape) for read in read_text(text)] == ["16x16"]


def test_a_4x4_grid_of_rows_is_told_from_its_line() -> None:
    assert lines_of("1234\n....\n....\n....") == lines_of("1234............")
