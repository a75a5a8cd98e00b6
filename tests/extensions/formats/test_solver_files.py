"""Files of solvers: data of MiniZinc, XCSP3, and their XML."""

import re

import pytest

from harness.base.errors import PuzzleError
from harness.extensions.formats.xml import elements
from harness.puzzles.formats import Head, ParsedPuzzle, TextSource
from harness.puzzles.formats.reading import format_named
from tests.extensions.formats.texts import error_of, read_as
from tests.puzzles.detected import format_of, read_single
from tests.puzzles.example import LINE
from tests.tables import cases

# Data of MiniZinc: rows and declared sizes are checked, whatever the length of the text.


PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
ROWS = [[s.replace(".", "_") for s in PUZZLE[at : at + 9]] for at in range(0, 81, 9)]
CELLS = ",".join(cell for row in ROWS for cell in row)


def _read(text: str) -> ParsedPuzzle:
    return read_as("dzn", text, "p.dzn")


def _literal(rows: list[list[str]]) -> str:
    return "start = [|" + "\n|".join(", ".join(row) for row in rows) + "|];\n"


@pytest.mark.parametrize(
    "text",
    [
        _literal(ROWS),
        _literal(ROWS).replace("|];", "];"),
        _literal(ROWS).replace("\n|", ",\n|"),  # commas at the ends of rows
        f"x = array2d(1..9, 1..9, [{CELLS}]);",
        f"n = 9; x = array2d(1..n, 1..n, [{CELLS},]);",
        f"n = 3; x = array2d(1..n*n, CELLS, [{CELLS}]);",
        f"x = array2d(0..8, 0..8, [{CELLS}]);",
    ],
)
def test_a_square_of_cells_is_read(text: str) -> None:
    assert _read(text).puzzle.line == PUZZLE


UNEQUAL = [ROWS[0][1:], *ROWS[1:4], [*ROWS[4], "_"], *ROWS[5:]]
LARGE = ("x=[| " * 400_000, "x=[|" + " " * 2_000_000, "x =" * 500_000)
"""Two megabytes; a time that grows with the square would be hours."""


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (_literal(UNEQUAL), r"p\.dzn:2:2: a row of 9 cells.* 8"),
        (_literal(ROWS[:8]), "8 rows of 9 cells"),
        *(
            (f"n = 4;\nx = array2d({sets}, [{CELLS}]);", "index sets")
            for sets in ("1..3, 1..27", "1..n, 1..n", "1..9, 1..8", "1..9")
        ),
        *(
            (f"x = array2d(1..9, 1..9, [{item}{CELLS[3:]}]);", r"p\.dzn:1:\d+: (''|'5 3') is not a")
            for item in ("5,,3", "5 3", ",5")
        ),
        *((text, "two-dimensional arrays|end of the array") for text in LARGE),
    ],
    ids=lambda text: text[:30],
)
def test_what_is_no_square_of_cells_is_refused(text: str, error: str) -> None:
    assert re.search(error, error_of(_read, text))


@pytest.mark.parametrize(
    ("comment", "error"),
    [
        ("% shape: jigsaw:1122112233443344x", "p.dzn:1:10: "),
        ("% a comment\n% shape: 9x8", "p.dzn:2:10: unknown shape '9x8'"),
        ("S = 11;", "p.dzn:1:5: "),
    ],
)
def test_an_unknown_shape_is_an_error_with_its_place(comment: str, error: str) -> None:
    assert error_of(_read, f"{comment}\n{_literal(ROWS)}").startswith(error)


@pytest.mark.parametrize(
    "text",
    [
        _literal(ROWS),
        f"x = array2d(1..9, 1..9, [{CELLS}]);",
        f"% a comment with x = [1, 2];\n\nn = 9;\nx = array2d(1..n, 1..n,\n  [{CELLS}]);",
        f"n = 9; names = [1, 2, 3]; {_literal(ROWS)}",
    ],
)
def test_data_is_detected_without_a_suffix(text: str) -> None:
    assert format_of(text) == "dzn"
    assert read_single(text).puzzle.line == PUZZLE


@pytest.mark.parametrize(
    "text",
    [
        f"{PUZZLE} x = [|1|]",  # a comment after a puzzle
        f"int: n = 9;\narray[1..9, 1..9] of int: {_literal(ROWS)}",  # a model
        f'{{"clues": "x = [|{CELLS}|]"}}',
        "x = " * 50_000,
        "x = 1; " * 50_000,
    ],
)
def test_what_is_no_data_is_not_detected_as_such(text: str) -> None:
    head = Head.from_source(TextSource.of_text(text, "sample"))
    assert not format_named("dzn").detect(head)


# Parts of XCSP3 that change the meaning of a constraint are refused.


(*PARTS,) = format_named("xcsp3").write([read_single(LINE)])
TEXT = "".join(PARTS)


def _read_of_xcsp3_parts(old: str, new: str) -> ParsedPuzzle:
    assert old in TEXT
    return read_as("xcsp3", TEXT.replace(old, new, 1), "p.xml")


@pytest.mark.parametrize(
    ("old", "new", "problem"), cases(__file__, "a_part_that_changes_the_meaning_is_refused")
)
def test_a_part_that_changes_the_meaning_is_refused(old: str, new: str, problem: str) -> None:
    with pytest.raises(PuzzleError, match=problem):
        _read_of_xcsp3_parts(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<allDifferent>", '<allDifferent id="c1" note="row" class="rows">'),
        ('id="x"', 'id="x" type="integer" startIndex="[0][0]" note="grid"'),
        ("</constraints>", "</constraints><annotations><decision> x[] </decision></annotations>"),
    ],
)
def test_a_part_without_a_meaning_is_read(old: str, new: str) -> None:
    assert _read_of_xcsp3_parts(old, new).puzzle.line == LINE


# The texts of elements in XML, in linear time.


def test_a_stream_keeps_no_text_of_an_element_around_others() -> None:
    """The blanks between all games of a file belong to its root."""
    texts = {e.name: e.text for e in elements(TextSource.of_text("<a>1<b>2</b>3<b/>4</a>", "t"))}
    assert texts == {"a": "", "b": ""}


def test_a_text_of_an_element_without_an_end_is_refused() -> None:
    text = "<opensudoku>" + "<!-- -->\n x" * 700_000
    with pytest.raises(PuzzleError, match=r"a text of more than 1,048,576 characters"):
        list(elements(TextSource.of_text(text, "t")))


def test_elements_may_be_nested_64_deep() -> None:
    sources = [TextSource.of_text("<a>" * n + "</a>" * n, "t") for n in (64, 65)]
    assert len(list(elements(sources[0]))) == 64
    with pytest.raises(PuzzleError, match="t:1:193: too many levels of elements"):
        list(elements(sources[1]))
