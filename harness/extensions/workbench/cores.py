"""The cores and the memory that the workbench may use."""

import os
import platform
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from harness.base.errors import InputError
from harness.engine.system import descendants, usable_cores
from harness.records.folder import RunFile, read_invocations

# The cores that the workbench may use: those on which no sweep measures.


Measured = Callable[[], Sequence[int]]
"""The cores on which a sweep measures now."""


def free_cores(measured_cores: Measured) -> list[int]:
    """The cores on which no sweep measures; empty if the system does not report cores.

    Raises:
        InputError: a sweep measures on every core.
    """
    usable, busy = usable_cores(), set(measured_cores())
    free = [core for core in usable if core not in busy]
    if usable and not free:
        raise InputError(
            "a sweep measures on every core",
            expected="its end, or a sweep with fewer trials at a time",
        )
    return free


# The memory that a question may use.


def default_memory_mib() -> int:
    """The memory limit of a question in MiB: a quarter of the machine's memory, at most 4 GiB."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
    return min(machine // 4, 4096)


# The cores on which sweeps measure, and the server beside them.


class Cores:
    """The cores that the server may use, and those on which sweeps measure."""

    def __init__(self) -> None:
        self.all: Sequence[int] = usable_cores()
        """The cores that the server could use at its start."""
        self._confined: Sequence[int] = self.all

    def of_sweep(self, jobs: int) -> list[int]:
        """The cores of a sweep that this workbench starts: those that its supervisor will choose.

        A sweep with more jobs than cores measures on all of them.
        """
        return _last(self.all, jobs)

    def of_run(self, folder: Path) -> list[int]:
        """The cores of a run in progress that was started elsewhere.

        All if its cores are unknown; empty if it runs on another machine.
        """
        try:
            invocations = read_invocations(folder)
        except InputError:
            return [*self.all]
        last = invocations[-1] if invocations else None
        if last is None or last.jobs is None or (folder / RunFile.SHARD).exists():
            return [*self.all]
        if last.system.host not in (None, platform.node()):
            return []  # another machine holds the lock
        return _last(last.system.usable_cores or self.all, last.jobs)

    def keep_off(self, cores: Iterable[int], sweep: int | None = None) -> None:
        """Move this process, and all that it started, to other cores, if there are others.

        Args:
            cores: the cores on which sweeps measure.
            sweep: the process of the sweep that this workbench runs, which stays where it is.
        """
        busy = set(cores)
        free = [core for core in self.all if core not in busy] or [*self.all]
        if free == self._confined or not hasattr(os, "sched_setaffinity"):
            return
        self._confined = free
        confine_process(os.getpid(), free)
        if len(free) == len(self.all):
            return
        own = set() if sweep is None else {sweep, *descendants(sweep)}
        for pid in set(descendants(os.getpid())) - own:
            with suppress(OSError):  # it has ended
                if busy & os.sched_getaffinity(pid):
                    confine_process(pid, free)


def _last(cores: Sequence[int], number: int) -> list[int]:
    """The last cores, as many as this number; all if there are fewer."""
    return [*cores[-number:]] if 0 < number <= len(cores) else [*cores]


def confine_process(pid: int, cores: Iterable[int]) -> None:
    """Let all threads of a process run on these cores only."""
    with suppress(OSError):  # it has ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                os.sched_setaffinity(int(thread.name), cores)
