"""CSV of spreadsheets: other delimiters, files without a header, and a column of clues."""

import json
from pathlib import Path

import pytest

from harness.errors import PuzzleError
from harness.puzzles.formats import read_file
from tests.cli.test_solve import Harness
from tests.puzzles.example import LINE, SOLUTION


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


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_solution_without_a_header_is_an_error(delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"{LINE}{delimiter}{SOLUTION}\n" * 2)
    with pytest.raises(PuzzleError) as raised:
        read_file(path)
    assert str(raised.value) == (
        f"{path}:1: no header above the puzzles and solutions; expected a first line such as "
        "puzzle,solution"
    )


def test_a_line_with_a_comment_needs_no_header(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"{LINE},easy\n")
    (found,) = read_file(path)
    assert dict(found.fields) == {"comment": "easy"}


@pytest.mark.parametrize("line", [LINE, "1..............."])
@pytest.mark.parametrize("wrong", ["5", "many", "-1"])
def test_a_wrong_number_of_clues_is_an_error(line: str, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text(f"puzzle,clues\n{line},{wrong}\n")
    with pytest.raises(PuzzleError) as raised:
        read_file(path)
    clues = sum(symbol != "." for symbol in line)
    assert str(raised.value) == (
        f"{path}:2:{len(line) + 2}: clues is {wrong}, which is not true of the puzzle; "
        f"expected {clues}"
    )


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


def test_the_index_of_pandas_is_written_again(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "pandas.csv"
    path.write_text(f",puzzle\n7,{LINE}\n")
    assert harness("datasets", "convert", str(path), str(tmp_path / "out.csv"))[0] == 0
    (found,) = read_file(tmp_path / "out.csv")
    assert dict(found.fields) == {"column1": "7"}


@pytest.mark.parametrize("header", ["puzzle,note,note", "puzzle,column3,"])
def test_two_columns_of_one_name_are_an_error(header: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"{header}\n{LINE},x,y\n")
    name = header.split(",")[1]
    with pytest.raises(PuzzleError) as raised:
        read_file(path)
    assert str(raised.value) == (f"{path}:1: two columns called '{name}'; expected different names")


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("solutons", "'solutions' or 'solution'"),
        ("Answers", "'answer'"),
        ("counts", "'count'"),
        ("Shapes", "'shape'"),
    ],
)
def test_a_misspelt_column_is_an_error(name: str, similar: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"puzzle,{name}\n{LINE},x\n")
    with pytest.raises(PuzzleError) as raised:
        read_file(path)
    assert str(raised.value) == (
        f"{path}:1: unknown column '{name}' (did you mean {similar}?); "
        "expected one of these, or another name"
    )


@pytest.mark.parametrize("name", ["rating", "solution_time", "difficulty", "guesses", "level"])
def test_other_columns_are_kept(name: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"puzzle,{name}\n{LINE},7\n")
    (found,) = read_file(path)
    assert dict(found.fields) == {name: "7"}


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("blank", [" ", "  ", ""])
def test_blanks_at_the_end_of_a_file_are_no_part_of_a_value(
    end: str, blank: str, tmp_path: Path
) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"puzzle,note\n{LINE},x{blank}{end}")
    (found,) = read_file(path)
    assert dict(found.fields) == {"note": "x"}


def test_a_field_that_would_be_misspelt_is_not_written(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"puzzle": LINE, "counts": "7"}) + "\n")
    code, _, errors = harness("datasets", "convert", str(path), str(tmp_path / "p.csv"))
    assert code == 2
    assert "the format csv holds no further field called 'counts' (did you mean 'count'?)" in errors
    assert not (tmp_path / "p.csv").exists()
