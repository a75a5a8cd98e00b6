"""The views of a trace: C1.5 to C1.10 and C1.12 of the search in APL, C2.5 of the spreadsheets."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.extensions.reasoning.backend import Reasoning, ReasoningOptions
from harness.extensions.reasoning.board import Board, Placement
from harness.extensions.reasoning.search import Direction, Tracing
from harness.extensions.reasoning.trace import (
    DEAD_END,
    PUT_BACK,
    Assigned,
    Branch,
    BranchPoint,
    DeadEnd,
    Eliminated,
    Event,
    NodeOutcome,
    Reset,
    SolutionFound,
    Tracker,
    TrackerRow,
    branch_name,
    nodes,
    words_of,
)
from harness.extensions.reasoning.tree import tree_lines, tree_of
from harness.puzzles import Puzzle, Shape, parse_puzzle
from tests.backends.article_puzzles import NEAR
from tests.backends.oracle import any_puzzle

PUZZLES = any_puzzle(["4x4", "latin4", "4x4+diagonal", "jigsaw:1112122233343444", "4x4+antiking"])
RULES = ("none", "naked-single", "naked-single+hidden-single")


def tracing_of(
    puzzle: Puzzle, rules: str = "none", limit: int = 10**6, direction: str = "depth-first"
) -> Tracing:
    options = ReasoningOptions(rules=rules, search=direction)
    return Tracing(Reasoning(puzzle.shape, options), puzzle, limit)


def events_of(puzzle: Puzzle, rules: str = "none", limit: int = 10**6) -> list[Event]:
    return list(tracing_of(puzzle, rules, limit))


def test_the_tracker_has_the_rows_of_the_worked_trace() -> None:
    """C1.6, C1.7: 9999 for the dead end, then 0 for the cells 8 and 5 with the same CTR."""
    events: list[Event] = [
        *(Assigned((1,) * (n + 1), 20 + n, 1, 1, None, None) for n in range(17)),
        Assigned((1,) * 18, 4, 3, 2, None, None),
        Assigned((1,) * 19, 7, 4, 1, None, None),
        DeadEnd((1,) * 19, 8),
        Reset((1,) * 19, (7, 4)),
        Assigned((*(1,) * 17, 2), 4, 8, 2, None, None),
    ]
    tracker = Tracker()
    assert list(tracker.history(events))[17:] == [
        TrackerRow(18, 2, 5, 3),
        TrackerRow(19, 1, 8, 4),
        TrackerRow(20, 0, 9, 9999),
        TrackerRow(20, 0, 8, 0),
        TrackerRow(20, 0, 5, 0),
        TrackerRow(21, 1, 5, 8),
    ]
    assert tracker.current[-1] == TrackerRow(21, 1, 5, 8)
    assert tracker.tried[5] == [3, 8]
    assert 8 not in tracker.tried


@settings(max_examples=20)
@given(PUZZLES, st.sampled_from(RULES))
def test_the_tracker_goes_back_to_the_latest_assignment_with_options(
    puzzle: Puzzle, rules: str
) -> None:
    """C1.5 to C1.8 as laws of TRACKHIST, replayed without the events."""
    tracker = Tracker()
    rows = list(tracker.history(events_of(puzzle, rules)))
    stack: list[TrackerRow] = []
    values_tried: dict[int, list[int]] = {}
    counter = 0
    for at, row in enumerate(rows):
        if row.value == PUT_BACK:
            assert row.counter == counter
            undone = stack.pop()
            assert undone.cell == row.cell
            ends = at + 1 == len(rows) or rows[at + 1].value != PUT_BACK
            assert (undone.options > 1) is (ends and bool(stack or at + 1 < len(rows)))
            if undone.options == 1:
                values_tried.pop(row.cell, None)
            continue
        counter += 1
        assert (row.counter, row.options > 0) == (counter, row.value != DEAD_END)
        if row.value != DEAD_END:
            stack.append(row)
            assert rules != "none" or row.value not in values_tried.get(row.cell, [])
            values_tried.setdefault(row.cell, []).append(row.value)
    assert (stack, values_tried) == (tracker.current, tracker.tried) == ([], {})


def test_branches_are_named_as_the_spreadsheets() -> None:
    """C2.5: total, total1, total11; dots where a number has two digits."""
    assert [branch_name(b) for b in ((), (1,), (1, 1), (2, 13), (12,), (1, 2))] == [
        *("total", "total1", "total11", "total.2.13", "total.12", "total12")
    ]


@settings(max_examples=20)
@given(PUZZLES, st.sampled_from(RULES), st.sampled_from(Direction), st.integers(1, 30))
def test_nodes_have_their_path_and_outcome(
    puzzle: Puzzle, rules: str, direction: Direction, limit: int
) -> None:
    tracing = tracing_of(puzzle, rules, limit, direction)
    every = list(nodes(tracing))
    by_branch = {node.branch: node for node in every}
    assert len(by_branch) == len(every)
    visits = [node for node in every if node.outcome is not NodeOutcome.OPEN]
    search = tracing.search
    assert len(visits) == search.nodes
    assert sum(n.outcome is NodeOutcome.DEAD_END for n in every) == search.dead_ends
    assert sum(n.outcome is NodeOutcome.SOLUTION for n in every) == tracing.number
    assert tracing.complete is (len(visits) == len(every)) or tracing.number == limit
    for node in every:
        assert len(node.path) == len(node.branch)
        if node.branch:
            assert by_branch[node.branch[:-1]].path == node.path[:-1]
            assert by_branch[node.branch[:-1]].cell == node.path[-1][0]
    for node in every:
        if node.outcome is NodeOutcome.BRANCHES:
            children = [n for n in every if n.branch[:-1] == node.branch and n.branch]
            assert len(children) == node.options


@settings(max_examples=20)
@given(PUZZLES, st.sampled_from(RULES), st.integers(1, 40), st.integers(1, 30))
def test_a_drawing_of_a_tree_counts_all_nodes(
    puzzle: Puzzle, rules: str, rows: int, most: int
) -> None:
    for limit in (10**6, most):
        visits = list(nodes(events_of(puzzle, rules)))
        root = tree_of(visits, limit)
        assert sum(root.counts.values()) == len(visits)
        lines = list(tree_lines(root, puzzle.shape, rows))
        assert len(lines) <= rows
        assert max(map(len, lines)) <= 80
        if limit > len(visits):
            below = sum(
                int(n.replace(",", "")) for n in re.findall(r"([\d,]+) nodes? b", str(lines))
            )
            nodes_drawn = sum(len(re.findall(r"R\dC\d=", line)) for line in lines) + 1
            nodes_folded = sum(int(n) for n in re.findall(r"\.\.(\d+)\.\.", str(lines)))
            assert below + nodes_drawn + nodes_folded == len(visits)


def test_the_way_to_the_solution_has_room_in_a_drawing() -> None:
    puzzle = parse_puzzle(NEAR)
    root = tree_of(nodes(events_of(puzzle, RULES[2])))
    assert sum(line.endswith("  solution") for line in tree_lines(root, puzzle.shape, 30)) == 1


@pytest.mark.parametrize(("rules", "number"), [*zip(RULES[1:], (972, 122), strict=True)])
def test_a_recorder_does_not_change_the_search(rules: str, number: int) -> None:
    """N3 of the project at Tsinghua: the same nodes with and without a trace."""
    puzzle = parse_puzzle(NEAR)
    tracing = tracing_of(puzzle, rules, 1)
    events = list(tracing)
    plain = Reasoning(puzzle.shape, ReasoningOptions(rules=rules)).search_of(puzzle)
    assert next(plain.solutions()) == tracing.solution
    assert plain.nodes == tracing.search.nodes == number
    assert plain.conclusions == tracing.search.conclusions
    placements = sum(isinstance(e, Assigned) and e.rule is not None for e in events)
    refutations = sum(isinstance(e, DeadEnd) and e.rule is not None for e in events)
    assert placements + refutations == sum(plain.conclusions.values())


def test_events_in_words() -> None:
    shape = Shape.parse("9x9")
    assert [
        words_of(event, shape)
        for event in (
            Assigned((2,), 0, 5, 3, None, None),
            Assigned((1,), 0, 5, 1, None, None),
            BranchPoint((), 1, (4, 8)),
            BranchPoint((), 1, (4,)),
            DeadEnd((1,), 2),
            Reset((1, 2), (3, 4)),
            Reset((1, 2), tuple(range(9, 0, -1))),
        )
    ] == [
        "try R1C1 is 5: 2 of 3 (total2)",
        "R1C1 is 5",
        "branch at R1C2: 4 or 8",
        "R1C2 can only be 4",
        "dead end: R1C3 has no candidate",
        "back from total12: R1C4 and R1C5 are blank again",
        "back from total12: 9 cells from R1C2 on are blank again",
    ]


def test_a_search_can_be_stopped_between_events() -> None:
    tracing = tracing_of(parse_puzzle(NEAR))
    events = []
    for event in tracing:
        events.append(event)
        if len(events) == 10:
            tracing.stop()
    assert tracing.stopped
    assert not tracing.complete
    last = list(nodes(events))
    assert any(node.outcome is NodeOutcome.OPEN for node in last)


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
                board = boards[branch] = boards[branch[:-1]].copy()
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


@settings(max_examples=15)
@given(PUZZLES, st.sampled_from(LADDERS), st.sampled_from(list(Direction)))
def test_events_are_true(puzzle: Puzzle, rules: str, direction: Direction) -> None:
    replay(puzzle, list(tracing_of(puzzle, rules, 20, direction)))
