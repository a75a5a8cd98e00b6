"""The rules of the any-shape kernel for constraints, on larger shapes and beside its options."""

import pytest

from harness.contract import Unsupported
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS
from harness.puzzles.patterns import pattern_grid
from harness.records.judging import fault_of_grid
from tests.backends.oracle import backend_of, counted, jit
from tests.plain_search import solutions
from tests.puzzles.variants import givens, variant

EXTREME = Shape.parse(
    "9x9; killer 24: R1C1 R1C2 R2C1 R3C1 R4C1; killer 25: R1C3 R1C4 R1C5 R2C2 R2C3; "
    "killer 26: R1C6 R1C7 R1C8 R1C9 R2C9; killer 20: R2C4 R3C4 R3C5 R3C6; "
    "killer 19: R2C5 R2C6 R2C7 R3C7; killer 26: R2C8 R3C8 R3C9 R4C9 R5C9; "
    "killer 20: R3C2 R3C3 R4C2 R5C2; killer 20: R4C3 R5C3 R6C2 R6C3; killer 13: R4C4 R5C4; "
    "killer 9: R4C5 R4C6; killer 20: R4C7 R4C8 R5C7 R6C7; killer 24: R5C1 R6C1 R7C1 R7C2 R8C2; "
    "killer 5: R5C6 R6C6; killer 20: R5C8 R6C8 R7C7 R7C8; killer 17: R6C4 R6C5; "
    "killer 26: R6C9 R7C9 R8C9 R9C8 R9C9; killer 21: R7C3 R8C3 R8C4 R8C5; "
    "killer 20: R7C4 R7C5 R7C6 R8C6; killer 24: R8C1 R9C1 R9C2 R9C3 R9C4; "
    "killer 25: R8C7 R8C8 R9C5 R9C6 R9C7"
)
"""A killer by Wecoc, without givens."""


def test_an_extreme_killer_has_one_solution() -> None:
    count = jit(EXTREME).count(Puzzle(EXTREME, (0,) * 81), 2)
    assert (count.number, count.exact) == (1, True)
    assert count.witness is not None
    assert count.witness[:9] == (8, 2, 1, 3, 7, 6, 9, 4, 5)
    assert count.stats["nodes"] < 100_000


@pytest.mark.parametrize(
    "seed", [*range(9), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(9, 18))]
)
@pytest.mark.parametrize(("size", "clues"), [(6, 6), (9, 24)])
def test_larger_variants_have_the_counts_of_clauses(size: int, clues: int, seed: int) -> None:
    names = [kind for kind in KINDS if kind != "entropic"]
    shape, grid = variant(Shape.of_side(size), names[seed::9], seed)
    puzzle = Puzzle(shape, givens(grid, clues, seed))
    expected = counted(backend_of("cnf", shape), puzzle, 50)
    assert counted(jit(shape), puzzle, 50) == expected


@pytest.mark.parametrize("size", [16, 25, 36])
def test_sums_and_relations_of_many_values(size: int) -> None:
    plain = Shape.of_side(size)
    grid = pattern_grid(plain)
    first, second, third = grid[:3]
    order = "R1C1 R1C2" if first < second else "R1C2 R1C1"
    texts = f"thermometer: {order}; killer {first + second + third}: R1C1 R1C2 R1C3"
    weighted_sum = 2 * first - second + 3 * grid[size]
    rest = (0, 0, 0, *grid[3:size], 0, *grid[size + 1 :])
    for total, number in ((weighted_sum, 1), (weighted_sum + 1, 0)):
        shape = Shape.parse(f"{plain.spec}; {texts}; sum {total}*2,-1,3: R1C1 R1C2 R2C1")
        assert jit(shape).count(Puzzle(shape, rest), 2).number == number


def test_pencilmarks_and_threads_heed_constraints() -> None:
    shape = Shape.parse("4x4; killer 5: R1C1 R1C2; thermometer: R2C1 R3C1 R4C2")
    empty = Puzzle(shape, (0,) * 16)
    every = solutions(Puzzle(Shape.parse("4x4"), empty.givens), 300)
    grids = [g for g in every if g[0] + g[1] == 5 and g[4] < g[8] < g[13]]
    assert len(grids) == jit(shape).count(empty, 300).number > 1
    assert counted(jit(shape, "native-jit[split=3,threads=2]"), empty, 300) == (len(grids), True)
    with_marks = Puzzle(shape, (0,) * 16, (0b11, *[0b1111] * 15))
    assert jit(shape).count(with_marks, 300).number == sum(grid[0] <= 2 for grid in grids)


def test_proofs_of_constraints_are_unsupported() -> None:
    with pytest.raises(Unsupported, match="no proofs for puzzles with constraints"):
        jit(EXTREME).prove(Puzzle(EXTREME, (0,) * 81), 2)


@pytest.mark.parametrize("cells", [4, 8, 12, 15])
def test_cells_with_many_sets_of_values_are_divided(cells: int) -> None:
    """Sums of 8 of 16 values are 65 numbers, more than a word has bits."""
    names = " ".join(f"R1C{column}" for column in range(1, cells + 1))
    shape = Shape.parse(f"16x16; killer {17 * cells // 2}: {names}")
    puzzle = Puzzle(shape, (0,) * 256)
    answer = jit(shape).solve(puzzle)
    assert answer.grid is not None
    assert fault_of_grid(puzzle, answer.grid) is None
