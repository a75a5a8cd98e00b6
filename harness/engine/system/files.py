"""Files of processes that run untrusted code: their output, memory files, and removal of folders.

A process that writes to such a file without mapping it uses memory that its resident set
does not show.
"""

import os
import stat
import sys
import time
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final
from uuid import uuid4

from harness.engine.system import processes

# The file that receives the output of a process that runs untrusted code.


NAME: Final = "output"
_TAIL_BYTES: Final = 2000
"""Bytes of the output that are reported, from its end: the message of an abort or the last
frames of a traceback, and short enough for a column of a table."""


class OutputFile:
    """A new file in `folder`, and its descriptor.

    The reader keeps the descriptor. The process that writes can rename the file, or replace
    it with a pipe, a link or a device; the reader still reads the file that was created.
    """

    def __init__(self, folder: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        self._descriptor = os.open(folder / NAME, flags, 0o600)

    def fileno(self) -> int:
        """The descriptor, for the standard output and error of a process."""
        return self._descriptor

    def tail(self) -> str:
        """The last 2,000 bytes as text."""
        with suppress(OSError):
            size = os.fstat(self._descriptor).st_size
            data = os.pread(self._descriptor, _TAIL_BYTES, max(0, size - _TAIL_BYTES))
            return data.decode(errors="replace").strip()
        return ""

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)


# Memory in files: memfds, shared memory and files on tmpfs.


class MemoryFiles:
    """Finds the memory in files that a group of processes has open.

    Files of a mounted tmpfs count if they were changed after this object was made: the
    processes did not write older files, for example a dataset.
    """

    def __init__(self) -> None:
        self._since = time.time()
        self._anonymous, self._mounted = _anonymous_device(), _mounted_devices()

    def unmapped_bytes(self, pids: list[int]) -> int:
        """Memory in open files of these processes beyond what their resident sets show."""
        sizes: dict[tuple[int, int], int] = {}
        for pid in pids:
            for file in processes.open_files(pid):
                if file.st_dev == self._anonymous or (
                    file.st_dev in self._mounted and file.st_ctime >= self._since
                ):
                    # `st_blocks` counts blocks of 512 bytes, whatever the file system.
                    sizes[file.st_dev, file.st_ino] = file.st_blocks * 512
        total = sum(sizes.values())
        if not total:
            return 0
        return max(0, total - sum(processes.status_bytes(pid, "RssShmem") for pid in pids))


def _anonymous_device() -> int | None:
    """The device of memfds, which is that of anonymous shared memory; None if unknown."""
    if sys.platform != "linux":
        return None
    with suppress(OSError):
        descriptor = os.memfd_create("probe")
        try:
            return os.fstat(descriptor).st_dev
        finally:
            os.close(descriptor)
    return None


def _mounted_devices() -> set[int]:
    """The devices of mounted file systems that keep their files in memory."""
    devices = set()
    for line in processes.text_of_file(Path("/proc/self/mounts")).splitlines():
        _, place, kind, *_ = line.split(" ")
        if kind in ("tmpfs", "ramfs"):
            with suppress(OSError):
                devices.add(Path(place.replace("\\040", " ")).stat().st_dev)
    return devices


# Removing folders that a backend has filled.


_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_folder(folder: Path, limit_s: float = inf) -> bool:
    """Remove `folder` with all its content, however deep; False if some of it is left.

    `shutil.rmtree` fails on more levels than Python's stack has. This function moves the folders
    of each level to the top one before it goes on. It follows no links. A folder on which
    something is mounted cannot be moved, and stays.

    Args:
        folder: the folder; it need not exist. A file or a link in its place is removed itself.
        limit_s: seconds after which to stop.
    """
    deadline = monotonic() + limit_s
    try:
        top = os.open(folder, _FOLDER)
    except FileNotFoundError:
        return True
    except OSError:
        with suppress(OSError):  # a file or a link is in its place
            if not stat.S_ISDIR(os.lstat(folder).st_mode):
                folder.unlink()
        return not os.path.lexists(folder)
    names = _empty(top, top, deadline)
    while names and monotonic() < deadline:
        name = names.pop()
        with suppress(OSError):
            os.chmod(name, stat.S_IRWXU, dir_fd=top)
            inner = os.open(name, _FOLDER, dir_fd=top)
            names += _empty(inner, top, deadline)
            os.close(inner)
            os.rmdir(name, dir_fd=top)
    os.close(top)
    with suppress(OSError):
        folder.rmdir()
    return not os.path.lexists(folder)


def _empty(folder: int, top: int, deadline: float) -> list[str]:
    """Remove the files of a folder and move its folders to the top; return their names there."""
    names: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in [*entries]:
            if monotonic() >= deadline:
                break
            with suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.name, dir_fd=folder)
                    continue
                move = partial(os.rename, entry.name, name := uuid4().hex)
                try:
                    move(src_dir_fd=folder, dst_dir_fd=top)
                except PermissionError:  # it may lack the right to change its parent
                    os.chmod(entry.name, stat.S_IRWXU, dir_fd=folder)
                    move(src_dir_fd=folder, dst_dir_fd=top)
                names.append(name)
    return names
