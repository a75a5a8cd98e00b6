"""Eppstein's rules: sound on boards of any shape, and complete by closures of sets of states."""

from collections import Counter
from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings

from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.solver import solver_of
from harness.reasoning.board import Board, Conclusion, Elimination, Link, LinkGraph, Placement, Rule
from harness.reasoning.graphs import BilocationGraph, BivalueGraph
from harness.reasoning.rules.cycles import (
    BivalueNonrepetitiveCycleRule,
    BivalueRepetitiveCycle,
    BivalueRepetitiveCycleRule,
    NonrepetitiveCycle,
    NonrepetitiveCycleRule,
    RepetitiveCycle,
    RepetitiveCycleRule,
)
from harness.reasoning.rules.paths import ConflictingPaths, ConflictingPathsRule, PathRule
from harness.reasoning.rules.paths import Path as PathReason
from harness.reasoning.rules.singles import HiddenSingle, NakedSingle
from harness.reasoning.solving import propagate
from tests.reasoning import walk_oracle
from tests.reasoning.boards import boards, solutions
from tests.reasoning.soundness import agrees

RULES: tuple[Rule, ...] = (
    NonrepetitiveCycleRule(),
    BivalueNonrepetitiveCycleRule(),
    RepetitiveCycleRule(),
    BivalueRepetitiveCycleRule(),
    ConflictingPathsRule(),
    PathRule(),
)
SINGLES = (NakedSingle(), HiddenSingle())
SMALL = ("4x4", "latin4", "latin5", "4x4+antiknight", "jigsaw:1112122233343444", "6x6+antiking")
MOST_SOLUTIONS = 300


@settings(deadline=None, max_examples=50)
@given(boards(SMALL))
def test_conclusions_hold_in_all_solutions(board: Board) -> None:
    grids = list(islice(solutions(board), MOST_SOLUTIONS))
    for rule in RULES:
        for conclusion in rule.conclusions(board):
            for grid in grids:
                assert agrees(conclusion, grid), rule.name


@settings(deadline=None, max_examples=50)
@given(boards())
def test_conclusions_are_about_candidates(board: Board) -> None:
    for rule in RULES:
        for conclusion in rule.conclusions(board):
            about = (
                [(conclusion.cell, conclusion.value)]
                if isinstance(conclusion, Placement)
                else list(conclusion.candidates)
            )
            assert about == sorted(set(about))
            assert about
            for cell, value in about:
                assert board.candidates[cell] >> value - 1 & 1
                assert not board.values[cell]


def removed(rule: Rule, board: Board) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for conclusion in rule.conclusions(board):
        assert isinstance(conclusion, Elimination)
        found |= set(conclusion.candidates)
    return found


def placed(rule: Rule, board: Board) -> dict[tuple[int, int], Placement]:
    found = {}
    for conclusion in rule.conclusions(board):
        assert isinstance(conclusion, Placement)
        assert (conclusion.cell, conclusion.value) not in found
        found[conclusion.cell, conclusion.value] = conclusion
    return found


@settings(deadline=None, max_examples=50)
@given(boards())
def test_cycles_are_complete(board: Board) -> None:
    shape, domains = board.shape, walk_oracle.domains_of(board.candidates)
    strong, weak = walk_oracle.bilocation(shape, domains), walk_oracle.bivalue(shape, domains)
    assert removed(RULES[0], board) == walk_oracle.nonrepetitive(shape, domains)
    assert removed(RULES[1], board) == walk_oracle.bivalue_nonrepetitive(shape, domains)
    assert set(placed(RULES[2], board)) == walk_oracle.closing(strong)
    assert removed(RULES[3], board) == walk_oracle.closing(weak)


@settings(deadline=None, max_examples=50)
@given(boards())
def test_conflicting_paths_are_complete_and_shortest(board: Board) -> None:
    expected = walk_oracle.conflicting_paths(board.shape, walk_oracle.domains_of(board.candidates))
    found = {}
    for key, placement in placed(RULES[4], board).items():
        reason = placement.reason
        assert isinstance(reason, ConflictingPaths)
        found[key] = None if reason.house else sum(len(arm.walk) for arm in reason.arms)
    assert found == expected


@settings(deadline=None, max_examples=50)
@given(boards())
def test_paths_are_complete(board: Board) -> None:
    domains = walk_oracle.domains_of(board.candidates)
    assert removed(RULES[5], board) == walk_oracle.path(board.shape, domains)


@settings(deadline=None, max_examples=50)
@given(boards())
def test_graphs_have_all_edges(board: Board) -> None:
    domains = walk_oracle.domains_of(board.candidates)
    for graph, edges in (
        (BilocationGraph(board), walk_oracle.bilocation(board.shape, domains)),
        (BivalueGraph(board), walk_oracle.bivalue(board.shape, domains)),
    ):
        links = [(link.source, link.target, link.value) for link in graph.every_link]
        assert sorted(links) == sorted(edges)
        assert graph.edges * 2 == len(edges)


def is_walk(walk: tuple[Link, ...], graph: LinkGraph) -> bool:
    return all(link in graph.links[link.source] for link in walk) and all(
        one.target == other.source and one.value != other.value for one, other in pairwise(walk)
    )


def holds(conclusion: Conclusion, board: Board) -> bool:
    """Whether the reason of a conclusion is made of walks that prove it."""
    strong, weak = BilocationGraph(board), BivalueGraph(board)
    match conclusion, conclusion.reason:
        case Elimination(), NonrepetitiveCycle(walk):
            is_closed = (walk[0].source, False) == (
                walk[-1].target,
                walk[0].value == walk[-1].value,
            )
            return is_closed and is_walk(walk, strong if walk[0].is_strong else weak)
        case Placement(cell, value), RepetitiveCycle(walk):
            return is_walk(walk, strong) and ends_of(walk) == ((cell, value),) * 2
        case Elimination(candidates), BivalueRepetitiveCycle(walk):
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


@settings(deadline=None, max_examples=50)
@given(boards())
def test_reasons_are_walks_of_the_graphs(board: Board) -> None:
    for rule in RULES:
        for conclusion in rule.conclusions(board):
            assert holds(conclusion, board), rule.name
            assert set(conclusion.reason.cells) <= set(range(len(board.candidates)))
            words = conclusion.reason.words(board.shape)
            assert not set(words.split(", ")) & {"", "and"}
            assert words == words.strip()


def test_weak_links_join_pairs_and_strong_links_do_not() -> None:
    shape = Shape.parse("9x9+antiknight")
    marks = [511] * 81
    marks[0] = marks[11] = 0b110
    board = Board(Puzzle(shape, (0,) * 81, tuple(marks)))
    assert [(link.target, link.value, link.house) for link in BivalueGraph(board).links[0]] == [
        (11, 2, next(h for h in shape.houses if {0, 11} <= set(h.cells))),
        (11, 3, next(h for h in shape.houses if {0, 11} <= set(h.cells))),
    ]
    marks[0], marks[15], marks[26] = 511, 0b110, 0b110
    board = Board(Puzzle(shape, (0,) * 81, tuple(marks)))
    assert BilocationGraph(board).links == {}


def steps_hold(line: str) -> Counter[str]:
    """Solve a puzzle by rules; all conclusions from each board on the way must be true."""
    puzzle = parse_puzzle(line)
    answer = solver_of(puzzle.shape).of(puzzle, 2)
    assert answer.number == 1
    assert answer.solution is not None
    board = Board(puzzle)
    used = Counter[str]()
    found: list[Conclusion] = []
    while not used or found:
        propagate(board, SINGLES)
        found = []
        for rule in RULES:
            drawn = list(rule.conclusions(board))
            assert all(agrees(conclusion, answer.solution) for conclusion in drawn), (line, rule)
            used[rule.name] += len(drawn)
            found = found or drawn
        for conclusion in found:
            board.apply(conclusion)
    return used


def lines_of(path: Path) -> list[str]:
    return [line.split()[0] for line in path.read_text().splitlines() if line[:1] not in ("", "#")]


def test_all_conclusions_agree_with_the_solutions_of_samples(shared_puzzles: Path) -> None:
    lines = lines_of(shared_puzzles / "17_clue_sample_3000.txt")[::60]
    lines += lines_of(shared_puzzles / "magictour_top1465.txt")[::30]
    used = sum((steps_hold(line) for line in lines), Counter[str]())
    assert set(used) == {rule.name for rule in RULES}


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_all_conclusions_agree_with_the_solutions_of_the_collections(shared_puzzles: Path) -> None:
    lines = lines_of(shared_puzzles / "17_clue_sample_3000.txt")
    lines += lines_of(shared_puzzles / "magictour_top1465.txt")
    assert len(lines) > 4000
    for line in lines:
        steps_hold(line)
