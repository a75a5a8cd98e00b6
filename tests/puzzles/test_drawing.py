"""Drawings of puzzles, in a terminal and as SVG."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings

from harness.puzzles import Puzzle, Shape, load_dataset, parse_puzzle
from harness.puzzles.constraints.kinds import KINDS
from harness.puzzles.drawing import constraints_in_words, draw, svg, width_of
from harness.puzzles.puzzle import values_of_line
from harness.puzzles.shape import VALUES
from tests.puzzles.example import BOXED, LINE, NINE, SOLUTION, puzzles

SPECS = (
    *("4x4", "6x6", "box5x2", "9x9", "16x16", "25x25", "latin5", "36x36"),
    *("9x9+diagonal", "9x9+windoku+antiknight", "6x6+disjoint", "jigsaw:1122112233443344"),
    "9x9+diagonal; killer 12: R1C1 R1C2 R5C5; thermometer: R9C9 R8C8",
    "4x4; nonconsecutive; killer: R1C1 R1C2",
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
    assert draw(PUZZLE, unicode=False) == BOXED.splitlines()
    assert draw(PUZZLE)[:5] == [
        "┌───────┬───────┬───────┐",
        "│ . . 3 │ . 2 . │ 6 . . │",
        "│ 9 . . │ 3 . 5 │ . . 1 │",
        "│ . . 1 │ 8 . 6 │ 4 . . │",
        "├───────┼───────┼───────┤",
    ]


def test_regions_of_a_jigsaw_have_borders_where_they_end() -> None:
    shape = Shape.parse("jigsaw:1112122233343444")
    assert draw(Puzzle(shape, (1,) + (0,) * 15)) == [
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
    rows = [line for line in draw(diagonal, unicode=False) if line[0] == "|"]
    assert rows[0] == "|\\. . 3 | . 2 . | 6 ./. |"
    assert rows[4] == "| 7 . . | .X. . | . . 8 |"
    windoku = Puzzle(Shape.parse("9x9+windoku"), PUZZLE.givens)
    rows = [line for line in draw(windoku, unicode=False) if line[0] == "|"]
    assert rows[1] == "| 9:.:. |:3 .:5 |:.:. 1 |"


def test_pencilmarks_are_drawn_in_their_cells() -> None:
    puzzle_with_marks = with_marks(parse_puzzle("1..............."))
    assert draw(puzzle_with_marks)[:4] == [
        "┌───────┬───────┐",
        "│ 1  1  │ 12 12 │",
        "│    34 │  4 3  │",
        "│       │       │",
    ]
    assert draw(puzzle_with_marks, (1, 2, 3, 4) * 4)[1] == "│ 1 2 │ 3 4 │"


def test_colours_change_no_width() -> None:
    puzzle_with_marks = with_marks(PUZZLE)
    for puzzle in (PUZZLE, puzzle_with_marks):
        cells: set[int] = set()

        def style(cell: int, text: str, cells: set[int] = cells) -> str:
            cells.add(cell)
            return f"<{text}>"

        plain = [line.replace("<", "").replace(">", "") for line in draw(puzzle, style=style)]
        assert plain == draw(puzzle)
        assert cells == set(range(81))


@settings(max_examples=20)
@given(puzzles(SPECS))
def test_every_line_of_a_drawing_has_its_width(puzzle: Puzzle) -> None:
    for drawn_puzzle in (puzzle, with_marks(puzzle)):
        for unicode in (True, False):
            lines = draw(drawn_puzzle, unicode=unicode)
            assert {len(line) for line in lines} == {width_of(drawn_puzzle)}
            assert unicode or all(line.isascii() for line in lines)
    assert width_of(puzzle) <= 80 or puzzle.shape.size > 25
    symbols = [s for s in "".join(draw(puzzle, unicode=False)) if s in VALUES]
    plain = [s for s in puzzle.line if s != "."]
    assert [s for s in symbols if s != "X"] == [s for s in plain if s != "X"]


@settings(max_examples=10)
@given(puzzles(SPECS))
def test_an_svg_has_every_value_and_candidate_inside_its_frame(puzzle: Puzzle) -> None:
    for drawn_puzzle in (puzzle, with_marks(puzzle)):
        root = ElementTree.fromstring(svg(drawn_puzzle))
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        texts = [text for text in root.iter(f"{SVG}text") if text.get("class") != "clue"]
        expected = [s for s in puzzle.line if s != "."]
        bold = [text.text for text in texts if text.get("font-weight") == "bold"]
        assert bold == expected
        if drawn_puzzle.pencilmarks is not None:
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
    title_element = root.find(f"{SVG}title")
    assert title_element is not None
    assert title_element.text == "</title><script>alert(1)</script>\\x1b"
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
    assert draw(diagonal, values_of_line(SOLUTION), unicode=False)[1] == (
        "|\\4 8 3 | 9 2 1 | 6 5/7 |"
    )


def test_cells_of_cages_have_the_letter_of_their_cage() -> None:
    shape = Shape.parse(
        "4x4; killer 5: R1C1 R1C2; killer: R2C3 R2C4 R3C4; odd: R4C1; killer 9: R1C2"
    )
    assert draw(Puzzle(shape, (1,) + (0,) * 15), unicode=False)[:4] == [
        "+-------+-------+",
        "| a1 a. |  .  . |",
        "|  .  . | b. b. |",
        "+-------+-------+",
    ]
    assert constraints_in_words(shape) == ["killer: a=5; b; 9 R1C2", "odd: R4C1"]


def points_of(element: ElementTree.Element) -> Iterator[tuple[float, float]]:
    """Points of an element, with half of the width of a circle or a rectangle."""
    number = {name: float(value) for name, value in element.attrib.items() if name in NUMBERS}
    if element.tag == f"{SVG}circle":
        for sign in (-1, 1):
            yield number["cx"] + sign * number["r"], number["cy"] + sign * number["r"]
    elif element.tag in (f"{SVG}rect", f"{SVG}text"):
        yield number["x"], number["y"]
        yield number["x"] + number.get("width", 0), number["y"] + number.get("height", 0)
    elif element.tag == f"{SVG}path" and "h" not in element.attrib["d"].lower():
        for x, y in re.findall(r"(-?[0-9.]+) (-?[0-9.]+)", element.attrib["d"]):
            yield float(x), float(y)


NUMBERS = ("x", "y", "cx", "cy", "r", "width", "height")


@pytest.mark.parametrize(
    "kind", [name for name, definition in KINDS.items() if definition.least_lists]
)
def test_each_kind_of_constraint_has_marks_inside_the_frame(kind: str) -> None:
    shape = Shape.parse(f"9x9; {KINDS[kind].example}")
    for candidates in (None, (511,) * 81):
        text = svg(Puzzle(shape, PUZZLE.givens), candidates=candidates)
        root = ElementTree.fromstring(text)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        group = root.find(f"{SVG}g")
        assert group is not None
        left, top = map(float, re.findall(r"[0-9]+", group.attrib["transform"]))
        for element in group:
            for x, y in points_of(element):
                assert 0 <= x + left <= width
                assert 0 <= y + top <= height
        plain = svg(Puzzle(NINE, PUZZLE.givens), candidates=candidates)
        assert text.count("/>") + text.count("<text") > plain.count("/>") + plain.count("<text")


def test_the_outline_of_a_cage_goes_around_its_cells() -> None:
    shape = Shape.parse("4x4; killer 9: R1C1 R1C2 R2C1")
    root = ElementTree.fromstring(svg(Puzzle(shape, (0,) * 16)))
    outline = next(
        element for element in root.iter(f"{SVG}path") if element.get("class") == "killer"
    )
    assert outline.attrib["d"].count("M") == 8
    assert [element.text for element in root.iter(f"{SVG}text")] == ["9"]


def test_clues_outside_of_the_grid_stand_beside_their_line() -> None:
    clues = {
        "sandwich 5: R2C1 R2C2 R2C3 R2C4": (-1, 1),
        "skyscraper 2: R2C4 R2C3 R2C2 R2C1": (4, 1),
        "x-sum 3: R4C3 R3C3 R2C3 R1C3": (2, 4),
        "little-killer 7: R1C2 R2C3 R3C4": (0, -1),
        "little-killer 4: R4C1": (-1, 2),
    }
    for clue, (column, row) in clues.items():
        shape = Shape.parse(f"4x4; {clue}")
        root = ElementTree.fromstring(svg(Puzzle(shape, (0,) * 16)))
        (text,) = root.iter(f"{SVG}text")
        x, y = float(text.attrib["x"]) / 52, float(text.attrib["y"]) / 52
        assert column <= x <= column + 1
        assert row <= y <= row + 1
