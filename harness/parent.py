"""A process and its parent: it ends with it, or becomes that of others.

Linux only. On other systems a process ends when it next reads its closed connection.
"""

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


def die_with_parent(parent: int, by: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send this process the signal `by` when process `parent` dies.

    That holds for the program that this process becomes by ``exec``, too. The kernel takes the end
    of the thread that started this process for that of `parent`.
    """
    if sys.platform != "linux":
        return
    _prctl(_PR_SET_PDEATHSIG, by)
    if os.getppid() != parent:  # the parent died before the request was in place
        os.kill(os.getpid(), by)


def adopt_orphans() -> None:
    """Become the parent of descendants that lose theirs.

    Otherwise a daemon that a backend forks becomes a child of process 1 and cannot be found.
    """
    if sys.platform == "linux":
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, argument: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, argument, 0, 0, 0)
