"""The formula of a puzzle has the solutions of the puzzle as its models."""

from itertools import combinations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from harness.base.errors import PuzzleError
from harness.extensions.certificates.formula import (
    MOST_BYTES,
    ConstraintClauses,
    Formula,
    formula_of,
    variables_of,
)
from harness.puzzles import Grid, House, Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS
from harness.puzzles.constraints.primitives import Primitive, Sum
from tests.plain_search import solutions
from tests.puzzles.primitives import CELLS, SIZE, allows, every_choice, primitives
from tests.puzzles.rules import mixes, variants

SHAPES = ("4x4", "latin4", "latin3", "4x4+antiknight", "jigsaw:1112122233343444", "4x4+diagonal")


def models_of(clauses: list[list[int]]) -> set[tuple[int, ...]]:
    """The true variables of each model, from a SAT solver that gets the clauses."""
    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        return {
            tuple(literal for literal in model if literal > 0) for model in solver.enum_models()
        }


def models(formula: Formula, size: int) -> set[Grid]:
    """The models of a formula as grids."""
    of_solver = models_of(list(formula.clauses()))
    return {tuple((variable - 1) % size + 1 for variable in model) for model in of_solver}


def puzzles_of(name: str) -> list[Puzzle]:
    shape, random = Shape.parse(name), Random(name)
    cells = shape.size**2
    puzzles = []
    for number in range(3):
        givens = [0] * cells
        for cell in random.sample(range(cells), 2):
            givens[cell] = random.randint(1, shape.size)
        marks = [random.randrange(1 << shape.size) | 1 | 1 << clue >> 1 for clue in givens]
        puzzles.append(Puzzle(shape, tuple(givens), tuple(marks) if number == 2 else None))
    every = (1 << shape.size) - 1
    without_givens = tuple(every & ~(2 if cell % 3 else 1) for cell in range(cells))
    return [*puzzles, Puzzle(shape, (0,) * cells, without_givens)]


@pytest.mark.parametrize("name", SHAPES)
def test_models_are_the_solutions(name: str) -> None:
    for puzzle in puzzles_of(name):
        expected = set(solutions(puzzle, 1000))
        assert models(formula_of(puzzle), puzzle.shape.size) == expected
        forbidden = sorted(expected)[: len(expected) // 2 + 1]
        remaining = models(formula_of(puzzle, forbidden), puzzle.shape.size)
        assert remaining == expected - set(forbidden)


# Constraints.


def cells_of(clauses: list[list[int]], cells: int, size: int) -> set[tuple[int, ...]]:
    """The values of cells in the models of clauses, whatever the further variables are."""
    cells_filled = [[cell * size + v for v in range(1, size + 1)] for cell in range(cells)]
    two = [[-a, -b] for clause in cells_filled for a, b in combinations(clause, 2)]
    grids = set()
    with Solver(name="minisat22", bootstrap_with=[*cells_filled, *two, *clauses]) as solver:
        while solver.solve():
            literals = [v for v in solver.get_model()[: cells * size] if v > 0]
            grids.add(tuple((v - 1) % size + 1 for v in literals))
            solver.add_clause([-v for v in literals])
    return grids


@settings(max_examples=400)
@given(primitives, st.booleans())
def test_the_clauses_of_a_primitive_have_its_values(primitive: Primitive, differ: bool) -> None:
    apart = set(combinations(range(CELLS), 2)) if differ else set()
    clauses = ConstraintClauses(SIZE, apart)
    clauses.add(primitive)
    grids = cells_of(clauses.clauses, CELLS, SIZE)
    for values in every_choice:
        if not differ or len({*values}) == CELLS:
            assert (values in grids) == allows(primitive, values)


def ordered_sums(size: int, cells: int, *, differ: bool) -> dict[int, set[tuple[int, ...]]]:
    """The values of cells by their total, by trying all."""
    rows: dict[int, set[tuple[int, ...]]] = {}
    for values in product(range(1, size + 1), repeat=cells):
        if not differ or len({*values}) == cells:
            rows.setdefault(sum(values), set()).add(values)
    return rows


LONG_CAGES = [pytest.param(9, cells, marks=pytest.mark.long) for cells in (5, 6, 7, 8)]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("size", "cells"), [*((9, n) for n in (1, 2, 3, 4)), (16, 2), *LONG_CAGES])
def test_the_clauses_of_every_cage_have_its_values(size: int, cells: int) -> None:
    """By enumeration, for every total and those that no cells have."""
    right = ordered_sums(size, cells, differ=True)
    places = tuple(range(cells))
    apart = set(combinations(places, 2))
    different = [[-a * size - v, -b * size - v] for a, b in apart for v in range(1, size + 1)]
    for total in range(cells * size + 2):
        clauses = ConstraintClauses(size, apart)
        clauses.add(Sum(places, (1,) * cells, (total,)))
        assert cells_of([*clauses.clauses, *different], cells, size) == right.get(total, set())


@pytest.mark.parametrize(("size", "cells"), [(9, 2), (9, 3), (16, 2)])
def test_the_clauses_of_sums_of_any_cells_have_their_values(size: int, cells: int) -> None:
    right = ordered_sums(size, cells, differ=False)
    for total in range(0, cells * size + 2, 2):
        clauses = ConstraintClauses(size, set())
        clauses.add(Sum(tuple(range(cells)), (1,) * cells, (total, total + 1)))
        expected = right.get(total, set()) | right.get(total + 1, set())
        assert cells_of(clauses.clauses, cells, size) == expected


@pytest.mark.parametrize(("times", "step"), [(1, 200), pytest.param(2, 5, marks=pytest.mark.long)])
def test_the_models_of_a_variant_are_its_solutions(times: int, step: int) -> None:
    for puzzle, _, _, right in (*variants(times * len(KINDS), 7), *mixes(7, step)):
        size, formula = puzzle.shape.size, formula_of(puzzle)
        assert formula.variables == variables_of(puzzle.shape)
        grids = cells_of(list(formula.clauses()), size**2, size)
        assert grids == right, f"{puzzle.shape.definition} {puzzle.line}"


def test_forbidding_a_solution_excludes_all_its_models() -> None:
    puzzle = Puzzle(Shape.parse("4x4; contains 2,4: R1C1 R4C3 R2C3"), (0,) * 16)
    clauses = list(formula_of(puzzle).clauses())
    models = [tuple(v for v in model if v <= 64) for model in models_of(clauses)]
    solution = max(models, key=models.count)
    assert models.count(solution) > 1  # as docs/certificates.md says
    grid = tuple((variable - 1) % 4 + 1 for variable in solution)
    remaining = models_of(list(formula_of(puzzle, [grid]).clauses()))
    assert {model[:16] for model in remaining} == {*models} - {solution}


def test_a_constraint_that_no_values_keep_has_no_model() -> None:
    shape = Shape.parse("4x4; automaton .: R1C1 R2C2")
    assert models_of(list(formula_of(Puzzle(shape, (0,) * 16)).clauses())) == set()


def test_clauses_of_constraints_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.extensions.certificates.formula._MOST_LITERALS", 2**16)
    cells = tuple(range(36))
    factors = tuple(10**at % 997 + 1 for at in cells)
    clauses = ConstraintClauses(36, set())
    with pytest.raises(PuzzleError, match="have more than 65,536 literals; expected fewer"):
        clauses.add(Sum(cells, factors, tuple(range(1, 30_000, 7))))


def test_the_clauses_of_9x9_are_those_of_the_extended_encoding() -> None:
    shape = Shape.parse("9x9")
    clauses = [tuple(sorted(clause)) for clause in formula_of(Puzzle(shape, (0,) * 81)).clauses()]
    assert len(clauses) == len(set(clauses)) == 10530  # Lynce and Ouaknine, without duplicates


def test_a_shape_of_62_values_fits_and_a_larger_one_is_an_error() -> None:
    def latin(size: int) -> Puzzle:
        rows = [House("row", r + 1, tuple(range(r * size, (r + 1) * size))) for r in range(size)]
        columns = [House("column", c + 1, tuple(range(c, size**2, size))) for c in range(size)]
        return Puzzle(Shape(f"latin{size}", size, (*rows, *columns)), (0,) * size**2)

    number = 62**2 * 62 * 61 // 2 + 3 * 62 * 62 * 61 // 2 * 62
    assert number * 32 < MOST_BYTES
    with pytest.raises(PuzzleError, match=r"latin80 take 1,851 MiB; expected .* at most 1,024 MiB"):
        formula_of(latin(80))


def test_a_house_with_other_cells_is_an_error() -> None:
    shape = Shape("broken", 4, (House("row", 1, (0, 1, 2, 2)),))
    with pytest.raises(PuzzleError, match="not 4 cells"):
        formula_of(Puzzle(shape, (0,) * 16))


def test_a_clause_is_a_set() -> None:
    formula = Formula.from_clauses(3, [[1, 1], [2, -1, 2], [3, 3, 3], []])
    assert formula.units.tolist() == [1, 3]
    assert formula.binaries.clauses.tolist() == [[2, -1]]
    assert len(formula) == 4
    assert np.diff(formula.starts).tolist() == [0]


def test_two_equal_houses_make_no_clause_twice() -> None:
    shape = Shape.parse("latin4")
    twice = Shape("twice", 4, (*shape.houses, *shape.houses))
    assert len(formula_of(Puzzle(twice, (0,) * 16))) == len(formula_of(Puzzle(shape, (0,) * 16)))
