"""Memory in files that a process has open."""

import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.engine.system.files import MemoryFiles

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


def test_memory_that_a_child_holds_counts() -> None:
    code = "import os, sys; os.write(os.memfd_create('x'), b'x' * 2**21); print(); sys.stdin.read()"
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    assert MemoryFiles().unmapped_bytes([child.pid]) == 2**21
    child.communicate()
    assert MemoryFiles().unmapped_bytes([child.pid]) == 0


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
        with path.open("ab") as file:
            file.write(b"x")
            file.flush()
            assert files.unmapped_bytes(own) >= 2 * MIB
    finally:
        path.unlink()
