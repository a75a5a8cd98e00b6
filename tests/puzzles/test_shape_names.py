"""Names of shapes with variants, regions and houses of their own, against definitions here."""

import pickle
import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import PuzzleError
from harness.puzzles import House, Shape

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
    moved = {
        (one, other)
        for one, other in combinations(range(size**2), 2)
        if (abs(one // size - other // size), abs(one % size - other % size)) in distances
    }
    assert set(shape.pairs) == {
        (one, other) for one, other in moved if other not in plain.peers[one]
    }
    for cell, peers in enumerate(shape.peers):
        apart = {a + b - cell for a, b in moved if cell in (a, b)}
        assert set(peers) == apart | set(plain.peers[cell])


def test_the_order_of_variants_does_not_matter() -> None:
    one, other = Shape.parse("9x9+antiknight+Windoku"), Shape.parse("9x9+windoku+antiknight")
    assert one.spec == other.spec == "9x9+windoku+antiknight"
    assert one == other
    assert one != Shape.parse("9x9+windoku")


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


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("9x9+diagonals", "unknown variant 'diagonals'"),
        ("9x9+", "unknown variant ''"),
        ("9x9+antiking+antiking", "the variant antiking occurs twice"),
        ("latin7+windoku", "latin7 has no windows"),
        ("6x6+windoku", "6x6 has no windows"),
        ("4x4+windoku", "4x4 has no windows"),
        ("latin9+disjoint", "latin9 has no disjoint groups"),
        ("jigsaw:112212", "a jigsaw of 6 cells"),
        ("jigsaw:", "a jigsaw of 0 cells"),
        ("jigsaw:1112122233343440", "5 regions; '0' has 1 cells"),
        ("jigsaw:1111111122222222", "2 regions; '1' has 8 cells"),
        ("houses4:", "a shape of 0 houses"),
        ("houses4:11121", "'11121' is not 4 cells"),
        ("houses4:11121413", "'11121413' is not 4 cells"),
        ("houses4:11121315", "'11121315' is not 4 cells"),
        ("houses99:11", "unknown shape 'houses99:11'"),
        ("houses4:11121314/1112.13", "'13' is not 2 cells"),
        ("houses4:11121314/", "'' is not 2 cells"),
    ],
)
def test_a_malformed_name_is_an_error(spec: str, what: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        Shape.parse(spec)
    assert what in caught.value.what
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
    one = Shape("mine", 3, houses, None, ((4, 0), (0, 8), (0, 4)))
    assert one.pairs == ((0, 4), (0, 8))
    assert one == Shape("yours", 3, houses, None, ((0, 8), (0, 4)))
    assert one != Shape("mine", 3, houses)
    assert one.partners_of[0] == (4, 8)
    assert one.peers[4] == (0, 1, 3, 5, 7)


def test_a_shape_with_more_rows_than_symbols_has_no_definition() -> None:
    rows = tuple(House("row", r + 1, tuple(range(64 * r, 64 * r + 64))) for r in range(64))
    with pytest.raises(PuzzleError, match="64 rows has 64 rows"):
        _ = Shape("64 rows", 64, rows).definition
