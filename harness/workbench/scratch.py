"""The folder for temporary files of one server, which the next server removes if need be.

A server holds a lock of its folder, which the kernel releases when the server ends, however that
happens. A folder whose lock is free belongs to no server.
"""

import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_PREFIX: Final = "harness-workbench-files-"


class Scratch:
    """A folder for temporary files of this server, with the lock held.

    Raises:
        OSError: it cannot be made.
    """

    def __init__(self) -> None:
        remove_abandoned()
        while True:
            self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
            self._lock = os.open(self.folder, os.O_RDONLY)
            with suppress(OSError):  # a file system without locks
                fcntl.flock(self._lock, fcntl.LOCK_EX)
            if self.folder.is_dir():
                return
            # Another server that started at this moment found the lock free.
            os.close(self._lock)

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def remove_abandoned() -> None:
    """Remove the folders of servers of this user that have ended."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # it is held, or another server removes it
            _remove_unless_held(folder)


def _remove_unless_held(folder: Path) -> None:
    """Remove a folder of this user that no server holds.

    Raises:
        OSError: a server holds it, or it is no such folder.
    """
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        found = os.fstat(lock)
        if found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) == stat.S_IRWXU:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
