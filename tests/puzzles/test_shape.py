"""Shapes and their names."""

import pickle
import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.puzzles import House, Shape
from tests.tables import cases

# Shapes and their houses, against definitions written out here.


BOXED = {
    "4x4": (2, 2),
    "6x6": (2, 3),
    "8x8": (2, 4),
    "9x9": (3, 3),
    "10x10": (2, 5),
    "12x12": (3, 4),
    "16x16": (4, 4),
    "25x25": (5, 5),
    "36x36": (6, 6),
    "box5x2": (5, 2),
    "box4x2": (4, 2),
}
PATTERNS = (
    "9x9 (any size from 4x4 to 100x100 with boxes), box5x2, latin7 or jigsaw:REGIONS, "
    "perhaps with variants: 9x9+diagonal+windoku"
)


def classes(size: int, same: dict[int, object]) -> set[tuple[int, ...]]:
    """The cells grouped by what `same` says of each."""
    return {
        tuple(cell for cell in range(size * size) if same[cell] == label)
        for label in set(same.values())
    }


def rows_and_columns(size: int) -> set[tuple[int, ...]]:
    cells = range(size * size)
    rows = classes(size, {cell: cell // size for cell in cells})
    return rows | classes(size, {cell: cell % size for cell in cells})


@pytest.mark.parametrize(("spec", "box"), BOXED.items())
def test_a_boxed_shape_has_its_rows_columns_and_boxes(spec: str, box: tuple[int, int]) -> None:
    shape = Shape.parse(spec)
    height, width = box
    size = height * width
    place = {cell: (cell // size // height, cell % size // width) for cell in range(size**2)}
    expected = rows_and_columns(size) | classes(size, dict(place))
    assert (shape.size, shape.box, shape.spec) == (size, box, spec)
    assert len(shape.houses) == 3 * size
    assert {house.cells for house in shape.houses} == expected


@pytest.mark.parametrize("size", range(2, 37))
def test_a_latin_square_has_its_rows_and_columns(size: int) -> None:
    shape = Shape.parse(f"latin{size}")
    assert (shape.size, shape.box, shape.spec) == (size, None, f"latin{size}")
    assert len(shape.houses) == 2 * size
    assert {house.cells for house in shape.houses} == rows_and_columns(size)


@pytest.mark.parametrize("size", [n for n in range(4, 37) if any(n % d == 0 for d in range(2, n))])
def test_every_size_that_is_not_prime_has_boxes_as_square_as_can_be(size: int) -> None:
    shape = Shape.parse(f"{size}x{size}")
    assert shape.box is not None
    height, width = shape.box
    divisors = [d for d in range(2, size) if size % d == 0 and d <= size // d]
    assert (height, width) == (max(divisors), size // max(divisors))


@pytest.mark.parametrize("spec", ["6x6", "box5x2", "latin7"])
def test_peers_are_the_other_cells_of_a_cells_houses(spec: str) -> None:
    shape = Shape.parse(spec)
    for cell, peers in enumerate(shape.peers):
        together = [set(house.cells) for house in shape.houses if cell in house.cells]
        assert set(peers) == set().union(*together) - {cell}
        assert list(peers) == sorted(peers)


@pytest.mark.parametrize(("number", "name"), [(1, "R1C1"), (70, "R8C7"), (30, "R4C3")])
def test_cells_are_numbered_row_by_row(number: int, name: str) -> None:
    assert Shape.parse("9x9").cell_name(number - 1) == name


@pytest.mark.parametrize(
    ("first", "second"),
    [("9x9", "box3x3"), ("10x10", "box2x5"), (" 9X9 ", "9x9"), ("LATIN4", "latin4")],
)
def test_two_names_of_one_shape_are_equal(first: str, second: str) -> None:
    shape, equal_shape = Shape.parse(first), Shape.parse(second)
    assert shape == equal_shape
    assert hash(shape) == hash(equal_shape)
    assert str(shape) == str(equal_shape)


@pytest.mark.parametrize(
    ("first", "second"), [("10x10", "box5x2"), ("9x9", "latin9"), ("4x4", "6x6")]
)
def test_shapes_with_other_houses_differ(first: str, second: str) -> None:
    assert Shape.parse(first) != Shape.parse(second)
    assert Shape.parse(first).digest != Shape.parse(second).digest


@pytest.mark.parametrize(
    "spec",
    [
        *("", "9", "9x", "x9", "9 x 9", "latin", "3x3", "1x1", "0x0", "101x101", "99999x99999"),
        *("-9x-9", "9.0x9.0", "\u0669x\u0669", "latin\u00b2", "jigsaw", "9x9\n9x9", "9x16"),
        *(("5x5", "latin5"), ("31x31", "latin31")),
        *((f"latin{n}", "latin2 to latin100") for n in (1, 101)),
        *((f"box{box}", "at most 100 cells") for box in ("1x9", "9x1", "7x15")),
    ],
)
def test_an_unknown_shape_is_an_error_that_lists_the_shapes(spec: str | tuple[str, str]) -> None:
    name, expected = spec if isinstance(spec, tuple) else (spec, PATTERNS)
    with pytest.raises(PuzzleError) as caught:
        Shape.parse(name)
    assert repr(name)[1:-1] in caught.value.what
    assert caught.value.expected.endswith(expected)


@pytest.mark.parametrize(
    ("cells", "spec"), [(16, "4x4"), (36, "6x6"), (81, "9x9"), (625, "25x25"), (1296, "36x36")]
)
def test_the_number_of_cells_determines_the_shape(cells: int, spec: str) -> None:
    assert str(Shape.of_length(cells)) == spec


@pytest.mark.parametrize(
    ("cells", "expected"), cases(__file__, "a_number_of_cells_without_a_shape_is_an_error")
)
def test_a_number_of_cells_without_a_shape_is_an_error(cells: int, expected: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        Shape.of_length(cells)
    assert str(cells) in caught.value.what
    assert caught.value.expected.endswith(expected)


def test_houses_are_named_and_numbered_from_one() -> None:
    kinds = ("row", "column", "box")
    expected = [f"{kind} {number}" for kind in kinds for number in (1, 2, 3, 4)]
    shape = Shape.parse("4x4")
    assert [str(house) for house in shape.houses] == expected
    assert [house.cells[0] for house in shape.houses] == [0, 4, 8, 12, 0, 1, 2, 3, 0, 2, 8, 10]


# Names of shapes with variants, regions and houses of their own, against definitions here.


JIGSAW4 = "jigsaw:aaababbbcccdcddd"


def cells_of(shape: Shape, kind: str) -> set[tuple[int, ...]]:
    return {house.cells for house in shape.houses if house.kind == kind}


def test_a_diagonal_shape_has_both_diagonals() -> None:
    shape = Shape.parse("6x6+diagonal")
    rising = {(row, 5 - row) for row in range(6)}
    falling = {(row, row) for row in range(6)}
    expected = {tuple(sorted(6 * r + c for r, c in line)) for line in (rising, falling)}
    assert cells_of(shape, "diagonal") == expected
    assert len(shape.houses) == 20
    assert (shape.spec, shape.definition, shape.box) == ("6x6+diagonal", "6x6+diagonal", (2, 3))


def test_a_windoku_has_a_window_between_every_four_boxes() -> None:
    windows = cells_of(Shape.parse("9x9+windoku"), "window")
    expected = {
        tuple(9 * (top + r) + left + c for r in range(3) for c in range(3))
        for top in (1, 5)
        for left in (1, 5)
    }
    assert windows == expected
    assert len(cells_of(Shape.parse("16x16+windoku"), "window")) == 9
    assert len(cells_of(Shape.parse("25x25+windoku"), "window")) == 16


def test_disjoint_groups_hold_the_same_place_of_every_box() -> None:
    shape = Shape.parse("box3x2+disjoint")
    groups = cells_of(shape, "group")
    boxes = sorted(house.cells for house in shape.houses if house.kind == "box")
    assert groups == {tuple(sorted(box[place] for box in boxes)) for place in range(6)}


@pytest.mark.parametrize(
    ("variant", "distances"), [("antiknight", {(1, 2), (2, 1)}), ("antiking", {(1, 1)})]
)
@pytest.mark.parametrize("base", ["9x9", "4x4", "latin5", "box5x2", "9x9+diagonal"])
def test_cells_a_move_apart_differ(base: str, variant: str, distances: set[object]) -> None:
    plain, shape = Shape.parse(base), Shape.parse(f"{base}+{variant}")
    size = shape.size
    pairs = {
        (first, second)
        for first, second in combinations(range(size**2), 2)
        if (abs(first // size - second // size), abs(first % size - second % size)) in distances
    }
    assert set(shape.pairs) == {
        (first, second) for first, second in pairs if second not in plain.peers[first]
    }
    for cell, peers in enumerate(shape.peers):
        apart = {a + b - cell for a, b in pairs if cell in (a, b)}
        assert set(peers) == apart | set(plain.peers[cell])


def test_the_order_of_variants_does_not_matter() -> None:
    shape, other = Shape.parse("9x9+antiknight+Windoku"), Shape.parse("9x9+windoku+antiknight")
    assert shape.spec == other.spec == "9x9+windoku+antiknight"
    assert shape == other
    assert shape != Shape.parse("9x9+windoku")


def test_the_houses_of_a_jigsaw_are_its_regions() -> None:
    shape = Shape.parse(JIGSAW4)
    assert cells_of(shape, "region") == {
        (0, 1, 2, 4),
        (3, 5, 6, 7),
        (8, 9, 10, 12),
        (11, 13, 14, 15),
    }
    assert shape.definition == "jigsaw:1112122233343444"
    assert shape.spec == f"jigsaw4-{shape.digest[:6]}"
    assert Shape.parse("jigsaw:2221211144434333") == shape


@pytest.mark.parametrize(("spec", "problem"), cases(__file__, "a_malformed_name_is_an_error"))
def test_a_malformed_name_is_an_error(spec: str, problem: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        Shape.parse(spec)
    assert problem in caught.value.what
    assert caught.value.expected


@given(st.integers(2, 7), st.integers(0, 2**32))
def test_houses_and_pairs_survive_their_definition(size: int, seed: int) -> None:
    chance = random.Random(seed)
    cells = range(size * size)
    houses = tuple(
        House("mine", number, tuple(sorted(chance.sample(cells, size))))
        for number in range(1, chance.randint(2, 9))
    )
    pairs = tuple((a, b) for a, b in (chance.sample(cells, 2) for _ in range(chance.randint(0, 4))))
    shape = Shape("mine", size, houses, None, pairs)
    again = Shape.parse(shape.definition)
    assert again == shape
    assert {house.cells for house in again.houses} == {house.cells for house in houses}
    assert set(again.pairs) == {(min(pair), max(pair)) for pair in pairs}
    assert again.definition == shape.definition
    assert again.spec == f"houses{size}-{shape.digest[:6]}"


@pytest.mark.parametrize(
    "spec", ["9x9+diagonal+windoku+disjoint+antiknight+antiking", f"{JIGSAW4}+diagonal+antiking"]
)
def test_a_shape_survives_its_definition_and_another_process(spec: str) -> None:
    shape = Shape.parse(spec)
    for copy in (Shape.parse(shape.definition), pickle.loads(pickle.dumps(shape))):
        assert copy == shape
        assert (copy.spec, copy.pairs) == (shape.spec, shape.pairs)
        assert {house.cells for house in copy.houses} == {house.cells for house in shape.houses}


def test_pairs_have_one_order() -> None:
    houses = Shape.parse("latin3").houses
    shape = Shape("mine", 3, houses, None, ((4, 0), (0, 8), (0, 4)))
    assert shape.pairs == ((0, 4), (0, 8))
    assert shape == Shape("yours", 3, houses, None, ((0, 8), (0, 4)))
    assert shape != Shape("mine", 3, houses)
    assert shape.partners_of[0] == (4, 8)
    assert shape.peers[4] == (0, 1, 3, 5, 7)
