"""Files of solvers: data of MiniZinc, XCSP3, and their XML."""

import pytest

from harness.base.errors import PuzzleError
from harness.extensions.formats.xml import elements
from harness.puzzles.formats import Head, ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.formats.reading import format_named
from tests.puzzles.detected import format_of, read_single
from tests.puzzles.example import LINE
from tests.tables import cases

# Data of MiniZinc: rows and declared sizes are checked, whatever the length of the text.


PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
ROWS = [[s.replace(".", "_") for s in PUZZLE[at : at + 9]] for at in range(0, 81, 9)]
CELLS = ",".join(cell for row in ROWS for cell in row)


def _read(text: str) -> ParsedPuzzle:
    (parsed,) = format_named("dzn").read(TextSource.of_text(text, "p.dzn"), ReadSettings())
    return parsed


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


def test_rows_of_different_lengths_are_refused() -> None:
    rows = [list(row) for row in ROWS]
    rows[0].pop(2)
    rows[4].append("_")
    with pytest.raises(PuzzleError, match=r"p\.dzn:2:2: a row of 9 cells.* 8"):
        _read(_literal(rows))


def test_rows_that_are_no_square_are_refused() -> None:
    with pytest.raises(PuzzleError, match="8 rows of 9 cells"):
        _read(_literal(ROWS[:8]))


@pytest.mark.parametrize("sets", ["1..3, 1..27", "1..n, 1..n", "1..9, 1..8", "1..9"])
def test_a_declared_size_that_differs_is_refused(sets: str) -> None:
    with pytest.raises(PuzzleError, match="index sets"):
        _read(f"n = 4;\nx = array2d({sets}, [{CELLS}]);")


@pytest.mark.parametrize("text", ["5,,3", "5 3", ",5"])
def test_an_empty_or_glued_item_is_refused(text: str) -> None:
    with pytest.raises(PuzzleError, match=r"p\.dzn:1:\d+: (''|'5 3') is not a cell"):
        _read(f"x = array2d(1..9, 1..9, [{text}{CELLS[3:]}]);")


@pytest.mark.parametrize("text", ["x=[| " * 400_000, "x=[|" + " " * 2_000_000, "x =" * 500_000])
def test_the_time_of_a_text_without_an_array_is_linear(text: str) -> None:
    """Two megabytes; a time that grows with the square would be hours."""
    with pytest.raises(PuzzleError, match=r"two-dimensional arrays|end of the array"):
        _read(text)


@pytest.mark.parametrize(
    ("comment", "error"),
    [
        ("% shape: jigsaw:1122112233443344x", "p.dzn:1:10: "),
        ("% a comment\n% shape: 9x8", "p.dzn:2:10: unknown shape '9x8'"),
        ("S = 11;", "p.dzn:1:5: "),
    ],
)
def test_an_unknown_shape_is_an_error_with_its_place(comment: str, error: str) -> None:
    with pytest.raises(PuzzleError) as error_info:
        _read(f"{comment}\n{_literal(ROWS)}")
    assert str(error_info.value).startswith(error)


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
    text = TEXT.replace(old, new, 1)
    (parsed,) = format_named("xcsp3").read(TextSource.of_text(text, "p.xml"), ReadSettings())
    return parsed


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
    for levels in (64, 65):
        text = "<a>" * levels + "</a>" * levels
        if levels == 64:
            assert len(list(elements(TextSource.of_text(text, "t")))) == 64
        else:
            with pytest.raises(PuzzleError, match="t:1:193: too many levels of elements"):
                list(elements(TextSource.of_text(text, "t")))
