"""Ending processes: with their parent, and with all their children."""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from typing import Final

_PR_SET_PDEATHSIG: Final = 1

SINGLE_THREADED: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""Environment under which numerical libraries start no threads of their own."""


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when process `parent` dies, however it dies.

    Linux only; elsewhere a worker ends when it next reads its closed pipe.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before the request was in place
        os._exit(1)


def kill_group(leader: int) -> None:
    """Kill every process of the group that `leader` leads, if there is one still."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
