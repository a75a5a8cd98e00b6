"""Puzzle files and standard input, and their errors."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import InputError, PuzzleError
from harness.puzzles.formats import read_file
from tests.puzzles.example import GRID, LINE, MISTAKEN


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_file_is_named_in_its_errors(
    file_error: Callable[[Path], InputError], tmp_path: Path
) -> None:
    path = write(tmp_path / "p.txt", f"{LINE}\n{MISTAKEN}\n")
    error = file_error(path)
    assert error.where == "p.txt:2:41"
    assert "'?'" in error.what


def test_a_file_may_start_with_a_byte_order_mark_and_end_lines_as_on_windows(
    tmp_path: Path,
) -> None:
    text = write(tmp_path / "p.txt", b"\xef\xbb\xbf" + GRID.replace("\n", "\r\n").encode())
    assert [read.puzzle.line for read in read_file(text)] == [LINE]
    toml = write(tmp_path / "p.toml", f'\ufeff[[puzzle]]\r\npuzzle = "{LINE}"\r\n')
    assert [read.puzzle.line for read in read_file(toml)] == [LINE]
    records = write(tmp_path / "p.json", "\ufeff" + json.dumps([{"puzzle": LINE}]))
    assert [read.puzzle.line for read in read_file(records)] == [LINE]


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "-----\n"])
def test_a_file_without_a_puzzle_is_an_error(
    file_error: Callable[[Path], InputError], tmp_path: Path, text: str
) -> None:
    path = write(tmp_path / "p.txt", text)
    assert file_error(path).where == "p.txt"


def test_a_file_that_is_missing_is_an_error(
    file_error: Callable[[Path], InputError], tmp_path: Path
) -> None:
    assert file_error(tmp_path / "p.txt").where == "p.txt"


def test_a_folder_is_an_error(file_error: Callable[[Path], InputError], tmp_path: Path) -> None:
    assert file_error(tmp_path).where == tmp_path.name


def test_a_file_below_a_file_is_an_error(
    file_error: Callable[[Path], InputError], tmp_path: Path
) -> None:
    path = write(tmp_path / "p.txt", LINE) / "q.txt"
    error = file_error(path)
    assert error.where == "q.txt"
    assert "Not a directory" in error.what


def test_a_path_that_no_system_allows_is_an_error() -> None:
    for path, reason in (("a\0b", "embedded null byte"), ("a" * 5000, "File name too long")):
        with pytest.raises(PuzzleError) as caught:
            read_file(path)
        assert caught.value.where == path
        assert reason in caught.value.what


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"\xff", "1:1"),
        (LINE.encode("utf-16"), "1:1"),
        (b"# \xc3\xa9t\xe9\n", "1:5"),
        (f"{LINE}\n123".encode() + b"\xff", "2:4"),
    ],
)
def test_bytes_that_are_not_utf_8_are_an_error_at_their_place(
    file_error: Callable[[Path], InputError], tmp_path: Path, content: bytes, place: str
) -> None:
    path = write(tmp_path / "p.txt", content)
    assert file_error(path).where == f"p.txt:{place}"


def test_standard_input_is_read_as_a_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{LINE}\n"))
    assert [(read.puzzle.line, read.place) for read in read_file("-")] == [
        (LINE, "standard input:1")
    ]
    for content, where in (("", "standard input"), ("?", "standard input:1:1")):
        monkeypatch.setattr("sys.stdin", io.StringIO(content))
        with pytest.raises(PuzzleError) as caught:
            read_file("-")
        assert caught.value.where == where


def test_standard_input_that_is_not_utf_8_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"12\xff"), encoding="utf-8"))
    with pytest.raises(PuzzleError) as caught:
        read_file("-")
    assert caught.value.where == "standard input:1:3"
