"""Random complete grids: valid, and without a structure that shows.

The statistics are those of the uniform distribution. The share of pure bands follows from
the count of Felgenhauer and Jarvis, "Mathematics of Sudoku I" (Mathematical Spectrum 39,
2006).
"""

from collections import Counter

import pytest

from harness.extensions.generate import random_grid
from harness.extensions.generate.grids import redrawn
from harness.puzzles import Grid, Puzzle, Shape, check
from harness.puzzles.patterns import pattern_grid
from harness.puzzles.search.kernel import Prng
from harness.puzzles.search.solver import solver_of

NINE = Shape.parse("9x9")
SPECS = (
    *("4x4", "6x6", "box3x2", "8x8", "9x9", "10x10", "12x12", "16x16", "latin2", "latin5"),
    *("latin9", "9x9+diagonal", "9x9+windoku+antiknight", "6x6+antiking", "9x9+disjoint"),
)
LARGE = ("25x25", "36x36", "latin30", "16x16+diagonal")


@pytest.mark.parametrize(
    ("spec", "number"),
    [*((spec, 3) for spec in SPECS), *(pytest.param(s, 1, marks=pytest.mark.long) for s in LARGE)],
)
def test_a_random_grid_satisfies_all_houses_and_pairs(spec: str, number: int) -> None:
    shape = Shape.parse(spec)
    grids = {random_grid(shape, Prng(seed)) for seed in range(number)}
    for grid in grids:
        puzzle = Puzzle(shape, grid)
        assert puzzle.clues == shape.size**2
        assert not check(puzzle).duplicates
        assert all(grid[first] != grid[second] for first, second in shape.pairs)
    assert len(grids) > 1 or number == 1
    assert random_grid(shape, Prng(0)) in grids


def chi_square(numbers: Counter[Grid] | Counter[int], cells: int) -> float:
    expected = sum(numbers.values()) / cells
    missing = cells - len(numbers)
    return sum((n - expected) ** 2 / expected for n in numbers.values()) + missing * expected


def test_all_grids_of_4x4_are_as_likely() -> None:
    random, shape = Prng("4x4"), Shape.parse("4x4")
    numbers = Counter(random_grid(shape, random) for _ in range(288 * 10))
    assert len(numbers) == 288
    # Chi-square with 287 degrees of freedom: 367 at 0.001.
    assert chi_square(numbers, 288) < 367


@pytest.mark.long
def test_all_grids_of_6x6_with_diagonals_are_as_likely() -> None:
    random, shape = Prng("6x6"), Shape.parse("6x6+diagonal")
    numbers = Counter(random_grid(shape, random) for _ in range(8640 * 3))
    # Chi-square with 8639 degrees of freedom has the standard deviation 131.
    assert chi_square(numbers, 8640) < 8639 + 4 * 131


def completions(grid: Grid) -> int:
    """The number of ways to complete what is left without four boxes, by the other search."""
    solver = solver_of(NINE)
    start = [1 << v - 1 if c < 27 or c % 9 < 3 else solver.every for c, v in enumerate(grid)]
    return solver.search(solver.start(start), 10**6).number


def test_four_boxes_are_redrawn_among_all_completions() -> None:
    for seed in range(5):
        grid = random_grid(NINE, Prng(seed))
        other, number = redrawn(grid, 0, 0, Prng(seed))
        assert number == completions(grid) == completions(other)
        assert other != grid
        assert not check(Puzzle(NINE, other)).duplicates
        fixed_cells = [cell for cell in range(81) if cell < 27 or cell % 9 < 3]
        assert all(grid[cell] == other[cell] for cell in fixed_cells)


@pytest.mark.long
def test_completions_are_as_likely() -> None:
    grid, random = pattern_grid(NINE), Prng("completions")
    cells = completions(grid)
    numbers = Counter(redrawn(grid, 0, 0, random)[0] for _ in range(2 * cells))
    # The share of completions that occur, 1 - exp(-2), has the standard deviation 0.005.
    assert abs(len(numbers) / cells - 0.8647) < 0.02
    assert abs(chi_square(numbers, cells) / cells - 1) < 0.1


def pure_lines(grid: Grid) -> int:
    """The bands and stacks in which each row, or column, of a box is that of another box."""

    def triples(lines: list[list[int]]) -> set[frozenset[int]]:
        return {frozenset(grid[cell] for cell in line) for line in lines}

    number = 0
    for band in range(3):
        for down, across in ((9, 1), (1, 9)):  # the rows of a band, the columns of a stack
            lines = [[down * (3 * band + r) + across * c for c in range(3)] for r in range(3)]
            others = [[cell + 3 * across for cell in line] for line in lines]
            number += triples(lines) == triples(others)
    return number


PURE = 0.03595
"""The share of pure bands: 2 of the 56 kinds of bands are pure, times the mean number of
completions of a pure band and a stack, divided by the mean of all, 2692.96; from 60,000 draws,
with a standard error of 0.00002."""


def test_no_value_prefers_a_place_and_pure_bands_are_rare() -> None:
    grids = [random_grid(NINE, Prng("places", seed)) for seed in range(200)]
    at: Counter[int] = Counter()
    for grid in grids:
        at.update(9 * cell + value - 1 for cell, value in enumerate(grid))
    # Chi-square with 81 * 8 degrees of freedom, of standard deviation 36.
    assert chi_square(at, 729) < 648 + 4 * 36
    pure = sum(map(pure_lines, grids)) / 6 / len(grids)
    assert abs(pure - PURE) < 4 * (PURE / 6 / len(grids)) ** 0.5
