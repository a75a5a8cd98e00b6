"""Removing folders that a backend has filled."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from harness.engine.system.files import remove_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where the system has one: removing many folders on disk is slow."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as name:
        yield Path(name) / "folder"


def test_a_folder_deeper_than_paths_and_stacks_is_removed(folder: Path) -> None:
    folder.mkdir()
    with chdir(folder):
        for _ in range(1500):
            Path("file").touch()
            Path("level").mkdir()
            os.chdir("level")
    assert remove_folder(folder)
    assert not folder.exists()


def test_wide_trees_pipes_and_odd_names_are_removed(folder: Path) -> None:
    for name in ("a/b/c", "a/b/d", "a/1", "1/1", "\udcff/x", "new\nline"):
        (folder / name).mkdir(parents=True)
        (folder / name / "file").write_text("x")
    os.mkfifo(folder / "a" / "pipe")
    (folder / "dangling").symlink_to("nowhere")
    assert remove_folder(folder)
    assert not folder.exists()


def test_links_are_removed_and_not_followed(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "file").symlink_to(outside / "kept")
    assert remove_folder(folder)
    assert (outside / "kept").exists()
    to_folder = folder.parent / "to"
    to_folder.symlink_to(outside)
    assert remove_folder(to_folder)
    assert (outside / "kept").exists()


def test_folders_without_any_rights_are_removed(folder: Path) -> None:
    (folder / "closed" / "inner").mkdir(parents=True)
    (folder / "closed" / "inner" / "file").touch()
    (folder / "closed" / "inner").chmod(0)
    (folder / "closed").chmod(stat.S_IRUSR)
    assert remove_folder(folder)
    assert not folder.exists()


def test_a_removal_stops_at_its_limit_and_continues(folder: Path) -> None:
    (folder / "a").mkdir(parents=True)
    for number in range(50):
        (folder / "a" / f"{number}").touch()
    assert not remove_folder(folder, limit_s=0.0)
    assert remove_folder(folder, limit_s=60.0)


def test_a_missing_folder_is_removed(tmp_path: Path) -> None:
    assert remove_folder(tmp_path / "missing")


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
def test_what_is_in_the_place_of_a_folder_is_removed_itself(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    for name, make in (
        ("link", lambda path: path.symlink_to(kept)),
        ("dangling", lambda path: path.symlink_to("nowhere")),
        ("file", lambda path: path.touch()),
        ("pipe", os.mkfifo),
    ):
        make(tmp_path / name)
        assert remove_folder(tmp_path / name)
    assert [*tmp_path.iterdir()] == [kept]
    assert [*kept.iterdir()] == [kept / "file"]


def test_what_is_mounted_in_a_folder_stays(tmp_path: Path) -> None:
    """Also if it is on the same device."""
    precious, folder = tmp_path / "precious", tmp_path / "folder"
    (folder / "inner" / "place").mkdir(parents=True)
    precious.mkdir(mode=0o750)
    (precious / "file").write_text("keep")
    script = (
        f"mount --bind {precious} {folder}/inner/place || exit 77\n"
        f"{sys.executable} -c 'from pathlib import Path\n"
        "from harness.engine.system.files import remove_folder\n"
        f'print(remove_folder(Path("{folder}")))\'\n'
    )
    ended = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        capture_output=True,
        text=True,
    )
    if ended.returncode in (1, 77):
        pytest.skip("mounts are not permitted")
    assert ended.stdout == "False\n", ended.stderr
    assert (precious / "file").read_text() == "keep"
    assert stat.S_IMODE(precious.stat().st_mode) == 0o750
    assert remove_folder(folder)
