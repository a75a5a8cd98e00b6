"""The formula of a puzzle has the solutions of the puzzle as its models."""

from random import Random

import numpy as np
import pytest
from pysat.solvers import Solver

from harness.errors import PuzzleError
from harness.proofs.formula import MOST_BYTES, Formula, formula_of
from harness.puzzles import Grid, House, Puzzle, Shape
from tests.conformance.plain_search import solutions

SHAPES = ("4x4", "latin4", "latin3", "4x4+antiknight", "jigsaw:1112122233343444", "4x4+diagonal")


def models_of(clauses: list[list[int]]) -> set[tuple[int, ...]]:
    """The true variables of each model, from a SAT solver that gets the clauses."""
    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        return {tuple(of for of in model if of > 0) for model in solver.enum_models()}


def models(formula: Formula, size: int) -> set[Grid]:
    """The models of a formula as grids."""
    found = models_of(list(formula.clauses()))
    return {tuple((variable - 1) % size + 1 for variable in model) for model in found}


def puzzles_of(name: str) -> list[Puzzle]:
    shape, random = Shape.parse(name), Random(name)
    cells = shape.size**2
    found = []
    for number in range(3):
        givens = [0] * cells
        for cell in random.sample(range(cells), 2):
            givens[cell] = random.randint(1, shape.size)
        marks = [random.randrange(1 << shape.size) | 1 for _ in range(cells)]
        marks = [
            of | 1 << given - 1 if given else of for of, given in zip(marks, givens, strict=True)
        ]
        found.append(Puzzle(shape, tuple(givens), tuple(marks) if number == 2 else None))
    every = (1 << shape.size) - 1
    without_givens = tuple(every & ~(2 if cell % 3 else 1) for cell in range(cells))
    return [*found, Puzzle(shape, (0,) * cells, without_givens)]


@pytest.mark.parametrize("name", SHAPES)
def test_models_are_the_solutions(name: str) -> None:
    for puzzle in puzzles_of(name):
        expected = set(solutions(puzzle, 1000))
        assert models(formula_of(puzzle), puzzle.shape.size) == expected
        forbidden = sorted(expected)[: len(expected) // 2 + 1]
        left = models(formula_of(puzzle, forbidden), puzzle.shape.size)
        assert left == expected - set(forbidden)


def test_the_clauses_of_9x9_are_those_of_the_extended_encoding() -> None:
    shape = Shape.parse("9x9")
    clauses = [tuple(sorted(of)) for of in formula_of(Puzzle(shape, (0,) * 81)).clauses()]
    assert len(clauses) == len(set(clauses)) == 10530  # Lynce and Ouaknine, without duplicates


def test_a_shape_of_62_values_fits_and_a_larger_one_is_an_error() -> None:
    def latin(size: int) -> Puzzle:
        rows = [House("row", r + 1, tuple(range(r * size, (r + 1) * size))) for r in range(size)]
        columns = [House("column", c + 1, tuple(range(c, size**2, size))) for c in range(size)]
        return Puzzle(Shape(f"latin{size}", size, (*rows, *columns)), (0,) * size**2)

    boxed = 62**2 * 62 * 61 // 2 + 3 * 62 * 62 * 61 // 2 * 62
    assert boxed * 32 < MOST_BYTES
    with pytest.raises(PuzzleError, match=r"latin80 take 1,851 MiB; expected .* at most 1,024 MiB"):
        formula_of(latin(80))


def test_a_house_with_other_cells_is_an_error() -> None:
    broken = Shape("broken", 4, (House("row", 1, (0, 1, 2, 2)),))
    with pytest.raises(PuzzleError, match="not 4 cells"):
        formula_of(Puzzle(broken, (0,) * 16))


def test_a_clause_is_a_set() -> None:
    formula = Formula.of(3, [[1, 1], [2, -1, 2], [3, 3, 3], []])
    assert formula.units.tolist() == [1, 3]
    assert formula.binaries.clauses.tolist() == [[2, -1]]
    assert len(formula) == 4
    assert np.diff(formula.starts).tolist() == [0]


def test_two_equal_houses_make_no_clause_twice() -> None:
    shape = Shape.parse("latin4")
    twice = Shape("twice", 4, (*shape.houses, *shape.houses))
    assert len(formula_of(Puzzle(twice, (0,) * 16))) == len(formula_of(Puzzle(shape, (0,) * 16)))
