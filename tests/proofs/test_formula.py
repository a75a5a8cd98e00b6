"""The formula of a puzzle has the solutions of the puzzle as its models."""

from itertools import combinations
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


def test_every_kind_of_clause_is_necessary() -> None:
    shape = Shape("half", 3, (House("row", 1, (0, 1, 2)),), pairs=((3, 4),))
    puzzle = Puzzle(shape, (1, *(0,) * 8), (1, *(7,) * 7, 6))
    clauses = list(formula_of(puzzle).clauses())
    cells = [{(abs(of) - 1) // 3 for of in clause} for clause in clauses]
    kinds = {
        "a given, which its pencilmarks repeat": [[1], [-2], [-3]],
        "a pencilmark": [[-25]],
        "a cell has a value": [[3 * cell + 1, 3 * cell + 2, 3 * cell + 3] for cell in range(9)],
        "no cell has two values": [
            of for of, at in zip(clauses, cells, strict=True) if len(of) == 2 and len(at) == 1
        ],
        "a pair differs": [of for of, at in zip(clauses, cells, strict=True) if at == {3, 4}],
    }
    expected = models_of(clauses)
    assert len(expected) == 2 * 6 * 3**3 * 2
    for kind, removed in kinds.items():
        assert all(clause in clauses for clause in removed), kind
        assert models_of([of for of in clauses if of not in removed]) > expected, kind
    row = [of for of, at in zip(clauses, cells, strict=True) if at <= {0, 1, 2} and len(at) > 1]
    assert len(row) == 3 * 3 + 3
    assert models_of([of for of in clauses if of not in row]) > expected


def test_the_clauses_of_9x9_are_those_of_the_extended_encoding() -> None:
    shape = Shape.parse("9x9")
    clauses = [tuple(sorted(of)) for of in formula_of(Puzzle(shape, (0,) * 81)).clauses()]
    assert len(clauses) == len(set(clauses)) == 10530  # Lynce and Ouaknine, without duplicates
    variable = {(cell, value): cell * 9 + value for cell in range(81) for value in range(1, 10)}
    expected = {tuple(variable[cell, v] for v in range(1, 10)) for cell in range(81)}
    for cell in range(81):
        expected |= {
            tuple(sorted((-variable[cell, v], -variable[cell, w])))
            for v, w in combinations(range(1, 10), 2)
        }
    for house in shape.houses:
        for value in range(1, 10):
            expected.add(tuple(variable[cell, value] for cell in house.cells))
            expected |= {
                tuple(sorted((-variable[one, value], -variable[other, value])))
                for one, other in combinations(house.cells, 2)
            }
    assert set(clauses) == expected


def test_two_equal_houses_make_no_clause_twice() -> None:
    shape = Shape.parse("latin4")
    twice = Shape("twice", 4, (*shape.houses, *shape.houses))
    assert len(formula_of(Puzzle(twice, (0,) * 16))) == len(formula_of(Puzzle(shape, (0,) * 16)))


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
