"""Every formulation of every solver backend gives the correct answers.

The answers to random puzzles are those of a plain search in `test_shapes` and `test_kept_state`.
"""

import pytest

from backends import cpsat
from harness.contract import Status, Unsupported
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.patterns import pattern_grid, pattern_puzzle
from tests.backends.oracle import (
    LIMIT,
    backend_of,
    counted,
    faults_of,
    is_solution,
    named_puzzle,
    with_givens,
    with_pencilmarks,
)

SPECS = (
    *("cpsat", "cpsat[formulation=integer]", "cpsat[workers=2]", "milp", "milp[model=full]"),
    *("milp[solver=HiGHS]", "milp[solver=HiGHS,model=full]", "cnf", "cnf[encoding=minimal]"),
    *("cnf[solver=glucose4]", "cnf[counting=enumerate,solver=glucose4]"),
    "cnf[counting=enumerate,encoding=commander,solver=glucose4]",
    "cnf[encoding=commander,solver=cadical195]",
    *("cnf[counting=enumerate,encoding=minimal,solver=cadical153]", "cnf[reuse=true]"),
    *("cnf[reuse=true,solver=glucose4]", "cnf[reuse=true,encoding=cardinality,solver=gluecard4]"),
    "cnf[reuse=true,solver=cadical153]",
)
MODELS = (
    *("cpsat", "cpsat[formulation=integer]", "milp", "milp[solver=HiGHS,model=full]", "cnf"),
    *("cnf[encoding=minimal]", "cnf[reuse=true,encoding=cardinality,solver=gluecard4]"),
)
"""One formulation of each model. The houses of a shape are a matter of the model alone."""
CONTRADICTIONS = (
    "11..............",  # a value twice in a row
    "1...1...........",  # in a column
    "1....1..........",  # in a box alone
    "123....4........",  # a cell without a candidate
    "..3..2.....2....",  # a value, 2, without a place in a house, the first row
    "1234341221434322",  # a full grid with a wrong value
)
every_formulation = pytest.mark.parametrize("spec", SPECS)


@every_formulation
def test_contradictory_givens_have_no_solution(spec: str) -> None:
    for givens in CONTRADICTIONS:
        backend, puzzle = backend_of(spec, "4x4"), parse_puzzle(givens)
        assert backend.solve(puzzle).status is Status.UNSATISFIABLE, givens
        assert counted(backend, puzzle, 2) == (0, True), givens


@every_formulation
def test_counting_stops_at_the_limit(spec: str) -> None:
    # 12 of the 288 grids begin with 1234.
    backend, puzzle = backend_of(spec, "4x4"), parse_puzzle("1234............")
    for limit, number, exact in ((1, 1, False), (5, 5, False), (12, 12, False), (13, 12, True)):
        count = backend.count(puzzle, limit)
        assert (count.number, count.exact) == (number, exact)
        assert is_solution(count.witness, puzzle)


@pytest.mark.parametrize("spec", MODELS)
def test_other_shapes_are_solved(spec: str) -> None:
    for shape in ("latin2", "latin5", "6x6", "box3x2", "box5x2", "12x12", "16x16"):
        puzzle = pattern_puzzle(Shape.parse(shape), blank_every=3)
        assert is_solution(backend_of(spec, shape).solve(puzzle).grid, puzzle), shape


@pytest.mark.parametrize(
    "spec",
    [
        *("native", "cpsat", "cpsat[formulation=integer]", "milp[solver=HiGHS]"),
        *("cnf", "cnf[solver=cadical195]", "cnf[solver=cadical195,encoding=extended]"),
    ],
)
def test_grids_up_to_100x100_are_solved(spec: str) -> None:
    for shape, step in (("latin49", 3), ("100x100", 3 if spec == "native" else 20)):
        puzzle = pattern_puzzle(Shape.parse(shape), blank_every=step)
        assert is_solution(backend_of(spec, shape).solve(puzzle).grid, puzzle), shape


@pytest.mark.parametrize(
    ("spec", "shape", "reason"),
    [
        ("cnf[solver=cadical195]", "81x81", "commander has 17,006,112 literals"),
        ("cnf[solver=cadical195,reuse=true]", "81x81", "commander has 17,006,112 literals"),
        ("cnf[encoding=extended]", "latin49", "extended has 17,294,403 literals"),
        ("milp", "latin67", "300,763 variables"),
        ("milp[model=full]", "latin67", "300,763 variables"),
    ],
)
def test_a_model_that_does_not_fit_into_memory_is_unsupported(
    spec: str, shape: str, reason: str
) -> None:
    empty = Puzzle(Shape.parse(shape), (0,) * Shape.parse(shape).size ** 2)
    with pytest.raises(Unsupported, match=reason):
        backend_of(spec, empty.shape).solve(empty)


@pytest.mark.parametrize("spec", ["cpsat", "cpsat[cages=linear]"])
def test_a_model_of_the_candidates_gives_the_same_answers(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpsat, "LARGEST_KEPT", 0)
    with_constraints = ("4x4; killer 5: r1c1 r1c2", "4x4; arrow: r1c1 / r1c2 r2c3")
    for shape in ("4x4", "4x4+antiknight", "latin5", "6x6+diagonal", *with_constraints):
        backend, native = backend_of(spec, shape), backend_of("native", shape)
        for puzzle, number in (*with_givens(shape, 12), *with_pencilmarks(shape, 6)):
            if shape in with_constraints:  # the plain search knows houses and pairs alone
                number = native.count(puzzle, LIMIT).number
            assert faults_of(backend, puzzle, number) == []


@pytest.mark.parametrize("spec", MODELS)
def test_a_full_grid_is_the_solution_of_its_own_shape_only(spec: str) -> None:
    wide, tall = Shape.parse("6x6"), Shape.parse("box3x2")
    grid = pattern_grid(wide)
    backend, full = backend_of(spec, wide), Puzzle(wide, grid)
    assert backend.solve(full).grid == grid
    count = backend.count(full, 2)
    assert (count.number, count.exact, count.witness) == (1, True, grid)
    assert backend_of(spec, tall).solve(Puzzle(tall, grid)).status is Status.UNSATISFIABLE


@pytest.mark.parametrize(
    ("spec", "limit_s"),
    [
        *(("cpsat", 1e-6), ("cpsat[formulation=integer]", 1e-6)),
        *(("native-jit", 0.0), ("native-jit[kernel=houses]", 0.0)),
    ],
)
def test_out_of_time_is_unknown_and_not_a_proof(spec: str, limit_s: float) -> None:
    backend = backend_of(spec)
    backend.time_limit = limit_s
    for name in ("nugget", "impossible"):
        assert backend.solve(named_puzzle(name)).status is Status.UNKNOWN
        assert counted(backend, named_puzzle(name), 5) == (0, False)
    backend.time_limit = None
    assert backend.solve(named_puzzle("nugget")).status is Status.SOLVED


@every_formulation
def test_a_puzzle_does_not_affect_the_next(spec: str) -> None:
    backend = backend_of(spec)
    first = backend.solve(named_puzzle("wikipedia"))
    assert is_solution(first.grid, named_puzzle("wikipedia"))
    assert min(first.phases.search, first.phases.decode, first.stats["variables"]) > 0
    assert is_solution(backend.solve(named_puzzle("escargot")).grid, named_puzzle("escargot"))
    assert backend.solve(named_puzzle("wikipedia")).grid == first.grid
    assert backend.count(named_puzzle("six"), 3).number == 3
    assert backend.count(named_puzzle("six"), 9).number == 6
    assert backend.solve(named_puzzle("impossible")).status is Status.UNSATISFIABLE
    assert is_solution(backend.solve(named_puzzle("six")).grid, named_puzzle("six"))
    assert backend.count(named_puzzle("wikipedia"), 2).number == 1
    assert backend.solve(named_puzzle("wikipedia")).grid == first.grid
