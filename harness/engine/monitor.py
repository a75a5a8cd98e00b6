"""The parent process of one worker at a time: watches its trials, enforces limits, cleans up.

A worker runs untrusted code; its monitor runs none of it. The monitor reads the current trial
from shared memory and watches it from its start until its answer is reported. What the worker
writes about its trial is trusted only within what the monitor itself has seen. The monitor kills
the worker with all its descendants when a limit is reached, when the harness requests it or when
the harness is gone, removes the worker's folder, and reports how the worker ended. Then it forks
the next worker if the harness requests one: like the server it has the imported backend, and a
new monitor for each worker would double the time of a replacement.
"""

import os
import selectors
import signal
import socket
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from msgspec.structs import replace

from harness.base.child import adopt_orphans, die_with_parent
from harness.engine import wire
from harness.engine.system import (
    Cgroup,
    MemoryFiles,
    OutputFile,
    boot_clock,
    processes,
    remove_folder,
)

# The watch over the trials of a worker: their limits, and what they use.


SAMPLE_EVERY_S: Final = 0.01
"""Seconds between two samples of memory and CPU time while a trial runs. A sample costs
40 us, 0.4 % of a core; at 1 GB/s a backend takes at most 10 MB between two of them."""
_REPORT_S: Final = 1.0
"""Seconds that a worker may take, after its call has ended, to convert, report and destroy the
answer, even beyond the limit on wall time. It takes less than a millisecond, or a tenth of
a second for a batch of 1,024 large puzzles."""
_START_UP_S: Final = 10.0
"""Seconds that a new worker may take, besides its limit, until its first trial starts. It takes
milliseconds, or tenths of a second with imports; the rest is for a machine under load."""
_HIDDEN_S: Final = 1.0
"""Seconds for which a worker with a request may show no trial, besides its limit. It shows none
while it reads a request, which takes milliseconds. It also shows none from the end of a request
until the harness has noticed it; if that takes longer, the next worker costs milliseconds."""
_FIRST_OBSERVED_S: Final = 0.1
"""Seconds after which a running call is first reported to the harness, and again each time
that its duration has doubled: a bound on the time that the worker may report, at the cost of
a few messages for a long call."""


class TrialWatch:
    """Watches a worker that has a request, from the outside."""

    def __init__(self, worker: int, current_trial: wire.CurrentTrial) -> None:
        self._worker = worker
        self._current_trial = current_trial
        self._baseline_bytes = processes.usage([worker]).resident_bytes
        self._files: MemoryFiles | None = None
        self._limits = wire.Limits()
        self.is_active = False
        """Whether the worker has a request."""
        self.trial: wire.RunningTrial | None = None
        """The trial at the last look; None if the worker showed none."""
        self._began_at = self._serial_at = self._changed_at = self._hidden_at = 0.0
        self._looked_at = 0.0
        self._next_observed_s = _FIRST_OBSERVED_S
        self._runnable_s = 0.0
        self._cpu_s = 0.0
        self._cpu_s_before: float | None = None
        self._reset_samples()

    def _reset_samples(self) -> None:
        self._at_start = processes.ProcessUsage()
        self.peak = processes.ProcessUsage()
        """The highest sample during the trial."""
        self._samples = self._unmapped_bytes = 0

    def begin(self, limits: wire.Limits) -> None:
        """Record that the worker has a request, with these limits for each trial."""
        self._limits = limits
        self.is_active = True
        self.trial = None
        self._began_at = self._hidden_at = monotonic()

    def rest(self) -> None:
        """Record that the worker is idle."""
        self.is_active = False
        self.trial = None

    def pause(self) -> float:
        """Seconds until the next look is due."""
        return max(0.0, min(SAMPLE_EVERY_S, self._deadline() - monotonic()))

    def look(self) -> wire.EndReason | None:
        """Look at the trial; return the reason to end the worker, None within the limits."""
        now = monotonic()
        self.follow(now)
        if now >= self._deadline():
            return wire.EndReason.WALL_TIME
        started_at = self.started_at or self._hidden_at
        if processes.visible and now >= started_at + SAMPLE_EVERY_S:
            return self._sample()
        return None

    def follow(self, now: float) -> None:
        """Note what the worker shows, and what has changed since the last look.

        Args:
            now: a time before this look. Whatever the worker shows now, it showed until then,
                and what is new began before this look ended, however busy the machine is.
        """
        before, trial = self.trial, self._current_trial.running()
        looked_at = self._looked_at
        self.trial, self._looked_at = trial, now
        if trial is None:
            if before is not None:
                self._hidden_at = now
            return
        if before is None or trial.serial != before.serial:
            self._serial_at = now
        if before is None or trial[:3] != before[:3]:
            self._changed_at = monotonic()
            self._next_observed_s = _FIRST_OBSERVED_S
            self._runnable_s, self._cpu_s_before = 0.0, None
        elif processes.visible and processes.state(self._worker) == "R":
            self._runnable_s += now - max(looked_at, self._changed_at)
        if before is None or trial[:2] != before[:2]:
            self._reset_samples()

    @property
    def started_at(self) -> float | None:
        """The start that the worker claims for its trial, within what this process has seen.

        It is on the clock of `time.monotonic`; None without a trial.
        """
        if self.trial is None:
            return None
        return max(self._began_at, min(self.trial.started_at, self._changed_at))

    def _deadline(self) -> float:
        """When the worker will exceed the limit on its present phase."""
        limit = self._limits.wall_s
        if limit is None:
            return float("inf")
        if self.trial is None:
            allowance = _HIDDEN_S if self._current_trial.has_started else _START_UP_S
            return self._hidden_at + limit + allowance
        deadline = self.trial.started_at + limit
        if self.trial.phase is wire.TrialPhase.REPORTING:
            deadline = max(deadline, self.trial.ended_at + _REPORT_S)
        # A trial has two limited phases at most, preparing and calling, and its report.
        return min(deadline, self._serial_at + 2 * limit + _REPORT_S)

    def _sample(self) -> wire.EndReason | None:
        """Sample memory and CPU time of the trial and check them against the limits."""
        pids = processes.descendants(os.getpid())
        usage = processes.usage(pids)
        # A check of memory in open files costs as much as a sample.
        if self._samples % 5 == 0:
            self._files = self._files or MemoryFiles()
            self._unmapped_bytes = self._files.unmapped_bytes(pids)
        self._samples += 1
        self._cpu_s = usage.cpu_s
        if self._cpu_s_before is None:
            self._cpu_s_before = usage.cpu_s
        resident = usage.resident_bytes + self._unmapped_bytes
        if not self._at_start.cpu_s:
            # The first sample comes within milliseconds of the start, so the CPU time that it
            # shows is that of the trials before, plus those milliseconds.
            self._at_start = usage
        self.peak = processes.ProcessUsage(
            max(self.peak.resident_bytes, resident), usage.cpu_s - self._at_start.cpu_s
        )
        self._current_trial.record_memory(self.peak.resident_bytes)
        memory_bytes, cpu_s = self._limits.memory_bytes, self._limits.cpu_s
        if memory_bytes is not None and resident - self._baseline_bytes > memory_bytes:
            return wire.EndReason.MEMORY
        if cpu_s is not None and self.peak.cpu_s > cpu_s:
            return wire.EndReason.CPU_TIME
        return None

    def take_observation(self) -> wire.CallObserved | None:
        """What to report of a running call; None if there is nothing new.

        Time in which the worker was ready to run but neither it nor its children got a core
        does not count: other processes may have interrupted it between the call and the
        reading of its clock. A sleeping worker counts as running.
        """
        trial = self.trial
        if trial is None or trial.phase is not wire.TrialPhase.CALLING:
            return None
        waited_s = 0.0
        if self._cpu_s_before is not None:
            waited_s = max(0.0, self._runnable_s - max(0.0, self._cpu_s - self._cpu_s_before))
        seconds = self._looked_at - self._changed_at - waited_s
        if seconds < self._next_observed_s:
            return None
        self._next_observed_s = 2 * seconds
        return wire.CallObserved(trial.serial, seconds)


# The parent process of one worker after another: enforces limits and cleans up.


_EXIT_GRACE_S: Final = 0.2
"""Seconds to wait for a worker to exit on its own after the harness has requested its end."""
_DYING_GRACE_S: Final = 5.0
"""Seconds to wait if the worker has closed its connection: the connection of a dying process
closes before the process can be reaped, by seconds on a machine under load, and the exit code of
a crash must not be replaced by that of a kill. Only a backend that closes the connection of its
worker and keeps running makes the monitor wait that long."""
_REAP_EVERY_S: Final = 0.001
"""Seconds between two checks whether ending processes are gone; they end within milliseconds."""


@dataclass(frozen=True, slots=True)
class Monitored:
    """A worker to fork."""

    folder: Path
    """Its working folder, created by its monitor and removed at its end."""
    work: Callable[[wire.CurrentTrial], None]
    """The function that it runs."""
    descriptors: Sequence[int]
    """Open descriptors that only the worker uses."""
    group: Cgroup | None = None
    """An empty cgroup for the worker and its descendants, removed at its end."""


def run_monitored(
    control: socket.socket,
    first: Monitored,
    following: Callable[[wire.ForkWorker, Sequence[int]], Monitored] | None = None,
) -> None:
    """Fork a worker, monitor it and report to the harness; then do so with the next one.

    Args:
        control: the connection to the harness. Its messages are limits and requests; closing it
            requests the end of the worker and of this process.
        first: the first worker.
        following: makes the next worker from a request and its descriptors; None for a monitor
            of one worker.
    """
    adopt_orphans()
    connection: wire.Connection[wire.MonitorRequest] = wire.Connection(control, wire.MonitorRequest)
    worker: Monitored | None = first
    while worker and _ends_clean(connection, worker, waits_for_next=following is not None):
        worker = _next(connection, following) if following else None


def _next(
    connection: wire.Connection[wire.MonitorRequest],
    following: Callable[[wire.ForkWorker, Sequence[int]], Monitored],
) -> Monitored | None:
    """The next worker that the harness requests; None if it closes the connection."""
    descriptors: list[int] = []
    with suppress(wire.ChannelBroken):
        for request in connection.receive_with_descriptors(wire.WORKER_DESCRIPTORS, descriptors):
            if isinstance(request, wire.ForkWorker):  # other requests concern the last worker
                return following(request, descriptors)
    return None


def _ends_clean(
    connection: wire.Connection[wire.MonitorRequest],
    worker_setup: Monitored,
    *,
    waits_for_next: bool,
) -> bool:
    """Fork a worker, monitor it, and report its end.

    Args:
        connection: the connection to the harness.
        worker_setup: the worker.
        waits_for_next: whether this process forks another one after an end that leaves nothing.

    Returns:
        Whether this process waits for the next worker: the end left no process and no file.
    """
    folder, group = worker_setup.folder, worker_setup.group
    current_trial = wire.CurrentTrial()
    if folder.parent.is_symlink():  # made by a backend: its target is not ours
        raise NotADirectoryError(folder.parent)
    folder.mkdir()
    output = OutputFile(folder)
    monitor = os.getpid()

    def run_worker() -> None:
        connection.close()
        os.setsid()
        die_with_parent(monitor)
        if group:
            group.join()
        _enter_sandbox(folder, output.fileno())
        output.close()
        worker_setup.work(current_trial)

    worker = processes.fork_to_run(run_worker)
    for descriptor in worker_setup.descriptors:
        os.close(descriptor)
    with suppress(wire.ChannelClosed):  # the harness is gone, which the first receive shows
        connection.send(wire.MonitorStarted(monitor, worker))
    report = _Monitor(connection, worker, current_trial, output, group).run()
    output.close()
    # An ordinary folder is gone before the next worker starts; the rest of a large one is removed
    # after the report.
    is_removed = not folder.parent.is_symlink() and remove_folder(folder, limit_s=1.0)
    if group:
        group.remove()
    is_clean = is_removed and waits_for_next and not processes.descendants(monitor)
    with suppress(wire.ChannelClosed):
        connection.send(replace(report, waits_for_next=is_clean))
    if not is_removed and not folder.parent.is_symlink():
        remove_folder(folder)
    return is_clean


def _enter_sandbox(folder: Path, output: int) -> None:
    """Make `folder` the working, home and temporary folder of this process.

    Standard input becomes empty; standard output and error go to the file with descriptor `output`.
    """
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(nothing)


@dataclass(eq=False)
class _Monitor:
    """Monitors one worker."""

    _connection: wire.Connection[wire.MonitorRequest]
    _worker: int
    _current_trial: wire.CurrentTrial
    _output: OutputFile
    _group: Cgroup | None

    def __post_init__(self) -> None:
        self._watch = TrialWatch(self._worker, self._current_trial)
        self._wait_status: int | None = None
        self._looked_at = boot_clock()
        self._stood_still_s = 0.0
        self._grace_s = _EXIT_GRACE_S
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._connection, selectors.EVENT_READ)
        self._exit = os.pidfd_open(self._worker) if hasattr(os, "pidfd_open") else None
        if self._exit is not None:
            self._selector.register(self._exit, selectors.EVENT_READ)

    def run(self) -> wire.MonitorReport:
        """Monitor until there is a reason to end the worker; end it and report."""
        # Where the system cannot wake the monitor when the worker ends (pidfds, Linux 5.3), it
        # checks often.
        idle_s, pause = 0.05 if self._exit is None else 5.0, 0.0
        try:
            with self._selector:
                while not (reason := self._check(pause)):
                    pause = self._watch.pause() if self._watch.is_active else idle_s
                    self._selector.select(pause)
                if reason is wire.EndReason.REQUESTED and self._exits_by_itself():
                    reason = wire.EndReason.EXITED
                return self._end(reason)
        finally:
            if self._exit is not None:
                os.close(self._exit)

    def _check(self, pause: float) -> wire.EndReason | None:
        """The reason to end the worker, if there is one.

        Args:
            pause: the seconds after which this check was due.
        """
        if self._reap():
            return wire.EndReason.EXITED
        before, self._looked_at = self._looked_at, boot_clock()
        self._stood_still_s = self._looked_at - before - pause
        if self._watch.is_active and self._stood_still_s > wire.STANDSTILL_S:
            return wire.EndReason.STANDSTILL
        reason = self._receive()
        if reason or not self._watch.is_active:
            return reason
        reason = self._watch.look()
        self._current_trial.record_look(self._looked_at)
        if observation := self._watch.take_observation():
            with suppress(wire.ChannelClosed):
                self._connection.send(observation)
        return reason

    def _receive(self) -> wire.EndReason | None:
        """Take messages from the harness; a closed connection is a request to end the worker."""
        try:
            for message in self._connection.receive(wait=False):
                match message:
                    case wire.WatchTrials(limits):
                        self._watch.begin(limits)
                    case wire.EndWorker(is_dying):
                        self._grace_s = _DYING_GRACE_S if is_dying else _EXIT_GRACE_S
                        return wire.EndReason.REQUESTED
                    case wire.Rest():
                        self._watch.rest()
        except (wire.ChannelClosed, wire.ChannelBroken):
            return wire.EndReason.REQUESTED
        return None

    def _exits_by_itself(self) -> bool:
        """Whether the worker exits, or begins to exit, before the grace period ends."""
        deadline = monotonic() + self._grace_s
        while not self._reap():
            if monotonic() > deadline:
                return processes.is_ending(self._worker)
            sleep(_REAP_EVERY_S)
        return True

    def _end(self, reason: wire.EndReason) -> wire.MonitorReport:
        """Kill what is left of the worker, and return the report on it."""
        ended_at, watch = monotonic(), self._watch
        watch.follow(ended_at)  # the trial may be younger than the last look
        self._kill()
        trial, peak = watch.trial, watch.peak
        has_samples = peak != processes.ProcessUsage()
        status = signal.SIGKILL if self._wait_status is None else self._wait_status
        exit_code = os.waitstatus_to_exitcode(status)
        if reason is wire.EndReason.REQUESTED and exit_code != -signal.SIGKILL:
            reason = wire.EndReason.EXITED  # by itself, before the kill reached it
        return wire.MonitorReport(
            reason=reason,
            exit_code=exit_code,
            serial=trial.serial if trial else None,
            started_at=watch.started_at,
            ended_at=ended_at,
            cpu_s=peak.cpu_s if has_samples else None,
            resident_bytes=peak.resident_bytes if has_samples else None,
            output=self._output.tail(),
            is_reporting=trial is not None and trial.phase is wire.TrialPhase.REPORTING,
            stood_still_s=max(0.0, self._stood_still_s),
        )

    def _kill(self) -> None:
        """Kill the worker and all its descendants until not even a zombie is left, within a limit.

        This process adopts every descendant that loses its parent.
        """
        if self._group:
            self._group.kill()
        if self._wait_status is None or not processes.visible:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._worker, signal.SIGKILL)
        deadline = monotonic() + processes.KILL_LIMIT_S
        while True:
            for pid in processes.living_descendants(os.getpid()):
                processes.kill(pid)
            if self._reap() and not processes.descendants(os.getpid()):
                return
            if monotonic() > deadline:
                return
            sleep(_REAP_EVERY_S)

    def _reap(self) -> bool:
        """Reap children that have ended; return whether the worker is among those reaped so far."""
        with suppress(ChildProcessError):
            while (child := os.waitpid(-1, os.WNOHANG))[0]:
                if child[0] == self._worker:
                    self._wait_status = child[1]
        return self._wait_status is not None
