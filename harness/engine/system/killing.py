"""Ending a process and everything that it has started."""

import os
import signal
from collections.abc import Collection
from contextlib import suppress
from time import monotonic, sleep
from typing import Final

from harness.engine.system import process_tree

KILL_LIMIT_S: Final = 5.0
"""Seconds for killed processes to end. The kernel takes milliseconds; a process that waits for
a disk or a network file system may take seconds, and nothing can be done about one that
takes longer."""
_PAUSE_S: Final = 0.001
"""Seconds between two looks at killed processes."""


def kill(pid: int) -> None:
    """Send SIGKILL to a process, if it exists and belongs to this user."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_descendants(pid: int, *, keep: Collection[int] = ()) -> bool:
    """Kill the descendants of `pid`, until none is alive; False if some are after the limit.

    `pid` must adopt orphans (`harness.parent.adopt_orphans`), whether it is running or stopped:
    then a process that is forked meanwhile is found in the next round.

    Args:
        pid: this process or another one.
        keep: children of `pid` to leave alive, with their descendants.
    """
    deadline = monotonic() + KILL_LIMIT_S
    while True:
        alive = _alive(pid, keep)
        for found in alive:
            kill(found)
        if not alive:
            return True
        if monotonic() > deadline:
            return False
        if pid == os.getpid():
            reap_children(keep)
        sleep(_PAUSE_S)


def reap_children(keep: Collection[int] = ()) -> None:
    """Reap the children of this process that have ended, except those in `keep`."""
    for child in process_tree.children(os.getpid()):
        if child not in keep:
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)


def _alive(pid: int, keep: Collection[int]) -> list[int]:
    if not keep:
        return process_tree.living_descendants(pid)
    found: list[int] = []
    for child in process_tree.children(pid):
        if child not in keep:
            found += [child, *process_tree.descendants(child)]
    return [process for process in found if process_tree.is_alive(process)]
