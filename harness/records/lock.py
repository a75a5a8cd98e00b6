"""The lock of a run's folder, which `harness run` holds while it writes there."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

FILE: Final = ".lock"


def is_held(folder: Path) -> bool | None:
    """Whether a live process holds the lock of `folder`; None if this system cannot find out.

    A folder without a lock file, such as a copy, and a system without POSIX locks give None.
    The check holds the lock for a moment, shared with other checks.
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        lock = os.open(folder / FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return None
    finally:
        with suppress(OSError):
            os.close(lock)
    return False
