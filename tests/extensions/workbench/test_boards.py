"""Shapes, texts and drawings for the board, over HTTP."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.extensions.workbench.boards import candidates_in, puzzle_data, read, shape_data, write
from harness.puzzles import Puzzle, Shape
from harness.puzzles.formats import reading
from harness.puzzles.patterns import pattern_puzzle
from tests.extensions.workbench.conftest import OpenPage
from tests.extensions.workbench.server import PUZZLE, SOLUTION, Workbench, board

JIGSAW = "jigsaw:111111122333341222353441262353346662555544662577774468557974668777999988999988888"
SHAPES = ["4x4", "6x6", "9x9", "9x9+diagonal", "9x9+windoku", "latin7", "box5x2", JIGSAW, "25x25"]


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_has_its_houses_and_regions(name: str) -> None:
    shape, data = Shape.parse(name), shape_data(Shape.parse(name))
    assert [cells for _, cells in data.houses] == [house.cells for house in shape.houses]
    assert len(data.kinds) == len(data.houses)
    assert len(data.regions) == shape.size**2
    assert len(data.symbols) == shape.size
    peers = {(a, b) for _, cells in data.houses for a in cells for b in cells if a != b}
    peers |= {(a, b) for pair in data.pairs for a, b in (pair, pair[::-1])}
    assert peers == {(cell, peer) for cell, near in enumerate(shape.peers) for peer in near}
    assert Shape.parse(data.definition) == shape


def test_shapes_over_http(workbench: Workbench) -> None:
    assert workbench.got("/api/shape")["definition"] == "9x9"
    assert workbench.got("/api/shape?name=16x16")["symbols"] == "123456789ABCDEFG"


def test_a_text_of_any_format_is_read(workbench: Workbench) -> None:
    data = board()
    for name in ("line", "toml", "dzn", "jsonl", "sdk", "opensudoku", "fpuzzles", "hodoku"):
        text = workbench.got("/api/write", {"puzzle": data, "format": name})["text"]
        for choice in ({}, {"format": name}):
            (parsed,) = workbench.got("/api/read", {"text": text, **choice})["puzzles"]
            assert parsed["givens"] == data["givens"], name
            assert parsed["shape"] == "9x9"


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(SHAPES), st.data())
def test_writing_and_reading_give_the_same_puzzle(name: str, data: st.DataObject) -> None:
    shape = Shape.parse(name)
    values = st.lists(st.integers(0, shape.size), min_size=shape.size**2, max_size=shape.size**2)
    puzzle = Puzzle(shape, tuple(data.draw(values)))
    (again,) = read(write(puzzle_data(puzzle), "jsonl")).puzzles
    assert again.puzzle() == puzzle


def test_many_puzzles_of_a_text_are_offered_up_to_a_number(workbench: Workbench) -> None:
    text = "\n".join(pattern_puzzle(Shape.parse("4x4"), n).line for n in range(2, 9)) + "\n"
    for times, number in ((1, 7), (100, 200)):
        answer = workbench.got("/api/read", {"text": text * times, "shape": "4x4"})
        assert (len(answer["puzzles"]), answer["number"]) == (number, 7 * times)
    bad = text * 100 + "12345\n"
    assert "text:701:" in workbench.refusal("/api/read", {"text": bad, "shape": "4x4"})


def text_of(marks: tuple[int, ...], size: int) -> str:
    """Candidates as the page writes them."""
    digits, width = "0123456789abcdefghijklmnopqrstuv", -(-size // 5)
    cells = (
        "".join(digits[bits >> 5 * at & 31] for at in reversed(range(width))) if bits else "."
        for bits in marks
    )
    return "".join(cells).rstrip(".")


@given(st.sampled_from(["4x4", "6x6", "9x9", "25x25"]), st.data())
@settings(deadline=None, max_examples=40)
def test_candidates_of_a_link_are_read(name: str, data: st.DataObject) -> None:
    shape = Shape.parse(name)
    cells = st.lists(st.integers(0, 2**shape.size - 1), max_size=shape.size**2)
    marks = tuple(data.draw(cells))
    marks += (0,) * (shape.size**2 - len(marks))
    assert candidates_in(text_of(marks, shape.size), shape) == marks


SHAPE, CANDIDATES = "/api/shape?name=", "/api/board.svg?shape=4x4&candidates="


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (SHAPE, "36x36", "36x36 is too large; expected up to 25 rows"),
        (SHAPE, "nothing", "expected 9x9 (any size from 4x4 to "),
        (SHAPE, "0x0", "0x0"),
        (CANDIDATES, "..g", "R1C3: malformed candidates 'g'; expected . or a digit of base 32"),
        (CANDIDATES, "F", "malformed candidates 'F'"),
        (CANDIDATES, "0", "malformed candidates '0'"),
        (CANDIDATES, "." * 17, "candidates of more than 16 cells for 4x4; expected 16 cells"),
        ("", "1" * 1_000_000, "fits a line of 1,000,000 characters; expected 1296 for 36x36"),
        ("", "." * (2**20 + 1), "malformed request: Expected `str` of length <= 1048576"),
        ("", "." * 36**2, "36x36 is too large; expected up to 25 rows"),
    ],
    ids=lambda value: value[:20],
)
def test_a_name_or_a_text_that_cannot_be_read_is_refused_with_a_sentence(
    workbench: Workbench, path: str, text: str, expected: str
) -> None:
    query = (path + text,) if path else ("/api/read", {"text": text})
    assert expected in workbench.refusal(*query)


def test_candidates_of_a_cell_that_are_cut_off_are_refused() -> None:
    with pytest.raises(PuzzleError, match="malformed candidates '1'"):
        candidates_in("01.1", Shape.parse("9x9"))


def test_names_of_files_and_datasets_are_text(workbench: Workbench) -> None:
    (workbench.folder / "secret.txt").write_text(PUZZLE)
    for text in ("secret.txt", "named/3", "./secret.txt", "-", "file:secret.txt"):
        assert PUZZLE not in workbench.refusal("/api/read", {"text": text})


def test_what_contradicts_is_in_sentences(workbench: Workbench) -> None:
    answer = workbench.got("/api/check", board("11" + "." * 14, "4x4"))
    assert answer["cells"][:2] == [0, 1]
    assert answer["findings"]
    assert workbench.got("/api/check", board("." * 16, "4x4"))["findings"] == []
    answer = workbench.got("/api/check", board("..1..3.....3....", "4x4"))
    assert answer["findings"] == ["no cell for a value: row 1 has no cell for 3"]


def test_drawings_of_the_board(workbench: Workbench) -> None:
    path = f"/api/board.svg?shape=9x9&puzzle={PUZZLE}"
    drawing = workbench.request("GET", path)
    assert drawing.headers["content-type"] == "image/svg+xml"
    assert drawing.body.count(b'font-weight="bold"') == 30
    assert workbench.request("GET", f"{path}&grid={SOLUTION}").body.count(b"<text") == 81
    marked = workbench.request("GET", path + "&candidates=..03.0f").body
    assert marked.count(b"<text") == 30 + 2  # R1C5 has a value
    image = workbench.request("GET", path.replace(".svg", ".png"))
    assert image.headers["content-type"] == "image/png"
    assert image.body.startswith(b"\x89PNG")
    for bad in ("puzzle=12", "shape=no", "grid=1"):
        assert workbench.refusal(f"/api/board.svg?{bad}")
    assert workbench.request("GET", "/api/board.exe").status == 404


def test_every_format_is_offered(workbench: Workbench) -> None:
    assert [entry["name"] for entry in workbench.got("/api/formats")] == reading.format_names()


def test_a_puzzle_is_typed_with_the_keyboard_and_undone(open_page: OpenPage) -> None:
    tab = open_page()
    tab.type_values(0, "5", "ArrowRight", "3", "ArrowDown", "End", "9")
    assert tab.values() == "53" + "." * 15 + "9" + "." * 63
    tab.keys("Control+z", "Control+z")
    assert tab.values() == "5" + "." * 80
    tab.keys("Control+y")
    assert tab.values() == "53" + "." * 79
    tab.keys("Home", "Space")
    assert tab.values() == "53" + "." * 79  # row 2 was selected
    tab.keys("Control+Home", "Delete")
    assert tab.values() == ".3" + "." * 79
    tab.keys("ArrowUp", "ArrowLeft", "7")
    assert tab.values() == ".3" + "." * 78 + "7"
    tab.button("Undo").click()
    tab.button("Redo").click()
    assert tab.values()[80] == "7"
