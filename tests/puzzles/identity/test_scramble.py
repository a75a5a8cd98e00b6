"""Scrambles: equivalent puzzles, and back."""

from collections import Counter

import pytest

from harness.errors import PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.symmetry import Scramble

SPECS = (
    *("4x4", "6x6", "box3x2", "8x8", "9x9", "latin4", "latin5", "4x4+diagonal", "6x6+diagonal"),
    *("9x9+diagonal", "9x9+windoku", "9x9+disjoint", "6x6+antiknight", "6x6+antiking"),
    "jigsaw:1112132233243444",
)


@pytest.mark.parametrize("spec", SPECS)
def test_a_scramble_keeps_all_houses_and_pairs(spec: str) -> None:
    shape = Shape.parse(spec)
    for seed in range(5):
        cells = Scramble.of(shape, seed).cells
        moved = {frozenset(cells[cell] for cell in house.cells) for house in shape.houses}
        assert moved == {frozenset(house.cells) for house in shape.houses}
        apart = {frozenset(cells[cell] for cell in pair) for pair in shape.pairs}
        assert apart == {frozenset(pair) for pair in shape.pairs}


@pytest.mark.parametrize(
    ("spec", "number"),
    # 2 transpositions; orders of bands, rows, stacks and columns; the 8 symmetries of a square.
    [("4x4", 2 * 8 * 8), ("latin3", 2 * 6 * 6), ("6x6+antiknight", 4)],
)
def test_all_symmetries_of_a_shape_occur(spec: str, number: int) -> None:
    shape = Shape.parse(spec)
    numbers = Counter(Scramble.of(shape, seed).cells for seed in range(30 * number))
    assert len(numbers) == number
    chi_square = sum((n - 30) ** 2 / 30 for n in numbers.values())
    assert chi_square < number + 5 * (2 * number) ** 0.5 + 10


def test_values_are_permuted_too() -> None:
    shape = Shape.parse("4x4")
    assert len({Scramble.of(shape, seed).values for seed in range(500)}) == 24


def test_a_scramble_takes_puzzles_of_its_shape() -> None:
    with pytest.raises(PuzzleError, match="expected 9x9"):
        Scramble.of(Shape.parse("9x9"), 1).puzzle(Puzzle(Shape.parse("latin9"), (0,) * 81))


def test_the_scrambles_of_a_seed_are_the_same_in_every_version() -> None:
    assert Scramble.of(Shape.parse("4x4"), 1) == Scramble.of(Shape.parse("4x4"), 1)
    assert Scramble.of(Shape.parse("4x4"), 1) != Scramble.of(Shape.parse("4x4"), 2)
