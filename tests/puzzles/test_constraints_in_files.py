"""Constraints in files: the formats that have them, and those that refuse them by name."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.formats import ParsedPuzzle
from harness.puzzles.formats.fpuzzles import compress
from harness.puzzles.formats.reading import format_named
from harness.puzzles.kinds import KINDS, Constraint
from tests.puzzles.detected import one
from tests.puzzles.parsed import read_back
from tests.puzzles.variants import variant
from tests.tables import cases

LINK = "https://www.f-puzzles.com/?load="
FPUZZLES = format_named("fpuzzles")


def parsed(shape: Shape, givens: tuple[int, ...] = ()) -> ParsedPuzzle:
    return ParsedPuzzle(Puzzle(shape, givens or (0,) * shape.size**2), "p:1", "1")


def texts(shape: Shape) -> list[str]:
    return [of.text(shape.size) for of in shape.constraints]


# f-puzzles.


def fpuzzles(size: int = 9, /, **keys: Any) -> Shape:
    """The shape of an object of f-puzzles with these keys, `_` for the signs of diagonals."""
    data = {"size": size, "grid": [[{} for _ in range(size)] for _ in range(size)], **keys}
    return one(LINK + compress(json.dumps(data))).puzzle.shape


@pytest.mark.parametrize(("keys", "expected"), cases(__file__, "objects_of_f_puzzles"))
def test_an_object_of_f_puzzles_is_a_constraint(keys: dict[str, Any], expected: list[str]) -> None:
    shape = fpuzzles(**keys)
    assert texts(shape) == expected
    (again,) = read_back(FPUZZLES, parsed(shape))
    assert again.puzzle.shape == shape
    assert texts(again.puzzle.shape) == expected


@pytest.mark.parametrize(("keys", "what"), cases(__file__, "defects_in_f_puzzles"))
def test_a_defect_is_an_error_with_its_place(keys: dict[str, Any], what: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        fpuzzles(**keys)
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("keys", cases(__file__, "nothing_in_f_puzzles"))
def test_what_says_nothing_is_no_constraint(keys: dict[str, Any]) -> None:
    assert fpuzzles(**keys) == Shape.parse("9x9")
    assert not fpuzzles(**keys).constraints


def test_lines_that_no_constraint_has_drawn_are_named(caplog: pytest.LogCaptureFixture) -> None:
    drawn: dict[str, Any] = {"lines": [["R1C1", "R1C2"]]}
    fpuzzles(line=[drawn | {"fromConstraint": "Renban"}])
    assert not caplog.messages
    fpuzzles(line=[drawn])
    assert caplog.messages == [
        "warning: sample: drawings of f-puzzles that belong to no constraint are ignored"
    ]


def test_a_single_diagonal_is_a_house() -> None:
    rising = fpuzzles(**{"diagonal+": True})
    assert [house.cells for house in rising.houses if house.kind == "extra"] == [
        tuple(range(8, 80, 8))
    ]
    assert rising != fpuzzles(**{"diagonal-": True})
    assert fpuzzles(**{"diagonal+": True, "diagonal-": True}) == Shape.parse("9x9+diagonal")


def test_a_cell_without_a_region_is_in_its_box_and_a_null_in_none() -> None:
    grid: list[list[dict[str, Any]]] = [[{} for _ in range(4)] for _ in range(4)]
    for row, column, region in ((0, 0, 0), (0, 1, 1), (0, 2, 0)):
        grid[row][column]["region"] = region
    assert fpuzzles(4, grid=grid).definition == "jigsaw:1212112233443344"
    none = [[{"region": None} for _ in range(4)] for _ in range(4)]
    assert fpuzzles(4, grid=none) == Shape.parse("latin4")
    for cell in none[0]:
        cell["region"] = 3  # type: ignore[assignment]
    assert fpuzzles(4, grid=none) == Shape.parse("latin4")
    assert texts(fpuzzles(4, grid=none)) == ["distinct: R1C1 R1C2 R1C3 R1C4"]


def test_the_parity_of_a_cell_is_a_constraint() -> None:
    grid: list[list[dict[str, Any]]] = [[{} for _ in range(4)] for _ in range(4)]
    grid[1][2]["parity"] = "Odd"
    assert texts(fpuzzles(4, grid=grid)) == ["odd: R2C3"]


@given(st.sampled_from([4, 6, 9]), st.lists(st.sampled_from([*KINDS]), max_size=4), st.data())
@settings(max_examples=60)
def test_constraints_survive_f_puzzles(size: int, kinds: list[str], data: st.DataObject) -> None:
    shape, grid = variant(Shape.of_side(size), kinds, data.draw(st.integers(0, 2**32)))
    puzzle = parsed(shape, grid)
    reason = FPUZZLES.can_hold(puzzle)
    if reason is not None:
        assert reason.removeprefix("holds no ").partition(" ")[0].rstrip(":") in kinds
        return
    (again,) = read_back(FPUZZLES, puzzle)
    assert again.puzzle == puzzle.puzzle


@pytest.mark.parametrize("text", cases(__file__, "constraints_that_f_puzzles_lacks"))
def test_a_constraint_that_f_puzzles_lacks_is_named(text: str) -> None:
    shape = Shape.parse(f"9x9; {text}")
    assert FPUZZLES.can_hold(parsed(shape)) == f"holds no {text.rpartition('; ')[2]}"


def test_any_shape_with_rows_and_columns_goes_through_f_puzzles() -> None:
    for shape in (*map(Shape.parse, ("9x9+windoku", "latin5")), _by_houses("4x4+antiking")):
        (again,) = read_back(FPUZZLES, parsed(shape))
        assert again.puzzle.shape == shape


def _by_houses(spec: str) -> Shape:
    shape = Shape.parse(spec)
    return Shape("mine", shape.size, shape.houses, None, shape.pairs).constrained(
        [Constraint("distinct", "", ((0, 6),))]
    )
