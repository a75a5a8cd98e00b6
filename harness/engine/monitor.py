"""The parent process of one worker: enforces limits and cleans up.

A worker runs untrusted code; its monitor runs none of it. The monitor reads the current
trial from shared memory. It kills the worker with all its descendants when a limit is
reached, when the harness requests it or when the harness is gone, removes the worker's
folder, and reports how the worker ended.
"""

import os
import selectors
import shutil
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from harness.engine.limits import Limits
from harness.engine.system import process_tree
from harness.engine.system.forking import fork_to_run
from harness.engine.system.kernel import adopt_orphans
from harness.engine.wire.channel import ChannelBroken, ChannelClosed, Connection
from harness.engine.wire.current_trial import CurrentTrial
from harness.engine.wire.messages import EndReason, MonitorReport, MonitorRequest

SAMPLE_EVERY_S: Final = 0.01
"""Seconds between two samples of memory and CPU time while a trial runs. A sample costs
40 us, 0.4 % of a core; at 1 GB/s a backend takes at most 10 MB between two of them."""
_IDLE_S: Final = 0.05
"""Seconds between two checks whether a trial has started. A wall limit shorter than this
is enforced up to 50 ms late; the answer counts as late all the same."""
_EXIT_GRACE_S: Final = 0.2
"""Seconds to wait for a worker to exit by itself after the harness has requested its end. A
dying worker's connection closes some milliseconds before the process can be reaped, and
the exit code of a crash must not be replaced by that of a kill."""
_REAP_EVERY_S: Final = 0.001
"""Seconds between two checks whether killed processes are gone, which takes milliseconds."""
_OUTPUT_BYTES: Final = 2000
"""Bytes of a worker's output that are reported, from its end: the message of an abort or the
last frames of a traceback, and short enough for a column of a table."""


def run_monitored(
    control: socket.socket,
    folder: Path,
    work: Callable[[CurrentTrial, Path], None],
    worker_descriptors: Sequence[int],
) -> None:
    """Fork a worker that runs `work`, monitor it, and report to the harness.

    Args:
        control: the connection to the harness. Each message replaces the limits; an end of
            the messages requests the end of the worker.
        folder: the worker's folder, created here and removed at the end.
        work: the function that the worker runs.
        worker_descriptors: open descriptors that only the worker uses.
    """
    adopt_orphans()
    current_trial = CurrentTrial()
    folder.mkdir()

    def run_worker() -> None:
        control.close()
        work(current_trial, folder)

    worker = fork_to_run(run_worker)
    for descriptor in worker_descriptors:
        os.close(descriptor)
    connection: Connection[MonitorRequest] = Connection(control, MonitorRequest)
    report = _Monitor(connection, worker, current_trial, folder).run()
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(ChannelClosed):  # the harness is gone
        connection.send(report)


class _Monitor:
    """Monitors one worker."""

    def __init__(
        self,
        connection: Connection[MonitorRequest],
        worker: int,
        current_trial: CurrentTrial,
        folder: Path,
    ) -> None:
        self._connection = connection
        self._worker = worker
        self._current_trial = current_trial
        self._folder = folder
        self._limits = Limits()
        self._wait_status: int | None = None
        self._observed: tuple[int, float] | None = None
        """The trial, with its start, that the samples belong to."""
        self._at_start = process_tree.Usage()
        self._peak = process_tree.Usage()
        self._baseline = process_tree.usage([worker])
        self._selector = selectors.DefaultSelector()
        self._selector.register(connection, selectors.EVENT_READ)
        self._wakes_at_exit = hasattr(os, "pidfd_open")
        if self._wakes_at_exit:
            self._selector.register(os.pidfd_open(worker), selectors.EVENT_READ)

    def run(self) -> MonitorReport:
        """Monitor until there is a reason to end the worker; end it and report."""
        while True:
            reason = self._receive_limits() or self._check()
            if reason is EndReason.REQUESTED and self._exits_by_itself():
                reason = EndReason.EXITED
            if reason:
                return self._end(reason)
            self._selector.select(self._pause())

    def _exits_by_itself(self) -> bool:
        """Whether the worker exits within the grace period."""
        deadline = monotonic() + _EXIT_GRACE_S
        while not self._reap():
            if monotonic() > deadline:
                return False
            sleep(_REAP_EVERY_S)
        return True

    def _pause(self) -> float:
        """Seconds until the next check is due."""
        if self._observed is None or not (running := self._current_trial.running()):
            return _IDLE_S if self._wakes_at_exit else SAMPLE_EVERY_S
        pause = SAMPLE_EVERY_S
        if self._limits.wall_s is not None:
            pause = min(pause, running[1] + self._limits.wall_s - monotonic())
        return max(0.0, pause)

    def _receive_limits(self) -> EndReason | None:
        """Take new limits; a closed connection is a request to end the worker."""
        try:
            for limits in self._connection.receive(wait=False):
                self._limits = limits
        except (ChannelClosed, ChannelBroken):
            return EndReason.REQUESTED
        return None

    def _check(self) -> EndReason | None:
        """Check the worker and its trial against the limits."""
        if self._reap():
            return EndReason.EXITED
        running, now = self._current_trial.running(), monotonic()
        if running is None:
            self._observed = None
            return None
        if running != self._observed:
            self._observed = running
            self._at_start = self._peak = process_tree.Usage()
        limits = self._limits
        if limits.wall_s is not None and now >= running[1] + limits.wall_s:
            return EndReason.WALL_TIME
        if not process_tree.visible or now < running[1] + SAMPLE_EVERY_S:
            return None
        return self._sample(limits)

    def _sample(self, limits: Limits) -> EndReason | None:
        """Sample memory and CPU time of the trial and check them against the limits."""
        usage = process_tree.usage(process_tree.descendants(os.getpid()))
        if not self._at_start.cpu_s:
            # The first sample comes within milliseconds of the start, so the CPU time that it
            # shows is that of the trials before, plus those milliseconds.
            self._at_start = usage
        peak = self._peak
        self._peak = process_tree.Usage(
            max(peak.resident_bytes, usage.resident_bytes),
            max(peak.virtual_bytes, usage.virtual_bytes),
            usage.cpu_s - self._at_start.cpu_s,
        )
        self._current_trial.record_memory(self._peak.resident_bytes)
        if (
            limits.memory_bytes is not None
            and usage.resident_bytes - self._baseline.resident_bytes > limits.memory_bytes
        ):
            return EndReason.MEMORY
        if limits.cpu_s is not None and self._peak.cpu_s > limits.cpu_s:
            return EndReason.CPU_TIME
        return None

    def _end(self, reason: EndReason) -> MonitorReport:
        """Kill what is left of the worker; the report on it."""
        ended_at, running = monotonic(), self._current_trial.running()
        self._kill()
        assert self._wait_status is not None
        sampled = self._peak != process_tree.Usage()
        return MonitorReport(
            reason=reason,
            exit_code=os.waitstatus_to_exitcode(self._wait_status),
            serial=running[0] if running else None,
            started_at=running[1] if running else None,
            ended_at=ended_at,
            cpu_s=self._peak.cpu_s if sampled else None,
            resident_bytes=self._peak.resident_bytes if sampled else None,
            virtual_bytes=self._peak.virtual_bytes if sampled else None,
            output=_tail(self._folder / "output"),
        )

    def _kill(self) -> None:
        """Kill the worker and all its descendants, until none is left.

        A process that is forked meanwhile is found in the next round: this process adopts
        every descendant that loses its parent.
        """
        if self._wait_status is None or not process_tree.visible:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._worker, signal.SIGKILL)
        while True:
            for pid in process_tree.descendants(os.getpid()):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            self._reap()
            if self._wait_status is not None and not process_tree.descendants(os.getpid()):
                return
            self._selector.select(_REAP_EVERY_S)

    def _reap(self) -> bool:
        """Reap children that have ended; whether the worker has ended."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._worker:
                    self._wait_status = ended[1]
        return self._wait_status is not None


def _tail(path: Path) -> str:
    with suppress(OSError), path.open("rb") as output:
        output.seek(max(0, path.stat().st_size - _OUTPUT_BYTES))
        return output.read().decode(errors="replace").strip()
    return ""
