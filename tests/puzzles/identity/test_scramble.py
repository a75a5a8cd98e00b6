"""Scrambles: equivalent puzzles, and back."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.generate import random_grid
from harness.puzzles.kernel import Prng
from harness.puzzles.solver import solver_of
from harness.puzzles.symmetry import Scramble

SPECS = (
    *("4x4", "6x6", "box3x2", "8x8", "9x9", "latin4", "latin5", "4x4+diagonal", "6x6+diagonal"),
    *("9x9+diagonal", "9x9+windoku", "9x9+disjoint", "6x6+antiknight", "6x6+antiking"),
    "jigsaw:1112132233243444",
)


@st.composite
def puzzles(draw: st.DrawFn) -> Puzzle:
    """Puzzles with few solutions or none, perhaps with pencilmarks."""
    shape = Shape.parse(draw(st.sampled_from(SPECS)))
    random = Prng(draw(st.integers(0, 2**32)))
    grid = list(random_grid(shape, random))
    for cell in random.sample(len(grid) * draw(st.integers(1, 6)) // 10, len(grid)):
        grid[cell] = 0
    if draw(st.booleans()):
        grid[random.below(len(grid))] = 1 + random.below(shape.size)
    marks = None
    if draw(st.booleans()):
        every = (1 << shape.size) - 1
        marks = tuple(1 << v - 1 if v else every & ~(1 << random.below(9)) for v in grid)
    return Puzzle(shape, tuple(grid), marks)


@given(puzzles(), st.integers(0, 2**32))
@settings(max_examples=100)
def test_a_scramble_keeps_the_number_of_solutions_and_its_inverse_restores(
    puzzle: Puzzle, seed: int
) -> None:
    scramble = Scramble.of(puzzle.shape, seed)
    other = scramble.puzzle(puzzle)
    assert other.clues == puzzle.clues
    assert (other.pencilmarks is None) == (puzzle.pencilmarks is None)
    assert scramble.inverse.puzzle(other) == puzzle
    solver = solver_of(puzzle.shape)
    found, again = solver.of(puzzle, 300), solver.of(other, 300)
    assert (found.number, found.exact, found.by_rules) == (
        again.number,
        again.exact,
        again.by_rules,
    )
    if found.solution is not None:
        moved = scramble.grid(found.solution)
        assert solver.of(Puzzle(puzzle.shape, moved), 2).number == 1
        assert all(given in (0, value) for given, value in zip(other.givens, moved, strict=True))


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
