"""Eppstein's rules and graphs, on puzzles of the article, of the Tsinghua project and others."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from harness.extensions.reasoning.board import Board, Conclusion, Elimination, Link, Placement, Rule
from harness.extensions.reasoning.graphs import (
    BilocationGraph,
    BivalueGraph,
    LinkGraph,
    closed_walk,
)
from harness.extensions.reasoning.ladder import LADDER, rung
from harness.extensions.reasoning.rules.cycles import (
    NonrepetitiveCycle,
    NonrepetitiveCycleRule,
    RepetitiveCycle,
    RepetitiveCycleRule,
)
from harness.extensions.reasoning.rules.paths import ConflictingPaths, ConflictingPathsRule
from harness.extensions.reasoning.rules.paths import Path as PathReason
from harness.extensions.reasoning.rules.singles import HiddenSingle, NakedSingle
from harness.extensions.reasoning.solving import solve, steps
from harness.puzzles import parse_puzzle
from tests.backends.article_puzzles import FIGURE_6, P3A, P3B, P3C
from tests.extensions.reasoning import walk_oracle
from tests.extensions.reasoning.boards import boards, removals_of

NAMES = (
    *("nonrepetitive cycle", "bivalue nonrepetitive cycle", "repetitive cycle"),
    *("bivalue repetitive cycle", "conflicting paths", "path"),
)
EPPSTEIN = tuple(rule for rule in LADDER if rule.name in NAMES)
SINGLES = (NakedSingle(), HiddenSingle())


def cell_of(name: str) -> int:
    row, column = name[1:].split("C")
    return 9 * int(row) + int(column) - 10


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (P3A, "R1C7 8,R3C7 8"),
        (FIGURE_6, "R1C3 8,R1C9 7,R2C1 7,R2C9 7,R3C1 8,R9C1 4,R9C9 1"),
        (P3B, ""),
        (P3C, "R8C9 7"),
    ],
    ids=["figure 5", "figure 6", "figure 7", "Tsinghua 3"],
)
def test_nonrepetitive_cycles_remove_the_candidates_of_the_article(
    line: str, expected: str
) -> None:
    board = Board(parse_puzzle(line))
    removals = removals_of(NonrepetitiveCycleRule(), board)
    names = {f"{board.shape.cell_name(cell)} {value}" for cell, value in removals}
    assert names == set(filter(None, expected.split(",")))


def test_conflicting_paths_of_the_project_have_arms_at_most_as_long_as_stated() -> None:
    board = Board(parse_puzzle(P3C))
    reason = placements(ConflictingPathsRule(), board)[cell_of("R1C7"), 2].reason
    assert isinstance(reason, ConflictingPaths)
    shorter, longer = sorted(len(arm.walk) for arm in reason.arms)
    assert shorter <= 3
    assert longer <= 5
    ends = {(arm.cell, arm.value) for arm in reason.arms}
    assert ends == {(cell_of("R8C2"), 9), (cell_of("R8C6"), 9)}
    assert reason.words(board.shape) == (
        "if not, (1) R3C8 would be 2 (box 3), R3C6 would be 7 (row 3), R8C6 would be 9 (column 6); "
        "(2) R1C7 would be 7, R7C7 would be 9 (not 7 in column 7), "
        "R7C2 would be 6 (not 9 in row 7), R8C2 would be 9 (not 6 in column 2); "
        "R8C6 and R8C2 cannot both be 9"
    )


def test_the_rules_are_in_the_order_of_the_ladder() -> None:
    assert tuple(rule.name for rule in EPPSTEIN) == NAMES
    assert rung("path") == LADDER[: LADDER.index(EPPSTEIN[-1]) + 1]


def placements(rule: Rule, board: Board) -> dict[tuple[int, int], Placement]:
    results = {}
    for conclusion in rule.conclusions(board):
        assert isinstance(conclusion, Placement)
        assert (conclusion.cell, conclusion.value) not in results
        results[conclusion.cell, conclusion.value] = conclusion
    return results


@settings(max_examples=25)
@given(boards)
def test_graphs_cycles_and_paths_are_complete(board: Board) -> None:
    shape, domains = board.shape, walk_oracle.domains_of(board.candidates)
    strong, weak = walk_oracle.bilocation(shape, domains), walk_oracle.bivalue(shape, domains)
    for graph, edges in ((BilocationGraph(board), strong), (BivalueGraph(board), weak)):
        links = [(link.source, link.target, link.value) for link in graph.every_link]
        assert sorted(links) == sorted(edges)
        assert graph.edges * 2 == len(edges)
    assert removals_of(EPPSTEIN[0], board) == walk_oracle.nonrepetitive(shape, domains)
    expected = walk_oracle.bivalue_nonrepetitive(shape, domains)
    assert removals_of(EPPSTEIN[1], board) == expected
    assert set(placements(EPPSTEIN[2], board)) == walk_oracle.closing(strong)
    assert removals_of(EPPSTEIN[3], board) == walk_oracle.closing(weak)
    assert removals_of(EPPSTEIN[5], board) == walk_oracle.path(shape, domains)


@settings(max_examples=25)
@given(boards)
def test_conflicting_paths_are_complete_and_shortest(board: Board) -> None:
    expected = walk_oracle.conflicting_paths(board.shape, walk_oracle.domains_of(board.candidates))
    results = {}
    for key, placement in placements(EPPSTEIN[4], board).items():
        reason = placement.reason
        assert isinstance(reason, ConflictingPaths)
        results[key] = None if reason.house else sum(len(arm.walk) for arm in reason.arms)
    assert results == expected


def is_walk(walk: tuple[Link, ...], graph: LinkGraph) -> bool:
    return all(link in graph.links[link.source] for link in walk) and all(
        link.target == other.source and link.value != other.value for link, other in pairwise(walk)
    )


def holds(conclusion: Conclusion, board: Board) -> bool:
    """Whether the reason of a conclusion is made of walks that prove it."""
    strong, weak = BilocationGraph(board), BivalueGraph(board)
    match conclusion, conclusion.reason:
        case Elimination(), NonrepetitiveCycle(walk):
            first, last = walk[0], walk[-1]
            is_closed = first.source == last.target and first.value != last.value
            return is_closed and is_walk(walk, strong if walk[0].is_strong else weak)
        case Placement(cell, value), RepetitiveCycle(walk):
            return is_walk(walk, strong) and ends_of(walk) == ((cell, value),) * 2
        case Elimination(candidates), RepetitiveCycle(walk):
            return is_walk(walk, weak) and ends_of(walk) == candidates * 2
        case Placement(cell, value), ConflictingPaths(arms):
            return all(is_arm(arm.walk, (cell, value), strong, weak) for arm in arms)
        case Elimination(candidates), PathReason(cell, arm):
            value, ends = arm.value, {cell, arm.cell}
            return is_arm(arm.walk, (cell, value), strong, weak) and all(
                v == value and ends <= set(board.shape.peers[c]) for c, v in candidates
            )
    return False


def ends_of(walk: tuple[Link, ...]) -> tuple[tuple[int, int], ...]:
    return (walk[0].source, walk[0].value), (walk[-1].target, walk[-1].value)


def is_arm(
    walk: tuple[Link, ...], absent: tuple[int, int], strong: LinkGraph, weak: LinkGraph
) -> bool:
    if not walk:
        return True
    if walk[0].is_strong:
        return is_walk(walk, strong) and (walk[0].source, walk[0].value) == absent
    return is_walk(walk, weak) and walk[0].source == absent[0] and walk[0].value != absent[1]


@settings(max_examples=25)
@given(boards)
def test_reasons_are_walks_of_the_graphs(board: Board) -> None:
    for rule in EPPSTEIN:
        for conclusion in rule.conclusions(board):
            assert holds(conclusion, board), rule.name
            assert set(conclusion.reason.cells) <= set(range(len(board.candidates)))
            words = conclusion.reason.words(board.shape)
            assert not set(words.split(", ")) & {"", "and"}
            assert words == words.strip()


REPETITIVE = (*SINGLES, RepetitiveCycleRule())
WALKS = {
    "R7C2 4": "R7C2 4 R9C3 9 R9C6 4 R5C6 9 R5C7 5 R5C3 2 R5C1 4 R1C1 2 R1C2 4 R7C2",
    "R4C3 5": "R4C3 5 R5C3 2 R8C3 9 R9C3 4 R9C6 9 R5C6 4 R6C5 9 R6C7 8 R4C7 5 R4C3",
}
"""The walks of P3b that the article describes."""


@pytest.mark.parametrize("conclusion", WALKS)
def test_p3b_has_the_repetitive_cycles_of_the_article(conclusion: str) -> None:
    board = Board(parse_puzzle(P3B))
    name, value = conclusion.split()
    reason = placements(RepetitiveCycleRule(), board)[cell_of(name), int(value)].reason
    assert isinstance(reason, RepetitiveCycle)
    assert len(reason.walk) <= 9
    assert reason.cells[0] == cell_of(name)
    words = WALKS[conclusion].split()
    graph = BilocationGraph(board)
    for source, label, target in zip(words[::2], words[1::2], words[2::2], strict=False):
        targets = [link.target for link in graph.leaving[cell_of(source), int(label)]]
        assert cell_of(target) in targets


def test_p3b_is_finished_by_one_repetitive_cycle_and_singles() -> None:
    puzzle = parse_puzzle(P3B)
    assert not solve(puzzle, SINGLES).finished
    board = Board(puzzle)
    rules = [step.rule.name for step in steps(board, REPETITIVE)]
    assert board.finished
    assert rules.count("repetitive cycle") == 1


def test_p3c_needs_more_than_singles_and_has_no_repetitive_cycle() -> None:
    puzzle = parse_puzzle(P3C)
    assert not solve(puzzle, SINGLES).finished
    assert list(RepetitiveCycleRule().conclusions(Board(puzzle))) == []


def test_two_cells_have_an_edge_for_each_value() -> None:
    board = Board(parse_puzzle("12..34..21..43.."))
    links = BilocationGraph(board).links[2]
    row = board.shape.houses[0]
    assert [link for link in links if link.house == row] == [
        Link(2, 3, 3, 3, row),
        Link(2, 3, 4, 4, row),
    ]


def test_a_shortest_walk_is_found() -> None:
    """A walk may return by the edge on which it left."""
    graph = BilocationGraph(Board(parse_puzzle(P3B)))
    lengths = [
        len(walk)
        for cell in graph.links
        for value in range(1, 10)
        if (walk := closed_walk(graph, cell, value))
    ]
    assert min(lengths) == 6
    assert max(lengths) == 10
