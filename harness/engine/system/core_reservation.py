"""Reservation of cores among the processes of a host that measure shards.

A reserved core is a socket with a name of its own in the abstract namespace of Linux: the kernel
gives the name to one process at a time and takes it back when that process ends, however it ends.
"""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import sleep
from typing import Final

from harness.engine.system.kernel import usable_cores
from harness.text import number_of

_NAME: Final = "\0sudoku-harness/core/{}"
_AGAIN_S: Final = 0.2
"""Seconds between two attempts to reserve cores."""


@contextmanager
def reserved_cores(
    jobs: int, notice: Callable[[str], None] = lambda _: None
) -> Iterator[Sequence[int]]:
    """Reserve a core for each job, from the last one on, and wait until they are free.

    Args:
        jobs: the number of jobs.
        notice: called with a line if other shards have the cores.

    Yields:
        The cores; empty if this process may use fewer cores than jobs, or if the system reports
        no cores or has no such names.
    """
    cores = usable_cores()[::-1]
    if jobs > len(cores) or not _has_names():
        yield ()
        return
    is_waiting = False
    while True:
        with ExitStack() as stack:
            found: list[int] = []
            for core in cores:
                if len(found) < jobs and _take(core, stack):
                    found.append(core)
            if len(found) == jobs:
                yield found
                return
        if not is_waiting:
            is_waiting = True
            free = number_of(jobs, "free core")
            notice(f"other shards use the cores of this machine; waiting for {free}")
        sleep(_AGAIN_S)


def _take(core: int, stack: ExitStack) -> bool:
    """Take a core until the stack ends; False if another process has it."""
    name = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    try:
        name.bind(_NAME.format(core))
    except OSError:
        return False
    return True


def _has_names() -> bool:
    """Whether this system has the abstract namespace."""
    if not hasattr(socket, "AF_UNIX"):
        return False
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
            probe.bind("")  # the kernel chooses a name
            return bool(probe.getsockname())
    except OSError:
        return False
