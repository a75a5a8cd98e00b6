"""The guard: the parent of a process that imports a backend; it ends everything and cleans up.

An import may hang in C, ignore signals, or start daemons. The guard runs none of a
backend's code. It adopts all orphans below it, kills those that a dead monitor leaves,
and kills everything and removes the folder when the harness requests it, when the harness
is gone, or when the process has ended.
"""

import os
import selectors
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final, NamedTuple

from harness.base.child import adopt_orphans, die_with_parent
from harness.engine.system import Cgroup, processes, remove_folder
from harness.engine.wire import ChannelBroken, ChannelClosed, Connection, Message

_CHECK_EVERY_S: Final = 0.05
"""Seconds between two checks whether the process has ended, where the system cannot wake the
guard then (pidfds, Linux 5.3)."""


class EndLeftovers(Message):
    """Harness to guard: end processes that were left behind."""

    below: bool
    """Whether the descendants of the guarded process are among them. If not, only adopted
    processes are, such as those of a monitor that was killed."""


class LeftoversEnded(Message):
    """Guard to harness: these processes were ended."""

    names: list[str]


class GuardedEnded(Message):
    """Guard to harness: the guarded process has ended."""

    exit_code: int
    """Negative for a signal."""


class GuardArguments(NamedTuple):
    """The arguments of the command line of a guard."""

    control: int
    """The descriptor of its connection to the harness."""
    folder: Path
    """The folder to remove at the end."""
    harness: int
    """The id of the harness's process."""
    group: Cgroup | None
    """The cgroup for everything below the guard, if there is one."""
    words: str
    """What the process below the guard needs besides, as text."""
    descriptors: tuple[int, ...]
    """The descriptors that only the process below the guard uses."""

    @staticmethod
    def decode(
        control: str, folder: str, harness: str, group: str, words: str, *descriptors: str
    ) -> "GuardArguments":
        """The arguments from the texts of a command line, which has them in this order."""
        return GuardArguments(
            int(control),
            Path(folder),
            int(harness),
            Cgroup(Path(group)) if group else None,
            words,
            tuple(map(int, descriptors)),
        )


def guard(arguments: GuardArguments, work: Callable[[], None]) -> None:
    """Fork a process that runs `work`, and guard it until it or the harness ends.

    The process gets SIGKILL when the guard dies: it has nothing to clean up.

    Args:
        arguments: the arguments of this process.
        work: what the process does.
    """
    for descriptor in (arguments.control, *arguments.descriptors):
        os.set_inheritable(descriptor, False)
    control, group = socket.socket(fileno=arguments.control), arguments.group
    adopt_orphans()
    waits = True

    def end_with_harness(*_: object) -> None:
        """End the wait; a signal that arrives later must not interrupt the clean-up."""
        nonlocal waits
        if waits:
            waits = False
            raise _HarnessGoneError

    signal.signal(signal.SIGTERM, end_with_harness)
    own = os.getpid()

    def run() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        control.close()
        die_with_parent(own)
        if group:
            group.join()
        work()

    child_pid = processes.fork_to_run(run)
    for descriptor in arguments.descriptors:
        os.close(descriptor)
    exit_code: int | None = None
    connection: Connection[EndLeftovers] = Connection(control, EndLeftovers)
    try:
        with suppress(_HarnessGoneError):
            die_with_parent(arguments.harness, signal.SIGTERM)
            exit_code = _wait(connection, child_pid)
            waits = False
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end(child_pid, group, is_running=exit_code is None)
        remove_folder(arguments.folder)
        if exit_code is not None:
            with suppress(ChannelClosed):
                connection.send(GuardedEnded(exit_code))


class _HarnessGoneError(BaseException):
    """The harness has died."""


def _wait(connection: Connection[EndLeftovers], child_pid: int) -> int | None:
    """The exit code of `child_pid`; None if the harness is gone or requests the end."""
    selector = selectors.DefaultSelector()
    selector.register(connection, selectors.EVENT_READ)
    wakes_at_exit = hasattr(os, "pidfd_open")
    if wakes_at_exit:
        selector.register(os.pidfd_open(child_pid), selectors.EVENT_READ)
    while True:
        selector.select(None if wakes_at_exit else _CHECK_EVERY_S)
        pid, status = os.waitpid(child_pid, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        try:
            for request in connection.receive(wait=False):
                connection.send(LeftoversEnded(_end_leftovers(child_pid, below=request.below)))
        except (ChannelClosed, ChannelBroken):
            return None
        processes.reap_children(keep={child_pid})


def _end_leftovers(child_pid: int, *, below: bool) -> list[str]:
    """End processes that the guarded process left behind; return the names of their programs."""
    leftovers = processes.living_descendants(os.getpid(), keep={child_pid})
    names = [processes.name(pid) for pid in leftovers]
    processes.kill_descendants(os.getpid(), keep={child_pid})
    if below:
        names += map(processes.name, processes.living_descendants(child_pid))
        processes.kill_descendants(child_pid)
        # Processes may be orphaned by these kills.
        processes.kill_descendants(os.getpid(), keep={child_pid})
    return names


def _end(child_pid: int, group: Cgroup | None, *, is_running: bool) -> None:
    """End everything below this process."""
    if group:
        group.kill()
    if not processes.visible and is_running:
        _wait_or_kill(child_pid)
    processes.kill_descendants(os.getpid())
    processes.reap_children()
    if group:
        group.remove()


def _wait_or_kill(child_pid: int) -> None:
    """Wait until `child_pid` notices the closed connection and exits; kill it if it does not."""
    # Monitors kill workers and remove folders within milliseconds.
    deadline = monotonic() + 2.0
    while not os.waitpid(child_pid, os.WNOHANG)[0]:
        if monotonic() > deadline:
            processes.kill(child_pid)
            os.waitpid(child_pid, 0)
            return
        sleep(_CHECK_EVERY_S)
