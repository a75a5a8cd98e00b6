"""Drawings of boards with graphs and conclusions."""

import xml.etree.ElementTree as ElementTree
from functools import cache
from itertools import combinations, islice
from math import hypot
from pathlib import Path

import pytest
from hypothesis import given, settings

from harness.extensions.reasoning.board import (
    Board,
    Conclusion,
    Elimination,
    HasCandidates,
    HasWalks,
    Placement,
    sentence,
)
from harness.extensions.reasoning.drawing import svg
from harness.extensions.reasoning.graphs import BilocationGraph, BivalueGraph
from harness.extensions.reasoning.ladder import LADDER, rule_named
from harness.extensions.reasoning.rules.colouring import Colouring, Wrap
from harness.puzzles import Puzzle, Shape, parse_puzzle
from tests.backends.article_puzzles import FIGURE_6, FIGURE_11
from tests.backends.article_puzzles import P3C as TSINGHUA_3
from tests.extensions.reasoning.boards import boards

SVG = "{http://www.w3.org/2000/svg}"
DOCS = Path(__file__).resolve().parents[3] / "docs"
STROKE = "#c62828"


def board_of(line: str) -> Board:
    return Board(parse_puzzle(line))


def elements(drawing: str, tag: str, kind: str = "") -> list[ElementTree.Element]:
    """The elements with this tag and a class that begins with `kind`."""
    every = ElementTree.fromstring(drawing).iter()
    return [
        element
        for element in every
        if element.tag == SVG + tag and element.get("class", "").startswith(kind)
    ]


def labels(drawing: str) -> list[tuple[float, float, float, str]]:
    """Middle, radius and text of each label; only those on discs have a radius."""
    return [
        (
            float(text.get("x", "")),
            float(form.get("cy", text.get("y", ""))),
            float(form.get("r", "0")),
            text.text or "",
        )
        for form, text in elements(drawing, "g", "label ")
    ]


def curves(drawing: str) -> list[str]:
    return [d for path in elements(drawing, "path") if "Q" in (d := path.get("d", ""))]


@pytest.mark.parametrize("line", [FIGURE_6, FIGURE_11])
@pytest.mark.parametrize("kind", [BilocationGraph, BivalueGraph])
def test_each_edge_has_a_curve_and_a_label_of_its_own(
    line: str, kind: type[BilocationGraph | BivalueGraph]
) -> None:
    board = board_of(line)
    graph = kind(board)
    drawing = svg(board, None, graph)
    places = labels(drawing)
    assert len(set(curves(drawing))) == len(places) == graph.edges
    values = sorted(str(link.value) for link in graph.every_link)
    assert sorted(text for *_, text in places for _ in range(2)) == values
    size = board.shape.size * 78
    for x, y, radius, _ in places:
        assert radius <= min(x, y)
        assert max(x, y) <= size - radius
    for (x1, y1, radius, _), (x2, y2, _, _) in combinations(places, 2):
        assert hypot(x1 - x2, y1 - y2) >= 2 * radius - 0.1


def texts(drawing: str, kind: str) -> list[tuple[float, float, str]]:
    """The place of each text of a class, from the corner of the grid."""
    return [
        (float(text.get("x", "")), float(text.get("y", "")), text.text or "")
        for text in elements(drawing, "text", kind)
    ]


def marks(drawing: str) -> list[tuple[str, str]]:
    """The form and the fill of each marked candidate."""
    return [
        (tag, element.get("fill", ""))
        for tag in ("circle", "path")
        for element in elements(drawing, tag, "candidate ")
    ]


def candidates_on(board: Board, conclusion: Conclusion) -> set[tuple[int, int]]:
    """The candidates of a reason that the board has."""
    reason = conclusion.reason
    groups = reason.candidates if isinstance(reason, HasCandidates) else ()
    return {
        (cell, value)
        for group in groups
        for cell, value in group
        if board.candidates[cell] >> value - 1 & 1
    }


def filled(drawing: str) -> dict[tuple[int, int], str]:
    """The colour of each filled cell, by its row and column from 1."""
    return {
        (int(rect.get("y", "")) // 78 + 1, int(rect.get("x", "")) // 78 + 1): rect.get("fill", "")
        for rect in elements(drawing, "rect", "fill ")
    }


@pytest.mark.parametrize("spec", ["9x9", "16x16"])
def test_rows_and_columns_have_their_names_beside_the_grid(spec: str) -> None:
    shape = Shape.parse(spec)
    drawing = svg(Board(Puzzle(shape, (0,) * shape.size**2)))
    names = texts(drawing, "name")
    rows = [name for x, _, name in sorted(names, key=lambda name: name[1]) if x < 0]
    columns = [name for _, y, name in sorted(names) if y < 0]
    assert rows == [f"R{number}" for number in range(1, shape.size + 1)]
    assert columns == [f"C{number}" for number in range(1, shape.size + 1)]


def test_the_conclusion_is_a_caption_below_the_grid_and_inside_the_drawing() -> None:
    board = board_of(TSINGHUA_3)
    for conclusion in conclusions_of(TSINGHUA_3):
        drawing = svg(board, conclusion)
        lines = texts(drawing, "caption")
        assert " ".join(text for *_, text in lines) == sentence(conclusion, board.shape)
        root = ElementTree.fromstring(drawing)
        *_, width, height = map(float, root.get("viewBox", "").split())
        room = width - 9 * 78 - 4
        assert all(y > 9 * 78 and y + room < height for _, y, _ in lines)
        assert all(len(text) * 0.6 * 17 <= width for *_, text in lines)


def test_a_caption_of_ones_own_is_escaped_and_without_a_text_there_is_none() -> None:
    board = board_of(FIGURE_6)
    assert [text for *_, text in texts(svg(board, caption="a <b> & \x1b"), "caption")] == [
        "a <b> & \\x1b"
    ]
    assert texts(svg(board), "caption") == []


def test_givens_are_bold_and_other_values_are_not() -> None:
    puzzle = parse_puzzle(FIGURE_6)
    board = Board(puzzle)
    board.apply(next(c for c in conclusions_of(FIGURE_6) if isinstance(c, Placement)))
    texts = elements(svg(board, givens=puzzle.givens), "text")
    assert sum(text.get("font-weight") == "bold" for text in texts) == puzzle.clues


def test_a_colouring_has_two_forms_and_colours_and_a_line_for_each_pair() -> None:
    board = board_of(TSINGHUA_3)
    conclusion = next(rule_named("simple-colouring").conclusions(board))
    reason = conclusion.reason
    assert isinstance(reason, Colouring)
    drawing = svg(board, conclusion)
    forms = marks(drawing)
    assert [form for form, _ in forms] == ["circle"] * 3 + ["path"] * 3
    assert len(set(forms)) == 2
    assert len(set(curves(drawing))) == len(reason.links) == 5
    fills = filled(drawing)
    assert len(fills) == 6
    assert len({fills[1, 7], fills[3, 6], fills[7, 9]}) == 1
    assert len({fills[1, 7], fills[3, 8]}) == 2


def test_a_fish_has_its_candidates_and_base_and_cover_lines_in_colours() -> None:
    shape = Shape.parse("9x9")
    board = Board(Puzzle(shape, (0,) * 81))
    for row in (1, 4):
        for column in set(range(9)) - {1, 6}:
            board.remove(9 * row + column, 3)
    drawing = svg(board, next(rule_named("x-wing").conclusions(board)))
    assert len(marks(drawing)) == 4
    fills = filled(drawing)
    assert set(fills) == {
        (r, c) for r in range(1, 10) for c in range(1, 10) if r in (2, 5) or c in (2, 7)
    }
    assert len({fills[2, 1], fills[1, 2], fills[2, 2]}) == 3
    assert fills[2, 1] == fills[5, 9]
    assert fills[1, 2] == fills[9, 7]


def test_a_removed_candidate_of_a_colour_keeps_its_colour_under_the_stroke() -> None:
    """1 is in two cells each of row 1, column 5, row 5 and box 4, and R1C1 and R4C1 are peers."""
    board = Board(Puzzle(Shape.parse("9x9"), (0,) * 81))
    for house, cells in (("row 1", (0, 4)), ("column 5", (4, 40)), ("box 4", (27, 37))):
        (of_house,) = (each.cells for each in board.shape.houses if str(each) == house)
        for cell in set(of_house) - set(cells):
            board.remove(cell, 1)
    for cell in set(range(36, 45)) - {37, 40}:
        board.remove(cell, 1)
    conclusion = next(rule_named("simple-colouring").conclusions(board))
    assert isinstance(conclusion, Elimination)
    assert isinstance(conclusion.reason, Wrap)
    assert set(conclusion.candidates) <= candidates_on(board, conclusion)
    drawing = svg(board, conclusion)
    assert drawing.count(f'stroke="{STROKE}"') == len(conclusion.candidates) == 3
    assert '"#f7d6d6"' not in drawing
    assert '"#f7d6d6"' in svg(board, Elimination(((80, 1),), conclusion.reason))


@cache
def conclusions_of(line: str) -> list[Conclusion]:
    """The first conclusions of each rule."""
    board = board_of(line)
    return [conclusion for rule in LADDER for conclusion in islice(rule.conclusions(board), 3)]


@pytest.mark.parametrize("line", [FIGURE_6, TSINGHUA_3])
def test_a_conclusion_has_the_links_of_its_walks(line: str) -> None:
    board = board_of(line)
    for conclusion in conclusions_of(line):
        drawing = svg(board, conclusion)
        reason = conclusion.reason
        links = (
            [link for walk in reason.walks for link in walk] if isinstance(reason, HasWalks) else []
        )
        assert [text for *_, text in labels(drawing)] == [str(link.value) for link in links]
        assert len(elements(drawing, "polygon")) == len(links)
        paths = elements(drawing, "path", "link ")
        dashes = sum("stroke-dasharray" in path.attrib for path in paths)
        assert dashes == sum(not link.is_strong for link in links)
        strokes = sum(path.get("stroke") == STROKE for path in elements(drawing, "path"))
        removals = len(conclusion.candidates) if isinstance(conclusion, Elimination) else 0
        assert strokes == removals
        assert len(filled(drawing)) >= len({cell for link in links for cell in link.cells})


@settings(max_examples=10)
@given(boards)
def test_boards_of_any_shape_are_drawn(board: Board) -> None:
    for graph in (BilocationGraph(board), BivalueGraph(board)):
        assert len(labels(svg(board, None, graph))) == graph.edges
    for rule in LADDER:
        for conclusion in rule.conclusions(board):
            drawing = svg(board, conclusion, title="a <b> & c")
            assert ElementTree.fromstring(drawing)[0].text == "a <b> & c"
            assert len(marks(drawing)) == len(candidates_on(board, conclusion))
            break


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
