"""`harness datasets convert`, as a user types it."""

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.puzzles.formats.reading import read_file
from tests.installed import needs
from tests.puzzles.example import LINE, SOLUTION

Harness = Callable[..., tuple[int, str, str]]


def convert(harness: Harness, *words: str | Path) -> tuple[int, str, str]:
    return harness("datasets", "convert", *words, "--replace")


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "p.txt"
    path.write_text(f"{LINE}\n{SOLUTION}\n")
    return path


def test_ratings_ids_and_solutions_survive(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"id,puzzle,solution,difficulty\nfirst,{LINE},{SOLUTION},2.2\n")
    for target in ("a.json", "b.toml", "c.csv.gz"):
        code, out, _ = convert(harness, path, tmp_path / target)
        assert (code, out) == (0, "")
        (puzzle,) = read_file(tmp_path / target)
        assert (puzzle.name, dict(puzzle.fields)) == ("first", {"difficulty": "2.2"})
        assert puzzle.expected_count is not None
        assert puzzle.expected_count.solution == SOLUTION
        path = tmp_path / target


@needs("formats")
def test_what_the_target_does_not_hold_is_reported(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"id,puzzle,difficulty\nfirst,{LINE},2.2\n")
    code, _, err = convert(harness, path, tmp_path / "p.sdm")
    assert code == 0
    assert "does not hold difficulty: left out of 1 puzzle\n" in err
    assert "does not hold name" in err


@needs("formats")
def test_standard_output_has_the_puzzles_only(harness: Harness, lines: Path) -> None:
    code, out, err = convert(harness, lines, "-", "--to", "sdm")
    assert (code, out) == (0, f"{LINE}\n{SOLUTION}\n".replace(".", "0"))
    assert "2 puzzles written" in err


@needs("formats")
def test_standard_input_is_converted(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{LINE}\n".encode())))
    assert convert(harness, "-", tmp_path / "p.sdk")[0] == 0
    assert (tmp_path / "p.sdk").read_text().splitlines() == [
        LINE[at : at + 9] for at in range(0, 81, 9)
    ]


@needs("formats")
def test_the_suffix_compresses(harness: Harness, lines: Path, tmp_path: Path) -> None:
    text = f"{LINE}\n{SOLUTION}\n".replace(".", "0").encode()
    for name in ("p.sdm.gz", "p.sdm.zip", "p.sdm.zst"):
        if name.endswith("zst"):
            pytest.importorskip("zstandard")
        assert convert(harness, lines, tmp_path / name)[0] == 0
        assert [puzzle.puzzle.line for puzzle in read_file(tmp_path / name)] == [LINE, SOLUTION]
    assert gzip.decompress((tmp_path / "p.sdm.gz").read_bytes()) == text
    with zipfile.ZipFile(tmp_path / "p.sdm.zip") as archive:
        assert archive.read("p.sdm") == text
    first = (tmp_path / "p.sdm.gz").read_bytes()
    assert convert(harness, lines, tmp_path / "p.sdm.gz")[0] == 0
    assert (tmp_path / "p.sdm.gz").read_bytes() == first


@needs("formats")
@pytest.mark.parametrize("target", ["q.sdm", "q.sdm.gz", "q.sdm.zip"])
def test_an_error_leaves_the_file_that_was_there(
    harness: Harness, tmp_path: Path, target: str
) -> None:
    path = tmp_path / "p.txt"
    path.write_text(f"{LINE}\n" * 2000 + f"{LINE}?\n")
    folder = tmp_path / "out"
    folder.mkdir()
    code, _, err = convert(harness, path, folder / target)
    assert code == 2
    assert err.startswith(f"harness: {path}:2001:82: ")
    assert list(folder.iterdir()) == []
    (folder / target).write_text("before")
    assert convert(harness, path, folder / target)[0] == 2
    assert [file.read_text() for file in folder.iterdir()] == ["before"]


@needs("formats")
def test_skipped_puzzles_are_counted_and_the_first_listed(harness: Harness, tmp_path: Path) -> None:
    path, target = tmp_path / "p.txt", tmp_path / "q.sdm"
    path.write_text(f"{LINE}\n" + f"{LINE}?\n" * 30 + f"{'.' * 16}\n{SOLUTION}\n")
    code, _, err = convert(harness, path, target, "--on-error", "skip")
    assert code == 0
    assert len(read_file(target)) == 2
    assert "31 puzzles skipped" in err
    assert f"{path}:2:82: " in err
    assert f"{path}:21:82: " in err
    assert f"{path}:22:82: " not in err
    assert "and 11 more" in err
    path.write_text("?\n")
    code, _, err = convert(harness, path, target, "--on-error", "skip")
    assert code == 2
    assert "the first: " in err


def test_symbols_decide_how_a_16x16_is_read(harness: Harness, tmp_path: Path) -> None:
    path, target = tmp_path / "p.txt", tmp_path / "q.json"
    path.write_text("A1" + "." * 254 + "\n")
    code, _, err = convert(harness, path, target)
    assert code == 2
    assert "--symbols letters or --symbols hex" in err
    assert convert(harness, path, target, "--symbols", "hex")[0] == 0
    (puzzle,) = read_file(target)
    assert puzzle.puzzle.givens[:2] == (11, 2)
