"""Limits of a trial, and what a process asks of the kernel to be kept within them."""

import ctypes
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Final

from msgspec import Struct

MIB: Final = 2**20

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36

SINGLE_THREADED: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""Environment under which numerical libraries start no threads of their own."""


class Limits(Struct, frozen=True):
    """What a trial may use; None where it is not limited."""

    wall_s: float | None = None
    """Seconds of wall time."""
    cpu_s: float | None = None
    """Seconds of CPU time, children included."""
    memory_bytes: int | None = None
    """Bytes in memory of the worker and all that descends from it, beyond those at its start."""


def die_with_parent(parent: int, how: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send this process `how` when process `parent` dies, however it dies.

    Linux only; elsewhere a process ends when it next reads its closed pipe.
    """
    if sys.platform != "linux":
        return
    _prctl(_PR_SET_PDEATHSIG, how)
    if os.getppid() != parent:  # it died before the request was in place
        os.kill(os.getpid(), how)


def outlive_parent() -> None:
    """Take back what `die_with_parent` asked for."""
    if sys.platform == "linux":
        _prctl(_PR_SET_PDEATHSIG, 0)


def adopt_orphans() -> None:
    """Become the parent of whatever descends from this process and loses its own.

    Without it a daemon that a backend forks would be a child of process 1, and
    out of reach. Linux only.
    """
    if sys.platform == "linux":
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def limit_address_space(budget: int) -> None:
    """Let this process have `budget` bytes of address space beyond what it has now.

    What goes beyond fails in the process itself: MemoryError in Python, an
    abort or a crash in many a library. Linux only.
    """
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        ceiling = pages * os.sysconf("SC_PAGE_SIZE") + budget
        resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))


def pin(core: int | None) -> None:
    """Run on this core only, where the system can do that."""
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def usable_cores() -> list[int]:
    """The cores that this process may use; empty where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def _prctl(option: int, argument: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, argument, 0, 0, 0)
