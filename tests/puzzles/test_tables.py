"""Tables of comma-separated values: columns, and blocks of plain rows."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import PuzzleError
from harness.puzzles import Shape
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, TextSource, tables
from harness.puzzles.formats.reading import format_named, parse_text, read_file
from harness.puzzles.formats.tables import AHEAD, CSV, with_columns
from tests.cli.test_solve import Harness
from tests.puzzles.example import LINE, SOLUTION

# CSV of spreadsheets: other delimiters, files without a header, and a column of clues.


def read_text(text: str) -> list[ParsedPuzzle]:
    return list(format_named("csv").read(TextSource.of_text(text, "t"), ReadSettings()))


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
@pytest.mark.parametrize("name", ["p.csv", "p.txt"])
def test_semicolons_and_tabs_are_between_columns(delimiter: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    rows = [("id", "Quizzes", "solutions", "note"), ("a", LINE, SOLUTION, "x"), ("b", LINE, "", "")]
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows))
    first, second = read_file(path)
    assert (first.name, first.puzzle.line, dict(first.fields)) == ("a", LINE, {"note": "x"})
    assert first.expected_count is not None
    assert first.expected_count.solution == SOLUTION
    assert (second.name, second.expected_count, dict(second.fields)) == ("b", None, {})


NO_HEADER = (
    "no header above the puzzles and solutions; expected a first line such as puzzle,solution"
)
UNTRUE = "which is not true of the puzzle; expected"
ANOTHER = "expected one of these, or another name"
MISSPELT = (
    *(("solutons", "'solutions' or 'solution'"), ("Answers", "'answer'"), ("counts", "'count'")),
    ("Shapes", "'shape'"),
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(
            (
                f"{LINE}{delimiter}{SOLUTION}\n" * 2,
                f"1: {NO_HEADER}\n",
            )
            for delimiter in ",;\t"
        ),
        *(
            (
                f"puzzle,clues\n{line},{wrong}\n",
                f"2:{len(line) + 2}: clues is {wrong}, {UNTRUE} {clues}\n",
            )
            for line, clues in ((LINE, 32), ("1...............", 1))
            for wrong in ("5", "many", "-1")
        ),
        *(
            (
                f"puzzle,{name},{other}\n{LINE},x,y\n",
                f"1: two columns called '{name}'; expected different names\n",
            )
            for name, other in (("note", "note"), ("column3", ""))
        ),
        *(
            (
                f"puzzle,{name}\n{LINE},x\n",
                f"1: unknown column '{name}' (did you mean {similar}?); {ANOTHER}\n",
            )
            for name, similar in MISSPELT
        ),
        *(
            (f"{header}\n{LINE},{SOLUTION}\n", "1: no column with puzzles (did you mean")
            for header in ("puzle,solution", "Puzzl;x", "quizes,n")
        ),
    ],
)
def test_a_malformed_table_is_an_error(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(PuzzleError) as error:
        read_file(path)
    assert f"{error.value}\n".startswith(f"{path}:{message}")


def test_the_number_of_clues_is_kept(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text(f"puzzle,clues\n{LINE},32\n")
    out = harness("datasets", "convert", str(path), "-", "--to", "json")[1]
    assert json.loads(out)[0]["clues"] == 32


def test_a_column_without_a_name_has_that_of_its_position(tmp_path: Path) -> None:
    path = tmp_path / "pandas.csv"
    path.write_text(f",puzzle,\n0,{LINE},x\n1,{LINE},\n")
    first, second = read_file(path)
    assert dict(first.fields) == {"column1": "0", "column3": "x"}
    assert dict(second.fields) == {"column1": "1"}


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("blank", [" ", "  ", ""])
def test_blanks_at_the_end_of_a_file_are_no_part_of_a_value(
    end: str, blank: str, tmp_path: Path
) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"puzzle,note\n{LINE},x{blank}{end}")
    (parsed,) = read_file(path)
    assert dict(parsed.fields) == {"note": "x"}


def test_a_field_that_would_be_misspelt_is_not_written(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"puzzle": LINE, "counts": "7"}) + "\n")
    code, _, errors = harness("datasets", "convert", str(path), str(tmp_path / "p.csv"))
    assert code == 2
    assert "the format csv holds no further field called 'counts' (did you mean 'count'?)" in errors
    assert not (tmp_path / "p.csv").exists()


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_missing_values_are_empty_cells_in_any_order(
    order: tuple[int, ...], harness: Harness, tmp_path: Path
) -> None:
    rows = [f"{LINE},,x", f"{'.' * 81},2,", f"{SOLUTION},3,z"]
    path = tmp_path / "p.csv"
    path.write_text("\n".join(["puzzle,rating,label", *(rows[at] for at in order)]) + "\n")
    assert harness("datasets", "convert", str(path), str(tmp_path / "to.csv"))[0] == 0
    fields = [{"label": "x"}, {"rating": "2"}, {"rating": "3", "label": "z"}]
    puzzles = read_file(tmp_path / "to.csv")
    assert [dict(parsed.fields) for parsed in puzzles] == [fields[at] for at in order]


def test_a_field_after_many_puzzles_is_an_error() -> None:
    first, last = (parsed for parsed in read_text(f"puzzle,a\n{LINE},\n{LINE},1\n"))
    names, every = with_columns([*[first] * AHEAD, last])
    assert names == []
    with pytest.raises(PuzzleError, match="the field a; expected those of the first 10,000"):
        list(every)


def test_whole_numbers_of_pandas_may_have_a_point(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"puzzle,clues,count,rating\n{LINE},32.0,1.0,2.50\n{LINE},,,\n")
    first, second = read_file(path)
    assert dict(first.fields) == {"clues": "32", "rating": "2.50"}
    assert first.expected_count is not None
    assert first.expected_count.least == 1
    assert (dict(second.fields), second.expected_count) == ({}, None)


def test_a_rating_is_known_in_any_case(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"Puzzle,Rating,Clues,Label\n{LINE},7,32,x\n")
    (parsed,) = read_file(path)
    assert dict(parsed.fields) == {"rating": "7", "clues": "32", "Label": "x"}


# Names of columns in files of others, a column for each cell, and cells with arrays.


ZEROS = LINE.replace(".", "0")
ARRAY = np.array([int(symbol) for symbol in ZEROS])
SOLVED = np.array([int(symbol) for symbol in SOLUTION])
NAMES = {
    "numbers": list(map(str, range(81))),
    "from one": list(map(str, range(1, 82))),
    "letters": [f"c{number}" for number in range(1, 82)],
    "rows": [f"r{row}c{column}" for row in range(1, 10) for column in range(1, 10)],
    "rows from zero": [f"Cell_{row}_{column}" for row in range(9) for column in range(9)],
}
GAPPED = np.where(ARRAY == 0, np.nan, ARRAY)


@pytest.mark.parametrize("suffix", [".csv", ".txt", ".tsv"])
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("cells", [ARRAY, GAPPED], ids=["zeros", "gaps"])
def test_each_cell_has_a_column(
    names: str, index: bool, cells: Any, suffix: str, tmp_path: Path
) -> None:
    path, delimiter = tmp_path / f"p{suffix}", "\t" if suffix == ".tsv" else ","
    pd.DataFrame([cells, cells], columns=NAMES[names]).to_csv(path, sep=delimiter, index=index)
    assert [read.puzzle.line for read in read_file(path)] == [LINE, LINE]
    first, *rows = path.read_text().splitlines()
    for wrong in ("", delimiter, f"{delimiter}1"):
        changed = [row + wrong if wrong else row.rpartition(delimiter)[0] for row in rows]
        path.write_text("\n".join([first, *changed]))
        with pytest.raises(PuzzleError, match=r":2"):
            read_file(path)


@pytest.mark.parametrize("suffix", [".csv", ".txt", ".tsv"])
@pytest.mark.parametrize("names", [range(9), range(1, 10), [f"c{at}" for at in range(9)]], ids=str)
@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("cells", [ARRAY, GAPPED], ids=["zeros", "gaps"])
def test_a_grid_has_names_of_columns(
    names: Any, index: bool, cells: Any, suffix: str, tmp_path: Path
) -> None:
    path, delimiter = tmp_path / f"p{suffix}", "\t" if suffix == ".tsv" else ","
    frame = pd.DataFrame(cells.reshape(9, 9), columns=names)
    frame.to_csv(path, sep=delimiter, index=index)
    (read,) = read_file(path)
    assert read.puzzle.line == LINE
    frame.iloc[:, :8].to_csv(path, sep=delimiter, index=index)
    with pytest.raises(PuzzleError):
        read_file(path)


def test_other_columns_stand_beside_those_of_the_cells(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    frame = pd.DataFrame([ARRAY], columns=NAMES["rows"])
    frame.assign(solution=SOLUTION, level=3).to_csv(path, index_label="id")
    (read,) = read_file(path)
    assert (read.name, read.puzzle.line, dict(read.fields)) == ("0", LINE, {"level": "3"})
    assert read.expected_count is not None


@pytest.mark.parametrize("is_empty", [False, True])
def test_the_first_row_of_a_grid_of_numbers_is_no_header(is_empty: bool, tmp_path: Path) -> None:
    rows = [[(4 * row + row // 4 + column) % 16 + 1 for column in range(16)] for row in range(16)]
    rows[0] = [0] * 16 if is_empty else rows[0]
    path = tmp_path / "p.csv"
    path.write_text("\n".join(",".join(str(value or "") for value in row) for row in rows))
    assert [read.puzzle.rows() for read in read_file(path)] == [rows]


@pytest.mark.parametrize("suffix", [".csv", ".txt"])
@pytest.mark.parametrize(
    "names", [("board", "solved"), ("Quizzes", "solutions"), ("clues", "answer")]
)
@pytest.mark.parametrize(
    "form",
    [
        lambda array: array,
        lambda array: array.reshape(9, 9),
        lambda array: array.tolist(),
        lambda array: array.reshape(9, 9).tolist(),
        lambda array: "".join(map(str, array)),
        lambda array: "\n".join("".join(map(str, row)) for row in array.reshape(9, 9)),
    ],
    ids=["flat array", "array", "flat list", "lists", "line", "grid"],
)
def test_cells_have_lines_grids_and_arrays(
    form: Callable[[Any], Any], names: tuple[str, str], suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"p{suffix}"
    values = ([form(ARRAY)] * 2, [form(SOLVED)] * 2)
    pd.DataFrame(dict(zip(names, values, strict=True))).to_csv(path, index=False)
    for read in read_file(path):
        assert read.puzzle.line == LINE
        assert read.expected_count is not None
        assert read.expected_count.solution == SOLUTION


DIGITS = "expected all digits, in a column that is formatted as text"
DROPPED = f"spreadsheets drop zeros before a number; {DIGITS.replace('all', '81')}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(
            (
                f"puzzle;solution\n{number};{SOLUTION}\n",
                f"2:1: a spreadsheet shortened a number to {number}; {DIGITS}",
            )
            for number in ("4.3E+79", "4,3E+79", "8.00e+80", "3E79")
        ),
        (
            f"puzzle,solution\n{ZEROS},4.8E+80\n",
            "2:83: a spreadsheet shortened a number to 4.8E+80",
        ),
        (
            f"puzzle,solution\n{ZEROS[2:]},{SOLUTION}\n",
            f"2:1: a line of 79 digits; {DROPPED}",
        ),
        (f"board,grid\n{ZEROS},{ZEROS}\n", "1: the columns board and grid mean the same"),
        (f"text,level\n{ZEROS},1\n", "1: no column with puzzles; expected one of puzzle, puzzles,"),
        ('board,n\n"[[0, 3]",1\n', "2: cell:1: "),
        ("p1,p2,p3,p4\n1,2,3,4\n", "1: no column with puzzles"),
    ],
)
def test_what_a_spreadsheet_changed_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(PuzzleError) as error:
        read_file(path)
    assert str(error.value).startswith(f"{path}:{message}")


@pytest.mark.parametrize(
    "text",
    [
        f"board,clues\n{LINE},32\n",
        f"puzzle,board\n{LINE},x\n",
        f"board\n{LINE}\n",
        f"Sudoku;Solved\n{LINE};\n",
    ],
)
def test_a_column_has_the_puzzles_if_no_better_name_is_there(text: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text)
    assert [read.puzzle.line for read in read_file(path)] == [LINE]


# Blocks of plain rows of CSV are read at once, and exactly as single rows are.


HEADER = "id,puzzle,solution,clues,difficulty"
PLAIN = f"p1,{LINE},{SOLUTION},32,1.2"
ROWS = [
    PLAIN,
    PLAIN,
    PLAIN,
    f",{LINE},{SOLUTION},,",
    f"p2,{LINE.replace('.', '0')},{SOLUTION},32,1.2",
    f'"p3",{LINE},{SOLUTION},32,1.2',
    f'"p,4",{LINE},{SOLUTION},32,1.2',
    f'"p\n5",{LINE},{SOLUTION},32,1.2',
    f'"p6,{LINE},{SOLUTION},32,1.2',
    f" p7 ,{LINE}, {SOLUTION},32,1.2",
    f"p8,{LINE},,32,1.2",
    f"p9,{LINE},{SOLUTION},32",
    f"p10,{LINE},{SOLUTION[::-1]},32,1.2",
    f"p11,{LINE},{SOLUTION[:-2]}28,32,1.2",
    f"p12,{LINE[:-1]},{SOLUTION},32,1.2",
    f"p13,{LINE[:-1]}0,{SOLUTION},32,1.2",
    f"p14,{LINE.replace('.', 'x')},{SOLUTION},32,1.2",
    f"p15,{LINE},{SOLUTION.replace('1', '.')},32,1.2",
    f"caf\u00e9,{LINE},{SOLUTION},32,1.2",
    f"p16,{LINE},{SOLUTION},5,1.2",
    f"p17,{LINE},{SOLUTION},032,1.2",
    f"p18,{LINE},{SOLUTION},many,1.2",
    "",
    ",,,,",
]


def outcome(chunks: list[bytes], shape: Shape | None) -> tuple[list[ParsedPuzzle], list[str]]:
    """The puzzles and the errors of a file in these pieces."""
    errors: list[str] = []
    reading = ReadSettings(shape, refuse=lambda error: errors.append(str(error)))
    puzzles: list[ParsedPuzzle] = []
    try:
        puzzles += CSV.read(TextSource("p.csv", chunks), reading)
    except ValueError as error:
        errors.append(str(error))
    return puzzles, errors


@given(
    st.lists(st.sampled_from(ROWS), max_size=30),
    st.sampled_from(["\n", "\n", "\n", "\r\n"]),
    st.integers(0, 2**32),
    st.sampled_from(
        [None, None, Shape.parse("9x9"), Shape.parse("9x9+antiknight"), Shape.parse("4x4")]
    ),
)
@settings(max_examples=50)
def test_plain_rows_are_read_as_single_rows_are(
    rows: list[str], end: str, seed: int, shape: Shape | None
) -> None:
    text = end.join([HEADER, *rows, ""]).encode()
    cuts = sorted(random.Random(seed).choices(range(len(text)), k=6))
    chunks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    fast = outcome(chunks, shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "plain_rows", lambda *_: None)
        assert outcome(chunks, shape) == fast


@pytest.mark.parametrize("name", ["r{row}c{column}", "c{number}", "{number}"])
def test_columns_of_cells_may_have_any_order(name: str, tmp_path: Path) -> None:
    cells = [(*divmod(at, 9), at, symbol) for at, symbol in enumerate(LINE)]
    cells.reverse()
    names = [name.format(row=row + 1, column=column + 1, number=at) for row, column, at, _ in cells]
    path = tmp_path / "p.csv"
    path.write_text(f"id,{','.join(names)}\nfirst,{','.join(symbol for *_, symbol in cells)}\n")
    (read,) = read_file(path)
    assert (read.name, read.puzzle.line) == ("first", LINE)


@pytest.mark.parametrize("flag", ["yes", "No", "true", "0", "1"])
def test_a_column_that_says_whether_a_puzzle_is_solved_has_no_solution(flag: str) -> None:
    notes: list[str] = []
    text = f"board,solved\n{LINE},{flag}\n"
    (read,) = parse_text(text, ReadSettings(understand=notes.append))
    assert (read.puzzle.line, read.expected_count) == (LINE, None)
    assert "passed over the column solved, which has no solutions" in notes


def test_labels_of_rows_are_named_and_whether_they_are_in_order() -> None:
    for order, words in (
        (range(1, 10), ": 1, 2, 3"),
        (range(9, 0, -1), ", which are out of order"),
    ):
        lines = (f"{at},{','.join(LINE[9 * n : 9 * n + 9])}" for n, at in enumerate(order))
        notes: list[str] = []
        text = "\n".join([",1,2,3,4,5,6,7,8,9", *lines])
        (read,) = parse_text(text, ReadSettings(understand=notes.append))
        assert read.puzzle.line == LINE
        assert f"the labels of rows{words}" in notes[0]


def test_a_chosen_shape_decides_whether_a_table_has_labels() -> None:
    text = "\n".join([".,1,2,3,4", *(f"{at},.,.,.,." for at in range(1, 5))])
    settings = ReadSettings(Shape.parse("latin5"), understand=str)
    (read,) = parse_text(text, settings)
    assert read.puzzle.line == ".12341....2....3....4...."
