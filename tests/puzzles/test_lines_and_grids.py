"""Puzzles as lines and grids: forms, errors with their positions, and what may be either."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import InputError, PuzzleError
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.formats import (
    ReadSettings,
    TextSource,
    grid_text,
)
from harness.puzzles.formats.reading import format_named, read_file
from tests.installed import needs
from tests.puzzles.detected import read
from tests.puzzles.example import (
    BOXED,
    GRID,
    LINE,
    NINE,
    ROWS,
    SOLUTION,
    bands,
    error_of,
    lines_of,
    puzzles,
    read_text,
)

# The forms of a puzzle text: what is written or drawn is read back.


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


def bare_grid(puzzle: Puzzle) -> str:
    size = puzzle.shape.size
    return "\n".join(puzzle.line[start : start + size] for start in range(0, size**2, size))


@given(puzzles(SPECS), st.sampled_from(["", " ", "\t", "  \t "]))
@settings(max_examples=50)
def test_what_is_written_is_read_back(puzzle: Puzzle, space: str) -> None:
    shape = puzzle.shape
    zeros = puzzle.line.lower().replace(".", "0")
    grid = grid_text(puzzle.givens, shape)
    bars = bare_grid(puzzle).replace("\n", "|")
    for text in (puzzle.line, zeros, bare_grid(puzzle), grid, bars, f"|{bars}|"):
        assert parse_puzzle(space + text + space, shape) == puzzle
    if str(shape) == f"{shape.size}x{shape.size}":
        assert parse_puzzle(grid) == puzzle
        assert shape.size == 27 or parse_puzzle(puzzle.line) == puzzle


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
        f"{GRID}\n{bare_grid(parse_puzzle(SOLUTION))}",
        f"{GRID}\n\n\n{bare_grid(parse_puzzle(SOLUTION))}",
        f"# one\n{GRID}\n# two\n{bare_grid(parse_puzzle(SOLUTION))}",
        f"{BOXED}\n{grid_text(parse_puzzle(SOLUTION).givens, NINE)}",
        f"{BOXED}{grid_text(parse_puzzle(SOLUTION).givens, NINE)}",
        "\n".join([*bands(ROWS), "", *bands(bare_grid(parse_puzzle(SOLUTION)).split())]),
    ],
)
def test_a_text_holds_several_puzzles(text: str) -> None:
    assert lines_of(text) == [LINE, SOLUTION]


def test_each_puzzle_knows_its_place_and_is_named_by_its_number() -> None:
    read = list(read_text(f"# first\n{LINE}\n\n{SOLUTION}", where="p.txt"))
    assert [(r.place, r.name) for r in read] == [("p.txt:2", "1"), ("p.txt:4", "2")]
    grids = list(read_text(f"\n{GRID}\n\n{GRID}", where="p.txt"))
    assert [(r.place, r.name) for r in grids] == [("p.txt:2", "1"), ("p.txt:12", "2")]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "   \n", "------\n", "\ufeff"])
def test_a_text_without_puzzles_holds_none(text: str) -> None:
    assert lines_of(text) == []


# Drawing.


@pytest.mark.parametrize(
    ("shape", "line", "text"),
    [
        ("4x4", "12..34..........", "1 2 | . .\n3 4 | . .\n----+----\n. . | . .\n. . | . ."),
        ("latin3", "123......", "1 2 3\n. . .\n. . ."),
    ],
)
def test_a_grid_is_drawn_with_borders_between_its_boxes(shape: str, line: str, text: str) -> None:
    puzzle = Puzzle.of_line(line, Shape.parse(shape))
    assert grid_text(puzzle.givens, puzzle.shape) == text


# Errors in puzzles on a line, with their positions.


LATIN = "the shape by name, for example --shape latin"


def with_symbol(symbol: str) -> str:
    return LINE[:40] + symbol + LINE[41:]


@pytest.mark.parametrize(
    "symbol",
    [*"?-_*, \t\0\x0b\x0c\x85", *"\u00a0\u00b2\u0663\uff11\u2028\ufeff\u00e9\U0001f600"],
)
def test_an_invalid_symbol_is_an_error_with_its_column(symbol: str) -> None:
    first, fourth = with_symbol(symbol), f"# one\n\n{LINE}\n{with_symbol(symbol)}"
    for text, where in ((first, "p.txt:1:41"), (fourth, "p.txt:4:41")):
        error = error_of(text)
        assert error.where == where
        assert repr(symbol) in error.what


MILLION = "1" * 1_000_000
OWN_SHAPE = "; 9 cells, or 81 for a puzzle in one line."


def with_row(number: int, row: str) -> str:
    """The grid with another row at the place of this number."""
    return "\n".join([*ROWS[: number - 1], row, *ROWS[number:]])


@pytest.mark.parametrize(
    ("text", "where", "facts"),
    [
        # Values out of range, with the range.
        ("5" + "." * 15, "1:1", ["'5'", "4x4", "; 1-4,"]),
        ("A" + "." * 80, "1:1", ["'A'", "9x9", "; 1-9,"]),
        ("B" + "." * 99, "1:1", ["'B'", "10x10", "; 1-9 or A,"]),
        ("D" + "." * 143, "1:1", ["'D'", "12x12", "; 1-9 or A-C,"]),
        ("h" + "." * 255, "1:1", ["'h'", "16x16", "; 1-9 or A-G,"]),
        ("@" + "." * 624, "1:1", ["'@'", "25x25", "; 1-9 or A-P,"]),
        # Columns count the blanks before a line.
        (f"  \t{with_symbol('?')}", "1:44", []),
        (f"\ufeff{with_symbol('?')}", "1:41", []),
        # Lines of a wrong length, where they end.
        ("." * 80, "1:81", ["80", "; 64 for 8x8 or 81 for 9x9."]),
        ("." * 82, "1:83", ["82", "; 81 for 9x9 or 100 for 10x10."]),
        ("." * 49, "1:50", ["49", f"; {LATIN}7."]),
        ("." * 729, "1:730", ["729", "; the shape by name, for example --shape 27x27."]),
        (f"{LINE[:80]} # easy", "1:81", ["' '"]),
        (MILLION, "1:1000001", []),
        (f"{LINE}\n{MILLION}", "2:1000001", []),
        (f"{GRID}\n{MILLION}", "10", []),
        # A second blank symbol, and a line of blanks with a dash, which is not a border.
        ("." * 40 + "0" * 41, "1:41", []),
        (with_row(9, ROWS[8].replace(".", "0")), "9:1", []),
        ("." * 40 + "-" + "." * 40, "1:41", []),
        ("\n".join([*ROWS[:8], "....-....", *ROWS[8:]]), "9:5", []),
        # Rows: an invalid symbol is named before the length.
        (with_row(5, f"{ROWS[4][:8]}?1"), "5:9", ["'?'"]),
        (with_row(5, ROWS[4][:8]), "5:9", ["8 cells", "; 9 cells"]),
        (with_row(5, ROWS[4] + "1"), "5:10", ["10 cells", "; 9 cells"]),
        (with_row(9, "1"), "9:2", ["1 cell", "; 9 cells"]),
        (with_row(1, ROWS[0][:8]), "1:1", ["9 cells", "a row of 8 cells"]),
        (with_row(1, ROWS[0] + "1"), "1:1", ["9 cells", "a row of 10 cells"]),
        # First rows that fit no shape.
        ("." * 7, "1", ["7 cells", "--shape latin7."]),
        ("|", "1", ["0 cells", "4 to 100 cells."]),
        ("1", "1", ["1 cell", "4 to 100 cells."]),
        (f"{GRID}\n{LINE}", "10", ["81 cells", "numbers and blanks."]),
        (f"---\n{LINE}", "2", ["81 cells", "numbers and blanks."]),
    ],
)
def test_a_malformed_text_is_an_error_with_its_place(
    text: str, where: str, facts: list[str]
) -> None:
    error = error_of(text)
    assert error.where == f"p.txt:{where}"
    for fact in facts:
        assert fact in f"{error.what}; {error.expected}."


@pytest.mark.parametrize(
    ("text", "column", "facts"),
    [
        ("." * 80, 81, ["80", "81"]),
        ("." * 82, 82, ["82", "; 81"]),
        (f"{'.' * 7}\n" * 9, 8, ["7 cells", OWN_SHAPE]),
        (f"{'.' * 16}\n" * 9, 10, ["16 cells", OWN_SHAPE]),
        ("|\n" * 9, 2, ["0 cells", OWN_SHAPE]),
    ],
)
def test_a_text_must_match_the_given_shape(text: str, column: int, facts: list[str]) -> None:
    error = error_of(text, NINE)
    assert error.where == f"p.txt:1:{column}"
    for fact in facts:
        assert fact in f"{error.what}; {error.expected}."


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


@pytest.mark.parametrize("blank", "0*_-Xx")
def test_each_puzzle_has_one_of_several_blank_symbols(blank: str) -> None:
    assert lines_of(f"{LINE}\n{LINE.replace('.', blank)}") == [LINE, LINE]
    assert lines_of("x" + "." * 1295) == ["X" + "." * 1295]  # a value of a grid that has it


@pytest.mark.parametrize("symbol", ["-", "=", "---.", "+-", "| ", ".", " "])
def test_a_long_line_that_is_almost_a_border_takes_no_time(symbol: str) -> None:
    assert error_of("1 2" + symbol * 100_000 + "?").where.startswith("p.txt:1")
    assert error_of(symbol * 100_000 + "?").where.startswith("p.txt:1")


# Errors in grids with their positions, and the detection of grids.


@pytest.mark.parametrize("text", [f"{LINE}|a comment", f"{LINE} | 4"])
def test_bars_after_a_line_begin_a_comment(text: str) -> None:
    assert parse_puzzle(text).line == LINE


@pytest.mark.parametrize(
    "text", [f"{LINE}|{LINE}", "|".join(ROWS[:8]), "|".join([*ROWS[:8], ROWS[8][:8]]), "1|2"]
)
def test_bars_that_are_not_between_the_rows_of_a_grid_are_an_error(text: str) -> None:
    with pytest.raises(PuzzleError):
        parse_puzzle(text)


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
    lines: list[str], line: int, rows: int
) -> None:
    assert is_incomplete(error_of("\n".join(lines)), line, rows)


@pytest.mark.parametrize("missing", range(9))
@pytest.mark.parametrize("between", ["", "# next", "-----", "\n\n"])
def test_nine_grids_that_each_lack_a_row_are_never_read_as_eight(
    missing: int, between: str
) -> None:
    rows = [row for number, row in enumerate(ROWS) if number != missing]
    text = f"\n{between}\n".join(["\n".join(rows)] * 9)
    assert is_incomplete(error_of(text), 8, 8)


# As many lines as symbols per line.


def square(size: int, symbols: str) -> str:
    row = symbols.ljust(size, ".")
    return "\n".join([row] * size)


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("\n".join("." * n for n in (16, 81, 256)), ["4x4", "9x9", "16x16"]),
        # A value too large for a line indicates a grid, and so do blanks between symbols.
        (square(16, "1239"), ["16x16"]),
        (square(16, "123G"), ["16x16"]),
        (square(36, "123J"), ["36x36"]),
        (square(36, "123@"), ["36x36"]),
        ("\n".join(" ".join("1239".ljust(16, ".")) for _ in range(16)), ["16x16"]),
        (f"{'1234'.ljust(16, '.')}\n" * 15, ["4x4"] * 15),
        ("1234\n....\n....\n....", ["4x4"]),
    ],
)
def test_lengths_and_values_determine_the_shapes(text: str, shapes: list[str]) -> None:
    assert [str(parsed.puzzle.shape) for parsed in read_text(text)] == shapes


@pytest.mark.parametrize(("size", "side"), [(16, 4), (36, 6)])
def test_as_many_lines_as_symbols_may_be_puzzles_or_one_grid(size: int, side: int) -> None:
    text = square(size, "1234")
    error = error_of(text)
    assert error.where == "p.txt:1"
    for shape in (f"{side}x{side}", f"{size}x{size}"):
        assert f"--shape {shape}" in error.expected
    assert len(lines_of(text, Shape.parse(f"{side}x{side}"))) == size
    assert len(lines_of(text, Shape.parse(f"{size}x{size}"))) == 1


# Texts with as many lines as each line is long: puzzles in lines, or one grid.


@pytest.mark.parametrize("name", ["4x4", "4x4+diagonal", "6x6+antiknight", "latin5", "latin6"])
def test_the_comment_on_the_shape_decides(name: str, tmp_path: Path) -> None:
    size = Shape.parse(name).size
    path = tmp_path / "p.txt"
    path.write_text(f"# shape: {name}\n" + f"1{'.' * (size**2 - 1)}\n" * size**2)
    puzzles = [parsed.puzzle for parsed in read_file(path)]
    assert puzzles == [Puzzle(Shape.parse(name), (1, *[0] * (size**2 - 1)))] * size**2


def test_a_comment_below_the_first_row_ends_a_grid() -> None:
    row = f"{'.' * 16}\n"
    assert len(list(read_text(row + "# the others\n" + row * 15))) == 16


# Texts with a missing separator are errors, not puzzles of another kind.


@needs("formats")
def test_a_puzzle_with_its_solution_is_no_jigsaw() -> None:
    with pytest.raises(PuzzleError, match="the solution of the puzzle instead of regions"):
        read(LINE + SOLUTION)


@needs("formats")
def test_scattered_regions_are_read() -> None:
    """A region may have a cell in each row and column, if it is not the value of givens."""
    other = SOLUTION.translate(str.maketrans("123456789", "234567891"))
    (parsed,) = read(LINE + other)
    assert parsed.puzzle.line == LINE


@pytest.mark.parametrize("blank", [".", "0", "_"])
def test_two_digits_of_a_grid_with_blanks_are_no_candidates(blank: str) -> None:
    lines = [LINE.replace(".", blank)[at : at + 9] for at in range(0, 81, 9)]
    rows = [" ".join(line) for line in lines]
    rows[1] = rows[1][:2] + "36" + rows[1][3:]
    text = "\n".join(rows)
    with pytest.raises(PuzzleError, match="10 cells"):
        read(text)
    (parsed,) = format_named("candidates").read(TextSource.of_text(text, "t"), ReadSettings())
    assert parsed.puzzle.pencilmarks is not None
