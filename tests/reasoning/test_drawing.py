"""Drawings of boards with graphs and conclusions."""

import xml.etree.ElementTree as ElementTree
from itertools import combinations
from math import hypot
from pathlib import Path

import pytest
from hypothesis import given, settings

from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.reasoning.bilocation import BilocationGraph
from harness.reasoning.bivalue import BivalueGraph
from harness.reasoning.board import Board
from harness.reasoning.conclusion import Conclusion, Elimination, Placement
from harness.reasoning.drawing.svg import svg
from harness.reasoning.ladder import LADDER, rule_named
from harness.reasoning.links import HasWalks
from tests.reasoning.boards import boards

FIGURE_5 = "53..76.2912639.57..7952..63263.5.9477..2.93569457632813.4685792697432..5.5291763."
FIGURE_6 = ".9..5342..134928...4..67.39..1524...92.318..4.5.9763121.924576...573.2...7.68...."
FIGURE_7 = "..318679559647231818795364297.321.64.1.86..3736.5.7.216.17.528.7..61845.85.23.176"
FIGURE_11 = "5....1..8......6......6257..9.2.51....4.1.3....83.9.2..7698......5......8..1....3"
TSINGHUA_3 = "316..5.94.87..4563.4563.1.86215.83.9479362815853..16..1.2453.8.5.8...43.734..6.51"
SVG = "{http://www.w3.org/2000/svg}"
DOCS = Path(__file__).resolve().parents[2] / "docs"
STROKE = "#c62828"


def board_of(line: str) -> Board:
    return Board(parse_puzzle(line))


def labels(drawing: str) -> list[tuple[float, float, float, str]]:
    """Middle, radius and text of each label."""
    found = []
    for group in ElementTree.fromstring(drawing).iter(f"{SVG}g"):
        if group.get("class") == "label":
            circle, text = group
            x, y, radius = (float(circle.get(name, "")) for name in ("cx", "cy", "r"))
            found.append((x, y, radius, text.text or ""))
    return found


def curves(drawing: str) -> list[str]:
    paths = (path.get("d", "") for path in ElementTree.fromstring(drawing).iter(f"{SVG}path"))
    return [path for path in paths if "Q" in path]


@pytest.mark.parametrize("line", [FIGURE_6, FIGURE_7, FIGURE_11, TSINGHUA_3])
@pytest.mark.parametrize("kind", [BilocationGraph, BivalueGraph])
def test_each_edge_has_a_curve_and_a_label_of_its_own(
    line: str, kind: type[BilocationGraph | BivalueGraph]
) -> None:
    board = board_of(line)
    graph = kind(board)
    drawing = svg(board, None, graph)
    found = labels(drawing)
    assert len(set(curves(drawing))) == len(found) == graph.edges
    values = sorted(str(link.value) for link in graph.every_link)
    assert sorted(text for *_, text in found for _ in range(2)) == values
    size = board.shape.size * 78
    for x, y, radius, _ in found:
        assert radius <= min(x, y)
        assert max(x, y) <= size - radius
    for (x1, y1, radius, _), (x2, y2, _, _) in combinations(found, 2):
        assert hypot(x1 - x2, y1 - y2) >= 2 * radius - 0.1


def conclusions_of(line: str) -> list[Conclusion]:
    return [found for rule in LADDER for found in rule.conclusions(board_of(line))]


@pytest.mark.parametrize("line", [FIGURE_6, FIGURE_7, TSINGHUA_3])
def test_a_conclusion_has_the_links_of_its_walks(line: str) -> None:
    board = board_of(line)
    for conclusion in conclusions_of(line):
        drawing = svg(board, conclusion)
        tree = ElementTree.fromstring(drawing)
        reason = conclusion.reason
        links = (
            [link for walk in reason.walks for link in walk] if isinstance(reason, HasWalks) else []
        )
        assert [text for *_, text in labels(drawing)] == [str(link.value) for link in links]
        assert len(list(tree.iter(f"{SVG}polygon"))) == len(links)
        dashed = sum("stroke-dasharray" in path.attrib for path in tree.iter(f"{SVG}path"))
        assert dashed == sum(not link.is_strong for link in links)
        strokes = sum(path.get("stroke") == STROKE for path in tree.iter(f"{SVG}path"))
        removed = len(conclusion.candidates) if isinstance(conclusion, Elimination) else 0
        assert strokes == removed
        filled = sum(rect.get("x") is not None for rect in tree.iter(f"{SVG}rect"))
        assert filled >= len({cell for link in links for cell in (link.source, link.target)})


def test_walks_are_drawn_once_and_the_rest_of_the_graph_is_grey() -> None:
    board = board_of(FIGURE_6)
    graph = BilocationGraph(board)
    conclusion = next(c for rule in LADDER for c in rule.conclusions(board))
    drawing = svg(board, conclusion, graph)
    assert len(labels(drawing)) == graph.edges


def test_two_arms_have_two_colours() -> None:
    (conclusion, *_) = [
        c for c in conclusions_of(TSINGHUA_3) if getattr(c.reason, "arms", None) is not None
    ]
    tree = ElementTree.fromstring(svg(board_of(TSINGHUA_3), conclusion))
    colours = {polygon.get("fill") for polygon in tree.iter(f"{SVG}polygon")}
    assert len(colours) == 2


def test_a_reason_without_walks_has_its_cells_in_a_colour() -> None:
    board = board_of(FIGURE_5)
    conclusion = next(c for c in conclusions_of(FIGURE_5) if not isinstance(c.reason, HasWalks))
    assert isinstance(conclusion, Placement)
    tree = ElementTree.fromstring(svg(board, conclusion))
    filled = [rect for rect in tree.iter(f"{SVG}rect") if rect.get("x") is not None]
    assert len(filled) == len(conclusion.reason.cells)
    assert labels(svg(board, conclusion)) == []


def test_givens_are_bold_and_other_values_are_not() -> None:
    puzzle = parse_puzzle(FIGURE_6)
    board = Board(puzzle)
    (placement,) = [c for c in conclusions_of(FIGURE_6) if isinstance(c, Placement)][:1]
    board.apply(placement)
    texts = list(ElementTree.fromstring(svg(board, givens=puzzle.givens)).iter(f"{SVG}text"))
    assert sum(text.get("font-weight") == "bold" for text in texts) == puzzle.clues


def test_a_board_without_solution_is_drawn() -> None:
    board = Board(Puzzle(Shape.parse("4x4"), (1, 1, *(0,) * 14)))
    assert not all(board.candidates)
    assert ElementTree.fromstring(svg(board)).tag == f"{SVG}svg"


@settings(deadline=None, max_examples=30)
@given(boards())
def test_boards_of_any_shape_are_drawn(board: Board) -> None:
    for graph in (BilocationGraph(board), BivalueGraph(board)):
        assert len(labels(svg(board, None, graph))) == graph.edges
    for rule in LADDER:
        for conclusion in rule.conclusions(board):
            drawing = svg(board, conclusion, title="a <b> & c")
            assert ElementTree.fromstring(drawing)[0].text == "a <b> & c"
            break


def test_a_large_board_is_drawn() -> None:
    shape = Shape.parse("36x36")
    every = (1 << 36) - 1
    marks = tuple(every if c % 7 else 0b11 << c % 35 for c in range(36 * 36))
    board = Board(Puzzle(shape, (0,) * 36 * 36, marks))
    graph = BivalueGraph(board)
    assert len(labels(svg(board, None, graph))) == graph.edges


@pytest.mark.parametrize(
    ("name", "line", "rule", "number", "with_graph", "title"),
    [
        ("conflicting-paths", TSINGHUA_3, "conflicting paths", 0, False, "R1C7 is 2"),
        ("nonrepetitive-cycle", FIGURE_6, "nonrepetitive cycle", 1, True, "A nonrepetitive cycle"),
    ],
)
def test_the_drawings_of_the_documentation_are_current(
    name: str, line: str, rule: str, number: int, with_graph: bool, title: str
) -> None:
    puzzle = parse_puzzle(line)
    board = Board(puzzle)
    conclusion = list(rule_named(rule).conclusions(board))[number]
    graph = BilocationGraph(board) if with_graph else None
    drawing = svg(board, conclusion, graph, givens=puzzle.givens, title=title)
    assert (DOCS / f"{name}.svg").read_text() == drawing
