"""Links of sites that hold a sudoku, game IDs of Solo, and links in texts."""

import json
import random
import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import groupby
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.extensions.formats.fpuzzles import compress
from harness.puzzles import Puzzle, Shape, parse_puzzle
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, parse_text
from harness.puzzles.formats.reading import format_named
from tests.extensions.formats.sudokupad_object import object_of, shorten
from tests.extensions.formats.texts import error_of, read_as
from tests.puzzles.detected import format_of, read, read_single
from tests.puzzles.example import LINE, puzzles
from tests.tables import cases

JIGSAW = "jigsaw:1122112233443344"
PUZZLE = parse_puzzle(LINE)
FPUZZLES = "".join(format_named("fpuzzles").write([ParsedPuzzle(PUZZLE, "p:1", "1")])).strip()


# The encoders of the sites, as their sources describe them.


def runs(puzzle: Puzzle, blanks: str, value: Callable[[int], str], between: str = "") -> str:
    """The cells of a puzzle with a letter of `blanks` for 1, 2, ... blanks."""
    pieces = []
    for is_blank, cells in groupby(puzzle.givens, key=lambda given: not given):
        values = [*cells]
        number, most = len(values), len(blanks)
        if is_blank:
            whole, rest = divmod(number, most)
            pieces.append(blanks[-1] * whole + (blanks[rest - 1] if rest else ""))
        else:
            pieces.append(between.join(map(value, values)))
    return "".join(pieces)


def edges_text(areas: list[int], size: int) -> str:
    """The lines between areas, each after the number of edges without one (encode_block_...)."""
    cells = range(size**2)
    edges = [(cell, cell + 1) for cell in cells if cell % size < size - 1]
    down = sorted((cell % size, cell) for cell in cells if cell < size * (size - 1))
    edges += [(cell, cell + size) for _, cell in down]
    text, run = "", 0
    for edge in [*edges, None]:
        if edge is None or areas[edge[0]] != areas[edge[1]]:
            text, run = text + "_abcdefghijklmnopqrstuvwxyz"[run], 0
        else:
            run += 1
    return text


def solo(puzzle: Puzzle) -> str:
    shape = puzzle.shape
    cells = runs(puzzle, "abcdefghijklmnopqrstuvwxyz", str, "_")
    flags = "x" * ("diagonal" in shape.definition) + random.Random(cells).choice(["", "db", "m4de"])
    if shape.box:
        return f"{shape.box[0]}x{shape.box[1]}{flags}:{cells}"
    return f"{shape.size}j{flags}:{cells},{edges_text([*shape.region_of], shape.size)}"


def puzz_link(puzzle: Puzzle) -> str:
    cells = runs(puzzle, "ghijklmnopqrstuvwxyz", lambda given: f"{'-' * (given > 15)}{given:x}")
    size = puzzle.shape.size
    return f"https://puzz.link/p?sudoku/{size}/{size}/{cells}"


def exchange(puzzle: Puzzle) -> str:
    """The short form: a symbol for a digit and up to five blanks after it."""
    symbols = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
    short = re.sub(
        "[0-9]0{0,5}",
        lambda match: symbols[int(match[0][0]) + 10 * (len(match[0]) - 1)],
        puzzle.line.replace(".", "0"),
    )
    return f"https://sudokuexchange.com/play/?s={short}&d=3"


def cell_of(cell: int, size: int) -> dict[str, int]:
    return {"row": cell // size, "col": cell % size}


def lisudoku(puzzle: Puzzle) -> str:
    shape, size = puzzle.shape, puzzle.shape.size
    data = {
        "gridSize": size,
        "fixedNumbers": [
            {"position": cell_of(cell, size), "value": value}
            for cell, value in enumerate(puzzle.givens)
            if value
        ],
        "regions": [
            [cell_of(cell, size) for cell, area in enumerate(shape.region_of) if area == number]
            for number in range(1, size + 1)
        ],
        "primaryDiagonal": "diagonal" in shape.definition,
        "secondaryDiagonal": "diagonal" in shape.definition,
    }
    return "https://lisudoku.xyz/solver?import=" + compress(json.dumps(data)).replace("+", "%2B")


def penpa(puzzle: Puzzle, top: int = 0, layers: Mapping[str, object] = MappingProxyType({})) -> str:
    shape, size = puzzle.shape, puzzle.shape.size
    width, height = size + 4, size + top + 4

    def point(row: int, column: int, margin: int) -> int:
        return (row + top + margin) * width + column + margin

    numbers = {
        point(cell // size, cell % size, 2): [str(value), 1, "1"]
        for cell, value in enumerate(puzzle.givens)
        if value
    }
    lines = {}
    for row in range(size):
        for column in range(size):
            cell = row * size + column
            start = width * height + point(row, column, 1)
            for step, other, is_inner in ((width, cell - 1, column), (1, cell - size, row)):
                if is_inner and shape.region_of[cell] != shape.region_of[other]:
                    lines[f"{start},{start + step}"] = 2
    if "diagonal" in shape.definition:
        start = width * height + point(0, 0, 1)
        for at in range(size):
            lines[f"{start + at * (width + 1)},{start + (at + 1) * (width + 1)}"] = 12
            right = start + at * width + size - at
            lines[f"{right + width - 1},{right}"] = 12
    layer = {"number": numbers, "lineE": lines, "symbol": {}, "thermo": [], **layers}
    text = json.dumps(layer).replace("z", "zZ").replace('"number"', "zN").replace('"lineE"', "zE")
    head = f"square,{size},{size + top},38,0,1,1,380,380,84,84,0,0,0,0,Title: A%2C b,Author: ,,,OFF"
    packer = zlib.compressobj(wbits=-15)
    whole = "\n".join([head, f"[{top},0,0,0]", "~", text, ""])
    payload = b64encode(packer.compress(whole.encode()) + packer.flush()).decode()
    return f"https://swaroopg92.github.io/penpa-edit/#m=solve&p={payload}"


BOXES = ["4x4", "6x6", "9x9"]
SHAPES = [*BOXES, "box5x2", "16x16", JIGSAW, "9x9+diagonal", f"{JIGSAW}+diagonal"]
ENCODERS = [
    pytest.param(solo, SHAPES, id="solo"),
    pytest.param(puzz_link, [*BOXES, "16x16", "25x25"], id="puzz_link"),
    pytest.param(exchange, ["9x9"], id="exchange"),
    pytest.param(lisudoku, [*BOXES, JIGSAW, "9x9+diagonal"], id="lisudoku"),
    pytest.param(penpa, SHAPES, id="penpa"),
]


@pytest.mark.parametrize(("encode", "shapes"), ENCODERS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_what_a_site_writes_is_read(
    encode: Callable[[Puzzle], str], shapes: list[str], data: st.DataObject
) -> None:
    puzzle = data.draw(puzzles(shapes))
    text = encode(puzzle)
    assert format_of(text) == "links"
    (parsed,) = read(text)
    assert parsed.puzzle == puzzle


@pytest.mark.parametrize(("encode", "shapes"), ENCODERS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_symbol_less_or_more_is_refused(
    encode: Callable[[Puzzle], str], shapes: list[str], data: st.DataObject
) -> None:
    small = [shape for shape in shapes if shape not in ("box5x2", "16x16", "25x25")]
    puzzle = data.draw(puzzles(small))  # a 10 without its 0 would be a 1
    text = encode(puzzle).removesuffix("&d=3").rstrip("=")
    start = re.search(r"^[0-9a-z]+:(?!/)|/[0-9]+/[0-9]+/|\?s=|import=|&p=", text)
    assert start
    at = data.draw(st.integers(start.end(), len(text) - 1))
    for other in (text[:at] + text[at + 1 :], text[: at + 1] + text[at:]):
        with suppress(PuzzleError):
            assert read_as("links", other).puzzle == puzzle  # such as a further _ of Solo


def test_a_killer_of_solo() -> None:
    """Two rows of a 2x2 with cages: the rows, and two cells beside each other."""
    areas = [0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 4, 5, 3, 6, 6, 5]
    shape = read_single(f"2x2k:p,{edges_text(areas, 4)},3a7a10c3_5a7a3b").puzzle.shape
    first, second, *_ = (constraint.text(4) for constraint in shape.constraints)
    assert (first, second) == ("killer 3: R1C1 R1C2", "killer 7: R1C3 R1C4")


@pytest.mark.parametrize(("text", "line"), cases(__file__, "public_links"))
def test_links_that_exist(text: str, line: str) -> None:
    assert read_single(text).puzzle.line == line


@pytest.mark.parametrize(("text", "problem"), cases(__file__, "refused"))
def test_other_links_are_refused_in_one_line(text: str, problem: str) -> None:
    error = error_of(read, text)
    assert problem in error
    assert "expected" in error


@pytest.mark.parametrize(
    ("layers", "problem"),
    [
        ({"thermo": [[28, 29]]}, "drawings (thermo)"),
        ({"surface": {"28": 3}}, "drawings (surface)"),
        ({"number": {"28": ["5", 1, "5"]}}, "the text '5'"),
        ({"number": {"0": ["5", 1, "1"]}}, "the text '5'"),
        ({"lineE": {}}, "no thick lines"),
        ({"lineE": {"170,171": 8}}, "lines that may be constraints"),
    ],
)
def test_what_may_be_a_constraint_is_refused(layers: dict[str, object], problem: str) -> None:
    assert problem in error_of(read, penpa(PUZZLE, layers=layers))


def test_a_grid_of_penpa_with_space_above_it() -> None:
    parsed = read_single(penpa(PUZZLE, top=2))
    assert (parsed.puzzle, parsed.name) == (PUZZLE, "A, b")


SHORT = exchange(PUZZLE)
# Links in texts, payloads without a link, and the JSON of editors.


@pytest.mark.parametrize(
    "text",
    [
        *("{}", "<{}>", "My puzzle: {}.", "[A *puzzle* of mine]({}) for you", "- {}", "    {}"),
        *("1. [Killer 12]({})", "A puzzle that I made for everybody:\n\n{}\n", "{} by me", '"{}"'),
    ],
)
@pytest.mark.parametrize(
    "link",
    [FPUZZLES, FPUZZLES.replace("www.f-puzzles.com/?load=", "sudokupad.app/fpuzzles"), SHORT],
)
def test_a_link_in_a_text_is_read(text: str, link: str) -> None:
    if not text.endswith("by me") or link != SHORT:
        assert read_single(text.format(link)).puzzle == PUZZLE


def test_two_links_in_a_line_are_refused() -> None:
    error = error_of(read, f"[a]({FPUZZLES}) and [b]({FPUZZLES})")
    assert "2 links in a line; expected one link per line" in error


def test_a_link_that_a_comment_gives_as_source_is_no_puzzle() -> None:
    assert format_of(f"{' '.join(LINE[:9])}\n" * 9 + "https://example.com/1") == "grid"
    assert format_of(f"# {FPUZZLES}\n{LINE}") == "line"
    assert format_of(f"id,puzzle,source\n1,{LINE},{FPUZZLES}") != "fpuzzles"


def test_payloads_without_a_link_and_the_objects_in_them() -> None:
    blank: dict[str, object] = {}
    cells = [{"value": value, "given": True} if value else blank for value in PUZZLE.givens]
    data = {"size": 9, "title": "A", "grid": [cells[at : at + 9] for at in range(0, 81, 9)]}
    pads = object_of(PUZZLE)
    for payload, name in (
        (json.dumps(data, indent=2), "fpuzzles"),
        (json.dumps(data), "fpuzzles"),
        (compress(json.dumps(data)), "fpuzzles"),
        ("fpuzzles" + compress(json.dumps(data)), "sudokupad"),
        (json.dumps(pads, indent=2), "sudokupad"),
        (shorten(pads), "sudokupad"),
        ("scl" + compress(shorten(pads)), "sudokupad"),
    ):
        assert format_of(payload, "p.json" if '": ' in payload else "p") == name
        assert read_single(payload).puzzle == PUZZLE


@pytest.mark.parametrize(
    "text",
    ["Today: [an anti-knight sudoku]({}) by Mia", "Anti-knight sudoku: {}", "An anti-knight\n{}"],
)
def test_a_rule_beside_a_link_or_a_game_id_is_shown(text: str) -> None:
    puzzle = Puzzle(Shape.parse("9x9"), (5, *[0] * 80))
    for link in (puzz_link(puzzle), *([solo(puzzle)] if "\n" in text else ())):
        notes: list[str] = []
        (parsed,) = parse_text(text.format(link), ReadSettings(understand=notes.append))
        assert parsed.puzzle == puzzle
        assert "nti-knight" in notes[0]


@pytest.mark.parametrize("key", ["grid", "cells"])
def test_cells_with_a_flag_for_givens_need_no_size(key: str) -> None:
    cells = [[{"value": row and 0, "given": False} for row in range(9)] for _ in range(9)]
    cells[0][0] = {"value": 5, "given": True}
    cells[4][1] = {"value": 7, "given": False}
    (parsed,) = parse_text(json.dumps({key: cells}), ReadSettings(understand=str))
    assert parsed.puzzle.line == "5" + "." * 36 + "7" + "." * 43
    assert parsed.fields["placed"] == "R5C2"


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"metadata": {"rules": "Cells a knight's move apart differ."}}, "knight"),
        ({"metadata": {"antiknight": True}}, ""),
        ({"cages": [{"cells": [[0, 1], [0, 2]], "value": "5"}]}, ""),
        ({"arrows": [{"wayPoints": [[0, 0], [1, 1]]}]}, "may be constraints"),
    ],
)
def test_what_stands_beside_cells_with_a_flag_is_never_passed_over(
    part: dict[str, object], message: str
) -> None:
    cells = [[{"value": 0, "given": False} for _ in range(9)] for _ in range(9)]
    text = json.dumps({"cells": cells, **part})
    if message:
        with pytest.raises(PuzzleError, match=message):
            list(parse_text(text, ReadSettings(understand=str)))
    else:
        (parsed,) = parse_text(text, ReadSettings(understand=str))
        assert parsed.puzzle.shape != Shape.parse("9x9")


@pytest.mark.parametrize("address", ["anti-knight/{}", "play?board={}&variant=diagonal"])
def test_a_rule_in_an_address_is_shown(address: str) -> None:
    notes: list[str] = []
    line = "5" + "." * 80
    link = f"https://example.com/{address.format(line)}"
    (parsed,) = parse_text(link, ReadSettings(understand=notes.append))
    assert parsed.puzzle.line == line
    assert address.format("") in notes[0]
