"""SVG drawings of puzzles."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from harness.extensions.drawings.svg import svg
from harness.puzzles import Puzzle, Shape, load_dataset, values_of_line
from harness.puzzles.constraints import KINDS
from tests.puzzles.example import NINE, SOLUTION, puzzles
from tests.puzzles.test_drawing import PUZZLE, SPECS, with_marks

SVG = "{http://www.w3.org/2000/svg}"


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


def test_a_cell_has_room_for_a_number_of_three_digits() -> None:
    assert ">100</text>" in svg(Puzzle(Shape.parse("100x100"), (100,) + (0,) * (100**2 - 1)))


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
