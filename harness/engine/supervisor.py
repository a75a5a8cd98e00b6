"""Runs batches of trials on workers and collects the outcomes.

One thread, one loop: each slot has at most one trial running, and the loop sleeps until a
worker or a monitor sends something. Monitors, one for each worker, enforce the limits. The
loop itself has a deadline for everything that it waits for: a backend can stop its monitor
or its server with a signal, or hide its trial from its monitor.
"""

import selectors
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from itertools import count
from time import monotonic, time
from typing import Final

from msgspec.structs import replace

from harness.contract import BackendSpec, Unavailable
from harness.engine import wire
from harness.engine.meter import GeometricMean
from harness.engine.processes import (
    REPORT_LIMIT_S,
    SERVER_ENDED,
    ServerPool,
    WorkerHandle,
    outcome_of,
    programs,
)
from harness.engine.slot import Slot
from harness.engine.system import boot_clock, usable_cores
from harness.records import (
    WARNING_KINDS,
    Batch,
    Configuration,
    EndedTrials,
    Ending,
    Outcome,
    WorkerEvent,
)

_READ_JOURNAL_EVERY_S: Final = 0.25
"""Seconds between two reads of a journal while its worker is busy: often enough for finished
trials to be on disk within a second, rarely enough to cost nothing."""
_MOST_RERUNS: Final = 3
"""How often a trial may run again through no fault of its own: because all processes stood still,
or its worker did not start. The limit exists because a backend can cause either."""
_MOST_STARTS: Final = 3
"""Failed starts of workers in a row that make a configuration unavailable; the others go on. The
first failures may come from a busy machine."""

_OVERDUE_S: Final = 15.0
"""Seconds without progress, beyond the limit of a trial, after which the harness itself ends a
worker. Its monitor ends it within 10 seconds of any limit, unless the backend prevents that."""
_STOPPED_S: Final = 1.0
"""Seconds without progress, beyond the limit, after which the harness checks whether a signal
has stopped the monitor or the server."""
_START_LIMIT_S: Final = 3.0
"""Seconds for a server that has loaded its backend to fork a worker and its monitor, which takes
milliseconds."""


class Supervisor:
    """Workers for these configurations, running `jobs` trials at a time.

    Use it as a context manager: its end kills every worker with all its descendants.

    Args:
        specs: the configurations, with locators as `registry.resolve` returns them.
        jobs: number of slots, which is the number of trials that run at the same time.
        warm_up: whether each worker makes an unmeasured call before its first trial of a
            shape and task.
        notice: called with a line before a backend prepares for seconds.
        warn: called with the label of a configuration and an event of its workers that users
            should know about: once for each configuration and kind of event.
        hash_seed: the seed for string hashes in all workers.
        cores: the cores of the jobs; by default the last ones that this process may use.
    """

    def __init__(
        self,
        specs: Sequence[BackendSpec],
        *,
        jobs: int = 1,
        warm_up: bool = True,
        notice: Callable[[str], None] = lambda _: None,
        warn: Callable[[str, str], None] = lambda *_: None,
        hash_seed: int = 0,
        cores: Sequence[int] = (),
    ) -> None:
        self.events: deque[WorkerEvent] = deque()
        """Events of workers, for the caller to take from the left."""
        self.speed = GeometricMean()
        """The mean calibration: how fast the cores were between the trials."""
        self.unavailable: dict[str, str] = {}
        """Configurations whose workers do not start: the reason by label."""
        self._failed_starts: Counter[str] = Counter()
        self._warn = warn
        self._warned: set[tuple[str, str]] = set()
        self._servers = ServerPool(specs, notice, self._record, hash_seed)
        self._slots = [Slot(core) for core in cores or _cores(jobs)]
        self._selector = selectors.DefaultSelector()
        self._serials = count()
        self._rests_checked_at = monotonic()
        self._process = 1
        self._without_warm_up = set() if warm_up else {spec.label for spec in specs}

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End every server and every worker."""
        self._end_workers()
        self._servers.close()
        self._selector.close()

    def open(self, *, refusals: bool = False, prepares: bool = True) -> list[Configuration]:
        """Start a server for each configuration and wait until all have loaded.

        Args:
            refusals: whether options that a backend does not accept make it unavailable.
            prepares: whether backends compile what they need; otherwise they are only described.

        Raises:
            InputError: a backend does not exist or does not accept its options.
        """
        return self._servers.load(refusals=refusals, prepares=prepares)

    def _renew_servers(self, process: int) -> None:
        """End all servers, and start those of the process with this number."""
        self._end_workers()
        self._process = process
        for configuration in self._servers.renew(process):
            if configuration.unavailable:
                self.unavailable[configuration.spec.label] = configuration.unavailable

    def _end_workers(self) -> None:
        """End every worker and every monitor."""
        for slot in self._slots:
            for label in list(slot.workers):
                self._drop(slot, label)
            while slot.monitors:
                slot.monitors.popitem()[1].close()

    def renew_workers(self) -> None:
        """End all idle workers, so that the next trials have new ones."""
        for slot in self._slots:
            for label, worker in list(slot.workers.items()):
                if worker is not slot.active:
                    self._drop(slot, label)

    def run(
        self, batches: Iterable[Batch], idle: Callable[[], None] = lambda: None
    ) -> Iterator[EndedTrials]:
        """Run these batches; yield trials with their outcomes as they end.

        Batches are taken lazily, one ahead of those that run. A free slot gets its next
        batch before ended trials are yielded, so that the caller's work on them does not
        delay a worker. A batch of another process than the one before begins when that has ended
        everywhere, on servers of its own. `idle` is called if nothing has ended for a quarter of a
        second.
        """
        remaining = iter(batches)
        upcoming = next(remaining, None)
        finished_trials: EndedTrials = []
        while True:
            for slot in self._slots:
                is_free = slot.active is None and not slot.pending
                if is_free and upcoming and upcoming.process == self._process:
                    slot.assign(upcoming, self._serials)
                    upcoming = next(remaining, None)
                if slot.active is None and slot.pending:
                    finished_trials += self._request_trials(slot)
            for slot in self._slots:
                slot.rest_idle()
                finished_trials += _with_core(slot.take_finished(), slot.core)
            if finished_trials:
                yield finished_trials
            finished_trials = []
            busy = [slot for slot in self._slots if slot.active]
            if not busy and upcoming:
                if upcoming.process != self._process:
                    self._renew_servers(upcoming.process)
                continue
            if not busy:
                return
            readable = self._wait()
            for slot in self._slots:
                self._reap_idle(slot, readable)
            for slot in busy:
                finished_trials += _with_core(self._poll(slot, readable), slot.core)
            if not finished_trials and not readable:
                idle()

    def _wait(self) -> Set[object]:
        """Wait until something can be received, or a journal is to be read."""
        before = boot_clock()
        readable = {key.fileobj for key, _ in self._selector.select(_READ_JOURNAL_EVERY_S)}
        if boot_clock() - before > _READ_JOURNAL_EVERY_S + wire.STANDSTILL_S:
            now = monotonic()  # this process stood still: all deadlines start afresh
            for slot in self._slots:
                slot.progressed_at = now
                if slot.end_requested_at is not None:
                    slot.end_requested_at = now
        return readable

    def _request_trials(self, slot: Slot) -> EndedTrials:
        """Send pending trials to the worker of their backend, which is forked if necessary.

        The trials of an unavailable configuration end at once, without a worker.
        """
        assert slot.batch is not None
        label, question = slot.batch.backend, slot.batch.question
        if reason := self.unavailable.get(label):
            pending, slot.pending = slot.pending, deque()
            return [
                (trial, replace(_exit_outcome(reason), ended_at=time())) for _, trial in pending
            ]
        worker = slot.workers.get(label)
        if worker and worker.memory_limit_mib != question.memory_limit_mib:
            self._drop(slot, label)
            worker = None
        if worker and self._drop_if_busy(slot, label, worker):
            worker = None
        try:
            worker = worker or self._fork(slot, label, question.memory_limit_mib)
        except Unavailable as error:  # its environment has been removed
            self.unavailable[label] = error.reason
            return self._request_trials(slot)
        slot.begin_request(worker, monotonic())
        slot.warm_up_pending = label not in self._without_warm_up
        worker.journal.clear()
        trials = list(slot.next_trials())
        worker.send(
            wire.TrialsRequest(
                task=question.task,
                limit=question.limit,
                start=question.start,
                timeout_s=question.timeout_s,
                warm_up=slot.warm_up_pending,
                shape=trials[0][1].instance.puzzle.shape.definition,
                puzzles=[(serial, trial.instance.puzzle.line) for serial, trial in trials],
            ),
            wire.Limits(
                question.timeout_s,
                question.cpu_limit_s or None,
                question.memory_limit_mib * wire.MIB or None,
            ),
        )
        return []

    def _fork(self, slot: Slot, label: str, memory_limit_mib: int) -> WorkerHandle:
        monitor = slot.monitors.pop(label, None)
        worker = self._servers.fork(label, slot.core, memory_limit_mib, monitor)
        slot.workers[label] = worker
        self._selector.register(worker.connection, selectors.EVENT_READ)
        self._selector.register(worker.control, selectors.EVENT_READ)
        return worker

    def _drop(self, slot: Slot, label: str, *, keep_monitor: bool = False) -> None:
        """Close the worker; its monitor kills what is left, or is kept and forks the next one."""
        worker = slot.workers.pop(label)
        self._ignore(worker)
        self._selector.unregister(worker.control)
        worker.close(keep_monitor=keep_monitor)
        if keep_monitor:
            slot.monitors[label] = worker.control

    def _ignore(self, worker: WorkerHandle) -> None:
        """Receive no further messages of the worker."""
        with suppress(KeyError):
            self._selector.unregister(worker.connection)

    def _is_ignored(self, worker: WorkerHandle) -> bool:
        return worker.connection not in self._selector.get_map()

    def _reap_idle(self, slot: Slot, readable: Set[object]) -> None:
        """Drop workers that have ended, have sent something or compute while they are idle."""
        for label, worker in list(slot.workers.items()):
            if worker is slot.active:
                continue
            if worker.connection in readable or (
                worker.control in readable and self._report_of(slot, worker)
            ):
                self._drop(slot, label)
                self.events.append(WorkerEvent(label, "ended", "while it was idle"))
        now = monotonic()
        if now > self._rests_checked_at + _READ_JOURNAL_EVERY_S:
            self._rests_checked_at = now
            for label, worker in list(slot.workers.items()):
                if worker is not slot.active:
                    self._drop_if_busy(slot, label, worker)

    def _drop_if_busy(self, slot: Slot, label: str, worker: WorkerHandle) -> bool:
        """Drop an idle worker that computes; return whether it did."""
        if not worker.computes_in_rests():
            return False
        self._drop(slot, label)
        detail = "computed after its answers; its worker was replaced"
        self._record(WorkerEvent(label, "left running", detail))
        return True

    def _record(self, event: WorkerEvent) -> None:
        """Keep an event; warn about the first of its kind for a configuration."""
        self.events.append(event)
        if event.kind in WARNING_KINDS and (event.backend, event.kind) not in self._warned:
            self._warned.add((event.backend, event.kind))
            self._warn(event.backend, event.detail)

    def _report_of(self, slot: Slot, worker: WorkerHandle) -> wire.MonitorReport | None:
        """The monitor's report on the end of its worker; None while there is none."""
        try:
            return worker.receive_report()
        except (wire.ChannelClosed, wire.ChannelBroken):  # of a killed monitor, its worker with it
            if worker.is_started:
                return self._end_unmonitored(worker)
            return self._replace_server(slot, worker.backend, SERVER_ENDED)

    def _end_unmonitored(self, worker: WorkerHandle) -> wire.MonitorReport:
        """End what a killed or stopped monitor left running; return a report in its place."""
        worker.kill()
        with suppress(KeyError):  # a server that could not be replaced
            self._servers.server(worker.backend).process.end_leftovers(below=False)
        return wire.MonitorReport(
            wire.EndReason.EXITED, exit_code=-signal.SIGKILL, ended_at=monotonic()
        )

    def _replace_server(self, slot: Slot, label: str, why: str) -> wire.MonitorReport:
        """Replace a server that has not forked a worker; return a report for its monitor."""
        try:
            self._servers.replace(label, why)
        except Unavailable as error:
            self.unavailable[label] = why = error.reason
        return self._fail_start(slot, label, why)

    def _fail_start(self, slot: Slot, label: str, why: str) -> wire.MonitorReport:
        """Handle a worker that has not started; return a report in place of a monitor's."""
        self._failed_starts[label] += 1
        if self._failed_starts[label] >= _MOST_STARTS:
            self.unavailable[label] = f"{_MOST_STARTS} starts of its worker failed: {why}"
        slot.forced_outcome = _exit_outcome(why)
        return wire.MonitorReport(wire.EndReason.STANDSTILL, exit_code=-signal.SIGKILL)

    def _poll(self, slot: Slot, readable: Set[object]) -> EndedTrials:
        """Receive what the active worker of `slot` and its monitor have sent."""
        worker = slot.active
        assert worker is not None
        outcomes: EndedTrials = []
        # First what the monitor has observed: outcomes are checked against it.
        report = self._report_of(slot, worker) if worker.control in readable else None
        if worker.connection in readable and not self._is_ignored(worker):
            outcomes += self._receive(slot, worker)
        if report:
            return outcomes + self._handle_end(slot, worker, report)
        if worker.is_started or outcomes:  # a quick worker answers before its start is reported
            self._servers.server(worker.backend).has_loaded = True
            self._failed_starts.pop(worker.backend, None)
        if slot.active is None:
            if slot.one_by_one:  # the next trial must not meet what this one has left behind
                self._drop(slot, worker.backend)
            return outcomes
        now = monotonic()
        if now > slot.journal_read_at + _READ_JOURNAL_EVERY_S and not self._is_ignored(worker):
            try:
                outcomes += self._read_journal(slot, worker)
            except wire.ChannelBroken as error:
                self._reject(slot, worker, error)
        return outcomes + self._enforce_deadlines(slot, worker)

    def _enforce_deadlines(self, slot: Slot, worker: WorkerHandle) -> EndedTrials:
        """End the process that the harness has waited for too long."""
        assert slot.batch is not None
        label, limit_s, now = worker.backend, slot.batch.question.timeout_s, monotonic()
        wait_s = now - slot.progressed_at
        if not worker.is_started:
            server = self._servers.server(label)
            if wait_s > _STOPPED_S and server.process.is_stopped:
                report = self._replace_server(slot, label, "its server was stopped")
            elif wait_s > (_START_LIMIT_S if server.has_loaded else server.limit_s):
                report = self._fail_start(slot, label, "a fork handler may block them")
            else:
                return []
            return self._handle_end(slot, worker, report)
        requested_at = slot.end_requested_at
        if requested_at is not None:
            wait_s, limit_s = now - requested_at, 0.0
        is_stopped = wait_s > limit_s + _STOPPED_S and worker.is_monitor_stopped
        if is_stopped or (requested_at is not None and wait_s > REPORT_LIMIT_S):
            slot.forced_outcome = slot.forced_outcome or _exit_outcome("its monitor was stopped")
            return self._handle_end(slot, worker, self._end_unmonitored(worker))
        if requested_at is None and wait_s > limit_s + _OVERDUE_S:
            why = "no outcome: its trial was hidden from its monitor"
            slot.forced_outcome = _exit_outcome(why)
            self._request_end(slot, worker)
        return []

    def _request_end(self, slot: Slot, worker: WorkerHandle, *, is_dying: bool = False) -> None:
        if slot.end_requested_at is None:
            slot.end_requested_at = monotonic()
        worker.request_end(is_dying=is_dying)

    def _receive(self, slot: Slot, worker: WorkerHandle) -> EndedTrials:
        outcomes: EndedTrials = []
        try:
            for message in worker.connection.receive():
                outcomes += self._handle(slot, worker, message)
        except wire.ChannelClosed:
            # The worker is dying, or has closed its connection and keeps running.
            self._ignore(worker)
            self._request_end(slot, worker, is_dying=True)
        except wire.ChannelBroken as error:
            self._reject(slot, worker, error)
        return outcomes

    def _reject(self, slot: Slot, worker: WorkerHandle, error: wire.ChannelBroken) -> None:
        """End a worker whose connection or journal was written to by its backend."""
        self._ignore(worker)
        slot.forced_outcome = Outcome(
            ending=Ending.INVALID, detail=f"wrote to the worker's channels: {error}"
        )
        self._request_end(slot, worker)

    def _handle(self, slot: Slot, worker: WorkerHandle, message: wire.WorkerMessage) -> EndedTrials:
        if isinstance(message, wire.Done):
            outcomes = slot.finish_request(worker.journal.unread())
            self._finish(slot, worker)
            if message.calibration_s:
                self.speed.add(message.calibration_s)
            return outcomes
        if not slot.warm_up_pending:
            raise wire.ChannelBroken("a second unmeasured call")
        slot.warm_up_pending = False
        detail = f"{message.task} {message.shape}: {message.ending}"
        self.events.append(WorkerEvent(worker.backend, "warmed up", detail, message.seconds))
        slot.progressed_at = monotonic()
        return []

    def _finish(self, slot: Slot, worker: WorkerHandle) -> None:
        """Finish a request, and end whatever it left running before the next one begins."""
        names = worker.left_running()
        if not names:
            slot.active = None
            return
        self._ignore(worker)
        slot.is_finished = True
        self._request_end(slot, worker)
        detail = f"its trials left {programs(names)}, ended by the harness"
        self._record(WorkerEvent(worker.backend, "left running", detail))

    def _read_journal(
        self, slot: Slot, worker: WorkerHandle, *, is_final: bool = False
    ) -> EndedTrials:
        """The trials whose outcomes the worker has appended since the last read.

        Empty if a message is waiting: that message may show that the backend has written to the
        connection, and outcomes appended after that are not accepted.
        """
        slot.journal_read_at = monotonic()
        rows = worker.journal.unread()
        if worker.connection.wait_readable() and not is_final:
            return []
        worker.journal.mark_read()
        outcomes = slot.take_ended(rows)
        if outcomes:
            slot.progressed_at = slot.journal_read_at
        return outcomes

    def _handle_end(
        self, slot: Slot, worker: WorkerHandle, report: wire.MonitorReport
    ) -> EndedTrials:
        """Handle the end of a worker: its last outcomes, and the outcome of the failed trial."""
        cause, slot.forced_outcome = slot.forced_outcome, None
        # A monitor that was killed reports no trial: the warm-up may have been running.
        is_warm_up = slot.warm_up_pending and report.serial in (wire.WARM_UP, None)
        # A worker that is ended on request may have run further trials since the cause, and one
        # that ends after the report of a trial has been damaged by that trial or an earlier one.
        is_untrusted = (
            cause is not None
            or report.reason is wire.EndReason.REQUESTED
            # The serial number comes from memory that the backend can write to.
            or not (is_warm_up or slot.is_pending(report.serial))
            or (report.is_reporting and _has_reported(worker, report.serial))
        )
        is_finished = slot.active is None or slot.is_finished
        outcomes = [] if is_untrusted or is_finished else self._receive_last(slot, worker)
        self._drop(slot, worker.backend, keep_monitor=report.waits_for_next)
        detail = f"{report.reason}, exit code {report.exit_code}"
        self.events.append(WorkerEvent(worker.backend, "ended", detail))
        if is_finished or slot.active is None or slot.is_finished:
            slot.active, slot.is_finished = None, False
            return outcomes
        slot.active = None
        if report.reason is wire.EndReason.STANDSTILL and slot.reruns < _MOST_RERUNS:
            slot.reruns += 1
            if report.stood_still_s:
                standstill = f"all processes stood still for {report.stood_still_s:.1f} s"
                detail = f"{standstill}; the trial runs again"
                self._record(WorkerEvent(worker.backend, "stood still", detail))
        elif is_warm_up:
            self._without_warm_up.add(worker.backend)
        elif is_untrusted and not slot.one_by_one and not slot.is_one_call:
            # It is unknown which trial failed, and which outcomes are genuine. All pending
            # trials run again, each in a new worker, to find the failing trial.
            slot.one_by_one = True
        elif slot.pending:
            for trial in slot.take_failed(None if is_untrusted else report.serial):
                outcome = cause or outcome_of(report, trial.question)
                outcomes.append((trial, replace(outcome, ended_at=time())))
        return outcomes

    def _receive_last(self, slot: Slot, worker: WorkerHandle) -> EndedTrials:
        """The outcomes that a worker has left in its journal and its connection."""
        outcomes: EndedTrials = []
        with suppress(wire.ChannelBroken):
            outcomes += self._read_journal(slot, worker, is_final=True)
        if not self._is_ignored(worker):
            with suppress(wire.ChannelClosed, wire.ChannelBroken):
                while worker.connection.wait_readable():
                    for message in worker.connection.receive():
                        outcomes += self._handle(slot, worker, message)
        return outcomes


def _has_reported(worker: WorkerHandle, serial: int | None) -> bool:
    """Whether the unread outcomes include that of this trial, or are damaged."""
    try:
        return serial in wire.Journal.serials_in(worker.journal.unread())
    except wire.ChannelBroken:
        return True


def _exit_outcome(why: str) -> Outcome:
    return Outcome(ending=Ending.EXITED, detail=why)


def _cores(jobs: int) -> list[int | None]:
    """One core per job, beginning with the last core; None for each job if there are too few."""
    cores = usable_cores()[::-1]
    return [*cores[:jobs]] if jobs <= len(cores) else [None] * jobs


def _with_core(outcomes: EndedTrials, core: int | None) -> EndedTrials:
    """The trials with the core of their slot, even those whose worker measured nothing."""
    return [
        (trial, outcome if outcome.core is not None else replace(outcome, core=core))
        for trial, outcome in outcomes
    ]
