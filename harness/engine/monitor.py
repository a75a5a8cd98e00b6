"""The parent process of one worker: enforces limits and cleans up.

A worker runs untrusted code; its monitor runs none of it. The monitor reads the current
trial from shared memory. It kills the worker with all its descendants when a limit is
reached, when the harness requests it or when the harness is gone, removes the worker's
folder, and reports how the worker ended.
"""

import os
import selectors
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from harness.engine.system import process_tree
from harness.engine.system.boot_clock import boot_clock
from harness.engine.system.cgroup import Cgroup
from harness.engine.system.child_environment import enter_sandbox
from harness.engine.system.forking import fork_to_run
from harness.engine.system.killing import KILL_LIMIT_S, kill
from harness.engine.system.output_file import OutputFile
from harness.engine.system.removal import remove_folder
from harness.engine.trial_watch import TrialWatch
from harness.engine.wire.channel import ChannelBroken, ChannelClosed, Connection
from harness.engine.wire.current_trial import STANDSTILL_S, CurrentTrial, TrialPhase
from harness.engine.wire.messages import (
    EndReason,
    MonitorReport,
    MonitorRequest,
    MonitorStarted,
    Watch,
)
from harness.parent import adopt_orphans, die_with_parent

_IDLE_S: Final = 0.05
"""Seconds between two looks at a worker without a request, where the system cannot wake its
monitor at its end (pidfds, Linux 5.3)."""
_LONGEST_PAUSE_S: Final = 5.0
"""Seconds between two looks at a worker without a request elsewhere."""
_EXIT_GRACE_S: Final = 0.2
"""Seconds to wait for a worker to exit by itself after the harness has requested its end. A
dying worker's connection closes some milliseconds before the process can be reaped, and
the exit code of a crash must not be replaced by that of a kill."""
_REAP_EVERY_S: Final = 0.001
"""Seconds between two checks whether killed processes are gone, which takes milliseconds."""
_REMOVAL_S: Final = 1.0
"""Seconds for removing the worker's folder before the report, so that an ordinary folder is gone
before the next worker starts. The rest of a large one is removed after the report."""


def run_monitored(
    control: socket.socket,
    folder: Path,
    work: Callable[[CurrentTrial], None],
    *,
    worker_descriptors: Sequence[int],
    group: Cgroup | None = None,
) -> None:
    """Fork a worker that runs `work`, monitor it, and report to the harness.

    Args:
        control: the connection to the harness. Its messages are limits and requests; their
            end requests the end of the worker.
        folder: the worker's folder, created here and removed at the end. It is the working
            folder of `work`.
        work: the function that the worker runs.
        worker_descriptors: open descriptors that only the worker uses.
        group: an empty cgroup for the worker and its descendants, removed at the end.
    """
    adopt_orphans()
    current_trial = CurrentTrial()
    if folder.parent.is_symlink():  # a backend put it there: what is behind it is not ours
        raise NotADirectoryError(folder.parent)
    folder.mkdir()
    output = OutputFile(folder)
    monitor = os.getpid()

    def run_worker() -> None:
        control.close()
        os.setsid()
        die_with_parent(monitor)
        if group:
            group.join()
        enter_sandbox(folder, output.fileno())
        output.close()
        work(current_trial)

    worker = fork_to_run(run_worker)
    for descriptor in worker_descriptors:
        os.close(descriptor)
    connection: Connection[MonitorRequest] = Connection(control, MonitorRequest)
    with suppress(ChannelClosed):  # the harness is gone, which the first receive shows
        connection.send(MonitorStarted(monitor, worker))
    report = _Monitor(connection, worker, current_trial, output, group).run()
    is_removed = folder.parent.is_symlink() or remove_folder(folder, limit_s=_REMOVAL_S)
    if group:
        group.remove()
    with suppress(ChannelClosed):
        connection.send(report)
    if not is_removed and not folder.parent.is_symlink():
        remove_folder(folder)


class _Monitor:
    """Monitors one worker."""

    def __init__(
        self,
        connection: Connection[MonitorRequest],
        worker: int,
        current_trial: CurrentTrial,
        output: OutputFile,
        group: Cgroup | None,
    ) -> None:
        self._connection = connection
        self._worker = worker
        self._current_trial = current_trial
        self._output = output
        self._group = group
        self._watch = TrialWatch(worker, current_trial)
        self._wait_status: int | None = None
        self._looked_at = boot_clock()
        self._stood_still_s = 0.0
        self._selector = selectors.DefaultSelector()
        self._selector.register(connection, selectors.EVENT_READ)
        self._wakes_at_exit = hasattr(os, "pidfd_open")
        if self._wakes_at_exit:
            self._selector.register(os.pidfd_open(worker), selectors.EVENT_READ)

    def run(self) -> MonitorReport:
        """Monitor until there is a reason to end the worker; end it and report."""
        pause = 0.0
        while True:
            reason = self._check(pause)
            if reason is EndReason.REQUESTED and self._exits_by_itself():
                reason = EndReason.EXITED
            if reason:
                return self._end(reason)
            pause = self._pause()
            self._selector.select(pause)

    def _check(self, pause: float) -> EndReason | None:
        """The reason to end the worker, if there is one.

        Args:
            pause: seconds after which this was due.
        """
        if self._reap():
            return EndReason.EXITED
        before, self._looked_at = self._looked_at, boot_clock()
        self._stood_still_s = self._looked_at - before - pause
        if self._watch.is_active and self._stood_still_s > STANDSTILL_S:
            return EndReason.STANDSTILL
        reason = self._receive()
        if reason or not self._watch.is_active:
            return reason
        reason = self._watch.look()
        self._current_trial.record_look(self._looked_at)
        if observed := self._watch.take_observation():
            with suppress(ChannelClosed):
                self._connection.send(observed)
        return reason

    def _receive(self) -> EndReason | None:
        """Take messages of the harness; a closed connection is a request to end the worker."""
        try:
            for message in self._connection.receive(wait=False):
                if isinstance(message, Watch):
                    self._watch.begin(message.limits)
                else:
                    self._watch.rest()
        except (ChannelClosed, ChannelBroken):
            return EndReason.REQUESTED
        return None

    def _pause(self) -> float:
        """Seconds until the next check is due."""
        if self._watch.is_active:
            return self._watch.pause()
        return _LONGEST_PAUSE_S if self._wakes_at_exit else _IDLE_S

    def _exits_by_itself(self) -> bool:
        """Whether the worker exits within the grace period."""
        deadline = monotonic() + _EXIT_GRACE_S
        while not self._reap():
            if monotonic() > deadline:
                return False
            sleep(_REAP_EVERY_S)
        return True

    def _end(self, reason: EndReason) -> MonitorReport:
        """Kill what is left of the worker; the report on it."""
        ended_at, watch = monotonic(), self._watch
        watch.follow(ended_at)  # the trial may be younger than the last look
        self._kill()
        trial, peak = watch.trial, watch.peak
        sampled = peak != process_tree.Usage()
        status = signal.SIGKILL if self._wait_status is None else self._wait_status
        return MonitorReport(
            reason=reason,
            exit_code=os.waitstatus_to_exitcode(status),
            serial=trial.serial if trial else None,
            started_at=watch.started_at,
            ended_at=ended_at,
            cpu_s=peak.cpu_s if sampled else None,
            resident_bytes=peak.resident_bytes if sampled else None,
            virtual_bytes=peak.virtual_bytes if sampled else None,
            output=self._output.tail(),
            is_reporting=trial is not None and trial.phase is TrialPhase.REPORTING,
            stood_still_s=max(0.0, self._stood_still_s),
        )

    def _kill(self) -> None:
        """Kill the worker and all its descendants, until none is left, not even a zombie.

        This process adopts every descendant that loses its parent.
        """
        if self._group:
            self._group.kill()
        if self._wait_status is None or not process_tree.visible:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._worker, signal.SIGKILL)
        deadline = monotonic() + KILL_LIMIT_S
        while True:
            for pid in process_tree.living_descendants(os.getpid()):
                kill(pid)
            if self._reap() and not process_tree.descendants(os.getpid()):
                return
            if monotonic() > deadline:
                return
            sleep(_REAP_EVERY_S)

    def _reap(self) -> bool:
        """Reap children that have ended; whether the worker has ended."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._worker:
                    self._wait_status = ended[1]
        return self._wait_status is not None
