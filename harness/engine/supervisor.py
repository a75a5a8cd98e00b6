"""Keeps workers at work and takes in what they and their monitors say.

One thread, one loop: every job has at most one trial running, and the loop
sleeps until somebody says something. Limits are kept by the monitors, each of
which watches one worker.
"""

import os
import selectors
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from time import monotonic, time
from typing import Final

from msgspec.structs import replace

from harness.contract.spec import BackendSpec
from harness.engine.limits import MIB, Limits, usable_cores
from harness.engine.monitor import EndReason, MonitorReport
from harness.engine.processes import BackendServer, Gone, WorkerProcess
from harness.engine.slot import Slot
from harness.engine.termination import death, outcome_of
from harness.engine.wire.channel import ChannelBroken
from harness.engine.wire.current_trial import WARM_UP
from harness.engine.wire.messages import (
    Done,
    Preparing,
    Ready,
    Refused,
    Row,
    TrialsRequest,
    WorkerMessage,
)
from harness.errors import InputError
from harness.records.configuration import Configuration, WorkerEvent
from harness.records.outcome import Ending, Outcome
from harness.records.trial import Batch, EndedTrials

_LOOK_EVERY: Final = 0.25
"""Seconds after which a journal is read though nobody has said that there is something in it."""
START_UP_LIMIT: Final = 120.0
"""Seconds a worker may take to import its backend, or to do nothing between two trials."""


class Supervisor:
    """Workers for these backends, `jobs` trials at a time.

    Use it as a context manager: leaving it ends every worker with all that
    descends from it.

    Args:
        specs: the backends, with locators as `registry.resolve` gives them.
        jobs: how many trials run at a time.
        warm_up: whether each worker is first asked about a puzzle that is not
            measured, once a shape and task.
        notice: told what a backend does before it is ready, where that takes seconds.
    """

    def __init__(
        self,
        specs: Sequence[BackendSpec],
        *,
        jobs: int = 1,
        warm_up: bool = True,
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._notice = notice
        self._specs = {spec.label: spec for spec in specs}
        self._servers: dict[str, BackendServer] = {}
        self._slots = [Slot(core) for core in _cores(jobs)]
        self._selector = selectors.DefaultSelector()
        self._serial = 0
        self._no_warm_up: set[str] = set() if warm_up else set(self._specs)
        self.events: deque[WorkerEvent] = deque()
        """What happened to workers; whoever runs the supervisor takes them from the left."""

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End every server and every worker."""
        for slot in self._slots:
            for label in list(slot.workers):
                self._drop(slot, label)
        for server in self._servers.values():
            server.dismiss()
        while self._servers:
            self._end_server(next(iter(self._servers)))
        self._selector.close()

    def open(self) -> list[Configuration]:
        """Start a server for every backend and hear what the backend is.

        Raises:
            InputError: a backend does not exist or does not take its options.
        """
        for label, spec in self._specs.items():
            self._servers[label] = server = BackendServer(spec)
            self._selector.register(server.line, selectors.EVENT_READ)
        opened: dict[str, Configuration] = {}
        while len(opened) < len(self._specs):
            self._selector.select(timeout=1.0)
            for label, server in list(self._servers.items()):
                if label not in opened and (answer := self._hear_opening(server)):
                    opened[label] = answer
                    if answer.unavailable:
                        self._end_server(label)
        for server in self._servers.values():
            self._selector.unregister(server.line)
        return [opened[label] for label in self._specs]

    def run(
        self, batches: Iterable[Batch], idle: Callable[[], None] = lambda: None
    ) -> Iterator[EndedTrials]:
        """Run the trials of these batches, and give them with their outcomes as they end.

        The batches are taken one by one, one ahead of those that run. A job that
        is free gets its next batch before what has ended is given, so that
        whoever takes it does not keep a worker waiting. `idle` is called when
        nothing has ended for a quarter of a second.
        """
        pending = iter(batches)
        upcoming = next(pending, None)
        ended: EndedTrials = []
        while True:
            for slot in self._slots:
                if slot.at_work is None and slot.waiting:
                    self._send_waiting(slot)
                elif slot.at_work is None and upcoming:
                    self._begin(slot, upcoming)
                    upcoming = next(pending, None)
            for slot in self._slots:
                ended += slot.read_what_was_told()
            if ended:
                yield ended
            busy = [slot for slot in self._slots if slot.at_work]
            if not busy:
                return
            readable = {key.fileobj for key, _ in self._selector.select(_LOOK_EVERY)}
            for slot in self._slots:
                self._bury_idle(slot, readable)
            ended = [one for slot in busy for one in self._attend(slot, readable)]
            if not ended and not readable:
                idle()

    def _hear_opening(self, server: BackendServer) -> Configuration | None:
        """What a server says when it is opened, None as long as it says nothing."""
        late = monotonic() - server.started > START_UP_LIMIT
        ready = any(key.fileobj is server.line for key, _ in self._selector.select(0))
        try:
            for message in server.receive() if ready else ():
                if not isinstance(message, Preparing):
                    return self._opened(server.spec, message)
                self._notice(message.what)
        except Gone:
            code, output = server.death()
            last = output.splitlines()[-1:]
            why = f"its process {': '.join([death(code), *last])}"
        except ChannelBroken as error:
            why = f"it wrote into the server's line: {error}"
        else:
            why = f"not ready after {START_UP_LIMIT:.0f} s" if late else ""
        if not why:
            return None
        self.events.append(WorkerEvent(server.spec.label, "died", why, None))
        return Configuration(server.spec, None, {}, unavailable=why)

    def _opened(self, spec: BackendSpec, message: Ready | Refused) -> Configuration:
        if isinstance(message, Ready):
            self.events.append(WorkerEvent(spec.label, "imported", "", message.seconds))
            return Configuration(spec, message.description, message.options)
        if message.kind == "input":
            raise InputError(message.reason)
        return Configuration(spec, message.description, {}, message.reason, message.remedy)

    def _end_server(self, label: str) -> None:
        server = self._servers.pop(label)
        with suppress(KeyError):
            self._selector.unregister(server.line)
        server.end()

    def _begin(self, slot: Slot, batch: Batch) -> None:
        """Give `batch` to the worker of its backend, forked if there is none."""
        slot.give(batch, range(self._serial, self._serial + len(batch.trials)))
        self._serial += len(batch.trials)
        self._send_waiting(slot)

    def _send_waiting(self, slot: Slot) -> None:
        assert slot.batch is not None
        label, question = slot.batch.backend, slot.batch.question
        worker = slot.workers.get(label)
        if worker and worker.spare != question.memory_limit_mib:
            self._drop(slot, label)
            worker = None
        worker = worker or self._fork(slot, label, question.memory_limit_mib)
        slot.at_work = worker
        slot.heard = slot.looked = monotonic()
        worker.journal.clear()
        worker.limit(
            Limits(
                question.timeout_s,
                question.cpu_limit_s or None,
                question.memory_limit_mib * MIB or None,
            )
        )
        worker.send(
            TrialsRequest(
                task=question.task,
                limit=question.limit,
                start=question.start,
                timeout_s=question.timeout_s,
                warm_up=label not in self._no_warm_up,
                shape=slot.waiting[0][1].instance.puzzle.shape.spec,
                puzzles=[(serial, trial.instance.puzzle.line) for serial, trial in slot.next_up()],
            )
        )

    def _fork(self, slot: Slot, label: str, memory: int) -> WorkerProcess:
        began = monotonic()
        try:
            worker = self._servers[label].fork(slot.core, memory)
        except Gone:
            # Somebody ended the server; another one takes its place.
            self._servers[label].end()
            self._servers[label] = BackendServer(self._specs[label])
            worker = self._servers[label].fork(slot.core, memory)
        slot.workers[label] = worker
        self._selector.register(worker.reading, selectors.EVENT_READ)
        self._selector.register(worker.control, selectors.EVENT_READ)
        self.events.append(WorkerEvent(label, "forked", "", monotonic() - began))
        return worker

    def _drop(self, slot: Slot, label: str) -> None:
        worker = slot.workers.pop(label)
        for end in (worker.reading, worker.control):
            with suppress(KeyError):
                self._selector.unregister(end)
        worker.close()

    def _bury_idle(self, slot: Slot, readable: Set[object]) -> None:
        """Take leave of workers that have ended while they had nothing to do."""
        for label, worker in list(slot.workers.items()):
            if worker is not slot.at_work and {worker.reading, worker.control} & readable:
                self._drop(slot, label)
                self.events.append(WorkerEvent(label, "ended", "while it was idle", None))

    def _attend(self, slot: Slot, readable: Set[object]) -> EndedTrials:
        """Hear what the worker of `job` and its monitor say."""
        worker = slot.at_work
        assert worker is not None
        ended: EndedTrials = []
        if worker.reading in readable:
            ended += self._hear_worker(slot, worker)
        if slot.at_work is None:
            return ended
        if worker.control in readable:
            return ended + self._hear_monitor(slot, worker)
        now = monotonic()
        heard_no_more = worker.reading not in self._selector.get_map()
        if now > slot.looked + _LOOK_EVERY and not heard_no_more:
            try:
                ended += self._read_journal(slot, worker)
            except ChannelBroken as error:
                self._break_off(slot, worker, error)
        if slot.batch and now > slot.heard + START_UP_LIMIT + slot.batch.question.timeout_s:
            slot.ordered = Outcome(
                ending=Ending.EXITED, detail="did nothing for minutes outside a trial"
            )
            worker.order_end()
        return ended

    def _hear_worker(self, slot: Slot, worker: WorkerProcess) -> EndedTrials:
        ended: EndedTrials = []
        try:
            for message in worker.receive():
                ended += self._hear(slot, worker, message)
        except Gone:
            # It may be dying, or have closed its pipes to go on in silence.
            self._selector.unregister(worker.reading)
            worker.order_end()
        except ChannelBroken as error:
            self._break_off(slot, worker, error)
        return ended

    def _break_off(self, slot: Slot, worker: WorkerProcess, error: ChannelBroken) -> None:
        """End a worker that has written where it has no business."""
        with suppress(KeyError):
            self._selector.unregister(worker.reading)
        slot.ordered = Outcome(
            ending=Ending.INVALID, detail=f"wrote into the worker's channel: {error}"
        )
        worker.order_end()

    def _hear(self, slot: Slot, worker: WorkerProcess, message: WorkerMessage) -> EndedTrials:
        slot.heard = monotonic()
        if isinstance(message, Done):
            return slot.finish(worker.journal.unread())
        ended: EndedTrials = []
        if isinstance(message, Row):
            ended = self._read_journal(slot, worker)
            if trial := slot.take(message.serial):
                ended.append((trial, message.outcome))
        else:
            what = f"{message.task} {message.shape}: {message.ending}"
            self.events.append(WorkerEvent(worker.backend, "warmed up", what, message.seconds))
        return ended

    def _read_journal(
        self, slot: Slot, worker: WorkerProcess, *, last: bool = False
    ) -> EndedTrials:
        """The trials of which the worker has noted the outcome since the last time.

        None where the worker has more to say: it may be that it has broken its
        channel, and a row that was noted after that is not believed.
        """
        slot.looked = monotonic()
        told = worker.journal.unread()
        if worker.has_more_to_say and not last:
            return []
        worker.journal.mark_read()
        ended = slot.ended(told)
        if ended:
            slot.heard = slot.looked
        return ended

    def _hear_monitor(self, slot: Slot, worker: WorkerProcess) -> EndedTrials:
        """The worker has ended: take in its last rows, and say what became of its trial."""
        try:
            report = worker.report()
        except (Gone, ChannelBroken):
            report = MonitorReport(
                EndReason.EXITED, -signal.SIGKILL, None, None, monotonic(), None, None, None, ""
            )
        ordered, slot.ordered = slot.ordered, None
        # A worker is told to end when it has closed its channel, and may be trials further by then.
        distrusted = ordered or report.reason is EndReason.REQUESTED or report.serial is None
        ended = [] if distrusted else self._last_rows(slot, worker)
        self._drop(slot, worker.backend)
        detail = f"{report.reason}, exit code {report.exit_code}"
        self.events.append(WorkerEvent(worker.backend, "ended", detail, None))
        if slot.at_work is None:  # it had said that it was done
            return ended
        slot.at_work = None
        if report.serial == WARM_UP:
            self._no_warm_up.add(worker.backend)
        elif distrusted and not slot.alone and not slot.as_one:
            # Which trial has done it is not known, nor what of its rows is true. All that
            # have not been given yet are asked again, and the one that does it again is at fault.
            slot.alone = True
        elif slot.waiting:
            for trial in slot.take_culprits(None if distrusted else report.serial):
                outcome = ordered or outcome_of(report, trial.question)
                ended.append((trial, replace(outcome, ended_at=time())))
        return ended

    def _last_rows(self, slot: Slot, worker: WorkerProcess) -> EndedTrials:
        ended: EndedTrials = []
        with suppress(ChannelBroken):
            ended += self._read_journal(slot, worker, last=True)
        if worker.reading in self._selector.get_map():
            os.set_blocking(worker.reading, False)
            with suppress(Gone, ChannelBroken, BlockingIOError):
                while True:
                    for message in worker.receive():
                        ended += self._hear(slot, worker, message)
        return ended


def _cores(jobs: int) -> list[int | None]:
    """A core of its own for each job, from the last on; none where there are too few."""
    cores = usable_cores()[::-1]
    return [*cores[:jobs]] if jobs <= len(cores) else [None] * jobs
