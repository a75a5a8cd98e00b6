"""The folder of a run: created, locked against a second run, emptied on request."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from harness.errors import InputError, RunError
from harness.records.checksum import SUFFIX as CHECKSUM
from harness.records.environment import FILE as ENVIRONMENT
from harness.records.lock import FILE as LOCK
from harness.records.run_files import NO_FOLLOW, refuse_special_file
from harness.records.settings import FILE as SWEEP
from harness.records.shard import FILE as SHARD
from harness.records.shard import PLAN
from harness.records.store_file import FILE as STORE
from harness.records.store_file import INDEX, JOURNAL, LOG
from harness.records.store_file import NEW as NEW_STORE

_ATTEMPTS: Final = 5
_BETWEEN_ATTEMPTS_S: Final = 0.05
_OWN_FILES: Final = (
    STORE,
    LOG,
    INDEX,
    JOURNAL,
    f"{STORE}{CHECKSUM}",
    SWEEP,
    ENVIRONMENT,
    SHARD,
    PLAN,
)
"""The files that a fresh start removes; the folder may have a report beside them."""


@contextmanager
def locked_run_folder(folder: Path, *, fresh: bool) -> Iterator[None]:
    """Create `folder` if necessary and lock it; with `fresh` remove the files of an old run.

    Raises:
        InputError: `folder` is a file or cannot be created.
        RunError: it contains files other than a run, or another run is writing to it.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError("not a folder", where=str(folder), expected="a folder for the run")
        names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    except OSError as error:
        raise InputError(f"cannot be used: {error.strerror}", where=str(folder)) from None
    unborn = {name for name in names if name.startswith(NEW_STORE)}
    if names - unborn - {LOCK, SHARD, PLAN} and STORE not in names:
        raise RunError(
            "contains other files",
            where=str(folder),
            expected="a new or empty folder, or the folder of a run",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (LOCK, *_OWN_FILES):
            refuse_special_file(folder / name)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | NO_FOLLOW
        lock = os.open(folder / LOCK, flags, 0o666)
    except OSError as error:
        raise InputError(f"cannot be created: {error.strerror}", where=str(folder)) from None
    with os.fdopen(lock, "w") as file:
        _lock(file, folder)
        if fresh:
            for name in _OWN_FILES:
                (folder / name).unlink(missing_ok=True)
        yield


def _lock(lock: IO[str], folder: Path) -> None:
    """Lock the file; a report holds the lock for a moment while it checks it."""
    for attempt in range(_ATTEMPTS):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if attempt + 1 < _ATTEMPTS:
                time.sleep(_BETWEEN_ATTEMPTS_S)
        else:
            return
    raise RunError(
        "another run is writing to this folder",
        where=str(folder),
        expected="the end of that run, or another folder",
    )
