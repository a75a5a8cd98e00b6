"""Merging runs: every row of every run, and nothing twice under one name."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.analysis.run import load
from harness.base.errors import InputError, RunError
from harness.records.folder.merging import merge
from harness.runs.run import run_sweep
from harness.runs.sweep import Sweep
from tests.stores import changed

Harness = Callable[..., tuple[int, str, str]]
PUZZLES = ["1234............", ".............123", "1...............", "11.............."]


@pytest.fixture
def a_run(a_file: Callable[..., Path], tmp_path: Path) -> Callable[..., Path]:
    """Carries out a sweep over some of the puzzles, in a folder of this name."""

    def run(name: str, puzzles: list[str], *backends: str, repeat: int = 1) -> Path:
        dataset = a_file(puzzles)
        run_sweep(Sweep((str(dataset),), backends, repeat=repeat), tmp_path / name)
        return tmp_path / name

    return run


def test_no_row_is_lost_and_none_is_there_twice(a_run: Callable[..., Path], tmp_path: Path) -> None:
    first = a_run("one", PUZZLES[:3], "native", repeat=2)
    two = a_run("two", PUZZLES[1:], "native", "cnf")
    assert merge([first, two], tmp_path / "both") == 6 + 6
    trials = load(tmp_path / "both").trials
    assert len(trials) == 12
    assert not trials.duplicated(["backend", "puzzle_id", "host", "repetition"]).any()
    again = trials[(trials["backend"] == "native") & (trials["puzzle"] == PUZZLES[1])]
    assert sorted(again["repetition"]) == [1, 2, 3]
    seconds = sorted([*load(first).trials["wall_s"], *load(two).trials["wall_s"]])
    assert sorted(trials["wall_s"]) == seconds
    assert len(load(tmp_path / "both").invocations) == 2


def test_rows_of_another_machine_keep_their_repetition(
    a_run: Callable[..., Path], tmp_path: Path
) -> None:
    first = a_run("one", PUZZLES, "native")
    two = shutil.copytree(first, tmp_path / "two")
    changed(two, "UPDATE questions SET host = 'elsewhere'")
    merge([first, two], tmp_path / "both")
    trials = load(tmp_path / "both").trials
    assert set(trials["repetition"]) == {1}
    assert trials["host"].value_counts().to_dict() == {
        load(first).trials["host"][0]: 4,
        "elsewhere": 4,
    }


def test_a_merged_run_goes_on(
    a_run: Callable[..., Path], a_file: Callable[..., Path], tmp_path: Path
) -> None:
    first, two = a_run("one", PUZZLES[:2], "native"), a_run("two", PUZZLES[2:], "native")
    merge([first, two], tmp_path / "both")
    sweep = Sweep((str(a_file(PUZZLES)),), ("native",))
    assert run_sweep(sweep, tmp_path / "both").done_before == 4


def test_a_merge_that_is_interrupted_leaves_nothing(
    a_run: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = a_run("one", PUZZLES, "native")
    sources = [first, shutil.copytree(first, tmp_path / "two")]

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr("harness.records.folder.merging.write_invocations", interrupt)
    with pytest.raises(KeyboardInterrupt):
        merge(sources, tmp_path / "both")
    assert sorted(tmp_path.iterdir()) == before
    monkeypatch.undo()
    merge(sources, tmp_path / "both")


def test_only_different_runs_are_merged_into_a_new_folder(
    a_run: Callable[..., Path], harness: Harness, tmp_path: Path
) -> None:
    first = a_run("one", PUZZLES, "native")
    with pytest.raises(InputError):
        merge([first], tmp_path / "both")
    with pytest.raises(RunError) as missing:
        merge([first, tmp_path / "nowhere"], tmp_path / "both")
    assert missing.value.where == str(tmp_path / "nowhere")
    assert not (tmp_path / "both").exists()
    again = tmp_path / "again"
    again.symlink_to(first)
    with pytest.raises(InputError) as twice:
        merge([first, again], tmp_path / "both")
    assert twice.value.where == str(again)
    with pytest.raises(InputError) as twice:
        load(first, again)
    assert twice.value.where == str(again)
    assert not (tmp_path / "both").exists()
    two = shutil.copytree(first, tmp_path / "two")
    with pytest.raises(InputError) as exists:
        merge([first, two], first)
    assert exists.value.where == str(first)
    code, out, _ = harness("merge", first, two, "--out", tmp_path / "both")
    assert (code, out) == (0, f"8 trials of 2 runs are in {tmp_path}/both\n")
