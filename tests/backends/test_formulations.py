"""Every formulation of every solver backend gives the correct answers."""

import itertools
import random
from collections.abc import Callable
from operator import ne

import pytest

from harness.contract import Backend, Status
from harness.puzzles import Grid, House, Puzzle, Shape, parse_puzzle
from harness.puzzles.generate import pattern_grid, pattern_puzzle

Make = Callable[..., Backend]
Named = Callable[[str], Puzzle]
IsSolution = Callable[[Grid | None, Puzzle], bool]

SPECS = (
    "cpsat",
    "cpsat[formulation=integer]",
    "cpsat[workers=2]",
    "milp",
    "milp[model=full]",
    "milp[solver=HiGHS]",
    "milp[solver=HiGHS,model=full]",
    "cnf",
    "cnf[encoding=minimal]",
    "cnf[solver=glucose4]",
    "cnf[counting=enumerate,solver=glucose4]",
    "cnf[counting=enumerate,encoding=minimal,solver=cadical153]",
    "cnf[reuse=true]",
    "cnf[reuse=true,solver=glucose4]",
    "cnf[reuse=true,encoding=cardinality,solver=gluecard4]",
    "cnf[reuse=true,solver=cadical153]",
)
every_formulation = pytest.mark.parametrize("spec", SPECS)


def grids_of_4x4() -> list[Grid]:
    """All complete 4x4 grids, by trying rows."""
    rows = list(itertools.permutations((1, 2, 3, 4)))
    bands = [
        above + below
        for above in rows
        for below in rows
        if len({*above[:2], *below[:2]}) == 4 and all(map(ne, above, below))
    ]
    return [
        top + bottom
        for top in bands
        for bottom in bands
        if all(len({*top[c::4], *bottom[c::4]}) == 4 for c in range(4))
    ]


@every_formulation
def test_a_puzzle_with_one_solution_is_solved(
    spec: str, make: Make, named: Named, is_solution: IsSolution
) -> None:
    for name in ("wikipedia", "escargot"):
        answer = make(spec).solve(named(name))
        assert answer.status is Status.SOLVED
        assert is_solution(answer.grid, named(name))


@every_formulation
def test_search_proves_that_no_solution_exists(spec: str, make: Make, named: Named) -> None:
    backend = make(spec)
    assert backend.solve(named("impossible")).status is Status.UNSATISFIABLE
    count = backend.count(named("impossible"), 5)
    assert (count.number, count.exact, count.witness) == (0, True, None)


@pytest.mark.parametrize(
    "givens",
    [
        "11..............",  # a value twice in a row
        "1...1...........",  # in a column
        "1....1..........",  # in a box alone
        "123....4........",  # a cell without a candidate
        "..3..2.....2....",  # a value, 2, without a place in a house, the first row
        "1234341221434322",  # a full grid with a wrong value
    ],
)
@every_formulation
def test_contradictory_givens_have_no_solution(spec: str, givens: str, make: Make) -> None:
    backend, puzzle = make(spec, "4x4"), parse_puzzle(givens)
    assert backend.solve(puzzle).status is Status.UNSATISFIABLE
    count = backend.count(puzzle, 2)
    assert (count.number, count.exact) == (0, True)


@every_formulation
def test_a_full_grid_is_its_own_solution(spec: str, make: Make) -> None:
    grid = pattern_grid(Shape.parse("9x9"))
    puzzle = Puzzle(Shape.parse("9x9"), grid)
    backend = make(spec)
    assert backend.solve(puzzle).grid == grid
    count = backend.count(puzzle, 2)
    assert (count.number, count.exact, count.witness) == (1, True, grid)


@every_formulation
def test_counting_stops_at_the_limit(spec: str, make: Make, is_solution: IsSolution) -> None:
    # 12 of the 288 grids begin with 1234.
    backend, puzzle = make(spec, "4x4"), parse_puzzle("1234............")
    for limit, number, exact in ((1, 1, False), (5, 5, False), (12, 12, False), (13, 12, True)):
        count = backend.count(puzzle, limit)
        assert (count.number, count.exact) == (number, exact)
        assert is_solution(count.witness, puzzle)


@every_formulation
def test_answers_agree_with_all_grids_of_4x4(
    spec: str, make: Make, is_solution: IsSolution
) -> None:
    backend, grids, rng = make(spec, "4x4"), grids_of_4x4(), random.Random(4)
    assert len(grids) == 288
    for _ in range(25):
        givens = [0] * 16
        for cell in rng.sample(range(16), rng.randint(3, 7)):
            givens[cell] = rng.randint(1, 4) if rng.random() < 0.3 else grids[0][cell]
        puzzle = Puzzle(Shape.parse("4x4"), tuple(givens))
        expected = sum(is_solution(grid, puzzle) for grid in grids)
        count = backend.count(puzzle, 8)
        assert (count.number, count.exact) == (min(expected, 8), expected < 8)
        answer = backend.solve(puzzle)
        assert (answer.status is Status.SOLVED) is (expected > 0)
        assert answer.grid is None or is_solution(answer.grid, puzzle)


@pytest.mark.parametrize("shape", ["latin2", "latin5", "6x6", "box3x2", "box5x2", "12x12", "16x16"])
@every_formulation
def test_other_shapes_are_solved(
    spec: str, shape: str, make: Make, is_solution: IsSolution
) -> None:
    puzzle = pattern_puzzle(Shape.parse(shape), blank_every=3)
    assert is_solution(make(spec, shape).solve(puzzle).grid, puzzle)


@every_formulation
def test_wide_and_tall_boxes_are_different_shapes(spec: str, make: Make) -> None:
    wide, tall = Shape.parse("6x6"), Shape.parse("box3x2")
    grid = pattern_grid(wide)
    assert make(spec, wide).solve(Puzzle(wide, grid)).status is Status.SOLVED
    assert make(spec, tall).solve(Puzzle(tall, grid)).status is Status.UNSATISFIABLE


@every_formulation
def test_houses_other_than_rows_columns_and_boxes_count(
    spec: str, make: Make, is_solution: IsSolution
) -> None:
    diagonals = (House("diagonal", 1, (0, 5, 10, 15)), House("diagonal", 2, (3, 6, 9, 12)))
    shape = Shape("4x4 with diagonals", 4, (*Shape.parse("4x4").houses, *diagonals))
    puzzle = Puzzle(shape, (1, 2, 3, 4, *[0] * 12))
    expected = sum(is_solution(grid, puzzle) for grid in grids_of_4x4())
    count = make(spec, shape).count(puzzle, 50)
    assert (count.number, count.exact) == (expected, True)
    assert is_solution(count.witness, puzzle)


@every_formulation
def test_a_puzzle_does_not_affect_the_next(
    spec: str, make: Make, named: Named, is_solution: IsSolution
) -> None:
    backend = make(spec)
    first = backend.solve(named("wikipedia"))
    assert is_solution(backend.solve(named("escargot")).grid, named("escargot"))
    assert backend.solve(named("wikipedia")).grid == first.grid
    assert backend.count(named("six"), 3).number == 3
    assert backend.count(named("six"), 9).number == 6
    assert backend.solve(named("impossible")).status is Status.UNSATISFIABLE
    assert is_solution(backend.solve(named("six")).grid, named("six"))
    assert backend.count(named("wikipedia"), 2).number == 1
    assert backend.solve(named("wikipedia")).grid == first.grid


@pytest.mark.long
@pytest.mark.parametrize("spec", [s for s in SPECS if "reuse" not in s and "workers" not in s])
def test_the_search_for_a_puzzle_is_independent_of_earlier_ones(
    spec: str, make: Make, named: Named
) -> None:
    kept = make(spec)
    kept.count(named("six"), 4)
    kept.solve(named("escargot"))
    assert kept.solve(named("nugget")).stats == make(spec).solve(named("nugget")).stats


@every_formulation
def test_answers_have_phases_and_statistics(spec: str, make: Make, named: Named) -> None:
    answer = make(spec).solve(named("escargot"))
    assert answer.phases.search > 0
    assert answer.phases.decode > 0
    assert answer.stats["variables"] > 0
