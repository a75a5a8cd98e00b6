"""The repetitive cycle rule on the puzzles of Eppstein's article and of the Tsinghua project."""

import pytest

from harness.puzzles import parse_puzzle
from harness.reasoning.board import Board, Link, Placement
from harness.reasoning.graphs import BilocationGraph, closed_walk
from harness.reasoning.rules.cycles import RepetitiveCycle, RepetitiveCycleRule
from harness.reasoning.rules.singles import HiddenSingle, NakedSingle
from harness.reasoning.solving import solve, steps

EPPSTEIN_6 = ".9..5342..134928...4..67.39..1524...92.318..4.5.9763121.924576...573.2...7.68...."
P3A = "53..76.2912639.57..7952..63263.5.9477..2.93569457632813.4685792697432..5.5291763."
P3B = "..318679559647231818795364297.321.64.1.86..3736.5.7.216.17.528.7..61845.85.23.176"
P3C = "316..5.94.87..4563.4563.1.86215.83.9479362815853..16..1.2453.8.5.8...43.734..6.51"
SINGLES = (NakedSingle(), HiddenSingle())
RULES = (*SINGLES, RepetitiveCycleRule())
WALKS = {
    "R7C2 4": "R7C2 4 R9C3 9 R9C6 4 R5C6 9 R5C7 5 R5C3 2 R5C1 4 R1C1 2 R1C2 4 R7C2",
    "R4C3 5": "R4C3 5 R5C3 2 R8C3 9 R9C3 4 R9C6 9 R5C6 4 R6C5 9 R6C7 8 R4C7 5 R4C3",
}
"""The walks of P3b that the article describes."""


def cell_of(name: str) -> int:
    row, column = name[1:].split("C")
    return 9 * int(row) + int(column) - 10


@pytest.mark.parametrize(
    ("line", "cells", "edges"),
    [(EPPSTEIN_6, 32, 45), (P3A, 12, 18), (P3B, 19, 41), (P3C, 26, 37)],
    ids=["figure 6", "P3a", "P3b", "P3c"],
)
def test_graphs_have_the_sizes_of_the_article(line: str, cells: int, edges: int) -> None:
    graph = BilocationGraph(Board(parse_puzzle(line)))
    assert (len(graph.links), graph.edges) == (cells, edges)


def test_p3a_needs_naked_singles_only_and_has_no_repetitive_cycle() -> None:
    puzzle = parse_puzzle(P3A)
    assert list(RepetitiveCycleRule().conclusions(Board(puzzle))) == []
    outcome = solve(puzzle, RULES)
    assert outcome.finished
    assert outcome.used == {"naked single": 18}
    board = Board(puzzle)
    assert all(isinstance(step.conclusion, Placement) for step in steps(board, RULES))
    placed = board.values
    assert placed[cell_of("R9C1")] == 8
    assert placed[cell_of("R3C1")] == 4


@pytest.mark.parametrize("conclusion", WALKS)
def test_p3b_has_the_repetitive_cycles_of_the_article(conclusion: str) -> None:
    board = Board(parse_puzzle(P3B))
    name, value = conclusion.split()
    found = {(p.cell, p.value): p for p in RepetitiveCycleRule().conclusions(board)}
    reason = found[cell_of(name), int(value)].reason
    assert isinstance(reason, RepetitiveCycle)
    assert len(reason.walk) <= 9
    assert reason.cells[0] == cell_of(name)
    words = WALKS[conclusion].split()
    graph = BilocationGraph(board)
    for source, label, target in zip(words[::2], words[1::2], words[2::2], strict=False):
        ends = [
            (link.value, link.target)
            for link in graph.links[cell_of(source)]
            if link.value == int(label)
        ]
        assert (int(label), cell_of(target)) in ends


def test_p3b_is_finished_by_one_repetitive_cycle_and_singles() -> None:
    puzzle = parse_puzzle(P3B)
    assert not solve(puzzle, SINGLES).finished
    outcome = solve(puzzle, RULES)
    assert outcome.finished
    assert outcome.used["repetitive cycle"] == 1
    assert outcome.hardest == "repetitive cycle"


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
