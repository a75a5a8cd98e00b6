"""``FILE/3``, ``FILE:NAME`` and ranges in the commands that take puzzles and datasets."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.analysis.run import load
from tests.conftest import Ended

pytestmark = pytest.mark.usefixtures("warm_workers")

Harness = Callable[..., Ended]
LINES = ["# three", "1234............", "", "11..............", "4321............"]
RECORDS = """
[[puzzle]]
id = "easy one"
puzzle = "1234............"
solutions = 12
[[puzzle]]
puzzle = "11.............."
"""


@pytest.fixture
def lines(a_file: Callable[..., Path]) -> Path:
    return a_file(LINES)


def test_a_number_is_a_puzzle_of_a_file(harness: Harness, lines: Path) -> None:
    assert "4 3 | 2 1" in harness("solve", f"{lines}/3").out
    result = harness("inspect", f"{lines}/2")
    assert result.code == 1
    assert "duplicate: 1 is given 2 times" in result.out
    assert "12 solutions" in harness("count", f"{lines}/1").out


def test_a_name_is_a_puzzle_of_a_file(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(RECORDS)
    assert "12 solutions" in harness("count", f"{path}:easy one").out
    assert "unsatisfiable" in harness("solve", f"{path}:2").out
    result = harness("solve", f"{path}:easy two")
    assert result.code == 2
    assert f"{path}: no puzzle 'easy two' (did you mean 'easy one'?)" in result.err
    result = harness("solve", f"{path}:nothing like it")
    assert result.err.endswith("; expected one of easy one, 2\n")


def test_a_name_of_two_puzzles_is_an_error_with_their_numbers(
    harness: Harness, tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(RECORDS + '[[puzzle]]\nid = "easy one"\npuzzle = "4321............"\n')
    result = harness("solve", f"{path}:easy one")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"harness: {path}: 2 puzzles have the name 'easy one'; expected one of {path}/1, {path}/3\n"
    )


def test_a_range_solves_each_puzzle_under_its_name(harness: Harness, lines: Path) -> None:
    result = harness("solve", f"{lines}/1-2")
    assert result.code == 0
    blocks = result.out.split("\n\n")
    assert blocks[0] == "1"
    assert blocks[1].startswith("1 2 | 3 4\n")
    assert blocks[2].startswith("native  solved")
    assert blocks[3] == "2"
    assert blocks[4].startswith("native  unsatisfiable")
    assert harness("inspect", f"{lines}/1-3").out.count("candidates on average") == 3


def test_a_check_compares_the_selected_puzzles(harness: Harness, lines: Path) -> None:
    words = ["--dataset", f"{lines}/1-2", "seeds/1", "--backend", "cnf", "native"]
    result = harness("check", *words, "--max-solutions", "20")
    assert result.code == 0
    assert "cnf, native" in result.out
    assert "no disagreement: 3 of 3 puzzles compared, solve and count\n" in result.out


def test_a_larger_selection_continues_the_run(
    harness: Harness, lines: Path, tmp_path: Path
) -> None:
    words = ["--backend", "native", "--out", tmp_path / "run"]
    assert harness("run", "--dataset", f"{lines}/2-3", *words).code == 0
    result = harness("run", "--dataset", lines, *words)
    assert "2 of 3 trials were complete before" in result.err
    trials = load(tmp_path / "run").trials
    assert set(trials["dataset"]) == {"puzzles"}
    assert sorted(trials["name"]) == ["1", "2", "3"]


def test_a_sweep_file_keeps_selections(
    harness: Harness, lines: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--dataset", "puzzles.txt/2-3", "named/3", "--backend", "native", "--out", "run"]
    assert harness("run", *words).code == 0
    sweep_file = Path("run", "sweep.toml").read_text()
    assert '"../puzzles.txt/2-3",' in sweep_file
    assert '"named/3",' in sweep_file
