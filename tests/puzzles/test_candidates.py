"""Candidates and pencilmarks."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.puzzles import Grid, Puzzle, Shape, check
from harness.puzzles.search.candidates import Candidates
from harness.records.judging import are_solutions, fault_of_grid
from tests.plain_search import solutions
from tests.puzzles.example import puzzles

# Candidates, groups and clauses, by their definitions.


SHAPES = ["4x4", "latin4", "6x6"]
WITH_PAIRS = [*SHAPES, "4x4+antiking"]


@given(puzzles(WITH_PAIRS))
@example(Puzzle.of_line(".....1....1.....", Shape.parse("4x4+antiking")))  # a pair has a value
def test_the_candidates_of_a_blank_cell_are_the_values_that_no_given_excludes(
    puzzle: Puzzle,
) -> None:
    shape, model = puzzle.shape, Candidates(puzzle)
    expected = {
        (cell, value)
        for cell, clue in enumerate(puzzle.givens)
        for value in range(1, shape.size + 1)
        if not clue and all(puzzle.givens[peer] != value for peer in shape.peers[cell])
    }
    candidates = [(cell, value) for cell, value in model.meaning if value]
    assert set(candidates) == expected
    assert len(candidates) == len(expected)
    has_repeat = any(
        clue and puzzle.givens[peer] == clue
        for cell, clue in enumerate(puzzle.givens)
        for peer in shape.peers[cell]
    )
    assert model.refuted == (has_repeat or not all(model.groups))


@given(puzzles(SHAPES))
def test_each_blank_and_each_missing_value_of_a_house_is_a_group(puzzle: Puzzle) -> None:
    candidates = Candidates(puzzle)
    groups = [{candidates.meaning[candidate] for candidate in group} for group in candidates.groups]
    blanks = [
        {pair for pair in candidates.meaning if pair[0] == cell}
        for cell, clue in enumerate(puzzle.givens)
        if not clue
    ]
    missing = [
        {pair for pair in candidates.meaning if pair[0] in house.cells and pair[1] == value}
        for house in puzzle.shape.houses
        for value in range(1, puzzle.shape.size + 1)
        if value not in {puzzle.givens[cell] for cell in house.cells}
    ]
    assert groups == blanks + missing


@given(puzzles(WITH_PAIRS))
def test_the_blank_cells_of_a_house_or_a_pair_differ(puzzle: Puzzle) -> None:
    candidates = Candidates(puzzle)
    if not all(candidates.cells):
        return  # a blank cell without a candidate refutes the puzzle
    blanks = [cell for cell, clue in enumerate(puzzle.givens) if not clue]
    sets = [*(house.cells for house in puzzle.shape.houses), *puzzle.shape.pairs]
    different = [[blanks.index(cell) for cell in cells if cell in blanks] for cells in sets]
    assert candidates.different() == [cells for cells in different if len(cells) > 1]


# Puzzles with pencilmarks: their normal form, their line, their id and their check.


FOUR = Shape.parse("4x4")
EVERY = (15,) * 16


def every_grid(shape: Shape) -> list[Grid]:
    return solutions(Puzzle(shape, (0,) * shape.size**2), 1000)


def test_a_single_candidate_is_a_given_and_a_given_the_only_candidate() -> None:
    marks = (0b0100, 0b0011, *EVERY[2:])
    puzzle = Puzzle(FOUR, (0, 0, 4, *(0,) * 13), marks)
    assert puzzle.givens == (3, 0, 4, *(0,) * 13)
    assert puzzle.pencilmarks == (0b0100, 0b0011, 0b1000, *EVERY[3:])
    assert puzzle.clues == 2
    assert puzzle.allowed == puzzle.pencilmarks


def test_pencilmarks_that_restrict_nothing_are_none() -> None:
    plain = Puzzle(FOUR, (1, *(0,) * 15))
    assert Puzzle(FOUR, plain.givens, EVERY) == plain
    assert Puzzle(FOUR, (0,) * 16, (1, *EVERY[1:])) == plain
    assert plain.allowed == (1, *EVERY[1:])
    assert Puzzle(FOUR, plain.givens, EVERY).id == plain.id
    assert Puzzle(FOUR, plain.givens, (15, 7, *EVERY[2:])).id != plain.id


@pytest.mark.parametrize(
    ("marks", "problem"),
    [
        (EVERY[1:], "pencilmarks of 15 cells for 4x4"),
        ((16, *EVERY[1:]), "16 is not a set of candidates of 4x4"),
        ((-1, *EVERY[1:]), "-1 is not a set of candidates of 4x4"),
        ((1.0, *EVERY[1:]), "1.0 is not a set of candidates of 4x4"),
        ((True, *EVERY[1:]), "True is not a set of candidates of 4x4"),
        ((2, *EVERY[1:]), "1 is given but is not among the pencilmarks"),
        ("marks", "pencilmarks"),
    ],
)
def test_malformed_pencilmarks_are_an_error(marks: object, problem: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        Puzzle(FOUR, (1, *(0,) * 15), marks)  # type: ignore[arg-type]
    assert problem in str(caught.value)


@given(st.sampled_from(["4x4", "6x6", "latin5", "16x16"]), st.integers(0, 2**32))
@settings(max_examples=20)
def test_the_line_of_a_puzzle_with_pencilmarks_is_read_back(spec: str, seed: int) -> None:
    shape, chance = Shape.parse(spec), random.Random(seed)
    marks = [chance.randrange(1 << shape.size) for _ in range(shape.size**2)]
    puzzle = Puzzle(shape, (0,) * shape.size**2, tuple(marks))
    assert len(puzzle.line) == shape.size**3
    assert Puzzle.of_line(puzzle.line, shape) == puzzle
    assert Puzzle.of_line(puzzle.line, shape).id == puzzle.id


def test_the_line_has_the_symbol_of_each_candidate_at_its_place() -> None:
    puzzle = Puzzle(FOUR, (3, *(0,) * 15), (15, 0b0101, 0, *EVERY[3:]))
    assert puzzle.line == "..3." + "1.3." + "...." + "1234" * 13


@pytest.mark.parametrize("spec", ["4x4", "4x4+diagonal", "4x4+antiking", "latin3"])
def test_grids_are_judged_by_pencilmarks_and_pairs(spec: str) -> None:
    shape = Shape.parse(spec)
    cells = shape.size**2
    chance = random.Random(1)
    size = shape.size
    plain = Shape.parse(spec.split("+")[0])
    candidates = every_grid(plain)
    right_grids = set(every_grid(shape))
    marks = tuple(
        chance.randrange(1 << size) | 1 << chance.choice(candidates)[c] - 1 for c in range(cells)
    )
    for puzzle in (Puzzle(shape, (0,) * cells), Puzzle(shape, (0,) * cells, marks)):
        for grid in candidates:
            right = grid in right_grids and all(
                bits >> value - 1 & 1 for value, bits in zip(grid, puzzle.allowed, strict=True)
            )
            line = "".join(map(str, grid))
            assert are_solutions(shape, [puzzle.line], [line]) == [right]
            fault = fault_of_grid(puzzle, grid)
            assert (fault is None) == right
            if not right:
                assert fault is not None
                reasons = ("is given", "not among its pencilmarks", "have to differ", "every value")
                assert any(reason in fault for reason in reasons)


def test_the_check_heeds_pencilmarks_and_pairs() -> None:
    conflict = Puzzle(FOUR, (1, 2, *(0,) * 14), (15, 15, 0b0011, *EVERY[3:]))
    sanity = check(conflict)
    assert sanity.dead_cells == (2,)
    assert list(sanity.findings()) == [
        "no candidate: every value of R1C3 is taken by a peer or is not among its pencilmarks"
    ]
    kings = Puzzle(Shape.parse("latin4+antiking"), (1, 0, 0, 0, 0, 1, *(0,) * 10))
    assert list(check(kings).findings()) == ["duplicate: 1 is given 2 times in pair 1: R1C1, R2C2"]


@pytest.mark.parametrize("spec", ["4x4", "4x4+antiking", "latin3", "latin3+antiking"])
def test_choices_of_candidates_are_the_solutions(spec: str) -> None:
    shape, chance = Shape.parse(spec), random.Random(2)
    cells = shape.size**2
    every = every_grid(shape)
    for _ in range(12):
        grid = chance.choice(every) if every else (1,) * cells
        marks = tuple(
            1 << value - 1 | chance.randrange(1 << shape.size) & chance.randrange(1 << shape.size)
            for value in grid
        )
        puzzle = Puzzle(shape, (0,) * cells, marks)
        expected = {
            grid for grid in every if all(marks[c] >> value - 1 & 1 for c, value in enumerate(grid))
        }
        candidates = Candidates(puzzle)
        if candidates.refuted:
            assert not expected
            continue
        choices = covers(candidates.groups)
        assert len(choices) == len(expected)
        assert {candidates.grid(choice) for choice in choices} == expected
        assert all(len(blank) > 1 for blank in candidates.different())


def covers(groups: list[list[int]]) -> list[tuple[int, ...]]:
    """All sets of candidates with exactly one candidate per group."""
    states: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
    for group in groups:
        states = [
            (inside | members, out | set(group) - members)
            for inside, out in states
            for members in ([inside & set(group)] if inside & set(group) else [{c} for c in group])
            if len(members) == 1 and not members & out
        ]
    return [tuple(sorted(inside)) for inside, _ in states]
