"""The puzzles of Eppstein's article, and how many puzzles of two collections his rules finish."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.puzzles import Puzzle, parse_puzzle
from harness.puzzles.shape import Shape
from harness.reasoning.board import Board, Elimination, Rule
from harness.reasoning.graphs import BilocationGraph, BivalueGraph
from harness.reasoning.ladder import LADDER, rung
from harness.reasoning.rules.cycles import (
    NonrepetitiveCycleRule,
    RepetitiveCycle,
    RepetitiveCycleRule,
)
from harness.reasoning.rules.paths import ConflictingPaths, ConflictingPathsRule
from harness.reasoning.rules.singles import HiddenSingle, NakedSingle
from harness.reasoning.solving import propagate

FIGURE_5 = "53..76.2912639.57..7952..63263.5.9477..2.93569457632813.4685792697432..5.5291763."
FIGURE_6 = ".9..5342..134928...4..67.39..1524...92.318..4.5.9763121.924576...573.2...7.68...."
FIGURE_7 = "..318679559647231818795364297.321.64.1.86..3736.5.7.216.17.528.7..61845.85.23.176"
FIGURE_11 = "5....1..8......6......6257..9.2.51....4.1.3....83.9.2..7698......5......8..1....3"
TSINGHUA_3 = "316..5.94.87..4563.4563.1.86215.83.9479362815853..16..1.2453.8.5.8...43.734..6.51"
NAMES = (
    "nonrepetitive cycle",
    "bivalue nonrepetitive cycle",
    "repetitive cycle",
    "bivalue repetitive cycle",
    "conflicting paths",
    "path",
)
EPPSTEIN = tuple(rule for rule in LADDER if rule.name in NAMES)


def board_of(line: str) -> Board:
    return Board(parse_puzzle(line))


def cell_of(name: str) -> int:
    row, column = name[1:].split("C")
    return 9 * int(row) + int(column) - 10


@pytest.mark.parametrize(
    ("line", "strong", "weak"),
    [
        (FIGURE_6, (32, 45), (18, 25)),
        (FIGURE_7, (19, 41), (18, 40)),
        (TSINGHUA_3, (26, 37), (15, 25)),
    ],
    ids=["figure 6", "figure 7", "Tsinghua 3"],
)
def test_graphs_have_the_sizes_of_the_article(
    line: str, strong: tuple[int, int], weak: tuple[int, int]
) -> None:
    bilocation, bivalue = BilocationGraph(board_of(line)), BivalueGraph(board_of(line))
    assert (len(bilocation.links), bilocation.edges) == strong
    assert (len(bivalue.links), bivalue.edges) == weak


def removed(line: str, rule: Rule) -> set[str]:
    found = set()
    board = board_of(line)
    for conclusion in rule.conclusions(board):
        assert isinstance(conclusion, Elimination)
        found |= {f"{board.shape.cell_name(c)} {v}" for c, v in conclusion.candidates}
    return found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (FIGURE_5, "R1C7 8,R3C7 8"),
        (FIGURE_6, "R1C3 8,R1C9 7,R2C1 7,R2C9 7,R3C1 8,R9C1 4,R9C9 1"),
        (FIGURE_7, ""),
        (TSINGHUA_3, "R8C9 7"),
    ],
    ids=["figure 5", "figure 6", "figure 7", "Tsinghua 3"],
)
def test_nonrepetitive_cycles_remove_the_candidates_of_the_article(
    line: str, expected: str
) -> None:
    assert removed(line, NonrepetitiveCycleRule()) == set(filter(None, expected.split(",")))


@pytest.mark.parametrize(("name", "value"), [("R7C2", 4), ("R4C3", 5)])
def test_repetitive_cycles_of_figure_7_are_at_most_as_long_as_stated(name: str, value: int) -> None:
    found = {(p.cell, p.value): p for p in RepetitiveCycleRule().conclusions(board_of(FIGURE_7))}
    reason = found[cell_of(name), value].reason
    assert isinstance(reason, RepetitiveCycle)
    assert len(reason.walk) <= 9


def conflicts(line: str) -> dict[tuple[int, int], ConflictingPaths]:
    found = {}
    for placement in ConflictingPathsRule().conclusions(board_of(line)):
        assert isinstance(placement.reason, ConflictingPaths)
        found[placement.cell, placement.value] = placement.reason
    return found


def test_conflicting_paths_of_the_project_have_arms_at_most_as_long_as_stated() -> None:
    reason = conflicts(TSINGHUA_3)[cell_of("R1C7"), 2]
    shorter, longer = sorted(len(arm.walk) for arm in reason.arms)
    assert shorter <= 3
    assert longer <= 5
    assert {(arm.cell, arm.value) for arm in reason.arms} == {
        (cell_of("R8C2"), 9),
        (cell_of("R8C6"), 9),
    }
    assert reason.words(Shape.parse("9x9")) == (
        "if not, (1) R3C8 would be 2 (box 3), R3C6 would be 7 (row 3), R8C6 would be 9 (column 6); "
        "(2) R1C7 would be 7, R7C7 would be 9 (not 7 in column 7), "
        "R7C2 would be 6 (not 9 in row 7), R8C2 would be 9 (not 6 in column 2); "
        "R8C6 and R8C2 cannot both be 9"
    )


def test_conflicting_paths_of_figure_5_may_have_an_arm_of_one_link() -> None:
    reason = conflicts(FIGURE_5)[cell_of("R2C6"), 4]
    walks = [[(link.target, link.value) for link in arm.walk] for arm in reason.arms]
    assert walks == [
        [(cell_of("R2C9"), 4)],
        [(cell_of("R3C6"), 4), (cell_of("R3C7"), 1), (cell_of("R1C7"), 4)],
    ]


@dataclass(frozen=True, slots=True)
class Line:
    """All cells for a value in a house have these peers in common."""

    cells: tuple[int, ...]

    def words(self, shape: Shape) -> str:
        return "a line"


class Locked(Rule):
    """Locked candidates of pairs of houses, for the counts of the article."""

    name = "locked"

    def conclusions(self, board: Board) -> Iterator[Elimination]:
        peers = [set(of) for of in board.shape.peers]
        for house in board.shape.houses:
            for value in range(1, board.shape.size + 1):
                places = [c for c in house.cells if board.candidates[c] >> value - 1 & 1]
                common = set.intersection(*(peers[c] for c in places)) if places[1:] else set()
                others = [c for c in sorted(common) if board.candidates[c] >> value - 1 & 1]
                if others:
                    yield Elimination(tuple((c, value) for c in others), Line(tuple(places)))


RUNGS: tuple[Rule, ...] = (NakedSingle(), HiddenSingle(), Locked(), *EPPSTEIN)


def first_rung(puzzle: Puzzle) -> int:
    """The number of rules that finish a puzzle, one more than there are if they do not."""
    board = Board(puzzle)
    for number in range(1, len(RUNGS) + 1):
        propagate(board, RUNGS[:number])
        if board.finished:
            return number
    return len(RUNGS) + 1


def lines_of(path: Path) -> list[str]:
    return [line.split()[0] for line in path.read_text().splitlines() if line[:1] not in ("", "#")]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "part", "expected"),
    [
        ("17_clue_sample_3000.txt", slice(120), [0, 51, 103, 115, 115, 117, 118, 119, 119]),
        ("17_clue_sample_3000.txt", slice(0, None, 25), [0, 55, 91, 101, 103, 108, 109, 119, 119]),
        ("magictour_top1465.txt", slice(60), [0, 0, 0, 20, 25, 25, 29, 29, 29]),
        ("magictour_top1465.txt", slice(0, None, 24), [0, 0, 4, 14, 15, 16, 18, 20, 20]),
    ],
    ids=["17 clues, first", "17 clues, every 25th", "top1465, first", "top1465, every 24th"],
)
def test_puzzles_finished_by_each_rung(
    shared_puzzles: Path, name: str, part: slice, expected: list[int]
) -> None:
    """Another sample of 120 had 0 58 95 103 108 110 111 115, one of 60 had 0 0 4 15 17 17 20 20."""
    found = [first_rung(parse_puzzle(line)) for line in lines_of(shared_puzzles / name)[part]]
    counts = [sum(of <= number for of in found) for number in range(1, len(RUNGS) + 1)]
    assert counts == expected


def test_figure_11_needs_conflicting_paths() -> None:
    assert RUNGS[first_rung(parse_puzzle(FIGURE_11)) - 1].name == "conflicting paths"


def test_the_rules_are_in_the_order_of_the_ladder() -> None:
    assert tuple(rule.name for rule in EPPSTEIN) == NAMES
    assert rung("path") == LADDER[: LADDER.index(EPPSTEIN[-1]) + 1]
