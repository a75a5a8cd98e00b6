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
from tests.puzzles.example import LINE, sample


def read(text: str, name: str | None = None, symbols: Symbols | None = None) -> list[ParsedPuzzle]:
    """The puzzles of `text`, in the format of this name or the detected one."""
    source = TextSource.of_text(text, "sample")
    format_ = format_named(name) if name else detect_format(Head.from_source(source), "sample")
    return list(format_.read(source, ReadSettings(symbols=symbols)))


def read_single(text: str, name: str | None = None) -> ParsedPuzzle:
    (parsed,) = read(text, name)
    return parsed


EULER = sample("euler.txt")


def test_project_euler_96() -> None:
    """The first two grids of https://projecteuler.net/project/resources/p096_sudoku.txt."""
    first, second = read(EULER)
    assert (first.name, second.name) == ("01", "02")
    assert first.puzzle.line.startswith("..3.2.6..9..3.5..1")
    assert second.puzzle.line.endswith("..4.1...3")


SDK = sample("sdk.txt")


def test_sudocue_sdk() -> None:
    """The example of http://sudocue.net/fileformats.php."""
    parsed = read_single(SDK, "sdk")
    assert parsed.puzzle.line.startswith("2..1.5..3.54...71.")
    assert parsed.source == "SudoCue"
    assert parsed.fields["author"] == "Ruud"
    assert parsed.fields["level"] == "Easy"
    assert parsed.fields["url"] == "http://www.sudocue.net/"


def test_a_sdk_file_with_sections_gives_the_puzzle_without_the_progress() -> None:
    rows = SDK.split("\n", 7)[7]
    state = rows.replace(".", "9", 1)
    parsed = read_single(f"[Puzzle]\n{rows}[State]\n{state}")
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
    with pytest.raises(PuzzleError, match="32 rows"):  # regions of 3 and 5 cells are a row
        read_single("." * 16 + "1122112233443341")


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
    assert [(parsed.place, str(parsed.puzzle.shape)) for parsed in puzzles] == [
        ("p:9", "4x4"),
        ("p:13", "9x9"),
    ]


def test_rows_of_numbers_with_the_size_of_boxes() -> None:
    rows = [" ".join(["0"] * 12)] * 11
    parsed = read_single("\n".join(["3, 4", "12 1 0 0 0 0 0 0 0 0 0 0", *rows]))
    assert parsed.puzzle.shape == Shape.parse("12x12")
    assert parsed.puzzle.givens[:2] == (12, 1)
    with pytest.raises(PuzzleError, match="ends after 11 rows; expected 12 rows"):
        read_single("\n".join(["3, 4", *rows]))


def test_instances_of_lloyd_and_amos_have_the_order_and_a_skipped_line() -> None:
    blank = "-1\t" * 8
    other = f"3\n7\n{blank}9\n" + f"{blank}-1\n" * 8
    first, second = read("3\r\n1\r\n" + f"9\t{blank}\r\n" * 9 + other)
    assert [parsed.puzzle.shape.spec for parsed in (first, second)] == ["9x9", "9x9"]
    assert (first.puzzle.givens[:2], second.puzzle.givens[7:10]) == ((9, 0), (0, 9, 0))
    with pytest.raises(PuzzleError, match="ends after 8 rows; expected 9 rows"):
        read_single("3\n1\n" + f"9\t{blank}\n" * 8)
    with pytest.raises(PuzzleError, match="sample:3:1: '-2' is not a value of 9x9"):
        read_single("3\n1\n" + f"-2\t{blank}\n" * 9)


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
    with pytest.raises(ValueError, match="symbols='letters' or symbols='hex'"):
        read(text)
    assert read(text, symbols=Symbols.HEX)[0].puzzle.givens[:2] == (11, 2)
    assert read(f"# symbols: letters\n{text}")[0].puzzle.givens[:2] == (10, 1)


HELLO = "BYUwNmD2AEDukCcwBMg="


def test_lzstring_compresses_as_the_reference_implementation() -> None:
    """Outputs of lz-string 1.4.4 in JavaScript."""
    assert compress("hello world") == HELLO
    assert decompress(HELLO) == "hello world"
    czech = "r6ABsK6KaAD2aLCADWBfgBPQ9oCAlAZAvgDobEARlB4QAEOAjAUxAGd4BL5AZ4BMBPAQiA=="
    text = "\u017dlu\u0165ou\u010dk\u00fd k\u016f\u0148 \u00fap\u011bl "
    text += "\u010f\u00e1belsk\u00e9 \u00f3dy!"
    assert compress(text) == czech


def test_a_bomb_in_a_link_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.extensions.formats.fpuzzles.MOST", 100_000)
    payload = compress("a" * 110_000)
    with pytest.raises(ValueError, match="more than 100,000 characters"):
        read(f"https://www.f-puzzles.com/?load={payload}")


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
    with pytest.raises(ValueError, match=problem):
        read(link)


def test_a_constraint_that_no_shape_has_is_an_error() -> None:
    cells = '[{"value": 1, "given": true}, {}, {}, {}]'
    grid = f'{{"size": 4, "grid": [{cells}, {cells}, {cells}, {cells}], "knightmare": [1]}}'
    with pytest.raises(ValueError, match="the constraint 'knightmare'"):
        read(f"https://www.f-puzzles.com/?load={compress(grid)}")
    plain = read_single(f"https://www.f-puzzles.com/?load={compress(grid.replace('[1]', '[]'))}")
    assert plain.puzzle.line == "1..." * 4


JSON_LINES = sample("json_lines.txt")


@pytest.mark.parametrize("size", [10, 36, 49, 100])
def test_numbers_are_detected_from_10x10_to_100x100(size: int) -> None:
    rows = [[(row + column) % size + 1 for column in range(size)] for row in range(size)]
    text = "\n".join(" ".join(map(str, row)) for row in rows)
    assert detect_format(Head.from_source(TextSource.of_text(text, "p")), "p").name == "numbers"


def test_json_lines_are_a_record_on_each_line() -> None:
    first, second = read(JSON_LINES)
    assert (first.puzzle.line, first.name) == ("1.......2.......", "first")
    assert dict(first.fields) == {"rating": "7.1"}
    assert (second.name, second.place) == ("2", "sample:3")
    assert second.puzzle.line == ".....2.........3"
    assert str(second.expected_count) == "at least 2 solutions"
    for text in (
        '{"puzzle": [{"puzzle": "1..............."}]}',
        '[{"puzzle": "1..............."}]',
    ):
        assert detect_format(Head.from_source(TextSource.of_text(text, "p")), "p").name == "json"
    lines = TextSource.of_text(JSON_LINES, "p.json")  # a name that others give such files too
    assert detect_format(Head.from_source(lines), "p.json").name == "jsonl"


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
    with pytest.raises(PuzzleError) as caught:
        read('{"puzzle": "1..............."}\n' + line, "jsonl")
    assert message in str(caught.value)


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
    answers = [
        format_named("xcsp3").detect(Head.from_source(TextSource.of_text(t, "t"))) for t in lines
    ]
    assert answers == [True, False, False]
