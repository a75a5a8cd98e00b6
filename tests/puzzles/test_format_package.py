"""The format package of the documentation works once it is installed."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "puzzle-formats.md"
PUZZLE = "1...4...7.82..7..3.3..91....7..5..3....8.9....54...8....1..4.........5......2..46"


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """The environment in which the module of the page has its entry point."""
    module = re.search(r"^```python\n(# semicolon\.py\n.*?)^```$", PAGE.read_text(), re.M | re.S)
    point = re.search(r'^semicolon = "(.*)"$', PAGE.read_text(), re.M)
    assert module
    assert point
    (tmp_path / "semicolon.py").write_text(module[1])
    info = tmp_path / "sudoku_semicolon-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sudoku-semicolon\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[harness.formats]\nsemicolon = {point[1]}\n")
    return os.environ | {"PYTHONPATH": str(tmp_path)}


def convert(folder: Path, environment: dict[str, str], *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-P", "-m", "harness", "datasets", "convert", *arguments]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return ended.returncode, ended.stdout, ended.stderr


def test_a_file_is_read_by_its_suffix_and_written_back(
    installed: dict[str, str], tmp_path: Path
) -> None:
    line = f"first;{PUZZLE};7.1\n"
    (tmp_path / "a.semi").write_text(line)
    code, out, err = convert(tmp_path, installed, "a.semi", "a.csv")
    assert (code, out) == (0, ""), err
    (row,) = csv.DictReader((tmp_path / "a.csv").read_text().splitlines())
    assert (row["puzzle"], row["id"], row["rating"]) == (PUZZLE, "first", "7.1")
    assert convert(tmp_path, installed, "a.csv", "-", "--to", "semicolon")[:2] == (0, line)


def test_a_malformed_line_is_an_error_with_its_place_or_skipped(
    installed: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "a.semi").write_text(f"first;{PUZZLE}\nsecond;{PUZZLE};2\n")
    code, _, err = convert(tmp_path, installed, "a.semi", "-", "--to", "semicolon")
    assert (code, err.strip()) == (
        2,
        "harness: a.semi:1:1: 2 fields; expected name;puzzle;rating",
    )
    options = ["--to", "semicolon", "--on-error", "skip"]
    assert convert(tmp_path, installed, "a.semi", "-", *options)[1] == f"second;{PUZZLE};2\n"
