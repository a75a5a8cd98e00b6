"""Each event of a trace is true of the board before it, which is replayed from the events."""

from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.puzzles import Puzzle, parse_puzzle
from harness.reasoning.board import Board, Placement
from harness.reasoning.search import Direction, Tracing
from harness.reasoning.trace import (
    Assigned,
    Branch,
    BranchPoint,
    DeadEnd,
    Eliminated,
    Event,
    SolutionFound,
    words_of,
)
from tests.reasoning.test_traces import Solver, events_of, puzzles

LADDERS = (
    "naked-single+hidden-single",
    "up-to-locked-candidates",
    "up-to-path",
    "up-to-conflicting-paths",
)
CONTRADICTORY = "...5..9.....8.1.258.......1.4......3.1.6.......5.7......9.6........136...3.9.4..7"
CHAINS = "..21......846....5..3.94....2......4........3.....987.8....3..19...1..8..3..4.5.."


def replay(puzzle: Puzzle, events: list[Event]) -> None:
    """Check each event against the board of its branch."""
    boards: dict[Branch, Board] = {(): Board(puzzle)}
    for event in events:
        branch = event.branch
        match event:
            case Assigned(conclusion=None):
                board = boards[branch[:-1]].copy()
                boards[branch] = board
                assert not board.values[event.cell]
                assert board.candidates[event.cell] >> event.value - 1 & 1
                board.place(event.cell, event.value)
            case (
                Assigned(rule=rule, conclusion=conclusion)
                | Eliminated(rule=rule, conclusion=conclusion)
            ):
                board = boards[branch]
                assert all(board.candidates)
                assert rule is not None
                assert conclusion is not None
                assert rule.reasons_last or conclusion in rule.conclusions(board)
                assert board.apply(conclusion)
                if isinstance(conclusion, Placement):
                    assert board.values[conclusion.cell] == conclusion.value
            case DeadEnd(conclusion=None):
                assert not boards[branch].candidates[event.cell]
            case DeadEnd(conclusion=conclusion):
                assert conclusion is not None
                board = boards[branch]
                assert all(board.candidates)
                assert not board.candidates[conclusion.cell] >> conclusion.value - 1 & 1
                for house in puzzle.shape.houses:
                    others = set(house.cells) - {conclusion.cell}
                    if str(house) in words_of(event, puzzle.shape):
                        bit = 1 << conclusion.value - 1
                        assert not any(board.candidates[cell] & bit for cell in others)
            case BranchPoint(cell=cell, values=values):
                candidates = boards[branch].candidates[cell]
                assert [*values] == [v for v in range(1, 26) if candidates >> v - 1 & 1]
            case SolutionFound(grid=grid):
                assert boards[branch].grid == grid


@pytest.mark.parametrize("rules", LADDERS)
@pytest.mark.parametrize("line", [CONTRADICTORY, CHAINS])
def test_events_of_hard_puzzles_are_true(line: str, rules: str) -> None:
    puzzle = parse_puzzle(line)
    replay(puzzle, events_of(puzzle, rules, 2)[:400])


@settings(max_examples=40, deadline=None)
@given(puzzles(), st.sampled_from(LADDERS), st.sampled_from(list(Direction)))
def test_events_are_true(puzzle: Puzzle, rules: str, direction: Direction) -> None:
    replay(puzzle, list(Tracing(Solver(rules, direction), puzzle, 20)))


def test_a_value_without_a_cell_is_a_dead_end_and_no_second_assignment() -> None:
    puzzle = parse_puzzle(CONTRADICTORY)
    events = events_of(puzzle, "up-to-locked-candidates", 2)
    words = [words_of(event, puzzle.shape) for event in events[:12]]
    assert "R6C4 is 3: no other cell of column 4 can be 3 (hidden single)" in words
    assert (
        "dead end: R6C4 cannot be 4, but no other cell of column 4 can be 4 (hidden single)"
        in words
    )
    before = takewhile(lambda event: not isinstance(event, DeadEnd), events)
    cells = [event.cell for event in before if isinstance(event, Assigned)]
    assert len(cells) == len(set(cells))


def test_only_candidates_that_the_board_has_are_removed() -> None:
    line = "....28.7.4.1...........5......1..4.6.2..7..........3..6..34.....8.2...5.........."
    puzzle = parse_puzzle(line)
    board = Board(puzzle)
    removed: list[tuple[int, int]] = []
    for event in events_of(puzzle, "up-to-locked-candidates", 2)[:10]:
        if isinstance(event, Eliminated):
            removed += event.conclusion.candidates
            assert len(removed) == len(set(removed))
            assert all(board.candidates[cell] >> value - 1 & 1 for cell, value in removed)
