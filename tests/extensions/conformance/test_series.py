"""The answers that the series expect are right, and the questions cover what they promise."""

from collections import defaultdict

import pytest

from harness.base.errors import PuzzleError
from harness.contract import EVERYTHING, Restriction
from harness.extensions.conformance.constraints import CONSTRAINED, pool_of, series_of_constraints
from harness.extensions.conformance.questions import (
    Depth,
    set_with,
    sets_of_pair,
    sets_with,
    with_values,
)
from harness.extensions.conformance.series import rows_of_batch, series_of
from harness.extensions.conformance.shapes import (
    BRIEF_SHAPES,
    JIGSAW,
    SHAPES,
    known_grid,
    transcribed,
)
from harness.puzzles import Puzzle, Shape
from harness.records.judging import fault_of_grid
from tests.plain_search import solutions
from tests.puzzles.rules import keeps

SMALL = ("4x4", JIGSAW, "latin5")
EVERY = EVERYTHING - {Restriction.PENCILMARKS}


@pytest.mark.timeout(600)  # 100 s for 9x9: the plain search on puzzles with 17 clues
@pytest.mark.parametrize(
    "spec", [pytest.param(spec, marks=[pytest.mark.long] * (spec not in SMALL)) for spec in SHAPES]
)
def test_the_answers_of_the_series_are_right(spec: str) -> None:
    most: dict[Puzzle, int] = defaultdict(int)
    series = (*series_of(spec), *series_of(spec, pencilmarks=True))
    # Symmetries, which have tests of their own, make the other forms of puzzles.
    own = (c for s in series for c in s.cases if s.title != "other forms of puzzles")
    cases = [*own, *rows_of_batch(spec, 2)]
    for case in cases:
        limit = case.solutions if case.at_least else case.solutions + 1
        most[case.puzzle] = max(most[case.puzzle], limit)
    numbers = {puzzle: len(solutions(puzzle, limit)) for puzzle, limit in most.items()}
    for case in cases:
        number = numbers[case.puzzle]
        assert number >= case.solutions if case.at_least else number == case.solutions, str(case)


@pytest.mark.parametrize("spec", SHAPES)
def test_without_an_unavoidable_set_a_grid_has_two_solutions(spec: str) -> None:
    shape, full = Shape.parse(spec), known_grid(Shape.parse(spec))
    for cell in range(0, len(full), max(1, len(full) // 6)):
        for unavoidable in sets_with(shape, full, cell)[:3]:
            first, second = solutions(unavoidable.puzzle(), 9)
            assert full in (first, second)
            different = {c for c in range(len(full)) if first[c] != second[c]}
            assert different == {*unavoidable.cells}


def test_sets_of_a_pair_are_disjoint_and_hold_the_pair() -> None:
    shape = Shape.parse("16x16")
    full = known_grid(shape)
    sets = [*sets_of_pair(shape, full, 1, 3)]
    cells = [cell for unavoidable in sets for cell in unavoidable.cells]
    assert len(cells) == len(set(cells)) == 32
    assert set_with(shape, full, cells[0], 3) in sets or set_with(shape, full, cells[0], 1) in sets


@pytest.mark.parametrize("spec", [s for s in SHAPES if Shape.parse(s).size <= 9])
def test_every_cell_and_every_value_decides_a_question(spec: str) -> None:
    shape = Shape.parse(spec)
    (series,) = (s for s in series_of(spec) if s.title == "every given decides")
    assert len(series.groups) == shape.size**2
    puzzles = [puzzle for puzzle, _ in transcribed("minimal", shape)]
    clues = {c for puzzle in puzzles for c, value in enumerate(puzzle.givens) if value}
    assert clues == set(range(shape.size**2))


def test_the_series_with_pencilmarks_restrict_every_cell_and_every_value() -> None:
    for spec in SHAPES:
        shape = Shape.parse(spec)
        if shape.size > 16:
            continue  # it takes long
        depth = Depth.THOROUGH if shape.size < 16 else Depth.USUAL
        cases_with_marks = [
            case.puzzle
            for series in series_of(spec, pencilmarks=True, depth=depth)
            for case in series.cases
            if case.puzzle.pencilmarks is not None
        ]
        values = {
            (cell, value)
            for puzzle in cases_with_marks
            for cell, marks in enumerate(puzzle.allowed)
            for value in range(1, shape.size + 1)
            if not puzzle.givens[cell] and not marks >> value - 1 & 1
        }
        assert len({cell for cell, _ in values}) == shape.size**2 or shape.size > 9
        assert len({value for _, value in values}) == shape.size
        assert any(not all(puzzle.allowed) for puzzle in cases_with_marks)


def test_a_question_with_pencilmarks_follows_one_with_the_same_givens_and_others() -> None:
    (series, *_) = series_of("9x9", pencilmarks=True)
    for group in series.groups:
        assert len({case.puzzle.givens for case in group}) == 1
        assert len({case.puzzle.pencilmarks for case in group}) == 5


def test_every_pair_decides_a_question() -> None:
    """Without one pair of the shape, some question about pairs has another answer."""
    shape = Shape.parse("6x6+antiking")
    (series,) = (s for s in series_of(shape.spec) if s.title == "every pair is kept")
    puzzles = [case.puzzle for case in series.cases if case.limit]
    for pair in shape.pairs[:: len(shape.pairs) - 1]:
        fewer = tuple(other for other in shape.pairs if other != pair)
        loose = Shape("loose", shape.size, shape.houses, shape.box, fewer)
        assert any(solutions(Puzzle(loose, puzzle.givens), 1) for puzzle in puzzles)
        assert not any(solutions(puzzle, 1) for puzzle in puzzles if pair_is_equal(puzzle, pair))


def pair_is_equal(puzzle: Puzzle, pair: tuple[int, int]) -> bool:
    first, second = pair
    return puzzle.givens[first] != 0 and puzzle.givens[first] == puzzle.givens[second]


def test_every_shape_has_a_complete_grid() -> None:
    for spec in (*SHAPES, *BRIEF_SHAPES, "9x9+diagonal+windoku", "latin6+antiking"):
        shape = Shape.parse(spec)
        grid = known_grid(shape)
        assert fault_of_grid(Puzzle(shape, (0,) * shape.size**2), grid) is None


@pytest.mark.parametrize("spec", ["4x4+antiking", "9x9+antiknight+antiking+diagonal+windoku"])
def test_a_shape_without_a_known_grid_is_an_error(spec: str) -> None:
    with pytest.raises(PuzzleError, match=r"complete grid"):
        known_grid(Shape.parse(spec))


def test_every_given_of_a_minimal_puzzle_is_necessary() -> None:
    for spec in SMALL:
        for puzzle, _ in transcribed("minimal", Shape.parse(spec)):
            for cell, value in enumerate(puzzle.givens):
                if value:
                    fewer = with_values(puzzle, {cell: 0})
                    assert len(solutions(fewer, 2)) == 2


def test_there_are_puzzles_with_17_clues_and_numbers_around_a_byte() -> None:
    shapes = {spec: Shape.parse(spec) for spec in SHAPES}
    assert sum(puzzle.clues == 17 for puzzle, _ in transcribed("minimal", shapes["9x9"])) == 3
    counted = [transcribed("counted", shape) for shape in shapes.values()]
    numbers = {number for puzzles in counted for _, number in puzzles}
    assert {13, 17, 255, 256, 257, 288, 300, 512, 1344} <= numbers
    assert all(transcribed("hidden", shapes[s]) for s in ("6x6", "9x9", "16x16", "latin5"))


def test_half_of_the_rows_of_a_large_batch_differ_in_their_solutions() -> None:
    for spec in ("4x4", "9x9"):
        rows = rows_of_batch(spec, 0)
        assert len(rows) == 300
        assert {row.solutions for row in rows} == {0, 1}


# Constraints, by rules of their own.


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
            candidates = grids[puzzle.givens]
            assert len(candidates) < 30
            number = sum(keeps(grid, plain, puzzle.shape.constraints) for grid in candidates)
            assert number == case.solutions, str(case)


def test_all_grids_of_a_4x4_are_listed() -> None:
    pool = pool_of("4x4")
    assert len(set(pool.grids)) == 288
    assert set(pool.grids) == set(solutions(Puzzle(pool.shape, (0,) * 16), 300))


def test_a_backend_gets_questions_about_the_primitives_that_it_takes() -> None:
    always = ["constraints on the same cells", "constraints of every kind"]
    assert [series.title for series in series_of_constraints("4x4", EVERY)] == [
        *("tables for two cells", "sums", "cages", "numbers of values", "automata along cells"),
        *("automata along many cells", "cells that differ"),
        *(always[0], "several constraints", always[1]),
    ]
    sums = series_of_constraints("4x4", frozenset({Restriction.SUMS}))
    assert [series.title for series in sums] == ["sums", *always]
    assert series_of_constraints("4x4", frozenset()) == ()
    assert series_of_constraints("latin5", EVERY) == ()
