"""Requests of a process to the kernel: address space, cores, clock, and reserved cores.

A reserved core is a socket with a name of its own in the abstract namespace of Linux: the kernel
gives the name to one process at a time and takes it back when that process ends, however it ends.
"""

import os
import resource
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from harness.base.text import number_of

# A clock that keeps running while the machine sleeps.


_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", None)


def boot_clock() -> float:
    """Seconds since the start of the machine, including those in which it slept.

    On systems without such a clock, that of `time.monotonic`.
    """
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)


# Requests of a process to the kernel: address space and cores.


def limit_address_space(budget_bytes: int) -> None:
    """Limit the address space of this process to its present size plus `budget_bytes`.

    An allocation beyond the limit fails in the process itself: as a MemoryError in Python,
    as an abort or a crash in many libraries. Linux only.
    """
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        ceiling = pages * os.sysconf("SC_PAGE_SIZE") + budget_bytes
        resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))


@contextmanager
def limited_data(share: float) -> Iterator[None]:
    """Limit private writable memory, within this block, to a share of the machine's memory.

    An allocation beyond the limit fails as in `limit_address_space`. Memory that a library
    reserves and cannot write to does not count. Linux only.
    """
    if sys.platform != "linux":
        yield
        return
    most = int(share * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    infinity = resource.RLIM_INFINITY
    within = [limit for limit in (most, before, hard) if limit != infinity]
    resource.setrlimit(resource.RLIMIT_DATA, (min(within), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def confine(cores: Sequence[int]) -> None:
    """Let this thread, and what it starts from now on, run on these cores only.

    Nothing happens if `cores` is empty or the system does not support it.
    """
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def usable_cores() -> list[int]:
    """The cores that this process may use; empty if the system does not report them."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


# Reservation of cores among the processes of a host that measure shards.


_NAME: Final = "\0sudoku-harness/core/{}"


@contextmanager
def reserved_cores(
    jobs: int, notice: Callable[[str], None] = lambda _: None
) -> Iterator[Sequence[int]]:
    """Reserve a core for each job, beginning with the last core; wait until enough are free.

    Args:
        jobs: the number of jobs.
        notice: called once with a line if other shards have the cores.

    Yields:
        The cores; empty if this process may use fewer cores than jobs, or if the system reports
        no cores or has no such names.
    """
    cores = usable_cores()[::-1]
    if jobs > len(cores) or sys.platform != "linux":
        yield ()
        return
    is_waiting = False
    while True:
        with ExitStack() as stack:
            free_cores: list[int] = []
            for core in cores:
                if len(free_cores) < jobs and _take(core, stack):
                    free_cores.append(core)
            if len(free_cores) == jobs:
                yield free_cores
                return
        if not is_waiting:
            is_waiting = True
            free = number_of(jobs, "free core")
            notice(f"other shards use the cores of this machine; waiting for {free}")
        time.sleep(0.2)


def _take(core: int, stack: ExitStack) -> bool:
    """Take a core until the stack ends; False if another process has it."""
    name = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    try:
        name.bind(_NAME.format(core))
    except OSError:
        return False
    return True
