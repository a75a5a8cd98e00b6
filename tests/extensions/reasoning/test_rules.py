"""Rules that remove candidates: sound, complete, with true reasons; AC-3 among them."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.extensions.generate import random_grid
from harness.extensions.reasoning.board import Board, Elimination, Placement, Rule
from harness.extensions.reasoning.ladder import LADDER, rule_named, rung
from harness.extensions.reasoning.rules.cycles import RepetitiveCycleRule
from harness.extensions.reasoning.rules.singles import (
    ArcConsistency,
    HiddenSingle,
    NakedSingle,
    OneValueLeft,
)
from harness.extensions.reasoning.solving import propagate, solve, steps
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.puzzle import Grid
from harness.puzzles.search.kernel import Prng
from harness.puzzles.search.solver import solver_of
from tests.extensions.reasoning import oracle, reasons
from tests.extensions.reasoning.boards import (
    SHAPES,
    agrees,
    any_board,
    any_puzzles,
    boards,
    eliminations,
    removals_of,
    solvable_board,
    solvable_puzzles,
)
from tests.extensions.reasoning.definitions import DEFINITIONS, Position

RULES: tuple[Rule, ...] = (NakedSingle(), HiddenSingle(), RepetitiveCycleRule())


def position(board: Board) -> Position:
    return Position(board.shape, board.candidates, board.values)


@given(solvable_puzzles)
@settings(max_examples=40)
def test_a_conclusion_holds_in_the_solution_and_has_its_reason(case: tuple[Puzzle, Grid]) -> None:
    puzzle, grid = case
    board = Board(puzzle)
    for rule in RULES[:2]:
        for conclusion in rule.conclusions(board):
            assert agrees(conclusion, grid), rule.name
            assert reasons.holds(conclusion, position(board)), rule.name
            assert not any(board.values[cell] for cell in conclusion.cells)
            assert set(conclusion.reason.cells) <= set(range(len(grid)))


@given(solvable_puzzles)
@settings(max_examples=40)
def test_an_independent_program_finishes_the_same_puzzles(case: tuple[Puzzle, Grid]) -> None:
    puzzle, _ = case
    for level in (oracle.NAKED, oracle.EXCLUSION, oracle.CYCLE):
        assert solve(puzzle, RULES[: level + 1]).finished is oracle.finishes(puzzle, level)


@given(st.one_of(any_puzzles, solvable_puzzles.map(lambda case: case[0])))
@settings(max_examples=40)
def test_naked_singles_are_arc_consistency(puzzle: Puzzle) -> None:
    board = solve(puzzle, [NakedSingle()])
    expected = oracle.arc_consistent(puzzle)
    assert (expected is None) is (not all(board.candidates))
    if expected is not None:
        assert board.candidates == [sum(1 << v - 1 for v in domain) for domain in expected]


@given(any_puzzles)
@settings(max_examples=60)
def test_a_finished_board_is_a_solution_and_a_refuted_one_has_none(puzzle: Puzzle) -> None:
    board = solve(puzzle, RULES)
    result = solver_of(puzzle.shape).search_puzzle(puzzle, 2)
    if board.finished:
        assert (result.number, result.solution) == (1, board.grid)
    if board.refuted:
        assert result.number == 0


def test_rules_have_no_conclusion_without_candidates_to_exclude() -> None:
    for rule in RULES:
        assert list(rule.conclusions(Board(Puzzle(Shape.parse("9x9"), (0,) * 81)))) == []


def test_a_contradiction_ends_the_steps() -> None:
    twice = Puzzle(Shape.parse("4x4"), (1, 0, 0, 1, *(0,) * 12))
    board = solve(twice, RULES)
    assert (board.refuted, board.finished) == (True, False)
    full = Puzzle(Shape.parse("4x4"), (1,) * 16)
    assert not solve(full, RULES).finished


def test_a_complete_grid_needs_no_rule() -> None:
    grid = random_grid(Shape.parse("6x6"), Prng(1))
    board = Board(Puzzle(Shape.parse("6x6"), grid))
    assert board.finished
    assert list(steps(board, RULES)) == []


REMOVING = [rule_named(name) for name in DEFINITIONS]


@given(boards)
@settings(max_examples=30)
def test_rules_remove_what_their_definitions_do_for_reasons_that_are_true(board: Board) -> None:
    at = position(board)
    for rule in REMOVING:
        assert removals_of(rule, board) == DEFINITIONS[rule.name](at), rule.name
        for conclusion in eliminations(rule, board):
            assert reasons.in_order(conclusion), rule.name
            assert all(value in at.blank[cell] for cell, value in conclusion.candidates)
            assert reasons.holds(conclusion, at), rule.name
            assert set(conclusion.reason.cells) <= set(at.blank)


@pytest.mark.long
@pytest.mark.parametrize("make_board", [solvable_board, any_board])
def test_fixed_boards_have_patterns_of_each_rule(
    make_board: Callable[[Shape, Prng], Board],
) -> None:
    """Each rule removes what its definition does, in three shapes at least."""
    shapes = {rule.name: Counter[str]() for rule in REMOVING}
    for spec in SHAPES:
        for seed in range(12):
            board = make_board(Shape.parse(spec), Prng(seed))
            at = position(board)
            for rule in REMOVING:
                pairs = removals_of(rule, board)
                assert pairs == DEFINITIONS[rule.name](at), rule.name
                shapes[rule.name][spec] += bool(pairs)
    assert {name for name, uses in shapes.items() if len(+uses) < 3} == set()


FIVE = Shape.parse("latin5")


def fixpoint(board: Board, rule: Rule) -> list[int] | None:
    """The candidates that `rule` leaves, None if a cell has none."""
    board = board.copy()
    return board.candidates if propagate(board, [rule]) else None


@given(boards)
@settings(max_examples=30)
def test_the_fixpoint_is_that_of_naked_singles(board: Board) -> None:
    assert fixpoint(board, ArcConsistency()) == fixpoint(board, NakedSingle())


@given(boards)
@settings(max_examples=50)
def test_one_pass_makes_all_arcs_consistent(board: Board) -> None:
    """Each removal is of a candidate without support at this moment; in the end none is left."""
    at = position(board)
    for conclusion in ArcConsistency().conclusions(board):
        assert all(at.blank.values())
        reason = conclusion.reason
        assert isinstance(reason, OneValueLeft)
        assert at.blank[reason.cell] == {reason.value}
        if isinstance(conclusion, Placement):
            assert (conclusion.cell, conclusion.value) == (reason.cell, reason.value)
        else:
            ((cell, value),) = conclusion.candidates
            assert value == reason.value
            assert at.see(cell, reason.cell)
            at.blank[cell].remove(value)
    is_refuted = not all(board.candidates) or not all(at.blank.values())
    assert is_refuted or all(
        len(values) > 1 or not at.with_value([c for c in at.blank if at.see(cell, c)], min(values))
        for cell, values in at.blank.items()
    )


def test_arcs_are_revised_in_the_order_of_the_queue() -> None:
    """R1C1 is 2, so R1C2 is 1, so R1C3 is 3, and all three restrict R1C4."""
    marks = [0b11111] * 25
    marks[:3] = 0b00011, 0b00011, 0b00111
    marks[20] = 0b00001
    conclusions = list(ArcConsistency().conclusions(Board(Puzzle(FIVE, (0,) * 25, tuple(marks)))))
    assert all(isinstance(conclusion, Elimination) for conclusion in conclusions)
    assert [
        (FIVE.cell_name(cell), value, conclusion.reason.words(FIVE))
        for conclusion in conclusions[:6]
        if isinstance(conclusion, Elimination)
        for cell, value in conclusion.candidates
    ] == [
        ("R1C2", 2, "R1C1 can only be 2"),
        ("R1C3", 2, "R1C1 can only be 2"),
        ("R1C3", 1, "R1C2 can only be 1"),
        ("R1C4", 2, "R1C1 can only be 2"),
        ("R1C4", 1, "R1C2 can only be 1"),
        ("R1C4", 3, "R1C3 can only be 3"),
    ]


def test_cells_with_one_candidate_are_placed_when_all_arcs_are_consistent() -> None:
    board = Board(parse_puzzle("12.434.22.434.21"))
    steps_of_rule = list(steps(board, [ArcConsistency()]))
    assert board.finished
    assert {step.rule.name for step in steps_of_rule} == {"arc consistency"}


def test_the_ladder_has_it_as_an_alternative_to_naked_singles() -> None:
    rule = rule_named("Arc-Consistency")
    assert isinstance(rule, ArcConsistency)
    assert rule not in LADDER
    assert rung("arc consistency") == (rule,)
