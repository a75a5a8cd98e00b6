"""Puzzles as records in TOML and JSON files, and the number of a malformed one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.puzzles.formats import ParsedPuzzle, read_file

LINE = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
MISTAKEN = LINE[:40] + "?" + LINE[41:]
SOLUTION = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
SOLUTION_GRID = "\n".join(SOLUTION[start : start + 9] for start in range(0, 81, 9))
ROWS = [LINE[start : start + 9] for start in range(0, 81, 9)]
GRID = "\n".join(ROWS)
BOXED = """\
+-------+-------+-------+
| . . 3 | . 2 . | 6 . . |
| 9 . . | 3 . 5 | . . 1 |
| . . 1 | 8 . 6 | 4 . . |
+-------+-------+-------+
| . . 8 | 1 . 2 | 9 . . |
| 7 . . | . . . | . . 8 |
| . . 6 | 7 . 8 | 2 . . |
+-------+-------+-------+
| . . 2 | 6 . 9 | 5 . . |
| 8 . . | 2 . 3 | . . 9 |
| . . 5 | . 1 . | 3 . . |
+-------+-------+-------+
"""
SYMBOLS = "digits, letters, and . or 0 for a blank"
LATIN = "the shape by name, for instance --shape latin"


def write(path: Path, content: str) -> Path:
    path.write_bytes(content.encode())
    return path


def write_records(tmp_path: Path, records: object) -> Path:
    return write(tmp_path / "p.json", json.dumps(records))


def read_records(tmp_path: Path, records: object) -> list[ParsedPuzzle]:
    return read_file(write_records(tmp_path, records))


def test_a_toml_file_holds_a_table_a_puzzle(tmp_path: Path) -> None:
    content = f"""
[[puzzle]]
id = "seed000"
puzzle = \"\"\"
{GRID}
\"\"\"
solutions = 1
solution = "{SOLUTION}"
source = "seed 000"

[[puzzle]]
puzzle = "................"
solutions = ">=100"
"""
    first, second = read_file(write(tmp_path / "p.toml", content))
    assert (first.name, first.puzzle.line, first.source) == ("seed000", LINE, "seed 000")
    assert str(first.expected_count) == "1 solution"
    assert first.expected_count is not None
    assert first.expected_count.solution == SOLUTION
    assert first.place.endswith("p.toml: puzzle 1 (seed000)")
    assert (second.name, str(second.expected_count), second.source) == (
        "2",
        "at least 100 solutions",
        None,
    )


ROW_LISTS = [[int(symbol.replace(".", "0")) for symbol in row] for row in ROWS]


@pytest.mark.parametrize(
    "record",
    [
        {"puzzle": LINE},
        {"puzzle": GRID},
        {"puzzle": BOXED},
        {"givens": LINE},
        {"givens": [value for row in ROW_LISTS for value in row]},
        {"givens": ROW_LISTS},
        {"puzzle": ROW_LISTS},
        {"puzzle": LINE, "shape": "9x9"},
        {"puzzle": LINE, "n": 9},
        {"puzzle": LINE, "rating": 1.5, "clues": 32},
        {"puzzle": LINE, "id": None, "shape": None, "n": None, "solutions": None, "source": None},
    ],
)
def test_a_record_says_its_puzzle_in_many_forms(tmp_path: Path, record: object) -> None:
    for records in ([record], {"puzzle": [record]}):
        (read,) = read_records(tmp_path, records)
        assert (read.puzzle.line, read.name, read.expected_count) == (LINE, "1", None)


def test_a_record_says_its_shape_by_name_or_size(tmp_path: Path) -> None:
    records = [{"givens": [0] * 49, "shape": "latin7"}, {"givens": [0] * 256, "n": 16}]
    shapes = [str(read.puzzle.shape) for read in read_records(tmp_path, records)]
    assert shapes == ["latin7", "16x16"]


def test_an_id_may_be_a_number(tmp_path: Path) -> None:
    (read,) = read_records(tmp_path, [{"id": 26, "puzzle": LINE}])
    assert read.name == "26"


@pytest.mark.parametrize("text", [SOLUTION, SOLUTION_GRID, f"{SOLUTION}\n"])
def test_a_solution_is_a_line_or_a_grid_and_says_that_it_is_the_only_one(
    tmp_path: Path, text: str
) -> None:
    (read,) = read_records(tmp_path, [{"puzzle": LINE, "solution": text}])
    assert read.expected_count is not None
    assert (read.expected_count.count, read.expected_count.exact, read.expected_count.solution) == (
        1,
        True,
        SOLUTION,
    )


SHAPES = "9x9 (any size from 4x4 to 36x36 with boxes), box5x2 or latin7"
NO_PUZZLE = "no puzzle; expected a text or a list of integers as 'puzzle' or 'givens'"
NO_NUMBER = "is no number of solutions; expected a whole number or '>=number'"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (3, "3 is no record; expected named fields"),
        (None, "None is no record; expected named fields"),
        ([[0] * 9] * 9, "[[0, 0, 0, 0, 0, 0, ...], [0, 0, 0, 0, 0, 0, ...], "),
        ({}, NO_PUZZLE),
        ({"id": "a"}, "(a): " + NO_PUZZLE),
        ({"puzzle": None}, NO_PUZZLE),
        ({"puzzle": 3}, NO_PUZZLE),
        ({"puzzle": {"a": 1}}, NO_PUZZLE),
        ({"puzzle": LINE, "givens": [0] * 81}, "'puzzle' and 'givens'; expected one of them"),
        ({"puzzle": ""}, "the text holds 0 puzzles; expected one puzzle"),
        ({"puzzle": f"{LINE}\n{LINE}"}, "the text holds 2 puzzles; expected one puzzle"),
        (
            {"puzzle": MISTAKEN, "id": "a"},
            f"(a): puzzle:1:41: '?' is no symbol of a puzzle; expected {SYMBOLS}",
        ),
        ({"puzzle": LINE, "shape": 9}, "the shape is 9; expected its name, such as '9x9'"),
        ({"puzzle": LINE, "shape": "foo"}, f"no shape 'foo'; expected {SHAPES}"),
        ({"puzzle": LINE, "n": "9"}, "n is '9'; expected a whole number"),
        ({"puzzle": LINE, "n": 9.0}, "n is 9.0; expected a whole number"),
        ({"puzzle": LINE, "n": True}, "n is True; expected a whole number"),
        ({"puzzle": LINE, "n": 7}, f"7x7 has no boxes; expected {LATIN}7"),
        ({"puzzle": LINE, "n": -9}, "no shape has a side of -9; expected 4 to 36 cells"),
        (
            {"puzzle": LINE, "id": [1]},
            "[1] is no id; expected a printable text of at most 100 characters",
        ),
        (
            {"puzzle": LINE, "id": True},
            "True is no id; expected a printable text of at most 100 characters",
        ),
        (
            {"puzzle": LINE, "id": " "},
            "' ' is no id; expected a printable text of at most 100 characters",
        ),
        (
            {"puzzle": LINE, "id": "a\nb"},
            "'a\\nb' is no id; expected a printable text of at most 100 characters",
        ),
        (
            {"puzzle": LINE, "id": "\ud800"},
            "'\\ud800' is no id; expected a printable text of at most 100 characters",
        ),
        ({"puzzle": LINE, "source": 3}, "the source is 3; expected a text"),
        ({"puzzle": LINE, "solutions": -1}, f"-1 {NO_NUMBER}"),
        ({"puzzle": LINE, "solutions": True}, f"True {NO_NUMBER}"),
        ({"puzzle": LINE, "solutions": 1.0}, f"1.0 {NO_NUMBER}"),
        ({"puzzle": LINE, "solutions": "some"}, f"'some' {NO_NUMBER}"),
        ({"puzzle": LINE, "solutions": [1]}, f"[1] {NO_NUMBER}"),
        (
            {"puzzle": LINE, "solution": SOLUTION, "solutions": 2},
            "a solution is given for a puzzle with 2 solutions; expected 1 solution",
        ),
        ({"puzzle": LINE, "solution": 3}, "the solution is 3; expected a line or a grid"),
        (
            {"puzzle": LINE, "solution": SOLUTION[1:]},
            "solution:1:81: a line of 80 characters for 9x9; expected 81 characters",
        ),
        (
            {"puzzle": LINE, "solution": ""},
            "solution: the text holds 0 puzzles; expected one puzzle",
        ),
        (
            {"puzzle": LINE, "solution": "." + SOLUTION[1:]},
            "the solution has . at R1C1; expected a complete grid",
        ),
        (
            {"puzzle": LINE, "solution": SOLUTION[:2] + "9" + SOLUTION[3:]},
            "the solution has 9 at R1C3; expected 3",
        ),
        (
            {"puzzle": LINE, "solution": "5" + SOLUTION[1:]},
            "the solution has 5 twice in row 1; expected every value once in each house",
        ),
        ({"givens": []}, "0 cells fit no shape; expected 16 for 4x4"),
        ({"givens": [0] * 80}, "80 cells fit no shape; expected 64 for 8x8 or 81 for 9x9"),
        ({"givens": [0] * 81, "n": 16}, "81 cells for 16x16; expected 256 cells"),
        ({"givens": [[]]}, "1 rows of 0 cells; expected as many rows as columns"),
        ({"givens": [[0] * 9] * 8}, "8 rows of 9 cells; expected as many rows as columns"),
        ({"givens": [[0] * 9] * 8 + [[0] * 8]}, "row 9: 8 cells; expected 9 cells"),
        ({"givens": [[0] * 9] * 8 + [0]}, "9 cells make 3x3, which has no boxes; "),
        ({"givens": [0] * 80 + [[0]]}, "R9C9: [0] is no value of 9x9; expected 0 to 9"),
        ({"givens": [True] + [0] * 80}, "R1C1: True is no value of 9x9; expected 0 to 9"),
        ({"givens": [1.0] + [0] * 80}, "R1C1: 1.0 is no value of 9x9; expected 0 to 9"),
        ({"givens": ["1"] + [0] * 80}, "R1C1: '1' is no value of 9x9; expected 0 to 9"),
        ({"givens": [None] + [0] * 80}, "R1C1: None is no value of 9x9; expected 0 to 9"),
        ({"givens": [-1] + [0] * 80}, "R1C1: -1 is no value of 9x9; expected 0 to 9"),
        ({"givens": [0] * 80 + [10]}, "R9C9: 10 is no value of 9x9; expected 0 to 9"),
    ],
)
def test_a_malformed_record_is_an_error_with_its_number(
    file_error: Callable[[Path], str], tmp_path: Path, record: Any, message: str
) -> None:
    separator = " " if message.startswith("(") else ": "
    assert file_error(write_records(tmp_path, [record])).startswith(
        f"p.json: puzzle 1{separator}{message}"
    )


def test_the_number_of_a_record_is_its_place_in_the_file(
    file_error: Callable[[Path], str], tmp_path: Path
) -> None:
    path = write_records(tmp_path, [{"puzzle": LINE}, {}])
    assert file_error(path) == f"p.json: puzzle 2: {NO_PUZZLE}"


def test_an_error_of_a_huge_record_stays_short(
    file_error: Callable[[Path], str], tmp_path: Path
) -> None:
    for record in ([0] * 100_000, {"givens": [[0] * 100_000] * 81}, {"id": "a" * 100_000}):
        assert len(file_error(write_records(tmp_path, [record]))) < 200


NO_LIST = "no list of puzzles; expected [[puzzle]] tables or a list"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "p.toml: " + NO_LIST),
        ("[[puzzl]]\n", "p.toml: " + NO_LIST),
        ('puzzle = "1"\n', "p.toml: " + NO_LIST),
        ('[puzzle]\npuzzle = "1"\n', "p.toml: " + NO_LIST),
        ("[[puzzle]\n", "p.toml:1:9: no TOML: Expected ']]' at the end of an array declaration"),
        ("[[puzzle]]\npuzzle = \n", "p.toml:2:10: no TOML: Invalid value"),
        ("[[puzzle]]\npuzzle = 2020-01-01\n", f"p.toml: puzzle 1: {NO_PUZZLE}"),
        ("puzzle = []\n", "p.toml: holds no puzzle; expected at least one puzzle"),
    ],
)
def test_a_malformed_toml_file_is_an_error(
    file_error: Callable[[Path], str], tmp_path: Path, content: str, message: str
) -> None:
    assert file_error(write(tmp_path / "p.toml", content)) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "p.json:1:1: no JSON: Expecting value"),
        ("[\n  {,\n", "p.json:2:4: no JSON: Expecting property name enclosed in double quotes"),
        ("null", "p.json: " + NO_LIST),
        ("3", "p.json: " + NO_LIST),
        ("{}", "p.json: " + NO_LIST),
        (json.dumps({"puzzle": LINE}), "p.json: " + NO_LIST),
        ("[NaN]", "p.json: puzzle 1: nan is no record; expected named fields"),
        ("[]", "p.json: holds no puzzle; expected at least one puzzle"),
    ],
)
def test_a_malformed_json_file_is_an_error(
    file_error: Callable[[Path], str], tmp_path: Path, content: str, message: str
) -> None:
    assert file_error(write(tmp_path / "p.json", content)).startswith(message)


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_brackets_without_end_and_endless_numbers_are_errors(
    file_error: Callable[[Path], str], tmp_path: Path, suffix: str
) -> None:
    head = "a = " if suffix == "toml" else ""
    for content in ("[" * 100_000, f"[{'9' * 5000}]"):
        path = write(tmp_path / f"p.{suffix}", head + content)
        assert file_error(path).startswith(f"p.{suffix}: no {suffix.upper()}: ")
