"""Puzzles, and which are the same."""

import hashlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import InputError, PuzzleError
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.datasets.collection import Match, remembering
from harness.puzzles.shape import symbol_of
from harness.puzzles.symmetry import Scramble
from tests.puzzles.example import LINE, NINE, dataset_named, puzzles

# Puzzles: their id, their forms, and what is no puzzle.


TUTORIAL = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
SPECS = ("4x4", "6x6", "9x9", "10x10", "box5x2", "16x16", "25x25", "latin7", "latin26")


def error_of(make: Any, *arguments: Any) -> InputError:
    with pytest.raises(PuzzleError) as caught:
        make(*arguments)
    return caught.value


def test_the_id_depends_on_content_alone() -> None:
    line = parse_puzzle(TUTORIAL)
    with_boxes = Puzzle(Shape.parse("box3x3"), line.givens)
    zeros = parse_puzzle(TUTORIAL.replace(".", "0"))
    assert line.id == with_boxes.id == zeros.id == Puzzle.from_rows(line.rows()).id
    assert re.fullmatch("[0-9a-f]{16}", line.id)


def test_the_same_givens_in_another_shape_are_another_puzzle() -> None:
    givens = parse_puzzle(TUTORIAL).givens
    assert Puzzle(NINE, givens).id != Puzzle(Shape.parse("latin9"), givens).id
    ten = (0,) * 100
    assert Puzzle(Shape.parse("10x10"), ten).id != Puzzle(Shape.parse("box5x2"), ten).id


@given(puzzles(SPECS), st.integers(0, 2**32))
@settings(max_examples=20)
def test_another_given_makes_another_id(puzzle: Puzzle, where: int) -> None:
    cell = where % len(puzzle.givens)
    value = (puzzle.givens[cell] + 1) % (puzzle.shape.size + 1)
    other = Puzzle(puzzle.shape, (*puzzle.givens[:cell], value, *puzzle.givens[cell + 1 :]))
    assert other.id != puzzle.id


def test_the_id_of_a_puzzle_never_changes() -> None:
    """Stored runs name their puzzles by it."""
    assert parse_puzzle(TUTORIAL).id == "469bc98d29229d12"


def with_gaps(array: Any) -> Any:
    """The array with a missing value for each blank."""
    return np.where(array == 0, np.nan, array)


FORMS: dict[str, Callable[[Any], object]] = {
    "lists": lambda array: array.tolist(),
    "flat list": lambda array: array.ravel().tolist(),
    "tuples": lambda array: tuple(map(tuple, array.tolist())),
    "arrays in a list": list,
    "scalars in a list": lambda array: list(array.ravel()),
    "array": lambda array: array,
    "flat array": np.ravel,
    "bytes": lambda array: array.astype("uint8"),
    "floats": with_gaps,
    "strings": lambda array: array.astype(str),
    "strings of floats": lambda array: with_gaps(array).astype(str),
    "objects": lambda array: np.where(array == 0, None, array),
    "minus one": lambda array: np.where(array == 0, -1, array),
    "empty strings": lambda array: np.where(array == 0, " ", array.astype(str)),
    "frame": pd.DataFrame,
    "frame with gaps": lambda array: pd.DataFrame(with_gaps(array)),
    "frame of nullable integers": lambda array: pd.DataFrame(with_gaps(array)).astype("Int64"),
    "series": lambda array: pd.Series(array.ravel()),
    "series with gaps": lambda array: pd.Series(with_gaps(array).ravel()).astype("Int64"),
    "words": lambda array: [" ".join(map(str, row)) for row in array.tolist()],
    "commas": lambda array: [", ".join(map(str, row)) for row in array.tolist()],
    "symbols": lambda array: ["".join(map(symbol_of, row)) for row in array.tolist()],
    "lists of symbols": lambda array: [[symbol_of(cell) for cell in row] for row in array.tolist()],
}


@pytest.mark.parametrize("form", FORMS)
@given(puzzles(("4x4", "9x9", "16x16", "latin26")))
@settings(max_examples=8)
def test_cells_in_every_form_are_the_same_puzzle(form: str, puzzle: Puzzle) -> None:
    assert Puzzle.from_rows(FORMS[form](np.array(puzzle.rows())), puzzle.shape) == puzzle


@pytest.mark.parametrize("form", FORMS)
@given(puzzles(("6x6", "9x9")), st.booleans())
@settings(max_examples=8)
def test_a_row_or_a_column_less_or_more_is_an_error(
    form: str, puzzle: Puzzle, is_row: bool
) -> None:
    array, size = np.array(puzzle.rows()), puzzle.shape.size
    for wrong in (size - 1, size + 1):
        changed = np.resize(array, (wrong, size) if is_row else (size, wrong))
        for shape in (None, puzzle.shape):
            error = error_of(Puzzle.from_rows, FORMS[form](changed), shape)
            assert f"{wrong}" in error.what or f"{wrong * size} cells" in error.what


@given(puzzles(SPECS))
@settings(max_examples=20)
def test_cells_by_name_are_read_back(puzzle: Puzzle) -> None:
    assert Puzzle.from_cells(puzzle.cells(), puzzle.shape) == puzzle


def test_cells_may_be_left_out_where_the_shape_is_given() -> None:
    puzzle = Puzzle.from_cells({"A1": 5, "I9": "0", "B2": "."}, NINE)
    assert puzzle.line == "5" + "." * 80


def test_values_above_9_are_letters_or_integers_in_a_dict() -> None:
    shape = Shape.parse("16x16")
    puzzle = Puzzle.from_cells({"A1": 16, "A2": "G", "P16": "a"}, shape)
    assert (puzzle.givens[0], puzzle.givens[1], puzzle.givens[255]) == (16, 16, 10)
    assert puzzle.line == "GG" + "." * 253 + "A"


@pytest.mark.parametrize("value", [True, 1.0, "1", None, -1, 10, [1]])
def test_only_integers_in_range_are_values(value: Any) -> None:
    error = error_of(Puzzle, NINE, (value, *(0,) * 80))
    assert (error.where, error.expected) == ("R1C1", "0 to 9")
    assert repr(value) in error.what


@pytest.mark.parametrize("value", [True, False, 1.5, float("inf"), 10, -2, "11", "A", b"1", [1]])
def test_a_cell_is_a_value_or_a_blank(value: Any) -> None:
    error = error_of(Puzzle.from_rows, [[value, *[0] * 8], *[[0] * 9] * 8])
    assert (error.where, error.expected) == ("R1C1", "0 to 9")
    assert repr(value) in error.what


@pytest.mark.parametrize("value", [None, float("nan"), "", ".", -1, "-1", "_", pd.NA])
def test_a_puzzle_has_blanks_of_one_kind(value: Any) -> None:
    error = error_of(Puzzle.from_rows, [5, value, *[0] * 79])
    assert (error.where, error.what[:17]) == ("R1C3", "two blank symbols")
    assert Puzzle.from_rows([5, *[value] * 80]).line == "5" + "." * 80


@pytest.mark.parametrize(
    "value", [True, 1.0, None, [1], -1, 10, "-1", "10", "", " ", "A", "12", "\u00b2", "\u0663"]
)
def test_a_cell_of_a_dict_is_a_symbol_or_an_integer(value: Any) -> None:
    error = error_of(Puzzle.from_cells, {"B7": value}, NINE)
    assert error.where == "B7"
    assert repr(value) in error.what


@pytest.mark.parametrize("key", ["a1", "J1", "A0", "A10", "", "11"])
def test_an_unknown_cell_name_is_an_error(key: str) -> None:
    error = error_of(Puzzle.from_cells, {key: 1}, NINE)
    assert repr(key) in error.what
    assert error.expected == "A1 to I9"


def test_a_dict_without_a_shape_names_all_cells() -> None:
    cells = parse_puzzle(TUTORIAL).cells()
    del cells["E5"]
    error = error_of(Puzzle.from_cells, cells)
    assert "80 cells" in error.what
    assert error.expected == "64 for 8x8 or 81 for 9x9, or a shape for the givens alone"


@pytest.mark.parametrize("shape", [(81, 1), (1, 81), (1, 9, 9), (81,), (9, 9)])
def test_an_array_of_one_puzzle_of_any_type_is_that_puzzle(shape: tuple[int, ...]) -> None:
    for cells in (np.array([*LINE]), np.array([*LINE], "S1"), np.array([*LINE], object)):
        assert Puzzle.from_rows(cells.reshape(shape)).line == LINE
    assert Puzzle.from_rows([LINE]).line == LINE
    padded = [
        [f"{symbol.replace('.', '0'):0>2}" for symbol in LINE[at : at + 9]]
        for at in range(0, 81, 9)
    ]
    for rows in (padded, [" ".join(row) for row in padded], np.array(padded)):
        assert Puzzle.from_rows(rows).line == LINE


@pytest.mark.parametrize(
    ("rows", "shape", "where", "facts"),
    [
        ([[0] * 9] * 8, None, "", ["8 rows", "9 cells"]),
        ([[0] * 9] * 8, NINE, "", ["8 rows of 9 cells", "9 rows of 9 cells"]),
        ([*[[0] * 9] * 7, [0] * 8], NINE, "", ["8 rows", "9 rows of 9 cells"]),
        ([[0] * 9] * 9, Shape.parse("16x16"), "", ["9 rows of 9 cells", "16 rows of 16 cells"]),
        ([*[[0] * 9] * 8, [0] * 8], None, "row 9", ["8 cells", "9 cells"]),
        ([[0] * 10, *[[0] * 9] * 8], None, "row 1", ["10 cells", "9 cells"]),
        ([], None, "", ["0 cells", "16 for 4x4"]),
        ([[0] * 7] * 7, None, "", ["7x7", "--shape latin7"]),
        (pd.Series([LINE, LINE]), None, "", ["2 rows of 81 cells", "one puzzle"]),
        (np.zeros((2, 9, 9)), None, "rows", ["an array of more than two dimensions"]),
    ],
)
def test_rows_that_are_not_square_are_an_error(
    rows: object, shape: Shape | None, where: str, facts: list[str]
) -> None:
    error = error_of(Puzzle.from_rows, rows, shape)
    assert error.where == where
    for fact in facts:
        assert fact in f"{error.what}; {error.expected}"


def test_a_wrong_number_of_givens_is_an_error() -> None:
    error = error_of(Puzzle, NINE, (0,) * 80)
    assert "80 cells" in error.what
    assert error.expected == "81 cells"


@pytest.mark.parametrize(("text", "number"), [("", 0), ("# none\n", 0), (f"{TUTORIAL}\n" * 2, 2)])
def test_parse_takes_a_text_of_one_puzzle(text: str, number: int) -> None:
    assert f"{number} puzzles" in error_of(parse_puzzle, text).what


# Which puzzles are the same, or equivalent.


def test_cells_in_place_of_a_text_are_refused_with_what_takes_them() -> None:
    assert "Puzzle.from_rows takes cells" in error_of(parse_puzzle, [[0] * 9] * 9).expected


PUZZLE = parse_puzzle(LINE)
RELABELLED = parse_puzzle(LINE.translate(str.maketrans("123456789", "234567891")))


def matches(puzzles: list[Puzzle], most_canonical: int | None = None) -> list[Match | None]:
    with remembering(most_canonical) as earlier:
        return [earlier.match(puzzle, f"p:{number}") for number, puzzle in enumerate(puzzles, 1)]


def test_the_first_puzzle_that_is_the_same_comes_before_an_equivalent_one() -> None:
    other = Scramble.from_seed(PUZZLE.shape, 5).puzzle(PUZZLE)
    assert matches([PUZZLE, other, other, PUZZLE]) == [
        None,
        Match("p:2", "p:1", "", equivalent=True),
        Match("p:3", "p:2", "", equivalent=False),
        Match("p:4", "p:1", "", equivalent=False),
    ]


def test_a_match_names_the_group_of_the_earlier_puzzle() -> None:
    with remembering() as earlier:
        earlier.begin("others")
        assert earlier.match(PUZZLE, "others/1") is None
        earlier.begin("")
        match = earlier.match(RELABELLED, "f.txt:3")
    assert match == Match("f.txt:3", "others/1", "others", equivalent=True)
    assert str(match) == "f.txt:3 is equivalent to others/1"


@settings(max_examples=40)
@given(puzzles(["4x4", "6x6+diagonal", "latin5", "16x16"]), st.permutations(range(1, 37)))
def test_other_values_are_found_in_every_shape(puzzle: Puzzle, order: list[int]) -> None:
    values = [0, *(value for value in order if value <= puzzle.shape.size)]
    other = Puzzle(puzzle.shape, tuple(values[value] for value in puzzle.givens))
    _, match = matches([puzzle, other])
    assert match == Match("p:2", "p:1", "", equivalent=other != puzzle)


def test_shapes_and_pencilmarks_keep_puzzles_apart() -> None:
    diagonal = Puzzle(Shape.parse("9x9+diagonal"), PUZZLE.givens)
    every = (1 << 9) - 1
    marks = tuple(1 << value - 1 if value else every - 1 for value in PUZZLE.givens)
    with_marks = Puzzle(PUZZLE.shape, PUZZLE.givens, marks)
    assert matches([PUZZLE, diagonal, with_marks]) == [None] * 3
    assert matches([with_marks, with_marks])[1] == Match("p:2", "p:1", "", equivalent=False)


def test_the_number_of_canonical_forms_is_bounded_and_duplicates_are_found_beyond() -> None:
    with remembering(2) as earlier:
        earlier.begin("")
        lines = [LINE.replace("3", "."), LINE.replace("2", "."), LINE]
        for line in lines:
            assert earlier.match(parse_puzzle(line), line) is None
        assert earlier.not_searched == 1
        assert earlier.match(RELABELLED, "beyond") is None
        assert earlier.match(PUZZLE, "again") == Match("again", LINE, "", equivalent=False)
        assert earlier.not_searched == 2


@pytest.mark.parametrize(
    ("dataset", "digest"),
    [
        ("named", "f1828a6577e86fbf"),
        ("jigsaw", "a7f90f33e10125d0"),
        ("sukaku", "3d39fbf281ee37f0"),
        ("mixed", "5a20a86a8d84e48b"),
        ("variant-kinds", "47fb1286b3176bf6"),
    ],
)
def test_identifiers_stay_as_records_have_them(dataset: str, digest: str) -> None:
    ids = "\n".join(instance.puzzle.id for instance in dataset_named(dataset).instances)
    assert hashlib.sha256(ids.encode()).hexdigest()[:16] == digest
