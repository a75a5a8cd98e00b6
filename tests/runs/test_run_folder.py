"""The folder of a run: lock, foreign content and a fresh start."""

from pathlib import Path

import pytest

from harness.base.errors import InputError, RunError
from harness.base.files import replacing
from harness.records.folder.files import RunFile
from harness.runs.run import locked_run_folder


def test_a_folder_is_created_and_locked_until_its_run_ends(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "run"
    with locked_run_folder(folder, fresh=False):
        assert folder.is_dir()
        with pytest.raises(RunError) as error, locked_run_folder(folder, fresh=False):
            pass
        assert error.value.where == str(folder)
    with locked_run_folder(folder, fresh=False):
        pass


def test_a_fresh_start_removes_the_files_of_a_run_and_no_others(tmp_path: Path) -> None:
    for name in (RunFile.STORE, "sweep.toml", "environment.json", "report.html"):
        (tmp_path / name).write_text("x")
    with locked_run_folder(tmp_path, fresh=False):
        assert (tmp_path / RunFile.STORE).is_file()
    with locked_run_folder(tmp_path, fresh=True):
        assert {path.name for path in tmp_path.iterdir()} == {".lock", "report.html"}


def test_a_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError), locked_run_folder(tmp_path / "file" / "run", fresh=False):
        pass


def test_a_file_that_a_killed_run_was_writing_is_removed(tmp_path: Path) -> None:
    with replacing(tmp_path / "sweep.toml"):
        (part,) = tmp_path.iterdir()
        part.with_name(f".killed{part.name}").touch()
    (tmp_path / "sweep.toml").unlink()
    assert [path.name.startswith(".killed") for path in tmp_path.iterdir()] == [True]
    with locked_run_folder(tmp_path, fresh=False):
        assert {path.name for path in tmp_path.iterdir()} == {".lock"}
