"""Payloads of SudokuPad: shortened JSON, plain grids, and what is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import PuzzleError
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.formats.reading import format_named
from harness.puzzles.formats.sudokupad import unzipped
from tests.puzzles.example import LINE, SOLUTION, puzzles
from tests.puzzles.sudokupad_object import link_of, object_of, shortened

PUZZLE = parse_puzzle(LINE)
DIAGONALS = [
    {"c": "34BBE6", "th": 2, "wp": [[0, 9], [9, 0]]},
    {"c": "34BBE6", "th": 2, "wp": [[0, 0], [9, 9]]},
]
VALUES = st.recursive(
    st.booleans() | st.integers(-1000, 1000) | st.text("ab '{}[],:\n\u00e9", max_size=6),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4)
        | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


def one(link: str) -> ParsedPuzzle:
    (found,) = format_named("sudokupad").read(TextSource.of_text(link, "p"), ReadSettings())
    return found


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), VALUES, max_size=4))
def test_shortened_json_is_read_back(data: dict[str, Any]) -> None:
    assert unzipped(shortened(data)) == data


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{ce:[[,{v:5}]],t:'x'}", {"ce": [[{}, {"v": 5}]], "t": "x"}),
        ("[,,]", [{}, {}, {}]),
        ('{"a":[true,null,1.5]}', {"a": [True, None, 1.5]}),
        (r"{a:'don\'t',b:f,c:#0}", {"a": "don't", "b": False, "c": "#0"}),
    ],
)
def test_the_forms_of_shortened_json(text: str, value: object) -> None:
    assert unzipped(text) == value


@pytest.mark.parametrize("text", ["", "{", "[", "{a}", "{a:}", "{a:1", "'x", "{a:1}}", "[" * 100])
def test_malformed_shortened_json_is_an_error(text: str) -> None:
    with pytest.raises(PuzzleError, match="malformed JSON"):
        unzipped(text)


@given(puzzles(["4x4", "6x6", "9x9", "box5x2", "jigsaw:1122112233443344", "12x12"]))
def test_an_object_with_givens_and_regions_is_read(puzzle: Puzzle) -> None:
    assert one(link_of(object_of(puzzle))).puzzle == puzzle


def test_what_an_object_says_of_its_puzzle_is_kept() -> None:
    rules = "Normal sudoku rules apply. Fill the grid with the digits 1-9."
    about = {"title": "A title", "author": "B", "rules": rules, "solution": SOLUTION}
    found = one(link_of(object_of(PUZZLE, metadata=about)))
    assert (found.name, dict(found.fields)) == ("A title", {"author": "B", "rules": rules})
    assert found.expected_count is not None
    assert found.expected_count.solution == SOLUTION
    older = [{"v": f"{name}: {text}"} for name, text in about.items()]
    assert one(link_of(object_of(PUZZLE, ca=older))).fields == found.fields


def test_two_lines_between_corners_in_their_colour_are_the_diagonals() -> None:
    found = one(link_of(object_of(PUZZLE, l=DIAGONALS)))
    assert found.puzzle == Puzzle(Shape.parse("9x9+diagonal"), PUZZLE.givens)


@pytest.mark.parametrize(
    ("further", "what"),
    [
        ({"l": DIAGONALS[:1]}, "lines"),
        ({"l": [*DIAGONALS, DIAGONALS[0]]}, "lines"),
        ({"l": [DIAGONALS[0] | {"c": "FF0000"}, DIAGONALS[1]]}, "lines"),
        ({"l": [{"wp": [[0.5, 0.5], [1.5, 1.5]]}]}, "lines"),
        ({"ca": [{"cells": [[0, 0], [0, 1]], "v": 3}]}, "cages"),
        ({"a": [{"wp": [[0, 0]]}]}, "'arrows'"),
        ({"o": [{"ct": [1, 1]}]}, "'overlays'"),
        ({"u": [{"ct": [1, 1]}]}, "'underlays'"),
        ({"foglight": [[1, 1]]}, "'foglight'"),
        ({"re": []}, "malformed regions"),
        ({"re": [[[0, 0]] * 9] * 9}, "malformed regions"),
        ({"ce": [[{"v": 10}, *[{}] * 8], *[[{}] * 9] * 8]}, "10 is not a value"),
        ({"ce": [[{"candidates": [1]}, *[{}] * 8], *[[{}] * 9] * 8]}, "'candidates' in a cell"),
        ({"metadata": {"rules": "Normal sudoku rules apply. Anti-knight."}}, "the rule"),
        ({"metadata": {"rules": "Digits along both diagonals do not repeat."}}, "the rule"),
    ],
)
def test_an_object_with_more_than_givens_and_regions_is_an_error(
    further: dict[str, Any], what: str
) -> None:
    with pytest.raises(PuzzleError, match=what):
        one(link_of(object_of(PUZZLE, **further)))


def test_both_ways_of_plain_grids_are_read() -> None:
    """The digits of PUZZLE with runs of blanks, and with the blanks after each digit."""
    runs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    text, blanks = "", 0
    for value in [*PUZZLE.givens, -1]:
        if value == 0:
            blanks += 1
            continue
        text += (runs[blanks] if blanks else "") + (str(value) if value > 0 else "")
        blanks = 0
    assert one(f"classic{text}").puzzle == PUZZLE
    after = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
    line, newer = LINE.replace(".", "0"), ""
    while line:
        number = len(line[1:6]) - len(line[1:6].lstrip("0"))
        newer += after[int(line[0]) + 10 * number]
        line = line[1 + number :]
    assert one(f"https://sudokupad.app/classic{newer}").puzzle == PUZZLE
