"""Links of f-puzzles, SudokuPad and sudokuwiki.org."""

import json
import re
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.extensions.formats.fpuzzles import compress
from harness.extensions.formats.sudokupad import unzip
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.formats.reading import format_named
from tests.extensions.formats.sudokupad_object import link_of, object_of, shorten
from tests.extensions.formats.texts import error_of, read_as
from tests.puzzles.detected import format_of, read_single
from tests.puzzles.example import LINE, SOLUTION, puzzles, sample
from tests.tables import cases

# Links that exist in public, each with its source, are read right; see `test_real_samples`.


def test_a_position_of_sudokuwiki_has_the_givens_of_its_start() -> None:
    """The links "Load Example" and "From the Start" of the page XYZ-Wing of sudokuwiki.org."""
    position = (
        "S9B46090b1m4a01070e1q050v3f022iaa1q7n081n4b3f9603ea027n1m46070e0n450409060l02460r7r06b6"
        "4b0g050r060907114k4b030t1t170823093m1z0b3b07191n2319031v0h090i1103082t3o1v0437"
    )
    start = "090001700500200008000030200070004960200060005069700030008090000700003009003800040"
    link = "https://www.sudokuwiki.org/sudoku.htm?bd="
    assert format_of(link + position) == "sudokuwiki"
    plain, later = read_single(link + start), read_single(link + position)
    players = set(later.fields["placed"].split())
    cells = zip(map(later.puzzle.shape.cell_name, range(81)), later.puzzle.givens, strict=True)
    assert tuple(0 if name in players else v for name, v in cells) == plain.puzzle.givens
    assert "".join(format_named("sudokuwiki").write([later])) == f"{link}{position}\n"


def test_a_diagonal_position_of_sudokuwiki() -> None:
    """Both links of an example on the page Rectangle Elimination of sudokuwiki.org."""
    link = "https://www.sudokuwiki.org/SudokuX.aspx?bd="
    position = (
        "X9B011g05440d074y0903c838d40abobo5e0476b604cy0603bm026a0a0794bl101xb65r5k5gc4904504cy035f78"
        "785c144h5u1x1w5r6g097s9k06dg6c044m014k800180bo5g5g074o5g0e082c03380a091g04"
    )
    start = "105007093000000040040630200700000000000403000000000009006004010010000700080300904"
    plain, later = read_single(link + start).puzzle, read_single(link + position)
    assert plain.shape == later.puzzle.shape == Shape.parse("9x9+diagonal")
    assert all(
        value == clue for clue, value in zip(plain.givens, later.puzzle.givens, strict=True) if clue
    )
    assert "".join(format_named("sudokuwiki").write([later])) == f"{link}{position}\n"


def test_a_jigsaw_of_sudokuwiki() -> None:
    """Double Mirror: the link of a test of a Swift library (ShapesTests.testShapes4)."""
    link = "https://www.sudokuwiki.org/Jigsaw_Sudoku_Player?bd="
    position = (
        "J9B0ep0ep0ep0ep3kh1751751751750ep0060ep3kh3kh3kh1750sn1750ep55d36135t3kh35x35u5xt1750ep4qv"
        "55d6q96q96q95xt5xt0sk4qr55d4qw6q96q96q95j95xt5ja2dh55d55d6q96bn6q95xt5j61zl2s155d3yb3yf4cx"
        "3yc3ye5xt1zl2s12de2s14cx4cx4cx1zl1kz1zl2s12s12s12s14cx1ky1zl1zl1zl"
    )
    parsed = read_single(link + position)
    colours = "111123333111222333132222213133444113333444111133444112135555512111555222111152222"
    regions = parsed.puzzle.shape.definition.removeprefix("jigsaw:")
    assert len({*zip(regions, colours, strict=True)}) == 9  # each region has one colour
    assert parsed.puzzle.givens[:18] == (0,) * 10 + (6,) + (0,) * 5 + (7, 0)
    text = "".join(format_named("sudokuwiki").write([parsed]))
    assert text.startswith(link)
    assert read_single(text).puzzle == parsed.puzzle  # the regions may have other numbers


def test_a_plain_grid_of_sudokupad() -> None:
    """Payloads of SudokuPad's own tests of its formats (PuzzleTools.runTests)."""
    text = "classicB6B91D7C2E15F4D9C3K6D4B3D25D4F8F87B4C5B7C3B"
    assert format_of(text) == "sudokupad"
    assert read_single(text).puzzle.line.startswith(".6.91...7..2....15.....4...9..3")
    assert read_single("classic_M").puzzle.clues == 0


def test_a_diagonal_puzzle_of_f_puzzles() -> None:
    """A test of a C# solver's import of f-puzzles (x-sudoku)."""
    parsed = read_single(sample("link_with_diagonals.txt").strip())
    assert parsed.puzzle.shape == Shape.parse("9x9+diagonal")
    assert parsed.puzzle.line == (
        "..7....358.....9...2.67.........356.....1...3..2.8..4....19..5.....5..7.........4"
    )


def test_a_killer_of_f_puzzles() -> None:
    """A killer of the tests of a C# solver's import of f-puzzles."""
    shape = read_single(sample("link_of_a_killer.txt").strip()).puzzle.shape
    cages = ["killer 9: R1C1 R2C1", "killer 33: R1C2 R1C3 R2C2 R2C3 R3C2"]
    assert [constraint.text(9) for constraint in shape.constraints] == cages


def test_a_puzzle_of_sudokupad_with_drawn_constraints_is_refused() -> None:
    """Parity Fish by Marty Sears, in the README of SakanaAI/Sudoku-Bench: lines and dots."""
    link = sample("link_with_overlays.txt").strip()
    assert format_of(link) == "sudokupad"
    assert "'overlays', which may be constraints" in error_of(read_single, link)


# A payload of f-puzzles with a damaged symbol is an error, never another grid.


LINK = "https://www.f-puzzles.com/?load="
PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def test_a_damaged_symbol_of_a_link_is_an_error() -> None:
    """LZString has no checksum, but a link is what compression of its text gives."""
    parsed = read_single(PUZZLE)
    (link,) = format_named("fpuzzles").write([parsed])
    others = 0
    for at in range(len(LINK), len(link.strip().rstrip("=")), 15):
        for symbol in SYMBOLS[at % 7 :: 7]:
            other = link[:at] + symbol + link[at + 1 :]
            if symbol == link[at]:
                continue
            with suppress(PuzzleError):
                others += read_as("fpuzzles", other).puzzle != parsed.puzzle
    assert others == 0


def _link(cell: dict[str, Any]) -> str:
    grid: list[list[dict[str, Any]]] = [[{} for _ in range(9)] for _ in range(9)]
    grid[2][4] = cell
    return LINK + compress(json.dumps({"size": 9, "grid": grid}))


def test_an_unknown_key_of_a_cell_is_refused() -> None:
    assert "vauue" in error_of(read_single, _link({"vauue": 5, "given": True}))


def test_marks_of_a_player_and_a_missing_padding_do_not_matter() -> None:
    marks = {"centerPencilMarks": [1], "cornerPencilMarks": [2], "c": "#FFF", "highlight": "#000"}
    assert read_single(_link({"value": 5, "given": True, **marks})).puzzle.clues == 1
    assert read_single(_link({"value": 5}).rstrip("=")).puzzle.clues == 1


# Payloads of SudokuPad: shortened JSON, plain grids, and what is refused.


PUZZLE_SUDOKUPAD = parse_puzzle(LINE)
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
sudokupad = partial(read_as, "sudokupad")


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), VALUES, max_size=4))
@settings(max_examples=40)
def test_shortened_json_is_read_back(data: dict[str, Any]) -> None:
    assert unzip(shorten(data)) == data


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
    assert unzip(text) == value


@pytest.mark.parametrize("text", ["", "{", "[", "{a}", "{a:}", "{a:1", "'x", "{a:1}}", "[" * 100])
def test_malformed_shortened_json_is_an_error(text: str) -> None:
    assert "malformed JSON" in error_of(unzip, text)


@given(puzzles(["4x4", "6x6", "9x9", "box5x2", "jigsaw:1122112233443344", "12x12"]))
@settings(max_examples=20)
def test_an_object_with_givens_and_regions_is_read(puzzle: Puzzle) -> None:
    assert sudokupad(link_of(object_of(puzzle))).puzzle == puzzle


def test_what_an_object_says_of_its_puzzle_is_kept() -> None:
    rules = "Normal sudoku rules apply. Fill the grid with the digits 1-9."
    about = {"title": "A title", "author": "B", "rules": rules, "solution": SOLUTION}
    parsed = sudokupad(link_of(object_of(PUZZLE_SUDOKUPAD, metadata=about)))
    assert (parsed.name, dict(parsed.fields)) == ("A title", {"author": "B", "rules": rules})
    assert parsed.expected_count is not None
    assert parsed.expected_count.solution == SOLUTION
    older = [{"v": f"{name}: {text}"} for name, text in about.items()]
    assert sudokupad(link_of(object_of(PUZZLE_SUDOKUPAD, ca=older))).fields == parsed.fields


def test_two_lines_between_corners_in_their_colour_are_the_diagonals() -> None:
    parsed = sudokupad(link_of(object_of(PUZZLE_SUDOKUPAD, l=DIAGONALS)))
    assert parsed.puzzle == Puzzle(Shape.parse("9x9+diagonal"), PUZZLE_SUDOKUPAD.givens)


def test_cages_with_a_total_and_switches_are_constraints() -> None:
    rules = (
        "Normal sudoku rules apply. Digits in a cage cannot repeat and sum to the total in the top "
        "left corner. Cells a knight's move apart cannot contain the same digit."
    )
    whole = [[row, column] for row in range(9) for column in range(9)]
    cages = [
        {"ce": [[0, 0], [1, 0]], "v": "12", "style": "killer"},
        {"cells": [[8, 8]], "value": 3, "sum": 3, "unique": True},
        {"ce": whole, "v": ""},
        {"ce": whole[:9]},
        {"v": "title: A title"},
    ]
    metadata = {"antiknight": True, "antiking": False, "rules": rules}
    parsed = sudokupad(link_of(object_of(PUZZLE_SUDOKUPAD, ca=cages, metadata=metadata)))
    expected = Shape.parse("9x9+antiknight; killer 12: R1C1 R2C1; killer 3: R9C9")
    assert parsed.puzzle.shape == expected
    assert parsed.puzzle.shape.constraints == expected.constraints
    assert (parsed.name, parsed.fields["rules"]) == ("A title", rules)


@pytest.mark.parametrize(
    ("further", "problem"),
    [
        *cases(__file__, "an_object_with_more_than_givens_and_regions_is_an_error"),
        ({"l": DIAGONALS[:1]}, "lines"),
        ({"l": [*DIAGONALS, DIAGONALS[0]]}, "lines"),
        ({"l": [DIAGONALS[0] | {"c": "FF0000"}, DIAGONALS[1]]}, "lines"),
        ({"re": [[[0, 0]] * 9] * 9}, "malformed regions"),
        ({"ce": [[{"v": 10}, *[{}] * 8], *[[{}] * 9] * 8]}, "10 is not a value"),
        ({"ce": [[{"candidates": [1]}, *[{}] * 8], *[[{}] * 9] * 8]}, "'candidates' in a cell"),
    ],
)
def test_an_object_that_says_more_is_an_error(further: dict[str, Any], problem: str) -> None:
    link = link_of(object_of(PUZZLE_SUDOKUPAD, **further))
    assert re.search(problem, error_of(sudokupad, link))


def test_a_plain_grid_with_the_blanks_after_each_digit_is_read() -> None:
    after = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
    line, newer = LINE.replace(".", "0"), ""
    while line:
        number = len(line[1:6]) - len(line[1:6].lstrip("0"))
        newer += after[int(line[0]) + 10 * number]
        line = line[1 + number :]
    assert sudokupad(f"https://sudokupad.app/classic{newer}").puzzle == PUZZLE_SUDOKUPAD
