"""Samples made by the descriptions of formats, read right.

Samples that exist in public are in `test_real_samples`.
"""

from dataclasses import replace

import pytest

from harness.base.errors import PuzzleError
from harness.extensions.formats.fpuzzles import compress, decompress
from harness.puzzles import Shape, SolutionCount
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.formats.format import Head, Symbols
from harness.puzzles.formats.reading import detect_format, format_named
from tests.extensions.formats.texts import error_of
from tests.puzzles.detected import format_of
from tests.puzzles.example import LINE, sample


def read(text: str, name: str | None = None, symbols: Symbols | None = None) -> list[ParsedPuzzle]:
    """The puzzles of `text`, in the format of this name or the detected one."""
    source = TextSource.of_text(text, "sample")
    format_ = format_named(name) if name else detect_format(Head.from_source(source), "sample")
    return list(format_.read(source, ReadSettings(symbols=symbols)))


def read_single(text: str, name: str | None = None) -> ParsedPuzzle:
    (parsed,) = read(text, name)
    return parsed


def test_project_euler_96() -> None:
    """The first two grids of https://projecteuler.net/project/resources/p096_sudoku.txt."""
    first, second = read(sample("euler.txt"))
    assert (first.name, second.name) == ("01", "02")
    assert first.puzzle.line.startswith("..3.2.6..9..3.5..1")
    assert second.puzzle.line.endswith("..4.1...3")


SDK = sample("sdk.txt")


def test_sudocue_sdk() -> None:
    """The example of http://sudocue.net/fileformats.php."""
    parsed = read_single(SDK, "sdk")
    assert parsed.puzzle.line.startswith("2..1.5..3.54...71.")
    assert parsed.source == "SudoCue"
    fields = {"author": "Ruud", "level": "Easy", "url": "http://www.sudocue.net/"}
    assert parsed.fields.items() >= fields.items()


def test_a_sdk_file_with_sections_gives_the_puzzle_without_the_progress() -> None:
    rows = SDK.split("\n", 7)[7]
    parsed = read_single(f"[Puzzle]\n{rows}[State]\n{rows.replace('.', '9', 1)}")
    assert parsed.puzzle.line.startswith("2..1.5..3")


def test_other_names_of_columns_of_hugging_face() -> None:
    puzzle = "004300209005009001070060043006002087190007400050083000600000105003508690042910300"
    answer = "864371259325849761971265843436192587198657432257483916689734125713528694542916378"
    parsed = read_single(f"source,question,answer,rating\npuzzles0_kaggle,{puzzle},{answer},3\n")
    assert parsed.puzzle.line == puzzle.replace("0", ".")
    assert parsed.expected_count == SolutionCount.from_number(1, solution=answer)
    assert (parsed.source, dict(parsed.fields)) == ("puzzles0_kaggle", {"rating": "3"})


def test_a_puzzle_without_a_name_gets_that_of_the_puzzle_bank() -> None:
    """The name of a record of the puzzle bank is a digest of its digits."""
    cells = "050703060007000800000816000000030000005000100730040086906000204840572093000409000"
    parsed = replace(read_single(cells), fields={"rating": "1.2"})
    assert "".join(format_named("bank").write([parsed])) == f"0000183b305c {cells}  1.2\n"


def test_the_csv_of_the_forums() -> None:
    """A line made by the description of the collections of the players' forum."""
    text = (
        "#!sudoku -c1,PuzzleR,Label\n"
        "98.7.....6.....87...7.....96..5..9...8...4..7..1......5..9..6...9..4..8...2....1.,11.9,x7\n"
    )
    parsed = read_single(text)
    assert dict(parsed.fields) == {"PuzzleR": "11.9", "Label": "x7"}
    assert parsed.puzzle.line.startswith("98.7.....")


def test_a_jigsaw_line() -> None:
    regions = "111222333" * 3 + "444555666" * 3 + "777888999" * 3
    parsed = read_single("1" + "." * 80 + regions)
    assert parsed.puzzle.shape == Shape.parse("9x9")
    assert parsed.puzzle.givens[0] == 1
    assert read_single("." * 16 + "1122112233443344").puzzle.shape == Shape.parse("4x4")
    # Regions of 3 and 5 cells are a row.
    assert "32 rows" in error_of(read_single, "." * 16 + "1122112233443341")


def test_a_sukaku_of_729_symbols() -> None:
    cells = ["1........", ".2......."] + ["123456789"] * 79
    parsed = read_single("".join(cells))
    assert parsed.puzzle.givens[:3] == (1, 2, 0)
    assert parsed.puzzle.pencilmarks is None


def test_a_wrong_grid_of_candidates_costs_no_other_grid() -> None:
    four, nine = "1234 12 34 1234", " ".join(["123456789"] * 9)
    rows = [four, "1 2 3", four, "", *[four] * 3, "", *[four] * 4, *[nine] * 9]
    errors: list[PuzzleError] = []
    source = TextSource.of_text("\n".join(rows), "p")
    puzzles = list(format_named("candidates").read(source, ReadSettings(refuse=errors.append)))
    assert [error.where for error in errors] == ["p:2:6", "p:7"]
    places = [(parsed.place, str(parsed.puzzle.shape)) for parsed in puzzles]
    assert places == [("p:9", "4x4"), ("p:13", "9x9")]


def test_rows_of_numbers_with_the_size_of_boxes() -> None:
    rows = [" ".join(["0"] * 12)] * 11
    parsed = read_single("\n".join(["3, 4", "12 1 0 0 0 0 0 0 0 0 0 0", *rows]))
    assert parsed.puzzle.shape == Shape.parse("12x12")
    assert parsed.puzzle.givens[:2] == (12, 1)
    error = error_of(read_single, "\n".join(["3, 4", *rows]))
    assert "ends after 11 rows; expected 12 rows" in error


def test_instances_of_lloyd_and_amos_have_the_order_and_a_skipped_line() -> None:
    blank = "-1\t" * 8
    other = f"3\n7\n{blank}9\n" + f"{blank}-1\n" * 8
    first, second = read("3\r\n1\r\n" + f"9\t{blank}\r\n" * 9 + other)
    assert [parsed.puzzle.shape.spec for parsed in (first, second)] == ["9x9", "9x9"]
    assert (first.puzzle.givens[:2], second.puzzle.givens[7:10]) == ((9, 0), (0, 9, 0))
    short, wrong = "3\n1\n" + f"9\t{blank}\n" * 8, "3\n1\n" + f"-2\t{blank}\n" * 9
    assert "ends after 8 rows; expected 9 rows" in error_of(read_single, short)
    assert "sample:3:1: '-2' is not a value of 9x9" in error_of(read_single, wrong)


@pytest.mark.parametrize(
    ("first", "symbols", "value"),
    [("1G", "letters", 1), ("0", "hex", 1), ("A1", "letters", 10), ("PO", "alphabet", 16)],
)
def test_symbols_that_only_one_convention_has_decide(first: str, symbols: str, value: int) -> None:
    rest = "0" * (256 - len(first)) if first == "A1" else "." * (256 - len(first))
    (parsed,) = read(first + rest)
    assert parsed.puzzle.givens[0] == value
    assert read(first + rest, symbols=Symbols(symbols))[0].puzzle == parsed.puzzle


def test_undecided_symbols_are_an_error_that_says_how_to_decide() -> None:
    text = "A1" + "." * 254
    assert "symbols='letters' or symbols='hex'" in error_of(read, text)
    assert read(text, symbols=Symbols.HEX)[0].puzzle.givens[:2] == (11, 2)
    assert read(f"# symbols: letters\n{text}")[0].puzzle.givens[:2] == (10, 1)


LINK = "https://www.f-puzzles.com/?load="


def test_lzstring_compresses_as_the_reference_implementation() -> None:
    """Outputs of lz-string 1.4.4 in JavaScript."""
    hello = "BYUwNmD2AEDukCcwBMg="
    assert (compress("hello world"), decompress(hello)) == (hello, "hello world")
    czech = "r6ABsK6KaAD2aLCADWBfgBPQ9oCAlAZAvgDobEARlB4QAEOAjAUxAGd4BL5AZ4BMBPAQiA=="
    text = "\u017dlu\u0165ou\u010dk\u00fd k\u016f\u0148 \u00fap\u011bl "
    text += "\u010f\u00e1belsk\u00e9 \u00f3dy!"
    assert compress(text) == czech


def test_a_bomb_in_a_link_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.extensions.formats.fpuzzles.MOST", 100_000)
    assert "more than 100,000 characters" in error_of(read, LINK + compress("a" * 110_000))


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("https://sudokupad.app/abcdef", "a short link, which needs the network"),
        ("https://sudokupad.app/sclabc", "a short link, which needs the network"),
        ("https://sudokupad.app/scl" + "N4Ig" * 20, "the payload is damaged"),
        ("https://sudokupad.app/classicNOTVALID", "no grid in the payload"),
        ("https://f-puzzles.com/?id=abcdef", "a short link, which needs the network"),
    ],
)
def test_links_without_a_puzzle_are_errors(link: str, problem: str) -> None:
    assert problem in error_of(read, link)


def test_a_constraint_that_no_shape_has_is_an_error() -> None:
    cells = '[{"value": 1, "given": true}, {}, {}, {}]'
    grid = f'{{"size": 4, "grid": [{cells}, {cells}, {cells}, {cells}], "knightmare": [1]}}'
    assert "the constraint 'knightmare'" in error_of(read, LINK + compress(grid))
    plain = read_single(LINK + compress(grid.replace("[1]", "[]")))
    assert plain.puzzle.line == "1..." * 4


@pytest.mark.parametrize("size", [10, 36, 49, 100])
def test_numbers_are_detected_from_10x10_to_100x100(size: int) -> None:
    rows = [[(row + column) % size + 1 for column in range(size)] for row in range(size)]
    assert format_of("\n".join(" ".join(map(str, row)) for row in rows)) == "numbers"


def test_json_lines_are_a_record_on_each_line() -> None:
    text = sample("json_lines.txt")
    first, second = read(text)
    assert (first.puzzle.line, first.name) == ("1.......2.......", "first")
    assert dict(first.fields) == {"rating": "7.1"}
    assert (second.name, second.place) == ("2", "sample:3")
    assert second.puzzle.line == ".....2.........3"
    assert str(second.expected_count) == "at least 2 solutions"
    records = '[{"puzzle": "1..............."}]'
    assert format_of(records) == format_of(f'{{"puzzle": {records}}}') == "json"
    assert format_of(text, "p.json") == "jsonl"  # a name that others give such files too


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "sample:2:2: invalid JSON"),
        ("3", "sample:2: 3 is not a record"),
        ('{"puzzle": "1"}', "sample:2: puzzle:1"),
        ('{"puzzle": "1...............", "solutons": 1}', "did you mean 'solutions'"),
        ("[" * 100_000, "sample:2: invalid JSON: too many levels"),
    ],
)
def test_a_malformed_line_of_json_lines_is_named(line: str, message: str) -> None:
    assert message in error_of(read, '{"puzzle": "1..............."}\n' + line, "jsonl")


@pytest.mark.parametrize("value", [" easy", "easy ", "", "ea\nsy"])
@pytest.mark.parametrize("name", ["opensudoku", "csv", "forum"])
def test_texts_that_reading_would_change_are_not_held(name: str, value: str) -> None:
    parsed = read_single(LINE, "line")
    reason = format_named(name).can_hold(replace(parsed, fields={"level": value}))
    if name == "csv" and not value:
        assert reason is None  # an empty column is no field
    else:
        assert reason is not None
        assert reason.startswith("holds printable texts without ")


def test_xml_is_xcsp3_only_if_its_instance_is() -> None:
    lines = ['<instance format="XCSP3" type="CSP">', '<instance type="other">', "<!-- XCSP3 -->"]
    heads = [Head.from_source(TextSource.of_text(line, "t")) for line in lines]
    assert [*map(format_named("xcsp3").detect, heads)] == [True, False, False]
