"""Requests of a process to the kernel: address space and cores."""

import os
import resource
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


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
    """Limit private writable memory, within this block, to a share of that of the machine.

    An allocation beyond the limit fails as in `limit_address_space`. Memory that a library
    reserves and cannot write to does not count. Linux only.
    """
    if sys.platform != "linux":
        yield
        return
    most = int(share * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    unlimited = resource.RLIM_INFINITY
    within = [limit for limit in (most, before, hard) if limit != unlimited]
    resource.setrlimit(resource.RLIMIT_DATA, (min(within), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def pin(core: int | None) -> None:
    """Run on this core only, if the system supports it."""
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def confine(cores: Sequence[int]) -> None:
    """Let this thread, and what it starts from now on, run on these cores only.

    Nothing happens without cores, or if the system does not support it.
    """
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def usable_cores() -> list[int]:
    """The cores that this process may use; empty if the system does not report them."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
