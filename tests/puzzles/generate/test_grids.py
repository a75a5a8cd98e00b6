"""Random complete grids: valid, and without a structure that shows.

The statistics are those of the uniform distribution. The share of pure bands follows from
the count of Felgenhauer and Jarvis, "Mathematics of Sudoku I" (Mathematical Spectrum 39,
2006).
"""

from collections import Counter
from itertools import combinations, permutations

import pytest

from harness.puzzles import Grid, Puzzle, Shape, check
from harness.puzzles.generate import pattern_grid, random_grid
from harness.puzzles.generate.grids import NineMixer
from harness.puzzles.kernel import Prng
from harness.puzzles.solver import solver_of

NINE = Shape.parse("9x9")
SPECS = (
    *("4x4", "6x6", "box3x2", "8x8", "9x9", "10x10", "12x12", "16x16", "latin2", "latin5"),
    *("latin9", "9x9+diagonal", "9x9+windoku+antiknight", "6x6+antiking", "9x9+disjoint"),
)
GRIDS_OF_9X9 = 6_670_903_752_021_072_936_960
TOP_BANDS = 948_109_639_680


@pytest.mark.parametrize("spec", SPECS)
def test_a_random_grid_satisfies_all_houses_and_pairs(spec: str) -> None:
    shape = Shape.parse(spec)
    grids = {random_grid(shape, Prng(seed)) for seed in range(3)}
    for grid in grids:
        puzzle = Puzzle(shape, grid)
        assert puzzle.clues == shape.size**2
        assert not check(puzzle).duplicates
        assert all(grid[one] != grid[other] for one, other in shape.pairs)
    assert len(grids) > 1
    assert random_grid(shape, Prng(0)) == random_grid(shape, Prng(0))


@pytest.mark.long
@pytest.mark.parametrize("spec", ["25x25", "36x36", "latin30", "16x16+diagonal"])
def test_a_large_grid_satisfies_all_houses(spec: str) -> None:
    shape = Shape.parse(spec)
    grid = random_grid(shape, Prng(1))
    assert 0 not in grid
    assert not check(Puzzle(shape, grid)).duplicates


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
    mixer = NineMixer()
    for seed in range(5):
        grid = random_grid(NINE, Prng(seed))
        other, number = mixer.redrawn(grid, 0, 0, Prng(seed))
        assert number == completions(grid) == completions(other)
        assert other != grid
        assert not check(Puzzle(NINE, other)).duplicates
        kept = [cell for cell in range(81) if cell < 27 or cell % 9 < 3]
        assert all(grid[cell] == other[cell] for cell in kept)


@pytest.mark.long
def test_completions_are_as_likely() -> None:
    mixer, grid, random = NineMixer(), pattern_grid(NINE), Prng("completions")
    cells = completions(grid)
    numbers = Counter(mixer.redrawn(grid, 0, 0, random)[0] for _ in range(2 * cells))
    # The share of completions that occur, 1 - exp(-2), has the standard deviation 0.005.
    assert abs(len(numbers) / cells - 0.8647) < 0.02
    assert abs(chi_square(numbers, cells) / cells - 1) < 0.1


def pure_lines(grid: Grid) -> int:
    """The bands and stacks in which each row, or column, of a box is that of another box."""

    def triples(lines: list[list[int]]) -> set[frozenset[int]]:
        return {frozenset(grid[cell] for cell in line) for line in lines}

    number = 0
    for one in range(3):
        rows = [
            [[9 * (3 * one + r) + 3 * box + c for c in range(3)] for r in range(3)]
            for box in range(2)
        ]
        columns = [
            [[9 * (3 * box + r) + 3 * one + c for r in range(3)] for c in range(3)]
            for box in range(2)
        ]
        number += triples(rows[0]) == triples(rows[1])
        number += triples(columns[0]) == triples(columns[1])
    return number


def unavoidable_rectangles(grid: Grid) -> int:
    """Two values at the corners of a rectangle in two boxes, which can be exchanged."""
    pairs = list(combinations(range(9), 2))
    number = 0
    for (top, bottom), (left, right) in ((rows, columns) for rows in pairs for columns in pairs):
        if (top // 3 == bottom // 3) == (left // 3 == right // 3):
            continue
        number += (
            grid[9 * top + left] == grid[9 * bottom + right]
            and grid[9 * top + right] == grid[9 * bottom + left]
        )
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


@pytest.mark.long
def test_box_types_have_their_known_frequencies() -> None:
    grids = [random_grid(NINE, Prng("types", seed)) for seed in range(8000)]
    pure = sum(map(pure_lines, grids)) / 6 / len(grids)
    assert abs(pure - PURE) < 0.0038  # four standard errors
    # More steps of the chain change nothing.
    mixer, random = NineMixer(), Prng("more")
    more = [mixer.mixed(grid, random, 10) for grid in grids[:1500]]
    means = [sum(map(unavoidable_rectangles, of)) / len(of) for of in (grids[:1500], more)]
    assert abs(means[0] - means[1]) < 0.51  # four standard errors


@pytest.mark.long
def test_the_completions_of_a_pure_band_have_their_known_number() -> None:
    # 108,374,976 in the table of Felgenhauer and Jarvis.
    assert completions_of_a_pure_band(NineMixer()) == 108_374_976
    assert pytest.approx(97_722_285.6) == GRIDS_OF_9X9 / TOP_BANDS / 72


def completions_of_a_pure_band(mixer: NineMixer) -> int:
    """The grids with a given pure band, with the six other rows in one of 72 orders."""
    band = (*range(1, 10), *(4, 5, 6, 7, 8, 9, 1, 2, 3), *(7, 8, 9, 1, 2, 3, 4, 5, 6))
    used = ({1, 4, 7}, {2, 5, 8}, {3, 6, 9})
    every = set(range(1, 10))
    random, total = Prng("band"), 0
    for one in combinations(sorted(every - used[0]), 3):
        for two in combinations(sorted(every - used[1]), 3):
            upper = (one, two, tuple(sorted(every - {*one, *two})))
            lower = tuple(tuple(sorted(every - used[n] - set(upper[n]))) for n in range(3))
            if one[0] > lower[0][0] or any(map(set(upper[2]).__contains__, used[2])):
                continue
            if set(one) & set(two) or len({*lower[0], *lower[1], *lower[2]}) < 9:
                continue
            for columns in product_of_orders(upper[1], upper[2], lower[1], lower[2]):
                grid = [*band, *[1] * 54]
                for row in range(3):
                    grid[27 + 9 * row : 30 + 9 * row] = one[row], columns[0][row], columns[1][row]
                    below = lower[0][row], columns[2][row], columns[3][row]
                    grid[54 + 9 * row : 57 + 9 * row] = below
                total += mixer.redrawn(tuple(grid), 0, 0, random)[1]
    return total


def product_of_orders(*sets: tuple[int, ...]) -> "list[tuple[tuple[int, ...], ...]]":
    found: list[tuple[tuple[int, ...], ...]] = [()]
    for values in sets:
        found = [(*before, order) for before in found for order in permutations(values)]
    return found
