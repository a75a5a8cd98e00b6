"""`harness datasets rate`: ratings in files of puzzles."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.puzzles.formats.reading import read_file
from tests.conftest import Ended
from tests.puzzles.example import LINE, SOLUTION

Harness = Callable[..., Ended]
RELABELLED = LINE.translate(str.maketrans("123456789", "234567891"))


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of two puzzles; the working folder is another one."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    path = tmp_path / "mine.csv"
    path.write_text(f"id,puzzle,solution,level\na,{LINE},{SOLUTION},2\nb,{RELABELLED},,3\n")
    return path


def test_ratings_are_written(harness: Harness, lines: Path) -> None:
    words = ["rate", "hard/1-2", "--scrambles", "3", "--seed", "4"]
    rows = harness("datasets", *words, "--out", "-", "--to", "csv").out.splitlines()
    assert [float(row.rpartition(",")[2]) > 0 for row in rows[1:]] == [True] * 2
    assert harness("datasets", "rate", lines, "--out", "r.jsonl", "--field", "guesses").code == 0
    puzzles = read_file("r.jsonl")
    assert [dict(instance.fields) for instance in puzzles] == [
        {"level": "2", "guesses": "0.0"},
        {"level": "3", "guesses": "0.0"},
    ]
    assert puzzles[0].expected_count == read_file(lines)[0].expected_count
    result = harness("datasets", "rate", "hard/1", "--out", "-", "--to", "csv", "--nodes", "1")
    assert result.code == 0
    assert "rating unknown within 1 nodes: 1 puzzle" in result.err
