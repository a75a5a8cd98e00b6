"""AC-3 as a rule: the candidates that remain are those of naked singles."""

import pytest
from hypothesis import given, settings

from harness.puzzles import Puzzle, Shape, load_dataset, parse_puzzle
from harness.reasoning.board import Board, Elimination, Placement, Rule
from harness.reasoning.ladder import LADDER, rule_named, rung
from harness.reasoning.rules.singles import ArcConsistency, HiddenSingle, NakedSingle, OneValueLeft
from harness.reasoning.solving import propagate, steps
from tests.reasoning.definitions import Position
from tests.reasoning.pattern_boards import boards

FIVE = Shape.parse("latin5")


def fixpoint(board: Board, rule: Rule) -> list[int] | None:
    """The candidates that `rule` leaves, None if a cell has none."""
    board = board.copy()
    return board.candidates if propagate(board, [rule]) else None


@given(boards())
@settings(deadline=None)
def test_the_fixpoint_is_that_of_naked_singles(board: Board) -> None:
    assert fixpoint(board, ArcConsistency()) == fixpoint(board, NakedSingle())


@given(boards())
@settings(max_examples=50, deadline=None)
def test_one_pass_makes_all_arcs_consistent(board: Board) -> None:
    """Each removal is of a candidate without support at this moment; in the end none is left."""
    at = Position(board.shape, board.candidates, board.values)
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
    refuted = not all(board.candidates) or not all(at.blank.values())
    assert refuted or all(
        len(of) > 1 or not at.with_value([c for c in at.blank if at.see(cell, c)], min(of))
        for cell, of in at.blank.items()
    )


@pytest.mark.parametrize("name", ["hard", "12x12", "diagonal", "jigsaw", "sukaku"])
def test_both_finish_the_same_puzzles(name: str) -> None:
    for instance in load_dataset(name).instances[:20]:
        boards = [Board(instance.puzzle), Board(instance.puzzle)]
        for board, rule in zip(boards, (ArcConsistency(), NakedSingle()), strict=True):
            propagate(board, [rule, HiddenSingle()])
        assert boards[0].candidates == boards[1].candidates
        assert boards[0].finished is boards[1].finished


def test_arcs_are_revised_in_the_order_of_the_queue() -> None:
    """R1C1 is 2, so R1C2 is 1, so R1C3 is 3, and all three restrict R1C4."""
    marks = [0b11111] * 25
    marks[:3] = 0b00011, 0b00011, 0b00111
    marks[20] = 0b00001
    found = list(ArcConsistency().conclusions(Board(Puzzle(FIVE, (0,) * 25, tuple(marks)))))
    assert all(isinstance(conclusion, Elimination) for conclusion in found)
    assert [
        (FIVE.cell_name(cell), value, conclusion.reason.words(FIVE))
        for conclusion in found[:6]
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
    found = list(steps(board, [ArcConsistency()]))
    assert board.finished
    assert {step.rule.name for step in found} == {"arc consistency"}


def test_the_ladder_has_it_as_an_alternative_to_naked_singles() -> None:
    rule = rule_named("Arc-Consistency")
    assert isinstance(rule, ArcConsistency)
    assert rule not in LADDER
    assert rung("arc consistency") == (rule,)
