"""Rules of inference: they are sound, their reasons hold, and they are complete where proven."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.puzzles import Puzzle, Shape, load_dataset
from harness.puzzles.generate import random_grid
from harness.puzzles.kernel import Prng
from harness.puzzles.puzzle import Grid, values_of_line
from harness.puzzles.solver import solver_of
from harness.reasoning.board import Board, Conclusion, Placement, Rule
from harness.reasoning.rules.cycles import RepetitiveCycle, RepetitiveCycleRule
from harness.reasoning.rules.singles import HiddenSingle, NakedSingle, OneCandidate, OnePlace
from harness.reasoning.solving import solve, steps
from tests.reasoning import oracle
from tests.reasoning.soundness import agrees

RULES: tuple[Rule, ...] = (NakedSingle(), HiddenSingle(), RepetitiveCycleRule())
SHAPES = (
    *("4x4", "6x6", "latin5", "6x6+diagonal", "9x9", "9x9+windoku", "9x9+antiknight"),
    "jigsaw:1112122233343444",
)


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[Puzzle, Grid]:
    """A puzzle of any shape, perhaps with pencilmarks, and one of its solutions."""
    shape = Shape.parse(draw(st.sampled_from(SHAPES)))
    random = Prng(draw(st.integers(0, 2**32)))
    grid = random_grid(shape, random)
    share = draw(st.integers(0, 100))
    givens = tuple(value if random.below(100) < share else 0 for value in grid)
    if draw(st.booleans()):
        return Puzzle(shape, givens), grid
    dense = 1 + draw(st.integers(0, 9))
    marks = [
        1 << value - 1 | sum(1 << v for v in range(shape.size) if random.below(10) < dense)
        for value in grid
    ]
    marks = [
        1 << v - 1 if given_ else of for given_, v, of in zip(givens, grid, marks, strict=True)
    ]
    return Puzzle(shape, givens, tuple(marks)), grid


def holds(conclusion: Conclusion, board: Board) -> bool:
    """Whether the reason of a conclusion is true of the candidates of `board`."""
    assert isinstance(conclusion, Placement)
    bit = 1 << conclusion.value - 1
    match conclusion.reason:
        case OneCandidate(cell, value):
            return (cell, value) == (conclusion.cell, conclusion.value) and (
                board.candidates[cell] == bit
            )
        case OnePlace(house, value):
            places = [cell for cell in house.cells if board.candidates[cell] & bit]
            return value == conclusion.value and places == [conclusion.cell]
        case RepetitiveCycle(walk):
            labels = [link.value for link in walk]
            return (
                walk[0].source == walk[-1].target == conclusion.cell
                and labels[0] == labels[-1] == conclusion.value
                and all(a.target == b.source for a, b in pairwise(walk))
                and all(a != b for a, b in pairwise(labels))
                and all(
                    link.house is not None
                    and {c for c in link.house.cells if board.candidates[c] >> link.value - 1 & 1}
                    == {link.source, link.target}
                    for link in walk
                )
            )
    return False


@given(puzzles())
def test_a_conclusion_holds_in_the_solution_and_has_its_reason(case: tuple[Puzzle, Grid]) -> None:
    puzzle, grid = case
    board = Board(puzzle)
    for rule in RULES:
        for conclusion in rule.conclusions(board):
            assert agrees(conclusion, grid), rule.name
            assert isinstance(conclusion, Placement)
            assert holds(conclusion, board), rule.name
            assert not board.values[conclusion.cell]
            assert set(conclusion.reason.cells) <= set(range(len(grid)))


@given(puzzles())
def test_no_step_removes_the_value_of_a_solution(case: tuple[Puzzle, Grid]) -> None:
    puzzle, grid = case
    board = Board(puzzle)
    for _ in steps(board, RULES):
        assert all(of >> value - 1 & 1 for of, value in zip(board.candidates, grid, strict=True))
    assert not board.refuted
    assert board.finished is (board.grid == grid)


@given(puzzles())
def test_the_hardest_rule_is_needed(case: tuple[Puzzle, Grid]) -> None:
    puzzle, _ = case
    outcome = solve(puzzle, RULES)
    names = [rule.name for rule in RULES]
    assert sum(outcome.used.values()) == puzzle.givens.count(0) - outcome.board.blanks
    if outcome.finished and outcome.hardest is not None:
        needed = names.index(outcome.hardest) + 1
        assert solve(puzzle, RULES[:needed]).finished
        assert not solve(puzzle, RULES[: needed - 1]).finished


@given(puzzles())
def test_an_independent_program_finishes_the_same_puzzles(case: tuple[Puzzle, Grid]) -> None:
    puzzle, _ = case
    for level in (oracle.NAKED, oracle.EXCLUSION, oracle.CYCLE):
        assert solve(puzzle, RULES[: level + 1]).finished is oracle.finishes(puzzle, level)


@st.composite
def any_puzzles(draw: st.DrawFn) -> Puzzle:
    """A puzzle that may have no solution: random values and random pencilmarks."""
    shape = Shape.parse(draw(st.sampled_from(("4x4", "latin5", "6x6+diagonal", "4x4+antiking"))))
    random = Prng(draw(st.integers(0, 2**32)))
    share = draw(st.integers(0, 30))
    marks = [
        1 << random.below(shape.size)
        if random.below(100) < share
        else 1 + random.below(2**shape.size - 1)
        for _ in range(shape.size**2)
    ]
    return Puzzle(shape, (0,) * shape.size**2, tuple(marks))


@given(st.one_of(any_puzzles(), puzzles().map(lambda case: case[0])))
def test_naked_singles_are_arc_consistency(puzzle: Puzzle) -> None:
    board = solve(puzzle, [NakedSingle()]).board
    expected = oracle.arc_consistent(puzzle)
    assert (expected is None) is (not all(board.candidates))
    if expected is not None:
        assert board.candidates == [sum(1 << v - 1 for v in domain) for domain in expected]


@given(any_puzzles())
def test_a_finished_board_is_a_solution_and_a_refuted_one_has_none(puzzle: Puzzle) -> None:
    board = solve(puzzle, RULES).board
    found = solver_of(puzzle.shape).of(puzzle, 2)
    if board.finished:
        assert (found.number, found.solution) == (1, board.grid)
    if board.refuted:
        assert found.number == 0


def instances_of(*names: str) -> Iterator[tuple[Puzzle, Grid]]:
    for name in names:
        for instance in load_dataset(name).instances:
            assert instance.expected_count is not None
            assert instance.expected_count.solution is not None
            yield instance.puzzle, values_of_line(instance.expected_count.solution)


@pytest.mark.parametrize("name", ["hard", "minimal-low-clue", "12x12", "diagonal", "windoku"])
def test_the_steps_for_a_dataset_agree_with_the_solutions(name: str) -> None:
    cycles = 0
    for puzzle, grid in instances_of(name):
        for step in steps(Board(puzzle), RULES):
            assert agrees(step.conclusion, grid)
            cycles += step.rule.name == "repetitive cycle"
    assert cycles


def test_rules_have_no_conclusion_without_candidates_to_exclude() -> None:
    for rule in RULES:
        assert list(rule.conclusions(Board(Puzzle(Shape.parse("9x9"), (0,) * 81)))) == []


def test_a_contradiction_ends_the_steps() -> None:
    twice = Puzzle(Shape.parse("4x4"), (1, 0, 0, 1, *(0,) * 12))
    outcome = solve(twice, RULES)
    assert outcome.board.refuted
    assert (outcome.finished, outcome.hardest) == (False, None)
    full = Puzzle(Shape.parse("4x4"), (1,) * 16)
    assert not solve(full, RULES).finished


def test_a_complete_grid_needs_no_rule() -> None:
    grid = random_grid(Shape.parse("6x6"), Prng(1))
    outcome = solve(Puzzle(Shape.parse("6x6"), grid), RULES)
    assert outcome.finished
    assert (outcome.used, outcome.hardest) == ({}, None)
