"""Rules that remove candidates, on boards of many shapes: sound, complete, with true reasons."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings

from harness.puzzles import Shape, load_dataset
from harness.puzzles.kernel import Prng
from harness.puzzles.solver import solver_of
from harness.reasoning.board import Board, Elimination, Rule
from harness.reasoning.ladder import LADDER, rule_named
from harness.reasoning.solving import steps
from tests.reasoning.definitions import DEFINITIONS, Position
from tests.reasoning.pattern_boards import SHAPES, any_board, boards, solvable_board
from tests.reasoning.reasons import holds, in_order

RULES = [rule_named(name) for name in DEFINITIONS]


def position(board: Board) -> Position:
    return Position(board.shape, board.candidates, board.values)


def eliminations(rule: Rule, board: Board) -> list[Elimination]:
    found = list(rule.conclusions(board))
    assert all(isinstance(conclusion, Elimination) for conclusion in found)
    return [conclusion for conclusion in found if isinstance(conclusion, Elimination)]


def removed(rule: Rule, board: Board) -> set[tuple[int, int]]:
    return {pair for found in eliminations(rule, board) for pair in found.candidates}


def is_possible(board: Board, cell: int, value: int) -> bool:
    """Whether a solution has the value in the cell."""
    allowed = board.candidates.copy()
    allowed[cell] &= 1 << value - 1
    solver = solver_of(board.shape)
    return all(allowed) and solver.count(solver.start(allowed), 1) == 1


@given(boards())
@settings(max_examples=60, deadline=None)
def test_rules_remove_what_their_definitions_do(board: Board) -> None:
    at = position(board)
    for rule in RULES:
        assert removed(rule, board) == DEFINITIONS[rule.name](at), rule.name


@given(boards())
@settings(deadline=None)
def test_no_solution_has_a_removed_candidate(board: Board) -> None:
    for rule in RULES:
        for cell, value in removed(rule, board):
            assert not is_possible(board, cell, value), rule.name


@given(boards())
@settings(deadline=None)
def test_reasons_are_true_of_the_board(board: Board) -> None:
    at = position(board)
    for rule in RULES:
        for conclusion in eliminations(rule, board):
            assert in_order(conclusion), rule.name
            assert all(value in at.blank[cell] for cell, value in conclusion.candidates)
            assert holds(conclusion, at), rule.name
            assert set(conclusion.reason.cells) <= set(at.blank)


@given(boards())
@settings(max_examples=30, deadline=None)
def test_conclusions_depend_on_the_board_alone(board: Board) -> None:
    before = board.candidates.copy(), board.values.copy()
    for rule in RULES:
        assert list(rule.conclusions(board)) == list(rule.conclusions(board.copy()))
    assert (board.candidates, board.values) == before


@pytest.mark.long
@pytest.mark.parametrize("made", [solvable_board, any_board])
def test_fixed_boards_have_patterns_of_each_rule(made: Callable[[Shape, Prng], Board]) -> None:
    """Each rule removes what its definition does, in three shapes at least."""
    shapes = {rule.name: Counter[str]() for rule in RULES}
    for spec in SHAPES:
        for seed in range(6):
            board = made(Shape.parse(spec), Prng(seed))
            at = position(board)
            for rule in RULES:
                found = removed(rule, board)
                assert found == DEFINITIONS[rule.name](at), rule.name
                shapes[rule.name][spec] += bool(found)
    assert {name for name, of in shapes.items() if len(+of) < 3} == set()


@pytest.mark.long
@pytest.mark.parametrize("dataset", ["hard", "minimal-low-clue", "windoku"])
def test_rules_remove_what_their_definitions_do_in_the_middle_of_puzzles(dataset: str) -> None:
    for instance in load_dataset(dataset).instances[:6]:
        board = Board(instance.puzzle)
        for number, _ in enumerate(steps(board, LADDER)):
            if number % 10 == 0:
                at = position(board)
                for rule in RULES:
                    assert removed(rule, board) == DEFINITIONS[rule.name](at), rule.name
