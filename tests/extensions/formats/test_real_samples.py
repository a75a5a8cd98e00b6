# ruff: noqa: E501  samples stand as they are
"""Samples that exist in public, each with its source, are read right.

Each test states where its sample stands: an address, or a repository and a path. The samples are
transcribed one by one. Of the formats `jigsaw`, `sukaku`, `numbers` and `forum` no sample was
found, only descriptions; `toml` and `json` are formats of the harness.
"""

import json
import re

import pytest

from harness.puzzles.formats import ReadSettings, TextSource
from harness.puzzles.formats.reading import format_named
from tests.puzzles.detected import format_of, read, read_single
from tests.puzzles.example import sample
from tests.tables import cases


def test_a_grid_with_borders_and_two_lines() -> None:
    """Both forms of one puzzle on http://www.sudokusnake.com/manual/paste.php."""
    line = "706002000040009030000073206200080005150000700068000001000017003001500004609400000"
    grid = sample("grid_with_borders_and_two_lines_boxed.txt")
    assert (format_of(line), format_of(grid)) == ("line", "grid")
    assert read_single(line).puzzle == read_single(grid).puzzle


def test_the_forms_that_sadman_sudoku_accepts() -> None:
    """The puzzle of http://www.sadmansoftware.com/sudoku/faq22.php, in six of its forms."""
    forms = cases(__file__, "the_forms_that_sadman_sudoku_accepts")
    assert {read_single(form).puzzle for form in forms} == {read_single(forms[0]).puzzle}


def test_lines_below_the_name_of_a_collection() -> None:
    """The first lines of aclough/sudoku, HardestDatabase110626.txt."""
    text = (
        "HardestDatabase110626\n"
        "000000008003000400090020060000079000000061200060502070008000500010000020405000003\n"
        "000000002008010900500003040000109300060030080003700000040000005301070800200000000\n"
    )
    errors: list[Exception] = []
    source = TextSource.of_text(text, "HardestDatabase110626.txt")
    puzzles = list(format_named("line").read(source, ReadSettings(refuse=errors.append)))
    assert [parsed.puzzle.line.replace(".", "0") for parsed in puzzles] == text.split()[1:]
    assert "HardestDatabase110626.txt:1" in str(errors[0])


def test_the_puzzle_bank() -> None:
    """Lines of grantm/sudoku-exchange-puzzle-bank, diabolical.txt."""
    text = (
        "00015097c6c3 083020090000800100029300008000098700070000060006740000300006980002005000010030540"
        "  7.2\n"
        "00121d9a9024 700040006000759000900801003000524000030000020400000007501000208080000010209000304"
        "  8.9\n"
    )
    assert format_of(text) == "bank"
    first, second = read(text)
    assert (first.name, first.fields["rating"]) == ("00015097c6c3", "7.2")
    assert (second.name, second.fields["rating"]) == ("00121d9a9024", "8.9")
    assert first.puzzle.line.startswith(".83.2..9....8..1...293....8")
    assert "".join(format_named("bank").write([first, second])) == text


def test_the_tests_of_tdoku() -> None:
    """Lines of t-dillon/tdoku, test/test_puzzles: one solution, none, and 601."""
    text = sample("tests_of_tdoku.txt")
    assert format_of(text) == "counted"
    counts = [parsed.expected_count for parsed in read(text)]
    assert [(count.least, count.exact) for count in counts if count] == [
        (1, True),
        (0, True),
        (601, True),
    ]
    assert counts[0]
    assert str(counts[0].solution).startswith("652483917978162435")


@pytest.mark.parametrize(
    ("header", "row", "name", "fields"), cases(__file__, "a_row_of_each_file_of_kaggle")
)
def test_a_row_of_files_of_kaggle(header: str, row: str, name: str, fields: dict[str, str]) -> None:
    """Rows that the tests of a public reader of these files repeat (load_bryanpark_csv,
    load_rohanrao_csv, load_radcliffe_csv); the headers are those of the files."""
    assert format_of(f"{header}\n{row}\n") == "csv"
    parsed = read_single(f"{header}\n{row}\n")
    assert (parsed.name, dict(parsed.fields)) == (name, fields)
    assert parsed.expected_count is not None
    assert str(parsed.expected_count.solution) in row


def test_sudocue_sdm() -> None:
    """The first lines of the example on http://sudocue.net/fileformats.php."""
    text = sample("sudocue_sdm.txt")
    assert format_of(text, "p.sdm") == "sdm"
    puzzles = read(text, "p.sdm")
    assert [parsed.puzzle.line.replace(".", "0") for parsed in puzzles] == text.split()
    assert "".join(format_named("sdm").write(puzzles)) == text


def test_sudocue_sdx() -> None:
    """The example of http://sudocue.net/fileformats.php: two digits are the player's."""
    text = sample("sudocue_sdx.txt")
    assert format_of(text, "p.sdx") == "sdx"
    parsed = read_single(text, "p.sdx")
    assert parsed.puzzle.givens[:9] == (2, 0, 0, 1, 0, 5, 0, 9, 3)
    assert parsed.puzzle.givens[31] == parsed.puzzle.givens[42] == 1
    assert parsed.puzzle.allowed[1] == 0b101100000
    assert parsed.fields["placed"] == "R4C5 R5C7"
    assert "".join(format_named("sdx").write([parsed])) == text


@pytest.mark.parametrize("text", cases(__file__, "simple_sudoku_files"))
def test_simple_sudoku_files(text: str) -> None:
    """The newer and the older form of .ss on http://sudocue.net/fileformats.php."""
    parsed = read_single(text, "p.ss")
    symbols = re.sub(r"[^1-9X.]", "", text).replace("X", ".")
    assert parsed.puzzle.line == symbols


SIMPLE_SUDOKU = sample("simple_sudoku.txt")
CANDIDATES = sample("candidates.txt")


@pytest.mark.parametrize("end", ["", " Simple Sudoku\n  Version 4.2n\n"])
def test_what_simple_sudoku_copies(end: str) -> None:
    """The puzzle and its candidates in Sudopedia, Sudoku Clipboard and File Formats."""
    grid, candidates = SIMPLE_SUDOKU + end, CANDIDATES + end
    assert format_of(candidates) == "candidates"
    puzzle, marks = read_single(grid).puzzle, read_single(candidates).puzzle
    assert puzzle.line.startswith(".3.4.....9.28.63.1")
    assert marks.allowed[0] == 0b001110001
    # R8C2 has the single candidate 1; the other digits are the givens.
    clues = [a or b for a, b in zip(puzzle.givens, marks.givens, strict=True)]
    assert clues == list(marks.givens)
    assert marks.clues == puzzle.clues + 1


def test_a_library_line_of_hodoku() -> None:
    """A line in a comment of HoDoKu's solver of fish (FishSolver.java), an X-Wing."""
    text = (
        ":0300:4:135792..4.9.8315278725461...8.917.5....3.4.783.72.89.1...673.1....1297..7..485..6:"
        "653 472 473 277 483 683 388:481:c28 r68\n"
    )
    assert format_of(text) == "hodoku"
    parsed = read_single(text)
    assert parsed.fields["technique"] == "0300"
    assert parsed.fields["eliminations"] == "481"
    assert parsed.puzzle.givens[:18] == (1, 3, 5, 7, 9, 2, 0, 0, 4, 0, 9, 0, 8, 3, 1, 5, 2, 7)
    assert not parsed.puzzle.allowed[4 * 9 + 2] >> 5 & 1  # 653: 6 is deleted in R5C3
    assert "".join(format_named("hodoku").write([parsed])).split(":")[:4] == text.split(":")[:4]


def test_a_position_with_placed_digits() -> None:
    """A test of a C# library (TestCase_Equality): 34 placed digits, nine deleted candidates."""
    text = (
        ":0000:x:6...8..4..+4.....862..4.67+5.+1+5397+486+2.7...+3+51+4+462+5183+9+7..61.2+4+7572"
        "+4+8...+3..1..4+7.+28:314 916 921 325 925 932 933 371 985 991::\n"
    )
    parsed = read_single(text)
    assert len(parsed.fields["placed"].split()) == text.count("+")
    assert parsed.puzzle.givens[:12] == (6, 0, 0, 0, 8, 0, 0, 4, 0, 0, 4, 0)
    assert "".join(format_named("hodoku").write([parsed])).split(":")[3] == text.split(":")[3]


def test_an_opensudoku_file() -> None:
    """A test file of romario333/opensudoku, from Gnome-Sudoku."""
    text = sample("opensudoku_file.txt")
    assert format_of(text) == "opensudoku"
    parsed = read_single(text)
    assert parsed.puzzle.line.startswith("379....14.6..1..7.")
    assert parsed.fields["collection_name"] == "Gnome-Sudoku Easy"
    assert parsed.fields["collection_source"] == "gnome-sudoku"


def test_an_opensudoku_file_with_folders() -> None:
    """The test file of a reader of exports of OpenSudoku 3 (parseOpenSudoku), two folders."""
    text = sample("opensudoku_file_with_folders.txt")
    puzzles = read(text)
    assert [parsed.fields["folder"] for parsed in puzzles] == ["Easy (All)"] * 2 + ["Hard (All)"]
    assert puzzles[2].puzzle.line.startswith("...823..1..3...4..")


def test_the_data_of_the_tutorial_of_minizinc() -> None:
    """MiniZinc/libminizinc, docs/en/examples/sudoku.dzn."""
    text = sample("data_of_the_tutorial_of_minizinc.txt")
    parsed = read_single(text, "sudoku.dzn")
    assert parsed.puzzle.line.replace(".", "0") == re.sub("[^0-9]", "", text.partition("[")[2])


def test_a_model_of_minizinc_with_its_data() -> None:
    """matmod.ch/lpl, the model sudokuM: bars before the rows."""
    text = sample("model_of_minizinc_with_its_data.txt")
    assert read_single(text, "p.dzn").puzzle.line.startswith("531..962....")


PYCSP3 = (
    '{"n":9,"clues":[[7,0,3,1,0,8,4,5,9],[9,0,0,0,6,0,8,0,0],[0,0,0,0,0,0,0,0,0],'
    "[0,1,0,2,9,0,3,6,7],[0,7,5,0,0,3,0,0,8],[0,0,0,7,0,1,0,0,0],[0,0,2,0,7,0,0,1,5],"
    "[0,8,6,3,5,0,0,2,0],[0,0,0,0,1,0,0,0,0]]}"
)
XCSP3 = sample("xcsp3.txt")


def test_the_data_and_the_instance_of_pycsp3_are_the_same_puzzle() -> None:
    """xcsp3team/pycsp3: Sudoku_s13a.json in problems/data/json, and its instance in XCSP3
    in problems/tests/xcsp/csp/complex."""
    assert (format_of(PYCSP3, "p.json"), format_of(XCSP3, "p.xml")) == ("pycsp3", "xcsp3")
    data, instance = read_single(PYCSP3, "p.json").puzzle, read_single(XCSP3, "p.xml").puzzle
    assert data == instance
    assert list(data.rows()) == json.loads(PYCSP3)["clues"]
