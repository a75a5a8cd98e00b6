"""Files of processes: their output, memory in files, and folders to remove."""

import mmap
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from harness.engine.system.files import MemoryFiles, OutputFile, remove_folder

# The output of a process, whatever it does to the file.


@pytest.fixture
def output(tmp_path: Path) -> Iterator[OutputFile]:
    output = OutputFile(tmp_path)
    yield output
    output.close()


def test_the_tail_is_the_end_of_what_was_written(output: OutputFile) -> None:
    os.write(output.fileno(), b"first line\n" + b"x" * 3000 + b"\nlast line\n")
    assert output.tail() == "x" * (2000 - len("\nlast line\n")) + "\nlast line"


@pytest.mark.parametrize("replace", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_a_file_in_its_place_is_not_read(
    output: OutputFile, tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    os.write(output.fileno(), b"reported")
    (tmp_path / "output").unlink()
    replace(tmp_path / "output")
    assert output.tail() == "reported"


def test_bytes_that_are_no_text_are_shown(output: OutputFile) -> None:
    os.write(output.fileno(), b"\xff")
    assert output.tail() == "\N{REPLACEMENT CHARACTER}"


# Memory in files that a process has open.


MIB = 2**20
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memfds are of Linux")


WRITES_A_MEMFD = """
import os, sys
descriptor = os.memfd_create("test")
os.write(descriptor, b"x" * 2**22)
copy = os.dup(descriptor)
print(flush=True)
sys.stdin.readline()
os.close(copy)
os.close(descriptor)
print(flush=True)
sys.stdin.readline()
"""


def test_a_memfd_counts_once_with_what_is_written() -> None:
    """In a process of its own: this one may have shared memory of other tests."""
    child = subprocess.Popen(
        [sys.executable, "-c", WRITES_A_MEMFD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    files = MemoryFiles()
    child.stdout.readline()
    assert files.unmapped_bytes([child.pid]) == 4 * MIB
    child.stdin.write("\n")
    child.stdin.flush()
    child.stdout.readline()
    assert files.unmapped_bytes([child.pid]) == 0
    child.communicate("\n")


def test_what_is_mapped_is_in_the_resident_set_already() -> None:
    files, own = MemoryFiles(), [os.getpid()]
    before = files.unmapped_bytes(own)
    descriptor = os.memfd_create("test")
    try:
        os.ftruncate(descriptor, 4 * MIB)
        with mmap.mmap(descriptor, 4 * MIB) as memory:
            memory[:] = b"x" * len(memory)
            assert files.unmapped_bytes(own) - before <= MIB
    finally:
        os.close(descriptor)


def test_an_older_file_in_memory_belongs_to_nobody() -> None:
    folder = Path("/dev/shm")
    if not os.access(folder, os.W_OK):
        pytest.skip("/dev/shm is not writable")
    path = folder / f"harness-test-{os.getpid()}"
    path.write_bytes(b"x" * 2 * MIB)
    os.utime(path)
    try:
        files, own = MemoryFiles(), [os.getpid()]
        with path.open("rb"):
            assert files.unmapped_bytes(own) < 2 * MIB
        start = time.time()
        with path.open("ab") as file:
            while path.stat().st_ctime < start:  # the clock of files ticks every few milliseconds
                file.write(b"x")
                file.flush()
            assert files.unmapped_bytes(own) >= 2 * MIB
    finally:
        path.unlink()


# Removing folders that a backend has filled.


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
    process = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        capture_output=True,
        text=True,
    )
    if process.returncode in (1, 77):
        pytest.skip("mounts are not permitted")
    assert process.stdout == "False\n", process.stderr
    assert (precious / "file").read_text() == "keep"
    assert stat.S_IMODE(precious.stat().st_mode) == 0o750
    assert remove_folder(folder)
