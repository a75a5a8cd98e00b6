"""Reading puzzle texts, and the place of every mistake in them."""

import io
import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.errors import InputError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.formats import Read, boxed, read_file, read_text

LINE = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
SOLUTION = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
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
BOXED_SPECS = ("4x4", "6x6", "8x8", "9x9", "10x10", "12x12", "16x16", "25x25", "27x27", "36x36")
SPECS = (
    *BOXED_SPECS,
    "box5x2",
    "box4x2",
    "latin2",
    "latin3",
    "latin7",
    "latin9",
    "latin16",
    "latin36",
)
SYMBOLS = "digits, letters, and . or 0 for a blank"
NINE_VALUES = "1-9, or . or 0 for a blank"
LATIN = "the shape by name, for instance --shape latin"


def lines_of(text: str, shape: Shape | None = None) -> list[str]:
    return [read.puzzle.line for read in read_text(text, shape)]


def error_of(text: str, shape: Shape | None = None) -> str:
    with pytest.raises(InputError) as caught:
        list(read_text(text, shape, where="p.txt"))
    message = str(caught.value)
    assert "\n" not in message
    return message


def bands(rows: list[str], between: str = "") -> list[str]:
    """Rows with a line between bands of three."""
    banded: list[str] = []
    for number, row in enumerate(rows):
        banded += [between] * (number > 0 and number % 3 == 0) + [row]
    return banded


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    shape = Shape.parse(draw(st.sampled_from(SPECS)))
    values = random.Random(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.0, 0.3, 1.0]))
    givens = (
        values.randint(1, shape.size) if values.random() < share else 0
        for _ in range(shape.size**2)
    )
    return Puzzle(shape, tuple(givens))


def bare_grid(puzzle: Puzzle) -> str:
    size = puzzle.shape.size
    return "\n".join(puzzle.line[start : start + size] for start in range(0, size**2, size))


# What is written is read back.


@given(puzzles())
def test_a_line_is_read_back(puzzle: Puzzle) -> None:
    assert Puzzle.parse(puzzle.line, puzzle.shape) == puzzle


@given(puzzles())
def test_a_line_alone_tells_a_boxed_shape(puzzle: Puzzle) -> None:
    shape = puzzle.shape
    if str(shape) == f"{shape.size}x{shape.size}" and shape.size != 27:
        assert Puzzle.parse(puzzle.line) == puzzle


@given(puzzles())
def test_a_grid_of_rows_is_read_back(puzzle: Puzzle) -> None:
    assert Puzzle.parse(bare_grid(puzzle), puzzle.shape) == puzzle


@given(puzzles())
def test_a_boxed_grid_is_read_back(puzzle: Puzzle) -> None:
    assert Puzzle.parse(boxed(puzzle.givens, puzzle.shape), puzzle.shape) == puzzle


@given(puzzles())
def test_a_boxed_grid_alone_tells_its_shape(puzzle: Puzzle) -> None:
    shape = puzzle.shape
    if str(shape) == f"{shape.size}x{shape.size}":
        assert Puzzle.parse(boxed(puzzle.givens, shape)) == puzzle


@given(puzzles(), puzzles())
def test_grids_of_different_shapes_follow_each_other(one: Puzzle, other: Puzzle) -> None:
    texts = [boxed(puzzle.givens, puzzle.shape) for puzzle in (one, other)]
    if all(str(p.shape) == f"{p.shape.size}x{p.shape.size}" for p in (one, other)):
        assert lines_of("\n\n".join(texts)) == [one.line, other.line]


@given(puzzles())
def test_lower_case_and_zeros_say_the_same(puzzle: Puzzle) -> None:
    text = puzzle.line.lower().replace(".", "0")
    assert Puzzle.parse(text, puzzle.shape) == puzzle


@given(puzzles(), st.sampled_from([" ", "\t", "  \t "]))
def test_spaces_around_a_line_do_not_count(puzzle: Puzzle, space: str) -> None:
    assert Puzzle.parse(space + puzzle.line + space, puzzle.shape) == puzzle


def found_or_error(text: str) -> list[Read] | InputError:
    try:
        return list(read_text(text, where="p.txt"))
    except InputError as error:
        return error


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_any_text_holds_puzzles_or_is_an_error_with_a_place(text: str) -> None:
    found = found_or_error(text)
    if isinstance(found, InputError):
        assert found.where.startswith("p.txt:")
        assert found.expected


@given(st.text("123456789.0 |-+\n#", max_size=400))
@example(".-")
@example("." * 40 + "-" + "." * 40)
def test_no_symbol_is_ever_passed_over(text: str) -> None:
    found = found_or_error(text)
    if isinstance(found, list):
        rows = [line for line in text.split("\n") if "#" not in line and "---" not in line]
        symbols = sum(symbol not in " |-+" for row in rows for symbol in row)
        assert sum(len(read.puzzle.givens) for read in found) == symbols


# The forms a text may have.


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        LINE.replace(".", "0"),
        GRID,
        BOXED,
        BOXED.replace(" ", ""),
        BOXED.replace("+", "*"),
        BOXED.replace("+---", ".---").replace("-+", "-."),
        BOXED.replace("+-------+-------+-------+", ":----------------------:"),
        "\n".join(f"+-+-+-+-+-+-+-+-+-+\n|{'|'.join(row)}|" for row in ROWS),
        BOXED.replace("-", "\u2500").replace("|", "\u2502").replace("+", "\u253c"),
        "\n".join(" ".join(row) for row in ROWS),
        "\n".join("\t".join(row) for row in ROWS),
        "\n".join(bands(ROWS)),
        "\n".join(bands(ROWS, "\n")),
        "\n".join(bands(ROWS, "---+---+---")),
        "\n".join(bands(ROWS, "=====")),
        "\n".join(bands(ROWS, "# the next band")),
        "\n\n".join(ROWS),
        "\n-----\n".join(ROWS),
        "# a comment\n\n" + LINE + "\n\n# another\n",
        "# a comment\n\n" + GRID + "\n\n# another\n",
        "\ufeff" + LINE,
        "\ufeff" + GRID,
        GRID.replace("\n", "\r\n") + "\r\n",
        GRID.replace("\n", "\r"),
        f"   {LINE}  \n",
        "\n".join(f"  {row} " for row in ROWS),
    ],
)
def test_one_puzzle_has_many_forms(text: str) -> None:
    assert lines_of(text) == [LINE]


@pytest.mark.parametrize(
    "text",
    [
        f"{LINE}\n{SOLUTION}",
        f"{LINE}\n\n# the solution\n{SOLUTION}\n",
        f"{LINE}\r\n{SOLUTION}\r\n",
        f"{GRID}\n{bare_grid(Puzzle.parse(SOLUTION))}",
        f"{GRID}\n\n\n{bare_grid(Puzzle.parse(SOLUTION))}",
        f"# one\n{GRID}\n# two\n{bare_grid(Puzzle.parse(SOLUTION))}",
        f"{BOXED}\n{boxed(Puzzle.parse(SOLUTION).givens, NINE)}",
        f"{BOXED}{boxed(Puzzle.parse(SOLUTION).givens, NINE)}",
        "\n".join([*bands(ROWS), "", *bands(bare_grid(Puzzle.parse(SOLUTION)).split())]),
    ],
)
def test_a_text_holds_several_puzzles(text: str) -> None:
    assert lines_of(text) == [LINE, SOLUTION]


def test_lines_of_different_lengths_are_puzzles_of_different_shapes() -> None:
    shapes = [str(r.puzzle.shape) for r in read_text("\n".join("." * n for n in (16, 81, 256)))]
    assert shapes == ["4x4", "9x9", "16x16"]


def test_each_puzzle_knows_its_place_and_is_named_by_its_line() -> None:
    read = list(read_text(f"# first\n{LINE}\n\n{SOLUTION}", where="p.txt"))
    assert [(r.place, r.name) for r in read] == [("p.txt:2", "2"), ("p.txt:4", "4")]
    grids = list(read_text(f"\n{GRID}\n\n{GRID}", where="p.txt"))
    assert [(r.place, r.name) for r in grids] == [("p.txt:2", "2"), ("p.txt:12", "12")]


def test_a_shape_by_name_says_how_a_line_is_meant() -> None:
    latin = Shape.parse("latin9")
    (read,) = read_text(LINE, latin)
    assert read.puzzle.shape == latin


@pytest.mark.parametrize(("symbol", "value"), [("A", 10), ("a", 10), ("G", 16), ("g", 16)])
def test_letters_stand_for_values_above_9(symbol: str, value: int) -> None:
    assert Puzzle.parse(symbol + "." * 255).givens[0] == value


def test_the_line_of_seed_002_has_zeros_for_blanks() -> None:
    text = "000800000030092001090000000700000800005700900200000000003520100050000402006004000"
    assert lines_of(text) == [text.replace("0", ".")]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "   \n", "------\n", "\ufeff"])
def test_a_text_without_puzzles_holds_none(text: str) -> None:
    assert lines_of(text) == []


# Mistakes in a line.


def with_symbol(symbol: str) -> str:
    return LINE[:40] + symbol + LINE[41:]


@pytest.mark.parametrize(
    "symbol",
    [*"?-_*, \t\0\x0b\x0c\x85", *"\u00a0\u00b2\u0663\uff11\u2028\ufeff\u00e9\U0001f600"],
)
def test_a_character_that_is_no_symbol_is_named_with_its_column(symbol: str) -> None:
    expected = f"{symbol!r} is no symbol of a puzzle; expected {SYMBOLS}"
    assert error_of(with_symbol(symbol)) == f"p.txt:1:41: {expected}"
    assert error_of(f"# one\n\n{LINE}\n{with_symbol(symbol)}") == f"p.txt:4:41: {expected}"


@pytest.mark.parametrize("symbol", ["a", "A", "z", "@"])
def test_a_letter_is_no_value_of_a_9x9(symbol: str) -> None:
    assert error_of(with_symbol(symbol)) == (
        f"p.txt:1:41: {symbol!r} is no value of 9x9; expected {NINE_VALUES}"
    )


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
def test_a_value_out_of_range_is_told_what_is_in_range(
    text: str, symbol: str, shape: str, values: str
) -> None:
    assert error_of(text) == (
        f"p.txt:1:1: {symbol!r} is no value of {shape}; expected {values}, or . or 0 for a blank"
    )


def test_columns_count_the_spaces_before_a_line() -> None:
    assert error_of(f"  \t{with_symbol('?')}").startswith("p.txt:1:44: '?'")
    assert error_of(f"\ufeff{with_symbol('?')}").startswith("p.txt:1:41: '?'")


def test_what_follows_a_puzzle_on_its_line_is_an_error() -> None:
    assert (
        error_of(f"{LINE} # easy")
        == f"p.txt:1:82: ' ' is no symbol of a puzzle; expected {SYMBOLS}"
    )


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (80, "64 for 8x8 or 81 for 9x9"),
        (82, "81 for 9x9 or 100 for 10x10"),
        (49, f"{LATIN}7"),
        (729, "the shape by name, for instance --shape 27x27"),
    ],
)
def test_a_line_of_a_wrong_length_is_an_error_where_it_ends(length: int, expected: str) -> None:
    assert error_of("." * length) == (
        f"p.txt:1:{length + 1}: a line of {length} characters fits no shape; expected {expected}"
    )


@pytest.mark.parametrize(("length", "column"), [(80, 81), (82, 82)])
def test_a_line_of_a_wrong_length_for_the_shape_asked_for_is_an_error(
    length: int, column: int
) -> None:
    assert error_of("." * length, NINE) == (
        f"p.txt:1:{column}: a line of {length} characters for 9x9; expected 81 characters"
    )


def test_two_blank_symbols_in_a_line_are_an_error_at_the_second() -> None:
    assert error_of("." * 40 + "0" * 41) == (
        "p.txt:1:41: '0' stands for a blank where '.' already does; "
        "expected one blank symbol in a puzzle"
    )


def test_each_line_has_its_own_blank_symbol() -> None:
    assert lines_of(f"{LINE}\n{LINE.replace('.', '0')}") == [LINE, LINE]


def test_a_line_of_ten_million_characters_is_an_error_like_any_other() -> None:
    text = "1" * 10_000_000
    message = "a line of 10000000 characters fits no shape; expected 1296 for 36x36"
    assert error_of(text) == f"p.txt:1:10000001: {message}"
    assert error_of(f"{LINE}\n{text}") == f"p.txt:2:10000001: {message}"
    assert error_of(f"{GRID}\n{text}") == (
        "p.txt:10: a row of 10000000 cells fits no shape; expected 4 to 36 cells"
    )


@pytest.mark.parametrize("symbol", ["-", "=", "---.", "+-", "| ", ".", " "])
def test_a_long_line_that_is_almost_a_border_takes_no_time(symbol: str) -> None:
    assert error_of("1 2" + symbol * 100_000 + "?").startswith("p.txt:1")
    assert error_of(symbol * 100_000 + "?").startswith("p.txt:1")


def test_a_line_of_blanks_with_a_dash_is_no_border() -> None:
    text = "." * 40 + "-" + "." * 40
    message = f"'-' is no symbol of a puzzle; expected {SYMBOLS}"
    assert error_of(text) == f"p.txt:1:41: {message}"
    assert error_of("\n".join([*ROWS[:8], "....-....", *ROWS[8:]])) == f"p.txt:9:5: {message}"


# Mistakes in a grid.


def test_a_character_that_is_no_symbol_is_named_with_its_column_in_a_boxed_grid() -> None:
    text = BOXED.replace("| 7 . .", "| ? . .")
    assert error_of(text) == f"p.txt:7:3: '?' is no symbol of a puzzle; expected {SYMBOLS}"


def test_a_letter_is_no_value_of_a_9x9_grid() -> None:
    text = BOXED.replace("| 7 . .", "| A . .")
    assert error_of(text) == f"p.txt:7:3: 'A' is no value of 9x9; expected {NINE_VALUES}"


def test_two_blank_symbols_in_a_grid_are_an_error_at_the_second() -> None:
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
def test_a_short_or_long_row_is_an_error_at_once(number: int, row: str, message: str) -> None:
    rows = [*ROWS[: number - 1], row, *ROWS[number:]]
    assert error_of("\n".join(rows)) == f"{message}, as in its first row"


@pytest.mark.parametrize(("row", "length"), [("." * 7, 7), ("." * 16, 16), ("|", 0)])
def test_a_row_is_measured_by_the_shape_asked_for(row: str, length: int) -> None:
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
def test_a_first_row_that_fits_no_shape_is_an_error(text: str, message: str) -> None:
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
def test_a_grid_that_ends_early_is_an_error(lines: list[str], message: str) -> None:
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
    lines: list[str], message: str
) -> None:
    assert error_of("\n".join(lines)) == message


@pytest.mark.parametrize("missing", range(9))
@pytest.mark.parametrize("between", ["", "# next", "-----", "\n\n"])
def test_nine_grids_that_each_lack_a_row_are_never_read_as_eight(
    missing: int, between: str
) -> None:
    rows = [row for number, row in enumerate(ROWS) if number != missing]
    text = f"\n{between}\n".join(["\n".join(rows)] * 9)
    assert error_of(text) == ends(8, 8, CUT)


def test_three_grids_that_each_lack_a_band_are_never_read_as_two() -> None:
    for between in ("\n\n", "\n# next\n"):
        assert error_of(between.join(["\n".join(ROWS[:6])] * 3)) == ends(6, 6, CUT)


@given(st.lists(st.integers(0, 8), min_size=1, max_size=9), st.integers(1, 3))
def test_no_row_of_a_grid_is_read_into_another(missing: list[int], height: int) -> None:
    """Complete grids with cut ones among them, told apart by blank lines: always an error."""
    grids = ["\n".join(row for at, row in enumerate(ROWS) if at != cut) for cut in missing]
    text = ("\n" * (height + 1)).join([GRID, *grids])
    assert "the grid ends after 8 rows" in error_of(text)


# Lines of as many symbols as there are lines.


def square(size: int, symbols: str) -> str:
    row = symbols.ljust(size, ".")
    return "\n".join([row] * size)


@pytest.mark.parametrize(("size", "side"), [(16, 4), (36, 6)])
def test_as_many_lines_as_symbols_may_be_puzzles_or_one_grid(size: int, side: int) -> None:
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


# Files.


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def file_error(path: Path) -> str:
    """The message without the folder of the file."""
    with pytest.raises(InputError) as caught:
        read_file(path)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(str(path), path.name)


def test_a_file_is_named_in_its_errors(tmp_path: Path) -> None:
    path = write(tmp_path / "p.txt", f"{LINE}\n{with_symbol('?')}\n")
    assert file_error(path) == f"p.txt:2:41: '?' is no symbol of a puzzle; expected {SYMBOLS}"


def test_a_file_may_start_with_a_byte_order_mark_and_end_lines_as_on_windows(
    tmp_path: Path,
) -> None:
    text = write(tmp_path / "p.txt", b"\xef\xbb\xbf" + GRID.replace("\n", "\r\n").encode())
    assert [read.puzzle.line for read in read_file(text)] == [LINE]
    toml = write(tmp_path / "p.toml", f'\ufeff[[puzzle]]\r\npuzzle = "{LINE}"\r\n')
    assert [read.puzzle.line for read in read_file(toml)] == [LINE]
    records = write(tmp_path / "p.json", "\ufeff" + json.dumps([{"puzzle": LINE}]))
    assert [read.puzzle.line for read in read_file(records)] == [LINE]


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "-----\n"])
def test_a_file_without_a_puzzle_is_an_error(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "p.txt", text)
    assert file_error(path) == "p.txt: holds no puzzle; expected at least one puzzle"


def test_a_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    assert file_error(tmp_path / "p.txt") == "p.txt: no such file"


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    assert file_error(tmp_path) == f"{tmp_path.name}: a folder; expected a file of puzzles"


def test_a_file_below_a_file_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "p.txt", LINE) / "q.txt"
    assert file_error(path) == "q.txt: cannot be read: Not a directory"


def test_a_path_that_no_system_allows_is_an_error() -> None:
    for path, reason in (("a\0b", "embedded null byte"), ("a" * 5000, "File name too long")):
        with pytest.raises(InputError) as caught:
            read_file(path)
        assert str(caught.value) == f"{path}: cannot be read: {reason}"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"\xff", "1:1"),
        (LINE.encode("utf-16"), "1:1"),
        (b"# \xc3\xa9t\xe9\n", "1:5"),
        (f"{LINE}\n123".encode() + b"\xff", "2:4"),
    ],
)
def test_bytes_that_are_not_utf_8_are_an_error_at_their_place(
    tmp_path: Path, content: bytes, place: str
) -> None:
    path = write(tmp_path / "p.txt", content)
    message = "bytes that are not UTF-8; expected a text of puzzles"
    assert file_error(path) == f"p.txt:{place}: {message}"


def test_standard_input_is_read_as_a_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{LINE}\n"))
    assert [(read.puzzle.line, read.place) for read in read_file("-")] == [
        (LINE, "standard input:1")
    ]
    for content, message in (
        ("", "standard input: holds no puzzle; expected at least one puzzle"),
        ("?", f"standard input:1:1: '?' is no symbol of a puzzle; expected {SYMBOLS}"),
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO(content))
        with pytest.raises(InputError) as caught:
            read_file("-")
        assert str(caught.value) == message


def test_standard_input_that_is_not_utf_8_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"12\xff"), encoding="utf-8"))
    with pytest.raises(InputError) as caught:
        read_file("-")
    assert str(caught.value) == (
        "standard input:1:3: bytes that are not UTF-8; expected a text of puzzles"
    )


# Records.


def read_records(tmp_path: Path, records: object) -> list[Read]:
    return read_file(write(tmp_path / "p.json", json.dumps(records)))


def record_error(tmp_path: Path, record: object) -> str:
    return file_error(write(tmp_path / "p.json", json.dumps([record])))


def test_a_toml_file_holds_a_table_a_puzzle(tmp_path: Path) -> None:
    content = f"""
[[puzzle]]
id = "seed000"
puzzle = \"\"\"
{GRID}
\"\"\"
solutions = 1
solution = "{SOLUTION}"
source = "seed 000"

[[puzzle]]
puzzle = "................"
solutions = ">=100"
"""
    first, second = read_file(write(tmp_path / "p.toml", content))
    assert (first.name, first.puzzle.line, first.source) == ("seed000", LINE, "seed 000")
    assert str(first.truth) == "1 solution"
    assert first.truth is not None
    assert first.truth.solution == SOLUTION
    assert first.place.endswith("p.toml: puzzle 1 (seed000)")
    assert (second.name, str(second.truth), second.source) == (
        "2",
        "at least 100 solutions",
        None,
    )


ROW_LISTS = [[int(symbol.replace(".", "0")) for symbol in row] for row in ROWS]


@pytest.mark.parametrize(
    "record",
    [
        {"puzzle": LINE},
        {"puzzle": GRID},
        {"puzzle": BOXED},
        {"givens": LINE},
        {"givens": [value for row in ROW_LISTS for value in row]},
        {"givens": ROW_LISTS},
        {"puzzle": ROW_LISTS},
        {"puzzle": LINE, "shape": "9x9"},
        {"puzzle": LINE, "n": 9},
        {"puzzle": LINE, "rating": 1.5, "clues": 32},
        {"puzzle": LINE, "id": None, "shape": None, "n": None, "solutions": None, "source": None},
    ],
)
def test_a_record_says_its_puzzle_in_many_forms(tmp_path: Path, record: object) -> None:
    for records in ([record], {"puzzle": [record]}):
        (read,) = read_records(tmp_path, records)
        assert (read.puzzle.line, read.name, read.truth) == (LINE, "1", None)


def test_a_record_says_its_shape_by_name_or_size(tmp_path: Path) -> None:
    records = [{"givens": [0] * 49, "shape": "latin7"}, {"givens": [0] * 256, "n": 16}]
    shapes = [str(read.puzzle.shape) for read in read_records(tmp_path, records)]
    assert shapes == ["latin7", "16x16"]


def test_an_id_may_be_a_number(tmp_path: Path) -> None:
    (read,) = read_records(tmp_path, [{"id": 26, "puzzle": LINE}])
    assert read.name == "26"


@pytest.mark.parametrize("text", [SOLUTION, bare_grid(Puzzle.parse(SOLUTION)), f"{SOLUTION}\n"])
def test_a_solution_is_a_line_or_a_grid_and_says_that_it_is_the_only_one(
    tmp_path: Path, text: str
) -> None:
    (read,) = read_records(tmp_path, [{"puzzle": LINE, "solution": text}])
    assert read.truth is not None
    assert (read.truth.count, read.truth.exact, read.truth.solution) == (1, True, SOLUTION)


SHAPES = "9x9 (any size from 4x4 to 36x36 with boxes), box5x2 or latin7"
NO_PUZZLE = "no puzzle; expected a text or a list of integers as 'puzzle' or 'givens'"
NO_NUMBER = "is no number of solutions; expected a whole number or '>=number'"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (3, "3 is no record; expected named fields"),
        (None, "None is no record; expected named fields"),
        ([[0] * 9] * 9, "[[0, 0, 0, 0, 0, 0, ...], [0, 0, 0, 0, 0, 0, ...], "),
        ({}, NO_PUZZLE),
        ({"id": "a"}, "(a): " + NO_PUZZLE),
        ({"puzzle": None}, NO_PUZZLE),
        ({"puzzle": 3}, NO_PUZZLE),
        ({"puzzle": {"a": 1}}, NO_PUZZLE),
        ({"puzzle": LINE, "givens": [0] * 81}, "'puzzle' and 'givens'; expected one of them"),
        ({"puzzle": ""}, "the text holds 0 puzzles; expected one puzzle"),
        ({"puzzle": f"{LINE}\n{LINE}"}, "the text holds 2 puzzles; expected one puzzle"),
        (
            {"puzzle": with_symbol("?"), "id": "a"},
            f"(a): puzzle:1:41: '?' is no symbol of a puzzle; expected {SYMBOLS}",
        ),
        ({"puzzle": LINE, "shape": 9}, "the shape is 9; expected its name, such as '9x9'"),
        ({"puzzle": LINE, "shape": "foo"}, f"no shape 'foo'; expected {SHAPES}"),
        ({"puzzle": LINE, "n": "9"}, "n is '9'; expected a whole number"),
        ({"puzzle": LINE, "n": 9.0}, "n is 9.0; expected a whole number"),
        ({"puzzle": LINE, "n": True}, "n is True; expected a whole number"),
        ({"puzzle": LINE, "n": 7}, f"7x7 has no boxes; expected {LATIN}7"),
        ({"puzzle": LINE, "n": -9}, "no shape has a side of -9; expected 4 to 36 cells"),
        (
            {"puzzle": LINE, "id": [1]},
            "[1] is no id; expected a printable text of at most 100 characters",
        ),
        (
            {"puzzle": LINE, "id": True},
            "True is no id; expected a printable text of at most 100 characters",
        ),
        (
            {"puzzle": LINE, "id": " "},
            "' ' is no id; expected a printable text of at most 100 characters",
        ),
        (
            {"puzzle": LINE, "id": "a\nb"},
            "'a\\nb' is no id; expected a printable text of at most 100 characters",
        ),
        (
            {"puzzle": LINE, "id": "\ud800"},
            "'\\ud800' is no id; expected a printable text of at most 100 characters",
        ),
        ({"puzzle": LINE, "source": 3}, "the source is 3; expected a text"),
        ({"puzzle": LINE, "solutions": -1}, f"-1 {NO_NUMBER}"),
        ({"puzzle": LINE, "solutions": True}, f"True {NO_NUMBER}"),
        ({"puzzle": LINE, "solutions": 1.0}, f"1.0 {NO_NUMBER}"),
        ({"puzzle": LINE, "solutions": "some"}, f"'some' {NO_NUMBER}"),
        ({"puzzle": LINE, "solutions": [1]}, f"[1] {NO_NUMBER}"),
        (
            {"puzzle": LINE, "solution": SOLUTION, "solutions": 2},
            "a solution is given for a puzzle with 2 solutions; expected 1 solution",
        ),
        ({"puzzle": LINE, "solution": 3}, "the solution is 3; expected a line or a grid"),
        (
            {"puzzle": LINE, "solution": SOLUTION[1:]},
            "solution:1:81: a line of 80 characters for 9x9; expected 81 characters",
        ),
        (
            {"puzzle": LINE, "solution": ""},
            "solution: the text holds 0 puzzles; expected one puzzle",
        ),
        (
            {"puzzle": LINE, "solution": "." + SOLUTION[1:]},
            "the solution has . at R1C1; expected a complete grid",
        ),
        (
            {"puzzle": LINE, "solution": SOLUTION[:2] + "9" + SOLUTION[3:]},
            "the solution has 9 at R1C3; expected 3",
        ),
        (
            {"puzzle": LINE, "solution": "5" + SOLUTION[1:]},
            "the solution has 5 twice in row 1; expected every value once in each house",
        ),
        ({"givens": []}, "0 cells fit no shape; expected 16 for 4x4"),
        ({"givens": [0] * 80}, "80 cells fit no shape; expected 64 for 8x8 or 81 for 9x9"),
        ({"givens": [0] * 81, "n": 16}, "81 cells for 16x16; expected 256 cells"),
        ({"givens": [[]]}, "1 rows of 0 cells; expected as many rows as columns"),
        ({"givens": [[0] * 9] * 8}, "8 rows of 9 cells; expected as many rows as columns"),
        ({"givens": [[0] * 9] * 8 + [[0] * 8]}, "row 9: 8 cells; expected 9 cells"),
        ({"givens": [[0] * 9] * 8 + [0]}, "9 cells make 3x3, which has no boxes; "),
        ({"givens": [0] * 80 + [[0]]}, "R9C9: [0] is no value of 9x9; expected 0 to 9"),
        ({"givens": [True] + [0] * 80}, "R1C1: True is no value of 9x9; expected 0 to 9"),
        ({"givens": [1.0] + [0] * 80}, "R1C1: 1.0 is no value of 9x9; expected 0 to 9"),
        ({"givens": ["1"] + [0] * 80}, "R1C1: '1' is no value of 9x9; expected 0 to 9"),
        ({"givens": [None] + [0] * 80}, "R1C1: None is no value of 9x9; expected 0 to 9"),
        ({"givens": [-1] + [0] * 80}, "R1C1: -1 is no value of 9x9; expected 0 to 9"),
        ({"givens": [0] * 80 + [10]}, "R9C9: 10 is no value of 9x9; expected 0 to 9"),
    ],
)
def test_a_malformed_record_is_an_error_with_its_number(
    tmp_path: Path, record: Any, message: str
) -> None:
    separator = " " if message.startswith("(") else ": "
    assert record_error(tmp_path, record).startswith(f"p.json: puzzle 1{separator}{message}")


def test_the_number_of_a_record_is_its_place_in_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "p.json", json.dumps([{"puzzle": LINE}, {}]))
    assert file_error(path) == f"p.json: puzzle 2: {NO_PUZZLE}"


def test_an_error_of_a_huge_record_stays_short(tmp_path: Path) -> None:
    for record in ([0] * 100_000, {"givens": [[0] * 100_000] * 81}, {"id": "a" * 100_000}):
        assert len(record_error(tmp_path, record)) < 200


NO_LIST = "no list of puzzles; expected [[puzzle]] tables or a list"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "p.toml: " + NO_LIST),
        ("[[puzzl]]\n", "p.toml: " + NO_LIST),
        ('puzzle = "1"\n', "p.toml: " + NO_LIST),
        ('[puzzle]\npuzzle = "1"\n', "p.toml: " + NO_LIST),
        ("[[puzzle]\n", "p.toml:1:9: no TOML: Expected ']]' at the end of an array declaration"),
        ("[[puzzle]]\npuzzle = \n", "p.toml:2:10: no TOML: Invalid value"),
        ("[[puzzle]]\npuzzle = 2020-01-01\n", f"p.toml: puzzle 1: {NO_PUZZLE}"),
        ("puzzle = []\n", "p.toml: holds no puzzle; expected at least one puzzle"),
    ],
)
def test_a_malformed_toml_file_is_an_error(tmp_path: Path, content: str, message: str) -> None:
    assert file_error(write(tmp_path / "p.toml", content)) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "p.json:1:1: no JSON: Expecting value"),
        ("[\n  {,\n", "p.json:2:4: no JSON: Expecting property name enclosed in double quotes"),
        ("null", "p.json: " + NO_LIST),
        ("3", "p.json: " + NO_LIST),
        ("{}", "p.json: " + NO_LIST),
        (json.dumps({"puzzle": LINE}), "p.json: " + NO_LIST),
        ("[NaN]", "p.json: puzzle 1: nan is no record; expected named fields"),
        ("[]", "p.json: holds no puzzle; expected at least one puzzle"),
    ],
)
def test_a_malformed_json_file_is_an_error(tmp_path: Path, content: str, message: str) -> None:
    assert file_error(write(tmp_path / "p.json", content)).startswith(message)


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_brackets_without_end_and_endless_numbers_are_errors(tmp_path: Path, suffix: str) -> None:
    head = "a = " if suffix == "toml" else ""
    for content in ("[" * 100_000, f"[{'9' * 5000}]"):
        path = write(tmp_path / f"p.{suffix}", head + content)
        assert file_error(path).startswith(f"p.{suffix}: no {suffix.upper()}: ")


# Drawing.


def test_a_boxed_grid_is_drawn_with_borders_between_its_boxes() -> None:
    assert boxed(Puzzle.parse("12..34..........").givens, Shape.parse("4x4")) == (
        "1 2 | . .\n3 4 | . .\n----+----\n. . | . .\n. . | . ."
    )


def test_a_shape_without_boxes_is_drawn_without_borders() -> None:
    latin = Shape.parse("latin3")
    assert boxed((1, 2, 3, 0, 0, 0, 0, 0, 0), latin) == "1 2 3\n. . .\n. . ."


@pytest.mark.parametrize("spec", ["6x6", "box5x2", "12x12", "36x36"])
def test_all_lines_of_a_boxed_grid_are_as_wide(spec: str) -> None:
    shape = Shape.parse(spec)
    lines = boxed((1,) * shape.size**2, shape).split("\n")
    assert shape.box is not None
    assert len(lines) == shape.size + shape.size // shape.box[0] - 1
    assert all(len(one) == len(other) for one, other in pairwise(lines))
