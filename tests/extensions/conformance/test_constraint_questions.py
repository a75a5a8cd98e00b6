"""The answers that the questions about constraints expect are right, by rules of their own."""

import pytest

from harness.contract import EVERYTHING, Restriction
from harness.extensions.conformance.constraints import CONSTRAINED, pool_of, series_of_constraints
from harness.puzzles import Puzzle, Shape
from tests.plain_search import solutions
from tests.puzzles.rules import keeps

EVERY = EVERYTHING - {Restriction.PENCILMARKS}


@pytest.mark.parametrize("spec", CONSTRAINED)
def test_the_answers_of_questions_about_constraints_are_right(spec: str) -> None:
    plain = Shape.parse(spec)
    grids: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for series in series_of_constraints(spec, EVERY):
        assert len(series.groups) >= 4
        for case in series.cases:
            puzzle = case.puzzle
            if puzzle.givens not in grids:
                grids[puzzle.givens] = solutions(Puzzle(plain, puzzle.givens), 30)
            grids_of_puzzle = grids[puzzle.givens]
            assert len(grids_of_puzzle) < 30
            right = [
                grid for grid in grids_of_puzzle if keeps(grid, plain, puzzle.shape.constraints)
            ]
            assert len(right) == case.solutions, str(case)


def test_all_grids_of_a_4x4_are_listed() -> None:
    pool = pool_of("4x4")
    assert len(set(pool.grids)) == 288
    assert set(pool.grids) == set(solutions(Puzzle(pool.shape, (0,) * 16), 300))


def test_a_backend_gets_questions_about_the_primitives_that_it_takes() -> None:
    titles = [series.title for series in series_of_constraints("4x4", EVERY)]
    assert titles == [
        "tables for two cells",
        "sums",
        "cages",
        "numbers of values",
        "automata along cells",
        "automata along many cells",
        "cells that differ",
        "constraints on the same cells",
        "several constraints",
        "constraints of every kind",
    ]
    titles = [
        series.title for series in series_of_constraints("4x4", frozenset({Restriction.SUMS}))
    ]
    assert titles == ["sums", "constraints on the same cells", "constraints of every kind"]
    assert series_of_constraints("4x4", frozenset()) == ()
    assert series_of_constraints("latin5", EVERY) == ()
