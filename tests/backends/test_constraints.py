"""All backends that take constraints agree with the rules of every kind."""

from functools import cache

import pytest

from harness.contract import EVERYTHING, Restriction, Unsupported, registry
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS
from tests.backends.oracle import COUNTING, LIMIT, OPTIONAL, SLOW, backend_of
from tests.puzzles.rules import Variant, mixes, variants

FAST = (
    *("native", "native-jit", "cnf", "cnf[cages=partial-sums]", "cnf[encoding=minimal]"),
    *("cnf[encoding=extended,solver=glucose4,counting=enumerate]", "cnf[reuse=true]", "cpsat"),
    *("cpsat[cages=linear]", "cpsat[formulation=integer]", *OPTIONAL),
)
SLOWER = (*SLOW, "milp[cages=linear]", "milp[model=full]", "cpmpy[solver=choco]", "reasoning")
EVERY = (*FAST, *SLOWER, *COUNTING)
CONSTRAINTS = EVERYTHING - {Restriction.PENCILMARKS, Restriction.PAIRS}


@cache
def some(number: int, seed: int) -> tuple[Variant, ...]:
    return tuple(variants(number, seed))


@cache
def sharing(seed: int, step: int) -> tuple[Variant, ...]:
    return tuple(mixes(seed, step))


def disagreements(spec: str, puzzles: tuple[Variant, ...], limit: int = 300) -> list[str]:
    """What is wrong with the answers of a backend; shapes that it does not take are left out."""
    faults = []
    for puzzle, _, _, right in puzzles:
        try:
            backend = backend_of(spec, puzzle.shape)
        except Unsupported:
            continue
        number, exact = min(len(right), limit), len(right) < limit
        count = backend.count(puzzle, limit)
        grids = [count.witness] if count.witness else []
        is_bound = not backend.complete and not count.exact and count.number <= number
        right_count = is_bound or (count.number, count.exact) == (number, exact)
        wrong = [] if right_count else [f"counts {count}"]
        if backend.solves:
            answer = backend.solve(puzzle)
            grids += [answer.grid] if answer.grid else []
            if (answer.grid is None) is bool(right):
                wrong += [f"{answer.status}"]
        wrong += [f"{grid} is no solution" for grid in grids if grid not in right]
        question = f"{puzzle.shape.definition} {puzzle.line}"
        faults += [f"{question} with {len(right)} solutions: {fault}" for fault in wrong]
    return faults


@pytest.mark.parametrize("spec", EVERY)
def test_a_backend_agrees_on_every_kind_alone_and_on_kinds_that_share_cells(spec: str) -> None:
    alone, shared = some(len(KINDS), 0), sharing(0, 100)
    alone = alone[::9] if spec in SLOWER else alone
    shared = shared[::12] if spec in (*SLOWER, *COUNTING) else shared
    assert disagreements(spec, (*alone, *shared), LIMIT) == []


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("spec", "step"), [("native", 1), ("native-jit", 1), ("cnf", 10), ("cpsat", 10), ("milp", 40)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_backend_agrees_on_every_kind_beside_every_kind(spec: str, step: int, seed: int) -> None:
    number = 0
    for puzzle in mixes(seed, step):
        assert disagreements(spec, (puzzle,), LIMIT if spec == "milp" else 300) == []
        number += 1
    assert number >= 13_000 // step


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("spec", EVERY)
def test_a_backend_agrees_with_the_rules_on_600_puzzles(spec: str) -> None:
    assert disagreements(spec, some(600, 1), LIMIT if spec in SLOWER else 300) == []


def test_highs_finds_the_solutions_that_a_rule_of_its_presolve_denies() -> None:
    shape = Shape.parse("4x4+antiknight; quadruple 1: R2C3 R2C4 R3C3 R3C4")
    empty = Puzzle(shape, (0,) * 16)
    for spec in ("highs", "milp[solver=HiGHS]", "native"):
        assert backend_of(spec, shape).count(empty, 20).number == 12


def test_every_backend_that_takes_constraints_is_compared() -> None:
    taking = {name for name in registry.names() if registry.load_class(name).takes & CONSTRAINTS}
    assert taking <= {spec.partition("[")[0] for spec in EVERY}
    core = ("native", "cnf", "cpsat", "milp")
    assert all(registry.load_class(name).takes == EVERYTHING for name in core)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("thermometer: R1C1 R1C2", "relations of two cells"),
        ("killer 3: R1C1 R1C2", "sums"),
        ("odd: R1C1", "numbers of values"),
        ("skyscraper 2: R1C1 R1C2 R1C3 R1C4", "automata along cells"),
    ],
)
def test_a_backend_without_a_primitive_does_not_take_the_shape(text: str, words: str) -> None:
    kind = registry.load_class("py-sudoku")
    with pytest.raises(Unsupported, match=f"py-sudoku does not take {words}, as in 4x4"):
        kind(Shape.parse(f"4x4; {text}"), kind.options_type())
