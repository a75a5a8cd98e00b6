"""Candidates, groups and clauses, by their definitions."""

from hypothesis import given

from harness.puzzles import Puzzle
from harness.puzzles.candidates import Candidates
from tests.puzzles.example import puzzles

SHAPES = ["4x4", "latin4", "6x6"]


@given(puzzles(SHAPES))
def test_the_candidates_of_a_blank_cell_are_the_values_that_no_given_excludes(
    puzzle: Puzzle,
) -> None:
    shape, found = puzzle.shape, Candidates(puzzle)
    expected = {
        (cell, value)
        for cell, held in enumerate(puzzle.givens)
        for value in range(1, shape.size + 1)
        if not held and all(puzzle.givens[peer] != value for peer in shape.peers[cell])
    }
    assert set(found.meaning) == expected
    assert len(found.meaning) == len(expected)
    doubled = any(
        held and puzzle.givens[peer] == held
        for cell, held in enumerate(puzzle.givens)
        for peer in shape.peers[cell]
    )
    assert found.refuted == (doubled or not all(found.groups))


@given(puzzles(SHAPES))
def test_each_blank_and_each_missing_value_of_a_house_is_a_group(puzzle: Puzzle) -> None:
    found = Candidates(puzzle)
    groups = [{found.meaning[candidate] for candidate in group} for group in found.groups]
    blanks = [
        {pair for pair in found.meaning if pair[0] == cell}
        for cell, held in enumerate(puzzle.givens)
        if not held
    ]
    missing = [
        {pair for pair in found.meaning if pair[0] in house.cells and pair[1] == value}
        for house in puzzle.shape.houses
        for value in range(1, puzzle.shape.size + 1)
        if value not in {puzzle.givens[cell] for cell in house.cells}
    ]
    assert groups == blanks + missing


@given(puzzles(SHAPES))
def test_clauses_demand_a_candidate_per_group_and_forbid_two(puzzle: Puzzle) -> None:
    found = Candidates(puzzle)
    clauses = [tuple(clause) for clause in found.clauses()]
    expected = []
    for group in found.groups:
        expected.append(tuple(candidate + 1 for candidate in group))
        expected += [(-a - 1, -b - 1) for n, a in enumerate(group) for b in group[n + 1 :]]
    assert clauses == expected


@given(puzzles(SHAPES))
def test_members_are_the_groups_of_a_candidate(puzzle: Puzzle) -> None:
    found = Candidates(puzzle)
    assert found.members() == [
        [number for number, group in enumerate(found.groups) if candidate in group]
        for candidate in range(len(found.meaning))
    ]


@given(puzzles(SHAPES))
def test_the_blank_cells_of_a_house_differ(puzzle: Puzzle) -> None:
    found = Candidates(puzzle)
    if not all(found.cells):
        return  # a blank cell without a candidate refutes the puzzle
    blanks = [cell for cell, held in enumerate(puzzle.givens) if not held]
    houses = [[blanks.index(c) for c in h.cells if c in blanks] for h in puzzle.shape.houses]
    assert found.different() == [house for house in houses if len(house) > 1]
