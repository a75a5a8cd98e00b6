"""Files of processes that run untrusted code: their output, memory files, and removal of folders.

A process that writes to such a file without mapping it uses memory that its resident set
does not show.
"""

import os
import stat
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from harness.engine.system import processes

# The file that receives the output of a process that runs untrusted code.


NAME: Final = "output"
_TAIL_BYTES: Final = 2000
"""Bytes of the output that are reported, from its end: the message of an abort or the last
frames of a traceback, and short enough for a column of a table."""


class OutputFile:
    """A new file in `folder`, and its descriptor.

    The reader keeps the descriptor. The process that writes can rename the file, or
    replace it by a pipe, a link or a device; what is read is the file that was created.
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


_BLOCK_BYTES: Final = 512
"""The unit of `st_blocks`, whatever the file system."""
_MEMORY_FILE_SYSTEMS: Final = ("tmpfs", "ramfs")


class MemoryFiles:
    """Finds the memory in files that a group of processes has open.

    Files of a mounted tmpfs count if they were changed after this object was made: those
    that are older, a dataset for example, were not written by the processes.
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
                    sizes[file.st_dev, file.st_ino] = file.st_blocks * _BLOCK_BYTES
        total = sum(sizes.values())
        if not total:
            return 0
        return max(0, total - sum(map(processes.shared_memory_bytes, pids)))


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
    with suppress(OSError):
        for line in Path("/proc/self/mounts").read_text(errors="replace").splitlines():
            _, place, kind, *_ = line.split(" ")
            if kind in _MEMORY_FILE_SYSTEMS:
                with suppress(OSError):
                    devices.add(Path(place.replace("\\040", " ")).stat().st_dev)
    return devices


# Removing folders that a backend has filled.


_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_folder(folder: Path, limit_s: float | None = None) -> bool:
    """Remove `folder` with all its content, however deep; False if some of it is left.

    `shutil.rmtree` fails on paths that are longer than the system allows and on more
    levels than Python's stack has. This function goes down and up one level at a time,
    with one descriptor and without paths. It follows no links.

    Args:
        folder: the folder; nothing happens if it does not exist, and a link is removed itself.
        limit_s: seconds after which to stop; None for no limit.
    """
    deadline = None if limit_s is None else monotonic() + limit_s
    try:
        top = os.open(folder, _FOLDER)
    except FileNotFoundError:
        return True
    except OSError:
        with suppress(OSError):  # a file or a link is in its place
            if not stat.S_ISDIR(os.lstat(folder).st_mode):
                folder.unlink()
        return not os.path.lexists(folder)
    with suppress(OSError):
        _Walk(top, deadline).remove_content()
    with suppress(OSError):
        folder.rmdir()
    return not os.path.lexists(folder)


@dataclass(frozen=True, slots=True)
class _Level:
    """A folder on the way down from the top."""

    identity: tuple[int, int]
    """Its device and inode."""
    folders: list[str]
    """The folders in it that are not visited yet; the last one is the next."""


class _Walk:
    """Removes what is below a folder, from the bottom up."""

    def __init__(self, top: int, deadline: float | None) -> None:
        self._current = top
        self._mount = _mount_of(top)
        self._deadline = deadline

    def remove_content(self) -> None:
        """Remove the content of the folder, and close its descriptor.

        Raises:
            OSError: a folder cannot be read, or was moved meanwhile.
        """
        try:
            levels = [self._level()]
            names: list[str] = []
            while True:
                if levels[-1].folders:
                    name = levels[-1].folders.pop()
                    if self._enter(name):
                        names.append(name)
                        levels.append(self._level())
                elif names:
                    levels.pop()
                    self._leave(levels[-1].identity)
                    with suppress(OSError):
                        os.rmdir(names.pop(), dir_fd=self._current)
                else:
                    return
        finally:
            os.close(self._current)

    def _level(self) -> _Level:
        """Remove the files of the current folder; the level with its folders."""
        folders = []
        for name in [entry.name for entry in os.scandir(self._current)]:
            if self._deadline is not None and monotonic() > self._deadline:
                raise TimeoutError
            with suppress(OSError):
                if stat.S_ISDIR(os.lstat(name, dir_fd=self._current).st_mode):
                    folders.append(name)
                else:
                    os.unlink(name, dir_fd=self._current)
        return _Level(_identity(self._current), folders)

    def _enter(self, name: str) -> bool:
        """Go down to a folder; False if that is impossible, or if something is mounted on it."""
        try:
            inner = os.open(name, _FOLDER, dir_fd=self._current)
        except PermissionError:
            try:
                os.chmod(name, stat.S_IRWXU, dir_fd=self._current)
                inner = os.open(name, _FOLDER, dir_fd=self._current)
            except OSError:
                return False
        except OSError:
            return False
        if _mount_of(inner) != self._mount:
            os.close(inner)
            return False
        with suppress(OSError):
            os.fchmod(inner, stat.S_IRWXU)
        self._go_to(inner)
        return True

    def _leave(self, parent: tuple[int, int]) -> None:
        """Go up to the folder with this identity.

        Raises:
            OSError: the folder above is another one: this one was moved.
        """
        above = os.open("..", _FOLDER, dir_fd=self._current)
        self._go_to(above)
        if _identity(above) != parent:
            raise FileNotFoundError

    def _go_to(self, descriptor: int) -> None:
        os.close(self._current)
        self._current = descriptor


def _mount_of(descriptor: int) -> str:
    """The number of the mount in which a folder is; empty where the system has none."""
    with suppress(OSError):
        info = Path(f"/proc/self/fdinfo/{descriptor}").read_text()
        return next((line for line in info.splitlines() if line.startswith("mnt_id:")), "")
    return ""


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
