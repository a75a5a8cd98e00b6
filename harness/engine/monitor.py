"""The parent of one worker: it keeps the limits and leaves nothing behind.

A worker runs code that nobody vouches for. Its monitor runs none of it: it
looks at the current_trial, ends the worker with all that descends from it when a
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
from enum import StrEnum
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Final, NoReturn

from msgspec import Struct

from harness.engine.limits import Limits, adopt_orphans
from harness.engine.system import process_tree
from harness.engine.wire.channel import Frames, pack
from harness.engine.wire.current_trial import CurrentTrial
from harness.engine.wire.messages import MonitorRequest

LOOK_EVERY: Final = 0.01
"""Seconds between two looks at memory and CPU of a trial that runs."""
_IDLE: Final = 0.05
_GRACE: Final = 0.2
_TAIL: Final = 2000


class EndReason(StrEnum):
    """Why a worker has come to its end."""

    EXITED = "exited"
    REQUESTED = "requested"
    WALL_TIME = "wall time"
    CPU_TIME = "CPU time"
    MEMORY = "memory"


class MonitorReport(Struct, frozen=True):
    """The last word of a monitor."""

    reason: EndReason
    exit_code: int
    """Of the worker, negative for a signal."""
    serial: int | None
    """The trial that was running, None where none was."""
    since: float | None
    """When it had started, on the clock of `time.monotonic`."""
    ended: float
    """When the worker was seen to be over a limit, or to have ended."""
    cpu_s: float | None
    """Seconds of CPU of the trial, as far as it was seen."""
    resident_bytes: int | None
    """The most bytes in memory that were seen during the trial."""
    virtual_bytes: int | None
    """The most bytes of address space of one process that were seen during the trial."""
    output: str
    """The end of what the worker wrote to its standard output and error."""


def keep(
    control: socket.socket,
    folder: Path,
    work: Callable[[CurrentTrial, Path], None],
    theirs: Sequence[int],
) -> None:
    """Fork a worker that does `work`, keep it, and report on `control`.

    Limits come through `control`, one message whenever they change. When it is
    shut down or closed at the other end, the worker is ended. `theirs` are the
    descriptors that are the worker's alone.
    """
    adopt_orphans()
    current_trial = CurrentTrial()
    folder.mkdir()
    worker = os.fork()
    if not worker:
        control.close()
        do_and_exit(partial(work, current_trial, folder))
    for descriptor in theirs:
        os.close(descriptor)
    report = _Monitor(control, worker, current_trial, folder).watch()
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # nobody listens any more
        control.sendall(pack(report))


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


class _Monitor:
    """Watches one worker."""

    def __init__(
        self, control: socket.socket, worker: int, current_trial: CurrentTrial, folder: Path
    ) -> None:
        self._control = control
        self._worker = worker
        self._current_trial = current_trial
        self._folder = folder
        self._frames: Frames[MonitorRequest] = Frames(MonitorRequest)
        self._limits = Limits()
        self._status: int | None = None
        self._seen: tuple[int, float] | None = None
        self._at_start = process_tree.Usage()
        self._most = process_tree.Usage()
        self._idle = process_tree.usage([worker])
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._end_seen = hasattr(os, "pidfd_open")
        if self._end_seen:
            self._selector.register(os.pidfd_open(worker), selectors.EVENT_READ)

    def watch(self) -> MonitorReport:
        """Look until there is a reason to end the worker, end it, and say why."""
        while True:
            why = self._hear() or self._look()
            if why is EndReason.REQUESTED and self._ends_by_itself():
                why = EndReason.EXITED
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
        if self._seen is None or not (running := self._current_trial.running()):
            return _IDLE if self._end_seen else LOOK_EVERY
        pause = LOOK_EVERY
        if self._limits.wall_s is not None:
            pause = min(pause, running[1] + self._limits.wall_s - monotonic())
        return max(0.0, pause)

    def _hear(self) -> EndReason | None:
        """Take in new limits; an end of the line is an order."""
        ready = [key for key, _ in self._selector.select(0) if key.fileobj is self._control]
        if not ready:
            return None
        with suppress(ConnectionError):
            if data := self._control.recv(1 << 16):
                for limits in self._frames.feed(data):
                    self._limits = limits
                return None
        return EndReason.REQUESTED

    def _look(self) -> EndReason | None:
        """See what the worker is at, and whether that is too much."""
        if self._reap():
            return EndReason.EXITED
        running, now = self._current_trial.running(), monotonic()
        if running is None:
            self._seen = None
            return None
        if running != self._seen:
            self._seen = running
            self._at_start = self._most = process_tree.Usage()
        limits = self._limits
        if limits.wall_s is not None and now >= running[1] + limits.wall_s:
            return EndReason.WALL_TIME
        if not process_tree.visible or now < running[1] + LOOK_EVERY:
            return None
        return self._measure(limits)

    def _measure(self, limits: Limits) -> EndReason | None:
        usage = process_tree.usage(process_tree.descendants(os.getpid()))
        if not self._at_start.cpu:
            # The first look comes within milliseconds of the start: what was used by then
            # by the trials before is what the CPU clock shows now, less those milliseconds.
            self._at_start = usage
        most = self._most
        self._most = process_tree.Usage(
            max(most.resident, usage.resident),
            max(most.virtual, usage.virtual),
            usage.cpu - self._at_start.cpu,
        )
        self._current_trial.note_memory(self._most.resident)
        if (
            limits.memory_bytes is not None
            and usage.resident - self._idle.resident > limits.memory_bytes
        ):
            return EndReason.MEMORY
        if limits.cpu_s is not None and self._most.cpu > limits.cpu_s:
            return EndReason.CPU_TIME
        return None

    def _end(self, why: EndReason) -> MonitorReport:
        ended, running = monotonic(), self._current_trial.running()
        self._kill()
        assert self._status is not None
        looked = self._most != process_tree.Usage()
        return MonitorReport(
            reason=why,
            exit_code=os.waitstatus_to_exitcode(self._status),
            serial=running[0] if running else None,
            since=running[1] if running else None,
            ended=ended,
            cpu_s=self._most.cpu if looked else None,
            resident_bytes=self._most.resident if looked else None,
            virtual_bytes=self._most.virtual if looked else None,
            output=_tail(self._folder / "output"),
        )

    def _kill(self) -> None:
        """Kill the worker and all that descends from it, until there is nothing left.

        A process that is forked meanwhile is found the next time round, for
        whatever loses its parent becomes a child of this process.
        """
        if self._status is None or not process_tree.visible:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._worker, signal.SIGKILL)
        while True:
            for pid in process_tree.descendants(os.getpid()):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            self._reap()
            if self._status is not None and not process_tree.descendants(os.getpid()):
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
