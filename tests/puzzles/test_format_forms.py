"""The forms of a puzzle text: what is written or drawn is read back."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.errors import InputError
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.formats import ParsedPuzzle, boxed, read_text
from tests.puzzles.example import BOXED, GRID, LINE, NINE, ROWS, SOLUTION, bands, lines_of, puzzles

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


# What is written is read back.


@given(puzzles(SPECS))
def test_a_line_is_read_back(puzzle: Puzzle) -> None:
    assert parse_puzzle(puzzle.line, puzzle.shape) == puzzle


@given(puzzles(SPECS))
def test_the_length_of_a_line_determines_a_boxed_shape(puzzle: Puzzle) -> None:
    shape = puzzle.shape
    if str(shape) == f"{shape.size}x{shape.size}" and shape.size != 27:
        assert parse_puzzle(puzzle.line) == puzzle


@given(puzzles(SPECS))
def test_a_grid_of_rows_is_read_back(puzzle: Puzzle) -> None:
    assert parse_puzzle(bare_grid(puzzle), puzzle.shape) == puzzle


@given(puzzles(SPECS))
def test_a_boxed_grid_is_read_back(puzzle: Puzzle) -> None:
    assert parse_puzzle(boxed(puzzle.givens, puzzle.shape), puzzle.shape) == puzzle


@given(puzzles(SPECS))
def test_the_size_of_a_boxed_grid_determines_its_shape(puzzle: Puzzle) -> None:
    shape = puzzle.shape
    if str(shape) == f"{shape.size}x{shape.size}":
        assert parse_puzzle(boxed(puzzle.givens, shape)) == puzzle


@given(puzzles(SPECS), puzzles(SPECS))
def test_grids_of_different_shapes_follow_each_other(one: Puzzle, other: Puzzle) -> None:
    texts = [boxed(puzzle.givens, puzzle.shape) for puzzle in (one, other)]
    if all(str(p.shape) == f"{p.shape.size}x{p.shape.size}" for p in (one, other)):
        assert lines_of("\n\n".join(texts)) == [one.line, other.line]


@given(puzzles(SPECS))
def test_lower_case_and_zeros_say_the_same(puzzle: Puzzle) -> None:
    text = puzzle.line.lower().replace(".", "0")
    assert parse_puzzle(text, puzzle.shape) == puzzle


@given(puzzles(SPECS), st.sampled_from([" ", "\t", "  \t "]))
def test_spaces_around_a_line_do_not_count(puzzle: Puzzle, space: str) -> None:
    assert parse_puzzle(space + puzzle.line + space, puzzle.shape) == puzzle


def found_or_error(text: str) -> list[ParsedPuzzle] | InputError:
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
def test_every_symbol_is_read(text: str) -> None:
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
        f"{GRID}\n{bare_grid(parse_puzzle(SOLUTION))}",
        f"{GRID}\n\n\n{bare_grid(parse_puzzle(SOLUTION))}",
        f"# one\n{GRID}\n# two\n{bare_grid(parse_puzzle(SOLUTION))}",
        f"{BOXED}\n{boxed(parse_puzzle(SOLUTION).givens, NINE)}",
        f"{BOXED}{boxed(parse_puzzle(SOLUTION).givens, NINE)}",
        "\n".join([*bands(ROWS), "", *bands(bare_grid(parse_puzzle(SOLUTION)).split())]),
    ],
)
def test_a_text_holds_several_puzzles(text: str) -> None:
    assert lines_of(text) == [LINE, SOLUTION]


def test_lines_of_different_lengths_are_puzzles_of_different_shapes() -> None:
    shapes = [str(r.puzzle.shape) for r in read_text("\n".join("." * n for n in (16, 81, 256)))]
    assert shapes == ["4x4", "9x9", "16x16"]


def test_each_puzzle_knows_its_place_and_is_named_by_its_number() -> None:
    read = list(read_text(f"# first\n{LINE}\n\n{SOLUTION}", where="p.txt"))
    assert [(r.place, r.name) for r in read] == [("p.txt:2", "1"), ("p.txt:4", "2")]
    grids = list(read_text(f"\n{GRID}\n\n{GRID}", where="p.txt"))
    assert [(r.place, r.name) for r in grids] == [("p.txt:2", "1"), ("p.txt:12", "2")]


def test_a_shape_by_name_decides_how_a_line_is_read() -> None:
    latin = Shape.parse("latin9")
    (read,) = read_text(LINE, latin)
    assert read.puzzle.shape == latin


@pytest.mark.parametrize(("symbol", "value"), [("A", 10), ("a", 10), ("G", 16), ("g", 16)])
def test_letters_stand_for_values_above_9(symbol: str, value: int) -> None:
    assert parse_puzzle(symbol + "." * 255).givens[0] == value


def test_the_line_of_seed_002_has_zeros_for_blanks() -> None:
    text = "000800000030092001090000000700000800005700900200000000003520100050000402006004000"
    assert lines_of(text) == [text.replace("0", ".")]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "   \n", "------\n", "\ufeff"])
def test_a_text_without_puzzles_holds_none(text: str) -> None:
    assert lines_of(text) == []


# Drawing.


def test_a_boxed_grid_is_drawn_with_borders_between_its_boxes() -> None:
    assert boxed(parse_puzzle("12..34..........").givens, Shape.parse("4x4")) == (
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
