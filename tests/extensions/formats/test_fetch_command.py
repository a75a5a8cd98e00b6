"""`harness datasets fetch`: the list of public sets, and what a fetch says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.puzzles.datasets.catalogue import FOLDER_VARIABLE
from tests.conftest import Ended
from tests.puzzles.example import LINE, SOLUTION

Harness = Callable[..., Ended]
RELABELLED = LINE.translate(str.maketrans("123456789", "234567891"))


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of two puzzles, for a catalogue of its own; the working folder is another one."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "sets"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    path = tmp_path / "mine.csv"
    path.write_text(f"id,puzzle,solution,level\na,{LINE},{SOLUTION},2\nb,{RELABELLED},,3\n")
    return path


def datasets(harness: Harness, *words: str | Path) -> Ended:
    return harness("datasets", *words)


def test_shipped_and_public_sets_fit_one_screen_each(harness: Harness, lines: Path) -> None:
    assert "fetch lists public sets" in " ".join(datasets(harness).out.split())
    assert datasets(harness, "fetch", "kaggle", "--from", lines).code == 2
    rows = datasets(harness).out.splitlines()
    assert len(rows) <= 40
    assert max(map(len, rows)) <= 80
    lines.rename(lines.with_name("test.csv"))
    result = datasets(harness, "fetch", "sudoku-extreme", "--from", lines.parent)
    assert (result.code, result.out) == (0, "")
    assert (
        "sudoku-extreme: 2 puzzles imported (9x9)\nnote: test.csv: header: name = id, "
        in result.err
    )
    screen = datasets(harness, "fetch").out.splitlines()
    assert len(screen) <= 40
    assert max(map(len, screen)) <= 80
    assert [line.split()[0] for line in screen if "fetched" in line] == ["sudoku-extreme"]


def test_a_set_shows_what_is_known_before_and_after(harness: Harness, lines: Path) -> None:
    output = " ".join(datasets(harness, "hardest-1106").out.split())
    assert "375 puzzles, 9x9 address: https://raw.githubusercontent.com/" in output
    assert "claim: 376 puzzles (tdoku, benchmarks/README.md) refuted: 375 puzzles, each" in output
    assert "not fetched: harness datasets fetch hardest-1106" in output
    lines = lines.rename(lines.with_name("puzzles1_unbiased"))
    datasets(harness, "fetch", "unbiased", "--from", lines)
    output = " ".join(datasets(harness, "unbiased").out.split())
    assert f"2 puzzles, 9x9 origin: {lines}, not verified" in output
    assert "licence: none stated number of solutions: known for 1 of 2 puzzles" in output
    assert "files: not verified here, since the file was not at hand; no checksum" in output
    assert "unbiased/1:" in output


def test_a_fetch_says_what_was_wrong_and_what_to_do(harness: Harness, lines: Path) -> None:
    def error(*words: str | Path) -> str:
        result = datasets(harness, "fetch", *words)
        assert (result.code, result.out) == (2, "")
        return result.err

    assert "unknown public set 'sreg' (did you mean 'serg'?)" in error("sreg")
    assert f"{lines}: the checksum of 1 file is " in error("serg", "--from", lines)
    assert "mine.csv may be another set" in error("unbiased", "--from", lines)
    lines = lines.rename(lines.with_name("puzzles1_unbiased"))
    result = datasets(harness, "fetch", "unbiased", "--from", lines)
    assert result.err.endswith("the catalogue has 1,000,000 puzzles\n")
    assert "the dataset 'unbiased' exists; expected --replace" in error("unbiased")
    assert datasets(harness, "fetch", "unbiased", "--from", lines, "--replace").code == 0
    result = harness("run", "--dataset", "serg/1", "--backend", "native")
    assert (
        "the public set 'serg' is not fetched; expected harness datasets fetch serg" in result.err
    )
