"""PySAT's solvers: correct answers, and reuse of a solver without side effects."""

import pytest

from backends.cnf import NOT_INCREMENTAL, SOLVERS, WITH_CARDINALITY
from harness.base.errors import OptionError
from harness.contract import Status
from harness.puzzles import Puzzle, Shape, parse_puzzle
from tests.backends.oracle import backend_of, is_solution, named_puzzle


def test_every_solver_of_pysat_is_a_choice() -> None:
    from pysat.solvers import SolverNames

    names_of_solvers = [
        names for key, names in vars(SolverNames).items() if not key.startswith("_")
    ]
    assert all(any(solver in names for names in names_of_solvers) for solver in SOLVERS)
    missing = [names for names in names_of_solvers if not set(names) & set(SOLVERS)]
    assert missing == [SolverNames.cryptosat]  # needs pycryptosat


@pytest.mark.parametrize(
    ("solver", "encoding"),
    [
        pytest.param(
            solver,
            encoding,
            # It takes seconds; the other solvers have the encoding, and it has the other one.
            marks=[pytest.mark.long] * ((solver, encoding) == ("maplechrono", "minimal")),
        )
        for solver in SOLVERS
        for encoding in ("minimal", "extended")
    ],
)
def test_every_solver_answers_correctly(solver: str, encoding: str) -> None:
    backend = backend_of(f"cnf[solver={solver},encoding={encoding}]")
    assert is_solution(backend.solve(named_puzzle("escargot")).grid, named_puzzle("escargot"))
    full = Puzzle(Shape.parse("9x9"), backend.solve(named_puzzle("wikipedia")).grid or ())
    assert backend.solve(full).grid == full.givens
    assert backend.count(full, 2).number == 1
    assert backend.solve(named_puzzle("impossible")).status is Status.UNSATISFIABLE
    assert backend.solve(parse_puzzle("11" + "." * 79)).status is Status.UNSATISFIABLE
    for limit, number, exact in ((9, 6, True), (4, 4, False)):
        count = backend.count(named_puzzle("six"), limit)
        assert (count.number, count.exact) == (number, exact)
        assert is_solution(count.witness, named_puzzle("six"))


@pytest.mark.parametrize("solver", [s for s in SOLVERS if s not in NOT_INCREMENTAL])
def test_a_reused_solver_drops_the_blocking_clauses_of_a_count(solver: str) -> None:
    backend = backend_of(f"cnf[solver={solver},reuse=true]")
    for _ in range(2):
        assert backend.count(named_puzzle("six"), 4).number == 4
        assert backend.count(named_puzzle("six"), 9).number == 6
        assert is_solution(backend.solve(named_puzzle("six")).grid, named_puzzle("six"))
        assert backend.solve(named_puzzle("impossible")).status is Status.UNSATISFIABLE
        assert backend.count(named_puzzle("wikipedia"), 2).number == 1


def test_a_reused_solver_keeps_learned_clauses() -> None:
    backend = backend_of("cnf[reuse=true,encoding=minimal]")
    first, second = (backend.solve(named_puzzle("nugget")).stats["conflicts"] for _ in range(2))
    assert second < first


def test_a_new_solver_gets_only_the_candidates() -> None:
    reuse = backend_of("cnf[reuse=true,solver=glucose4]").solve(named_puzzle("wikipedia")).stats
    # All pairs and one clause for each of 324 groups of nine: 324 * (36 + 1).
    assert (reuse["variables"], reuse["clauses"]) == (729, 11_988)
    fresh = backend_of("cnf[solver=glucose4]").solve(named_puzzle("wikipedia")).stats
    assert fresh["variables"] < 729
    assert fresh["clauses"] < reuse["clauses"]
    cardinality = backend_of("cnf[reuse=true]")
    stats = cardinality.solve(named_puzzle("wikipedia")).stats
    assert (stats["clauses"], stats["constraints"]) == (324, 324)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("solver=glucose4,encoding=cardinality", [*WITH_CARDINALITY, "encoding=cardinality"]),
        ("solver=kissat404,reuse=true", ["reuse=true"]),
        ("solver=kissat404,counting=enumerate", ["counting=enumerate"]),
        ("counting=enumerate,reuse=true", ["blocking", "reuse=true"]),
    ],
)
def test_incompatible_options_are_an_error(options: str, expected: list[str]) -> None:
    with pytest.raises(OptionError) as error:
        backend_of(f"cnf[{options}]")
    for fact in expected:
        assert fact in error.value.expected
