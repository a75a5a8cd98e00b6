"""Memory in files: memfds, shared memory and files on tmpfs.

A process that writes to such a file without mapping it uses memory that its resident set
does not show.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.engine.system import process_tree

_BLOCK_BYTES: Final = 512
"""The unit of `st_blocks`, whatever the file system."""
_MEMORY_FILE_SYSTEMS: Final = ("tmpfs", "ramfs")


class MemoryFiles:
    """Finds the memory in files that a group of processes has open.

    Files of a mounted tmpfs count if they were changed after this object was made: those
    that are older, a dataset for instance, were not written by the processes.
    """

    def __init__(self) -> None:
        self._since = time.time()
        self._anonymous, self._mounted = _anonymous_device(), _mounted_devices()

    def unmapped_bytes(self, pids: list[int]) -> int:
        """Memory in open files of these processes beyond what their resident sets show."""
        sizes: dict[tuple[int, int], int] = {}
        for pid in pids:
            for file in process_tree.open_files(pid):
                if file.st_dev == self._anonymous or (
                    file.st_dev in self._mounted and file.st_ctime >= self._since
                ):
                    sizes[file.st_dev, file.st_ino] = file.st_blocks * _BLOCK_BYTES
        total = sum(sizes.values())
        if not total:
            return 0
        return max(0, total - sum(map(process_tree.shared_memory_bytes, pids)))


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
