"""Drawings of puzzles, in a terminal and as SVG."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from hypothesis import given, settings

from harness.puzzles import Puzzle, Shape, load_dataset, parse_puzzle
from harness.puzzles.drawing import drawn, svg, width_of
from harness.puzzles.puzzle import values_of_line
from harness.puzzles.shape import VALUES
from tests.puzzles.example import BOXED, LINE, SOLUTION, puzzles

SPECS = (
    *("4x4", "6x6", "box5x2", "9x9", "16x16", "25x25", "latin5", "36x36"),
    *("9x9+diagonal", "9x9+windoku+antiknight", "6x6+disjoint", "jigsaw:1122112233443344"),
)
PUZZLE = parse_puzzle(LINE)
SVG = "{http://www.w3.org/2000/svg}"


def with_marks(puzzle: Puzzle) -> Puzzle:
    """The puzzle with pencilmarks that exclude one value in each blank cell."""
    size = puzzle.shape.size
    every = (1 << size) - 1
    marks = tuple(
        1 << value - 1 if value else every ^ 1 << cell % size
        for cell, value in enumerate(puzzle.givens)
    )
    return Puzzle(puzzle.shape, puzzle.givens, marks)


def test_a_9x9_is_drawn_with_its_boxes() -> None:
    assert drawn(PUZZLE, unicode=False) == BOXED.splitlines()
    assert drawn(PUZZLE)[:5] == [
        "┌───────┬───────┬───────┐",
        "│ . . 3 │ . 2 . │ 6 . . │",
        "│ 9 . . │ 3 . 5 │ . . 1 │",
        "│ . . 1 │ 8 . 6 │ 4 . . │",
        "├───────┼───────┼───────┤",
    ]


def test_regions_of_a_jigsaw_have_borders_where_they_end() -> None:
    shape = Shape.parse("jigsaw:1112122233343444")
    assert drawn(Puzzle(shape, (1,) + (0,) * 15)) == [
        "┌───────────┬───┐",
        "│ 1   .   . │ . │",
        "│   ┌───────┘   │",
        "│ . │ .   .   . │",
        "├───┴───────┬───┤",
        "│ .   .   . │ . │",
        "│   ┌───────┘   │",
        "│ . │ .   .   . │",
        "└───┴───────────┘",
    ]


def test_diagonals_and_windows_are_marked() -> None:
    diagonal = Puzzle(Shape.parse("9x9+diagonal"), PUZZLE.givens)
    rows = [line for line in drawn(diagonal, unicode=False) if line[0] == "|"]
    assert rows[0] == "|\\. . 3 | . 2 . | 6 ./. |"
    assert rows[4] == "| 7 . . | .X. . | . . 8 |"
    windoku = Puzzle(Shape.parse("9x9+windoku"), PUZZLE.givens)
    rows = [line for line in drawn(windoku, unicode=False) if line[0] == "|"]
    assert rows[1] == "| 9:.:. |:3 .:5 |:.:. 1 |"


def test_pencilmarks_are_drawn_in_their_cells() -> None:
    marked = with_marks(parse_puzzle("1..............."))
    assert drawn(marked)[:4] == [
        "┌───────┬───────┐",
        "│ 1  1  │ 12 12 │",
        "│    34 │  4 3  │",
        "│       │       │",
    ]
    assert drawn(marked, (1, 2, 3, 4) * 4)[1] == "│ 1 2 │ 3 4 │"


def test_colours_change_no_width() -> None:
    marked = with_marks(PUZZLE)
    for puzzle in (PUZZLE, marked):
        cells: set[int] = set()

        def styled(cell: int, text: str, cells: set[int] = cells) -> str:
            cells.add(cell)
            return f"<{text}>"

        plain = [line.replace("<", "").replace(">", "") for line in drawn(puzzle, styled=styled)]
        assert plain == drawn(puzzle)
        assert cells == set(range(81))


@settings(max_examples=20)
@given(puzzles(SPECS))
def test_every_line_of_a_drawing_has_its_width(puzzle: Puzzle) -> None:
    for one in (puzzle, with_marks(puzzle)):
        for unicode in (True, False):
            lines = drawn(one, unicode=unicode)
            assert {len(line) for line in lines} == {width_of(one)}
            assert unicode or all(line.isascii() for line in lines)
    assert width_of(puzzle) <= 80 or puzzle.shape.size > 25
    symbols = [s for s in "".join(drawn(puzzle, unicode=False)) if s in VALUES]
    plain = [s for s in puzzle.line if s != "."]
    assert [s for s in symbols if s != "X"] == [s for s in plain if s != "X"]


@settings(max_examples=10)
@given(puzzles(SPECS))
def test_an_svg_has_every_value_and_candidate_inside_its_frame(puzzle: Puzzle) -> None:
    for one in (puzzle, with_marks(puzzle)):
        root = ElementTree.fromstring(svg(one))
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        texts = root.findall(f".//{SVG}text")
        expected = [s for s in puzzle.line if s != "."]
        bold = [text.text for text in texts if text.get("font-weight") == "bold"]
        assert bold == expected
        if one.pencilmarks is not None:
            blanks = puzzle.givens.count(0)
            assert len(texts) - len(bold) == blanks * (puzzle.shape.size - 1)
        for text in texts:
            assert 0 < float(text.attrib["x"]) < width
            assert 0 < float(text.attrib["y"]) < height
            assert float(text.attrib["font-size"]) >= 7


def test_an_svg_shows_the_solution_and_the_variants() -> None:
    solved = svg(PUZZLE, values_of_line(SOLUTION))
    assert solved.count("<text") == 81
    assert solved.count('font-weight="bold"') == PUZZLE.clues
    shape = Shape.parse("9x9+diagonal+windoku")
    assert svg(Puzzle(shape, PUZZLE.givens)).count("<line") == 2
    assert svg(Puzzle(shape, PUZZLE.givens)).count("<rect") == 1 + 36
    groups = svg(Puzzle(Shape.parse("9x9+disjoint"), PUZZLE.givens))
    assert len({part.split('"')[0] for part in groups.split('fill="hsl(')[1:]}) == 9


def test_a_title_cannot_end_the_markup() -> None:
    title = "</title><script>alert(1)</script>\x1b"
    root = ElementTree.fromstring(svg(PUZZLE, title=title))
    found = root.find(f"{SVG}title")
    assert found is not None
    assert found.text == "</title><script>alert(1)</script>\\x1b"
    assert not root.findall(f".//{SVG}script")


@pytest.mark.parametrize("name", ["jigsaw", "diagonal", "windoku", "25x25"])
def test_borders_of_an_svg_are_those_of_the_regions(name: str) -> None:
    puzzle = load_dataset(f"{name}/1").instances[0].puzzle
    thick = ElementTree.fromstring(svg(puzzle)).findall(f".//{SVG}path")[1].attrib["d"]
    plain = svg(Puzzle(Shape.parse(f"latin{puzzle.shape.size}"), puzzle.givens))
    frame = ElementTree.fromstring(plain).findall(f".//{SVG}path")[1].attrib["d"]
    assert frame.count("M") == 4 * puzzle.shape.size
    inside = set(thick.split("M")) - set(frame.split("M"))
    regions = {
        cell: n
        for n, h in enumerate(puzzle.shape.houses)
        if h.kind in ("box", "region")
        for cell in h.cells
    }
    size = puzzle.shape.size
    ends = sum(regions[c] != regions[c + 1] for c in range(size**2) if (c + 1) % size)
    ends += sum(regions[c] != regions[c + size] for c in range(size**2 - size))
    assert len(inside) == ends


def test_a_drawing_of_a_solution_keeps_the_marks() -> None:
    diagonal = replace(PUZZLE, shape=Shape.parse("9x9+diagonal"))
    assert drawn(diagonal, values_of_line(SOLUTION), unicode=False)[1] == (
        "|\\4 8 3 | 9 2 1 | 6 5/7 |"
    )
