"""The watch over the trials of a worker: their limits, and what they use.

It belongs to the monitor and sees a trial from its start until its answer is reported. What
the worker writes about its trial is trusted only within what the monitor itself has seen.
"""

import os
from time import monotonic
from typing import Final

from harness.engine.limits import Limits
from harness.engine.system import process_tree
from harness.engine.system.memory_files import MemoryFiles
from harness.engine.wire.current_trial import CurrentTrial, RunningTrial, TrialPhase
from harness.engine.wire.messages import CallObserved, EndReason

SAMPLE_EVERY_S: Final = 0.01
"""Seconds between two samples of memory and CPU time while a trial runs. A sample costs
40 us, 0.4 % of a core; at 1 GB/s a backend takes at most 10 MB between two of them."""
_FILES_EVERY: Final = 5
"""Samples between two looks at memory in open files, which cost as much as a sample."""
_REPORT_S: Final = 1.0
"""Seconds that a worker may take, after its call has ended, to convert, report and destroy the
answer, even beyond the limit of wall time. It takes less than a millisecond, or a tenth of
a second for a batch of 1,024 large puzzles."""
_START_UP_S: Final = 10.0
"""Seconds that a new worker may take, besides its limit, until its first trial starts. It takes
milliseconds, and tenths of a second for imports; the rest is for a machine under load."""
_HIDDEN_S: Final = 1.0
"""Seconds for which a worker with a request may show no trial, besides its limit. It shows none
while it reads a request, which takes milliseconds. It also shows none until the harness has
received of the end of a request; if that takes longer, the next worker costs milliseconds."""
_FIRST_OBSERVED_S: Final = 0.1
"""Seconds after which a running call is first reported to the harness, and again each time
that this time has doubled: a bound for the time that the worker may report, at the cost of
a few messages for a long call."""


class TrialWatch:
    """Watches a worker that has a request, from the outside."""

    def __init__(self, worker: int, current_trial: CurrentTrial) -> None:
        self._worker = worker
        self._current_trial = current_trial
        self._baseline = process_tree.usage([worker])
        self._files: MemoryFiles | None = None
        self._limits = Limits()
        self.is_active = False
        """Whether the worker has a request."""
        self.trial: RunningTrial | None = None
        """The trial at the last look; None if the worker showed none."""
        self._began_at = self._serial_at = self._changed_at = self._hidden_at = 0.0
        self._looked_at = 0.0
        self._next_observed_s = _FIRST_OBSERVED_S
        self._runnable_s = 0.0
        self._cpu_s = 0.0
        self._cpu_s_before: float | None = None
        self._reset_samples()

    def _reset_samples(self) -> None:
        self._at_start = process_tree.Usage()
        self.peak = process_tree.Usage()
        """The most that was sampled during the trial."""
        self._samples = self._unmapped_bytes = 0

    def begin(self, limits: Limits) -> None:
        """The worker has a request from now on, with these limits for each trial."""
        self._limits = limits
        self.is_active = True
        self.trial = None
        self._began_at = self._hidden_at = monotonic()

    def rest(self) -> None:
        """The worker has no request from now on."""
        self.is_active = False
        self.trial = None

    def pause(self) -> float:
        """Seconds until the next look is due."""
        return max(0.0, min(SAMPLE_EVERY_S, self._deadline() - monotonic()))

    def look(self) -> EndReason | None:
        """Look at the trial; the reason to end the worker if a limit is reached."""
        now = monotonic()
        self.follow(now)
        if now >= self._deadline():
            return EndReason.WALL_TIME
        if process_tree.visible and now >= self._started_at + SAMPLE_EVERY_S:
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
        elif process_tree.visible and process_tree.state(self._worker) == "R":
            self._runnable_s += now - max(looked_at, self._changed_at)
        if before is None or trial[:2] != before[:2]:
            self._reset_samples()

    @property
    def _started_at(self) -> float:
        """The start of the trial, within what this process has seen."""
        if self.trial is None:
            return self._hidden_at
        return max(self._began_at, min(self.trial.started_at, self._changed_at))

    @property
    def started_at(self) -> float | None:
        """The start of the trial on the clock of `time.monotonic`; None without one."""
        return self._started_at if self.trial else None

    def _deadline(self) -> float:
        """The end of the time for what the worker does now."""
        limit = self._limits.wall_s
        if limit is None:
            return float("inf")
        if self.trial is None:
            allowance = _HIDDEN_S if self._current_trial.has_started else _START_UP_S
            return self._hidden_at + limit + allowance
        deadline = self.trial.started_at + limit
        if self.trial.phase is TrialPhase.REPORTING:
            deadline = max(deadline, self.trial.ended_at + _REPORT_S)
        # A trial has two limited phases at most, preparing and calling, and its report.
        return min(deadline, self._serial_at + 2 * limit + _REPORT_S)

    def _sample(self) -> EndReason | None:
        """Sample memory and CPU time of the trial and check them against the limits."""
        pids = process_tree.descendants(os.getpid())
        usage = process_tree.usage(pids)
        if self._samples % _FILES_EVERY == 0:
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
        peak = self.peak
        self.peak = process_tree.Usage(
            max(peak.resident_bytes, resident),
            max(peak.virtual_bytes, usage.virtual_bytes),
            usage.cpu_s - self._at_start.cpu_s,
        )
        self._current_trial.record_memory(self.peak.resident_bytes)
        limits = self._limits
        if (
            limits.memory_bytes is not None
            and resident - self._baseline.resident_bytes > limits.memory_bytes
        ):
            return EndReason.MEMORY
        if limits.cpu_s is not None and self.peak.cpu_s > limits.cpu_s:
            return EndReason.CPU_TIME
        return None

    @property
    def _waited_s(self) -> float:
        """The time since the last change that the worker has waited for a core."""
        if self._cpu_s_before is None:
            return 0.0
        cpu_s = max(0.0, self._cpu_s - self._cpu_s_before)
        return max(0.0, self._runnable_s - cpu_s)

    def take_observation(self) -> CallObserved | None:
        """What to report of a running call; None if nothing new.

        The time in which the worker was ready to run, and neither it nor its children got a
        core, does not count: other processes may have interrupted it between the call and the
        reading of its clock. A sleeping worker counts as running.
        """
        trial = self.trial
        if trial is None or trial.phase is not TrialPhase.CALLING:
            return None
        seconds = self._looked_at - self._changed_at - self._waited_s
        if seconds < self._next_observed_s:
            return None
        self._next_observed_s = 2 * seconds
        return CallObserved(trial.serial, seconds)
