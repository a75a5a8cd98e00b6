"""Threads and processes that a call leaves behind.

A backend may start threads and processes in `__init__` and keep them. A pool of
`concurrent.futures` that is created there starts its threads in the first calls: a worker
that waits for work is no leftover. A worker that still runs after the call is one.
"""

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from types import FrameType
from typing import Final

_GRACE: Final = 0.2
"""Seconds for threads and processes to end, or to finish their work, after a call."""
_LOOK_EVERY_S: Final = 0.01
_MOST_WORKERS: Final = 64
"""Waiting workers that one examination may have: more than any pool needs, and fewer than
accumulate if every call starts a pool."""
_TASKS: Final = "/proc/self/task"


class Leftovers:
    """The threads and processes that calls leave behind, apart from those that already run."""

    def __init__(self) -> None:
        self._before = set(_threads())
        self._known: set[int] = set()
        self._kept: set[int] = set()
        """Threads that a backend has started in `__init__`."""
        self._workers: set[int] = set()
        self._grace = _GRACE

    def begin(self) -> None:
        """Note the threads and processes before a call."""
        self._known = {*_threads(), *_processes()}

    def keep(self) -> None:
        """Accept what the creation of a backend has started."""
        self._kept.update(set(_threads()) - self._before)

    def end(self) -> list[str]:
        """What the call has left, in a few words each: threads, processes and busy threads."""
        deadline = monotonic() + self._grace
        while (left := self._left()) and monotonic() < deadline:
            sleep(_LOOK_EVERY_S)
        if left:
            self._grace = 0.0  # the next calls will leave it too
        return left

    def _left(self) -> list[str]:
        left = []
        if self._kept:
            sleep(_LOOK_EVERY_S / 10)  # lets threads run that wait for this one
        for ident, thread in _threads().items():
            if ident in self._before or ident == threading.get_ident():
                continue
            if _is_worker(ident):
                if not _waits(ident):
                    left.append(f"the thread {thread.name} busy")
                self._workers.add(ident)
            elif ident in self._kept or _serves_process_pool(ident):
                if _runs(thread):
                    left.append(f"the thread {thread.name} busy")
            elif ident not in self._known:
                left.append(f"the thread {thread.name}")
        self._workers &= set(_threads())
        if len(self._workers) > _MOST_WORKERS:
            left.append(f"{len(self._workers)} threads of pools")
        known = self._known | _processes_of_pools()
        return left + [name for pid, name in _processes().items() if pid not in known]


def _threads() -> dict[int, threading.Thread]:
    return {thread.ident or 0: thread for thread in threading.enumerate()}


def _processes() -> dict[int, str]:
    """The child processes of this process, on Linux, under their negative process ids."""
    found: dict[int, str] = {}
    if not _has_children():
        return found
    with suppress(OSError):
        for task in os.listdir(_TASKS):  # noqa: PTH208  in each of many calls
            with suppress(OSError), open(f"{_TASKS}/{task}/children") as file:  # noqa: PTH123
                for child in file.read().split():
                    found[-int(child)] = f"the process {_command(child)}"
    return found


def _has_children() -> bool:
    """Whether there is a child process; much quicker than to look at every thread for it.

    True where the system has no such query.
    """
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT | _WALL)
    except ChildProcessError:
        return False
    except (AttributeError, OSError):
        return True
    return True


_WALL: Final = 0x40000000
"""``__WALL`` of waitid(2): children of any kind."""


def _command(pid: str) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return "(ended, not waited for)"


def _is_worker(ident: int) -> bool:
    """Whether a thread belongs to a pool of `concurrent.futures`."""
    return any(map(_is_pool_loop, _frames(ident)))


def _frames(ident: int) -> Iterator[FrameType]:
    """The frames of a thread, the innermost first."""
    frame = sys._current_frames().get(ident)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _waits(ident: int) -> bool:
    """Whether a worker waits for work: the loop of the pool is its innermost function."""
    frame = sys._current_frames().get(ident)
    return frame is None or _is_pool_loop(frame)


def _is_pool_loop(frame: FrameType) -> bool:
    return _name_of(frame) == ("_worker", "concurrent.futures.thread")


def _name_of(frame: FrameType) -> tuple[str, object]:
    """The name of the function that a frame executes, and of its module."""
    return frame.f_code.co_name, frame.f_globals.get("__name__")


_OF_PROCESS_POOLS: Final = (
    ("run", "concurrent.futures.process"),
    ("_feed", "multiprocessing.queues"),
)
"""The functions of the threads of a process pool: one waits for results, one sends work."""


def _serves_process_pool(ident: int) -> bool:
    """Whether a thread belongs to a process pool of `concurrent.futures`."""
    return any(_name_of(frame) in _OF_PROCESS_POOLS for frame in _frames(ident))


def _processes_of_pools() -> set[int]:
    """The negative ids of the processes of process pools, which start with the first work."""
    if not any(_serves_process_pool(ident) for ident in _threads()):
        return set()
    return {-(child.pid or 0) for child in multiprocessing.active_children()}


def _runs(thread: threading.Thread) -> bool:
    """Whether a thread is executing, on Linux; False if it sleeps or waits."""
    with suppress(OSError):
        status = Path(_TASKS, str(thread.native_id), "stat").read_text()
        return status.rpartition(")")[2].split()[0] == "R"
    return False
