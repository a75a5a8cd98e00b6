"""Processes: forking, descendants with their resource usage, and ending them.

Where /proc is missing (macOS, Windows) `visible` is False, and descendants and memory of
other processes are unknown.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import clock_gettime, monotonic, sleep
from typing import Final, NoReturn

# Forking a process that runs one function and never returns to its caller.


def fork_to_run(function: Callable[[], None]) -> int:
    """Fork a process that runs `function` and exits; return the id of that process."""
    pid = os.fork()
    if not pid:
        run_and_exit(function)
    return pid


def run_and_exit(function: Callable[[], None]) -> NoReturn:
    """Run `function` and end this process: exit code 0, or 1 after an exception.

    The process ends without clean-up: in a forked process `atexit` handlers and an
    exception that propagates would run code of the parent, and unloading a solver's
    library can take longer than the work.
    """
    code = 1
    try:
        function()
        code = 0
    except BaseException:  # noqa: BLE001  the exception must not leave this function
        with suppress(BaseException):
            traceback.print_exc()
            sys.stderr.flush()
    finally:
        os._exit(code)


# The descendants of a process and their resource usage, from /proc.


visible: Final = sys.platform == "linux" and Path("/proc/self/stat").exists()
"""Whether this system shows descendants, memory and CPU time of other processes."""

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """The total resource usage of several processes at one moment."""

    resident_bytes: int = 0
    """Resident memory; a page that processes share counts once for each of them."""
    cpu_s: float = 0.0
    """CPU time so far, including that of children that were waited for."""


def children(pid: int) -> list[int]:
    """The children of all threads of `pid`, zombies included."""
    pids: list[int] = []
    with suppress(OSError):
        for task in os.scandir(f"/proc/{pid}/task"):
            with suppress(OSError):
                pids += map(int, _read(f"{task.path}/children").split())
    return pids


def descendants(pid: int) -> list[int]:
    """The children of `pid`, their children, and so on."""
    pids: list[int] = []
    queue = [pid]
    while queue:
        new = children(queue.pop())
        pids += new
        queue += new
    return pids


def living_descendants(pid: int, keep: Collection[int] = ()) -> list[int]:
    """The descendants of `pid` that have not ended; a zombie has ended.

    Args:
        pid: this process or another one.
        keep: children of `pid` to leave out, with their descendants.
    """
    branches = [[child, *descendants(child)] for child in children(pid) if child not in keep]
    return [process for branch in branches for process in branch if is_alive(process)]


def usage(pids: list[int]) -> ProcessUsage:
    """The total usage of these processes; a process that is gone uses nothing."""
    resident, cpu = 0, 0.0
    for pid in pids:
        with suppress(OSError, ValueError):
            fields = _stat(pid)
            cpu += sum(map(int, fields[11:15])) / _TICKS_PER_SECOND
            resident += int(fields[21]) * _PAGE_BYTES
    return ProcessUsage(resident, cpu)


def state(pid: int) -> str:
    """The state of a process: ``R``, ``S``, ``T`` for stopped, ``Z``; empty for no process."""
    with suppress(OSError, IndexError):
        return _stat(pid)[0]
    return ""


def is_alive(pid: int) -> bool:
    """Whether the process exists and has not ended."""
    return state(pid) not in ("", "Z", "X")


def is_ending(pid: int) -> bool:
    """Whether the process is exiting or being killed, with its files perhaps closed already."""
    with suppress(OSError, IndexError, ValueError):
        return bool(int(_stat(pid)[6]) & 4)  # PF_EXITING of linux/sched.h
    return False


def is_stopped(pid: int) -> bool:
    """Whether a signal or a tracer has stopped the process."""
    return state(pid) in ("T", "t")


def name(pid: int) -> str:
    """The name of the program of a process, printable; empty for no process."""
    with suppress(OSError):
        name = _read(f"/proc/{pid}/comm").strip()
        return "".join(symbol if symbol.isprintable() else "?" for symbol in name)
    return ""


def cpu_clock(pid: int) -> float | None:
    """CPU time in seconds of all threads of a process; None if it has ended or is unknown.

    This system call takes a microsecond; reading /proc takes ten. Linux only.
    """
    if not visible:
        return None
    with suppress(OSError):
        # The lower bits are CPUCLOCK_SCHED, from linux/posix-timers_types.h.
        return clock_gettime((~pid << 3) | 2)
    return None


def open_files(pid: int) -> Iterator[os.stat_result]:
    """The open files of a process; nothing for a process that has ended."""
    with suppress(OSError):
        for descriptor in os.scandir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                yield descriptor.stat()


def status_bytes(pid: int, field: str) -> int:
    """A size in the status of a process, such as ``RssShmem``; 0 if the process is gone."""
    with suppress(OSError, ValueError):
        for line in _read(f"/proc/{pid}/status").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    return 0


def text_of_file(path: Path) -> str:
    """The text of a file of the system; empty if it cannot be read."""
    with suppress(OSError):
        return path.read_text(errors="replace")
    return ""


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name of the program, the state first."""
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 1 << 16).decode(errors="replace")
    finally:
        os.close(descriptor)


# Ending a process and everything that it has started.


KILL_LIMIT_S: Final = 5.0
"""Seconds for killed processes to end. The kernel takes milliseconds; a process that waits for
a disk or a network file system may take seconds, and nothing can be done if it takes longer."""
_PAUSE_S: Final = 0.001
"""Seconds between two checks of killed processes."""


def kill(pid: int) -> None:
    """Send SIGKILL to a process, if it exists and belongs to this user."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_descendants(pid: int, *, keep: Collection[int] = ()) -> bool:
    """Kill the descendants of `pid` until none is alive; False if some still are at the limit.

    `pid`, which may be stopped, must have called `harness.base.child.adopt_orphans`, so that the
    next round finds a process that was forked during this one.

    Args:
        pid: this process or another one.
        keep: children of `pid` to leave alive, with their descendants.
    """
    deadline = monotonic() + KILL_LIMIT_S
    while True:
        alive = living_descendants(pid, keep)
        for process in alive:
            kill(process)
        if not alive:
            return True
        if monotonic() > deadline:
            return False
        if pid == os.getpid():
            reap_children(keep)
        sleep(_PAUSE_S)


def reap_children(keep: Collection[int] = ()) -> None:
    """Reap the children of this process that have ended, except those in `keep`."""
    for child in children(os.getpid()):
        if child not in keep:
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)
