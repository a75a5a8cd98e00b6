"""Scrambles: equivalent puzzles, and back."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS
from harness.puzzles.search.kernel import Prng
from harness.puzzles.search.solver import solver_of
from harness.puzzles.symmetry import Scramble
from harness.records.judging import fault_of_grid
from tests.examples import examples
from tests.puzzles.variants import givens, grid_of, variant

SPECS = (
    *("4x4", "6x6", "box3x2", "8x8", "9x9", "latin4", "latin5", "4x4+diagonal", "6x6+diagonal"),
    *("9x9+diagonal", "9x9+windoku", "9x9+disjoint", "6x6+antiknight", "6x6+antiking"),
    "jigsaw:1112132233243444",
)


@pytest.mark.parametrize("spec", SPECS)
def test_a_scramble_keeps_all_houses_and_pairs(spec: str) -> None:
    shape = Shape.parse(spec)
    for seed in range(5):
        cells = Scramble.from_seed(shape, seed).cells
        houses = {frozenset(cells[cell] for cell in house.cells) for house in shape.houses}
        assert houses == {frozenset(house.cells) for house in shape.houses}
        apart = {frozenset(cells[cell] for cell in pair) for pair in shape.pairs}
        assert apart == {frozenset(pair) for pair in shape.pairs}


@pytest.mark.parametrize(
    ("spec", "number"),
    # 2 transpositions; orders of bands, rows, stacks and columns; the 8 symmetries of a square.
    [("4x4", 2 * 8 * 8), ("latin3", 2 * 6 * 6), ("6x6+antiknight", 4)],
)
def test_all_symmetries_of_a_shape_occur(spec: str, number: int) -> None:
    shape = Shape.parse(spec)
    numbers = Counter(Scramble.from_seed(shape, seed).cells for seed in range(30 * number))
    assert len(numbers) == number
    chi_square = sum((n - 30) ** 2 / 30 for n in numbers.values())
    assert chi_square < number + 5 * (2 * number) ** 0.5 + 10


@given(
    st.sampled_from(["4x4", "6x6", "4x4+diagonal"]),
    st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=3),
    st.integers(0, 2**32),
)
@examples(40, 100)
def test_a_scramble_of_a_variant_has_the_scrambled_solutions(
    spec: str, kinds: list[str], seed: int
) -> None:
    shape, _ = variant(Shape.parse(spec), kinds, seed)
    grids = [grid_of(Shape.parse(spec.partition("+")[0]), seed + n) for n in range(20)]
    solver = solver_of(shape)
    start = solver.start([solver.every] * shape.size**2)
    grids += [grid for n in range(3) if (grid := solver.search(start, 1, random=Prng(n)).solution)]
    puzzle = Puzzle(shape, givens(grids[-1], 3, seed))
    scramble = Scramble.from_seed(shape, seed)
    other = scramble.puzzle(puzzle)
    assert scramble.inverse.puzzle(other) == puzzle
    for grid in grids:
        fault = fault_of_grid(other, scramble.grid(grid))
        assert (fault is None) == (fault_of_grid(puzzle, grid) is None)
    assert number_of(other) == number_of(puzzle)


def number_of(puzzle: Puzzle) -> int:
    """The number of solutions up to 500."""
    return solver_of(puzzle.shape).search_puzzle(puzzle, 500).number


@pytest.mark.parametrize(
    ("constraints", "moves", "values"),
    [
        ("killer 4: R1C1 R1C2", 8, 1),
        ("killer 5: R1C1 R1C2", 8, 2),
        ("nonconsecutive", 8, 2),
        ("whisper 2: R1C1 R1C2", 8, 2),
        ("palindrome: R1C1 R1C2 R2C3", 8, 24),
        ("distinct: R1C1 R2C3", 8, 24),
        ("equal-sums: R1C1 R1C2 / R3C3 R3C4", 8, 2),
        ("thermometer: R1C1 R1C2", 8, 1),
        ("arrow: R1C1 R1C2 / R2C1 R3C1", 4, 1),  # a pill is read to the right or down
        ("row-indexer: R1C1", 2, 1),
        ("box-indexer: R1C1", 1, 1),
    ],
)
def test_constraints_allow_the_symmetries_that_keep_their_meaning(
    constraints: str, moves: int, values: int
) -> None:
    shape = Shape.parse(f"4x4; {constraints}")
    scrambles = [Scramble.from_seed(shape, seed) for seed in range(60 if values < 24 else 240)]
    assert len({scramble.cells for scramble in scrambles}) == moves
    assert len({scramble.values for scramble in scrambles}) == values


def test_values_are_permuted_too() -> None:
    shape = Shape.parse("4x4")
    assert len({Scramble.from_seed(shape, seed).values for seed in range(500)}) == 24


def test_a_scramble_takes_puzzles_of_its_shape() -> None:
    with pytest.raises(PuzzleError, match="expected 9x9"):
        Scramble.from_seed(Shape.parse("9x9"), 1).puzzle(Puzzle(Shape.parse("latin9"), (0,) * 81))


def test_the_scrambles_of_a_seed_are_the_same_in_every_version() -> None:
    assert Scramble.from_seed(Shape.parse("4x4"), 1) == Scramble.from_seed(Shape.parse("4x4"), 1)
    assert Scramble.from_seed(Shape.parse("4x4"), 1) != Scramble.from_seed(Shape.parse("4x4"), 2)
