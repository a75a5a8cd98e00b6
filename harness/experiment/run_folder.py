"""The folder of a run: created, locked against a second run, emptied on request."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from harness.errors import InputError, RunError
from harness.records.checksum import SUFFIX as CHECKSUM
from harness.records.environment import FILE as ENVIRONMENT
from harness.records.run_files import NO_FOLLOW, refuse_link
from harness.records.store_file import FILE as STORE
from harness.records.store_file import INDEX, JOURNAL, LOG

SWEEP: Final = "sweep.toml"
"""The sweep, complete, so that it can run again elsewhere."""
_LOCK: Final = ".lock"
_OWN_FILES: Final = (STORE, LOG, INDEX, JOURNAL, f"{STORE}{CHECKSUM}", SWEEP, ENVIRONMENT)
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
    if names - {_LOCK} and STORE not in names:
        raise RunError(
            "contains other files",
            where=str(folder),
            expected="a new or empty folder, or the folder of a run",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (_LOCK, *_OWN_FILES):
            refuse_link(folder / name)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | NO_FOLLOW
        lock = os.open(folder / _LOCK, flags, 0o666)
    except OSError as error:
        raise InputError(f"cannot be created: {error.strerror}", where=str(folder)) from None
    with os.fdopen(lock, "w"):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(
                "another run is writing to this folder",
                where=str(folder),
                expected="the end of that run, or another folder",
            ) from None
        if fresh:
            for name in _OWN_FILES:
                (folder / name).unlink(missing_ok=True)
        yield
