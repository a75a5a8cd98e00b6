"""Errors in puzzles on a line, with their positions."""

from collections.abc import Callable

import pytest

from harness.errors import InputError
from harness.puzzles.formats import read_text
from tests.puzzles.example import GRID, LINE, NINE, ROWS, lines_of

LATIN = "the shape by name, for instance --shape latin"


def with_symbol(symbol: str) -> str:
    return LINE[:40] + symbol + LINE[41:]


@pytest.mark.parametrize(
    "symbol",
    [*"?-_*, \t\0\x0b\x0c\x85", *"\u00a0\u00b2\u0663\uff11\u2028\ufeff\u00e9\U0001f600"],
)
def test_an_invalid_symbol_is_an_error_with_its_column(
    error_of: Callable[..., InputError], symbol: str
) -> None:
    first, fourth = with_symbol(symbol), f"# one\n\n{LINE}\n{with_symbol(symbol)}"
    for text, where in ((first, "p.txt:1:41"), (fourth, "p.txt:4:41")):
        error = error_of(text)
        assert error.where == where
        assert repr(symbol) in error.what


@pytest.mark.parametrize("symbol", ["a", "A", "z", "@"])
def test_a_letter_in_a_9x9_is_an_error(error_of: Callable[..., InputError], symbol: str) -> None:
    error = error_of(with_symbol(symbol))
    assert error.where == "p.txt:1:41"
    assert repr(symbol) in error.what
    assert "1-9," in error.expected


@pytest.mark.parametrize(
    ("text", "symbol", "shape", "values"),
    [
        ("5" + "." * 15, "5", "4x4", "1-4"),
        ("B" + "." * 99, "B", "10x10", "1-9 or A"),
        ("D" + "." * 143, "D", "12x12", "1-9 or A-C"),
        ("h" + "." * 255, "h", "16x16", "1-9 or A-G"),
        ("@" + "." * 624, "@", "25x25", "1-9 or A-P"),
    ],
)
def test_a_value_out_of_range_is_an_error_with_the_range(
    error_of: Callable[..., InputError], text: str, symbol: str, shape: str, values: str
) -> None:
    error = error_of(text)
    assert error.where == "p.txt:1:1"
    assert repr(symbol) in error.what
    assert shape in error.what
    assert error.expected.startswith(f"{values},")


def test_columns_count_the_spaces_before_a_line(error_of: Callable[..., InputError]) -> None:
    assert error_of(f"  \t{with_symbol('?')}").where == "p.txt:1:44"
    assert error_of(f"\ufeff{with_symbol('?')}").where == "p.txt:1:41"


@pytest.mark.parametrize(
    ("after", "comment"),
    [
        (" # easy", "easy"),
        (" 1.2 x", "1.2 x"),
        (",7,a b", "7,a b"),
        ("\t// url", "url"),
        (" #", ""),
    ],
)
def test_what_follows_a_puzzle_on_its_line_is_its_comment(after: str, comment: str) -> None:
    (read,) = read_text(LINE + after)
    assert (read.puzzle.line, read.fields.get("comment", "")) == (LINE, comment)


def test_what_follows_a_part_of_a_puzzle_is_no_comment(error_of: Callable[..., InputError]) -> None:
    error = error_of(f"{LINE[:80]} # easy")
    assert error.where == "p.txt:1:81"
    assert "' '" in error.what


@pytest.mark.parametrize("blank", "0*_-Xx")
def test_a_puzzle_has_one_of_several_blank_symbols(blank: str) -> None:
    assert lines_of(LINE.replace(".", blank)) == [LINE]


def test_x_is_a_value_of_a_grid_that_has_it() -> None:
    assert lines_of("x" + "." * 1295) == ["X" + "." * 1295]


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (80, "64 for 8x8 or 81 for 9x9"),
        (82, "81 for 9x9 or 100 for 10x10"),
        (49, f"{LATIN}7"),
        (729, "the shape by name, for instance --shape 27x27"),
    ],
)
def test_a_line_of_a_wrong_length_is_an_error_where_it_ends(
    error_of: Callable[..., InputError], length: int, expected: str
) -> None:
    error = error_of("." * length)
    assert error.where == f"p.txt:1:{length + 1}"
    assert str(length) in error.what
    assert error.expected == expected


@pytest.mark.parametrize(("length", "column"), [(80, 81), (82, 82)])
def test_a_line_that_does_not_match_the_given_shape_is_an_error(
    error_of: Callable[..., InputError], length: int, column: int
) -> None:
    error = error_of("." * length, NINE)
    assert error.where == f"p.txt:1:{column}"
    assert str(length) in error.what
    assert "81" in error.expected


def test_two_blank_symbols_in_a_line_are_an_error_at_the_second(
    error_of: Callable[..., InputError],
) -> None:
    assert error_of("." * 40 + "0" * 41).where == "p.txt:1:41"


def test_each_line_has_its_own_blank_symbol() -> None:
    assert lines_of(f"{LINE}\n{LINE.replace('.', '0')}") == [LINE, LINE]


def test_a_line_of_ten_million_characters_is_an_error_like_any_other(
    error_of: Callable[..., InputError],
) -> None:
    text = "1" * 10_000_000
    assert error_of(text).where == "p.txt:1:10000001"
    assert error_of(f"{LINE}\n{text}").where == "p.txt:2:10000001"
    assert error_of(f"{GRID}\n{text}").where == "p.txt:10"


@pytest.mark.parametrize("symbol", ["-", "=", "---.", "+-", "| ", ".", " "])
def test_a_long_line_that_is_almost_a_border_takes_no_time(
    error_of: Callable[..., InputError], symbol: str
) -> None:
    assert error_of("1 2" + symbol * 100_000 + "?").where.startswith("p.txt:1")
    assert error_of(symbol * 100_000 + "?").where.startswith("p.txt:1")


def test_a_line_of_blanks_with_a_dash_is_not_a_border(error_of: Callable[..., InputError]) -> None:
    text = "." * 40 + "-" + "." * 40
    assert error_of(text).where == "p.txt:1:41"
    assert error_of("\n".join([*ROWS[:8], "....-....", *ROWS[8:]])).where == "p.txt:9:5"
