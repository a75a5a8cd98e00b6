"""The parent of one worker: it keeps the limits and leaves nothing behind.

A worker runs code that nobody vouches for. Its keeper runs none of it: it
looks at the heartbeat, ends the worker with all that descends from it when a
limit is reached, when it is told to, or when whoever could tell it is gone,
removes its folder, and reports how it went.
"""

import os
import selectors
import shutil
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Final, NoReturn

from harness.sweep import tree
from harness.sweep.channel import Frames, pack
from harness.sweep.heartbeat import Heartbeat
from harness.sweep.limits import Limits, adopt_orphans

LOOK_EVERY: Final = 0.01
"""Seconds between two looks at memory and CPU of a trial that runs."""
_IDLE: Final = 0.05
_GRACE: Final = 0.2
_TAIL: Final = 2000


class Why(StrEnum):
    """Why a worker has come to its end."""

    ITSELF = "itself"
    TOLD = "told"
    WALL = "wall time"
    CPU = "CPU time"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Report:
    """The last word of a keeper."""

    why: Why
    exit_code: int
    """Of the worker, negative for a signal."""
    serial: int | None
    """The trial that was running, None where none was."""
    since: float | None
    """When it had started, on the clock of `time.monotonic`."""
    ended: float
    """When the worker was seen to be over a limit, or to have ended."""
    cpu: float | None
    """Seconds of CPU of the trial, as far as it was seen."""
    resident: int | None
    """The most bytes in memory that were seen during the trial."""
    virtual: int | None
    """The most bytes of address space of one process that were seen during the trial."""
    output: str
    """The end of what the worker wrote to its standard output and error."""


def keep(
    control: socket.socket,
    folder: Path,
    work: Callable[[Heartbeat, Path], None],
    theirs: Sequence[int],
) -> None:
    """Fork a worker that does `work`, keep it, and report on `control`.

    Limits come through `control`, one message whenever they change. When it is
    shut down or closed at the other end, the worker is ended. `theirs` are the
    descriptors that are the worker's alone.
    """
    adopt_orphans()
    heartbeat = Heartbeat()
    folder.mkdir()
    worker = os.fork()
    if not worker:
        control.close()
        do_and_exit(partial(work, heartbeat, folder))
    for descriptor in theirs:
        os.close(descriptor)
    report = _Keeper(control, worker, heartbeat, folder).watch()
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # nobody listens any more
        control.sendall(pack(asdict(report)))


def do_and_exit(do: Callable[[], None]) -> NoReturn:
    """Do it and end this process, whatever happens.

    A forked process that returned, or let an exception through, would go on as
    a second copy of whoever forked it.
    """
    code = 1
    try:
        do()
        code = 0
    except BaseException:  # noqa: BLE001  it must not get out of here
        with suppress(BaseException):
            traceback.print_exc()
            sys.stderr.flush()
    finally:
        os._exit(code)


class _Keeper:
    """Watches one worker."""

    def __init__(
        self, control: socket.socket, worker: int, heartbeat: Heartbeat, folder: Path
    ) -> None:
        self._control = control
        self._worker = worker
        self._heartbeat = heartbeat
        self._folder = folder
        self._frames = Frames()
        self._limits = Limits()
        self._status: int | None = None
        self._seen: tuple[int, float] | None = None
        self._at_start = tree.Usage()
        self._most = tree.Usage()
        self._idle = tree.usage([worker])
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._end_seen = hasattr(os, "pidfd_open")
        if self._end_seen:
            self._selector.register(os.pidfd_open(worker), selectors.EVENT_READ)

    def watch(self) -> Report:
        """Look until there is a reason to end the worker, end it, and say why."""
        while True:
            why = self._hear() or self._look()
            if why is Why.TOLD and self._ends_by_itself():
                why = Why.ITSELF
            if why:
                return self._end(why)
            self._selector.select(self._pause())

    def _ends_by_itself(self) -> bool:
        """Whether the worker ends within moments: whoever tells may have seen it die."""
        deadline = monotonic() + _GRACE
        while not self._reap():
            if monotonic() > deadline:
                return False
            sleep(0.001)
        return True

    def _pause(self) -> float:
        if self._seen is None or not (running := self._heartbeat.running()):
            return _IDLE if self._end_seen else LOOK_EVERY
        pause = LOOK_EVERY
        if self._limits.wall is not None:
            pause = min(pause, running[1] + self._limits.wall - monotonic())
        return max(0.0, pause)

    def _hear(self) -> Why | None:
        """Take in new limits; an end of the line is an order."""
        ready = [key for key, _ in self._selector.select(0) if key.fileobj is self._control]
        if not ready:
            return None
        with suppress(ConnectionError):
            if data := self._control.recv(1 << 16):
                for message in self._frames.feed(data):
                    self._limits = Limits(**message)
                return None
        return Why.TOLD

    def _look(self) -> Why | None:
        """See what the worker is at, and whether that is too much."""
        if self._reap():
            return Why.ITSELF
        running, now = self._heartbeat.running(), monotonic()
        if running is None:
            self._seen = None
            return None
        if running != self._seen:
            self._seen = running
            self._at_start = self._most = tree.Usage()
        limits = self._limits
        if limits.wall is not None and now >= running[1] + limits.wall:
            return Why.WALL
        if not tree.visible or now < running[1] + LOOK_EVERY:
            return None
        return self._measure(limits)

    def _measure(self, limits: Limits) -> Why | None:
        usage = tree.usage(tree.descendants(os.getpid()))
        if not self._at_start.cpu:
            # The first look comes within milliseconds of the start: what was used by then
            # by the trials before is what the CPU clock shows now, less those milliseconds.
            self._at_start = usage
        most = self._most
        self._most = tree.Usage(
            max(most.resident, usage.resident),
            max(most.virtual, usage.virtual),
            usage.cpu - self._at_start.cpu,
        )
        self._heartbeat.note_memory(self._most.resident)
        if limits.memory is not None and usage.resident - self._idle.resident > limits.memory:
            return Why.MEMORY
        if limits.cpu is not None and self._most.cpu > limits.cpu:
            return Why.CPU
        return None

    def _end(self, why: Why) -> Report:
        ended, running = monotonic(), self._heartbeat.running()
        self._kill()
        assert self._status is not None
        looked = self._most != tree.Usage()
        return Report(
            why=why,
            exit_code=os.waitstatus_to_exitcode(self._status),
            serial=running[0] if running else None,
            since=running[1] if running else None,
            ended=ended,
            cpu=self._most.cpu if looked else None,
            resident=self._most.resident if looked else None,
            virtual=self._most.virtual if looked else None,
            output=_tail(self._folder / "output"),
        )

    def _kill(self) -> None:
        """Kill the worker and all that descends from it, until there is nothing left.

        A process that is forked meanwhile is found the next time round, for
        whatever loses its parent becomes a child of this process.
        """
        if self._status is None or not tree.visible:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._worker, signal.SIGKILL)
        while True:
            for pid in tree.descendants(os.getpid()):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            self._reap()
            if self._status is not None and not tree.descendants(os.getpid()):
                return
            self._selector.select(0.001)

    def _reap(self) -> bool:
        """Take leave of children that have ended; whether the worker is one of them."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._worker:
                    self._status = ended[1]
        return self._status is not None


def _tail(path: Path) -> str:
    with suppress(OSError), path.open("rb") as output:
        output.seek(max(0, path.stat().st_size - _TAIL))
        return output.read().decode(errors="replace").strip()
    return ""
