"""Keeps workers at work and takes in what they and their keepers say.

One thread, one loop: every job has at most one trial running, and the loop
sleeps until somebody says something. Limits are kept by the keepers, each of
which watches one worker.
"""

import os
import selectors
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic, time
from typing import Final

from harness.contract.registry import Description
from harness.contract.spec import BackendSpec
from harness.errors import InputError
from harness.sweep.channel import ChannelBroken, Message
from harness.sweep.hearing import checked, outcome_in
from harness.sweep.heartbeat import WARM_UP
from harness.sweep.job import Job
from harness.sweep.keeper import Report, Why
from harness.sweep.limits import MIB, Limits, usable_cores
from harness.sweep.post_mortem import death, outcome_of
from harness.sweep.process import BackendServer, Gone, WorkerProcess
from harness.sweep.trial import Batch, Ended, Ending, Outcome

_LOOK_EVERY: Final = 0.25
"""Seconds after which a journal is read though nobody has said that there is something in it."""
START_UP_LIMIT: Final = 120.0
"""Seconds a worker may take to import its backend, or to do nothing between two trials."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A backend whose worker answered: it is ready, or it says why it is not."""

    spec: BackendSpec
    description: Description | None
    options: dict[str, bool | int | float | str]
    unavailable: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """Something about a worker that is no trial: it started, warmed up or was ended."""

    backend: str
    kind: str
    """``imported``, ``forked``, ``warmed up``, ``ended`` or ``died``."""
    detail: str
    seconds: float | None


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
        self._jobs = [Job(core) for core in _cores(jobs)]
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
        for job in self._jobs:
            for label in list(job.workers):
                self._drop(job, label)
        for server in self._servers.values():
            server.dismiss()
        while self._servers:
            self._end_server(next(iter(self._servers)))
        self._selector.close()

    def open(self) -> list[Opened]:
        """Start a server for every backend and hear what the backend is.

        Raises:
            InputError: a backend does not exist or does not take its options.
        """
        for label, spec in self._specs.items():
            self._servers[label] = server = BackendServer(spec)
            self._selector.register(server.line, selectors.EVENT_READ)
        opened: dict[str, Opened] = {}
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
    ) -> Iterator[Ended]:
        """Run the trials of these batches, and give them with their outcomes as they end.

        The batches are taken one by one, one ahead of those that run. A job that
        is free gets its next batch before what has ended is given, so that
        whoever takes it does not keep a worker waiting. `idle` is called when
        nothing has ended for a quarter of a second.
        """
        pending = iter(batches)
        upcoming = next(pending, None)
        ended: Ended = []
        while True:
            for job in self._jobs:
                if job.at_work is None and job.waiting:
                    self._send_waiting(job)
                elif job.at_work is None and upcoming:
                    self._begin(job, upcoming)
                    upcoming = next(pending, None)
            for job in self._jobs:
                ended += job.read_what_was_told()
            if ended:
                yield ended
            busy = [job for job in self._jobs if job.at_work]
            if not busy:
                return
            readable = {key.fileobj for key, _ in self._selector.select(_LOOK_EVERY)}
            for job in self._jobs:
                self._bury_idle(job, readable)
            ended = [one for job in busy for one in self._attend(job, readable)]
            if not ended and not readable:
                idle()

    def _hear_opening(self, server: BackendServer) -> Opened | None:
        """What a server says when it is opened, None as long as it says nothing."""
        late = monotonic() - server.started > START_UP_LIMIT
        ready = any(key.fileobj is server.line for key, _ in self._selector.select(0))
        try:
            for message in server.receive() if ready else ():
                if message["is"] != "preparing":
                    return self._opened(server.spec, message)
                self._notice(message["what"])
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
        return Opened(server.spec, None, {}, unavailable=why)

    def _opened(self, spec: BackendSpec, message: Message) -> Opened:
        if message["is"] == "refused" and message["why"] == "input":
            raise InputError(message["reason"])
        data = message.get("description")
        description = Description.from_dict(data) if data else None
        if message["is"] == "refused":
            return Opened(spec, description, {}, message["reason"], message["remedy"])
        self.events.append(WorkerEvent(spec.label, "imported", "", message["seconds"]))
        return Opened(spec, description, message["options"])

    def _end_server(self, label: str) -> None:
        server = self._servers.pop(label)
        with suppress(KeyError):
            self._selector.unregister(server.line)
        server.end()

    def _begin(self, job: Job, batch: Batch) -> None:
        """Give `batch` to the worker of its backend, forked if there is none."""
        job.give(batch, range(self._serial, self._serial + len(batch.trials)))
        self._serial += len(batch.trials)
        self._send_waiting(job)

    def _send_waiting(self, job: Job) -> None:
        assert job.batch is not None
        label, question = job.batch.backend, job.batch.question
        worker = job.workers.get(label)
        if worker and worker.spare != question.memory:
            self._drop(job, label)
            worker = None
        worker = worker or self._fork(job, label, question.memory)
        job.at_work = worker
        job.heard = job.looked = monotonic()
        worker.journal.clear()
        worker.limit(Limits(question.timeout, question.cpu or None, question.memory * MIB or None))
        worker.send(
            {
                "task": question.task,
                "limit": question.limit,
                "start": question.start,
                "timeout": question.timeout,
                "warm_up": label not in self._no_warm_up,
                "shape": job.waiting[0][1].entry.puzzle.shape.spec,
                "puzzles": [(serial, trial.entry.puzzle.line) for serial, trial in job.next_up()],
            }
        )

    def _fork(self, job: Job, label: str, memory: int) -> WorkerProcess:
        began = monotonic()
        try:
            worker = self._servers[label].fork(job.core, memory)
        except Gone:
            # Somebody ended the server; another one takes its place.
            self._servers[label].end()
            self._servers[label] = BackendServer(self._specs[label])
            worker = self._servers[label].fork(job.core, memory)
        job.workers[label] = worker
        self._selector.register(worker.reading, selectors.EVENT_READ)
        self._selector.register(worker.control, selectors.EVENT_READ)
        self.events.append(WorkerEvent(label, "forked", "", monotonic() - began))
        return worker

    def _drop(self, job: Job, label: str) -> None:
        worker = job.workers.pop(label)
        for end in (worker.reading, worker.control):
            with suppress(KeyError):
                self._selector.unregister(end)
        worker.close()

    def _bury_idle(self, job: Job, readable: Set[object]) -> None:
        """Take leave of workers that have ended while they had nothing to do."""
        for label, worker in list(job.workers.items()):
            if worker is not job.at_work and {worker.reading, worker.control} & readable:
                self._drop(job, label)
                self.events.append(WorkerEvent(label, "ended", "while it was idle", None))

    def _attend(self, job: Job, readable: Set[object]) -> Ended:
        """Hear what the worker of `job` and its keeper say."""
        worker = job.at_work
        assert worker is not None
        ended: Ended = []
        if worker.reading in readable:
            ended += self._hear_worker(job, worker)
        if job.at_work is None:
            return ended
        if worker.control in readable:
            return ended + self._hear_keeper(job, worker)
        now = monotonic()
        heard_no_more = worker.reading not in self._selector.get_map()
        if now > job.looked + _LOOK_EVERY and not heard_no_more:
            try:
                ended += self._read_journal(job, worker)
            except ChannelBroken as error:
                self._break_off(job, worker, error)
        if job.batch and now > job.heard + START_UP_LIMIT + job.batch.question.timeout:
            job.ordered = Outcome(Ending.DIED, detail="did nothing for minutes outside a trial")
            worker.order_end()
        return ended

    def _hear_worker(self, job: Job, worker: WorkerProcess) -> Ended:
        ended: Ended = []
        try:
            for message in worker.receive():
                ended += self._hear(job, worker, message)
        except Gone:
            # It may be dying, or have closed its pipes to go on in silence.
            self._selector.unregister(worker.reading)
            worker.order_end()
        except ChannelBroken as error:
            self._break_off(job, worker, error)
        return ended

    def _break_off(self, job: Job, worker: WorkerProcess, error: ChannelBroken) -> None:
        """End a worker that has written where it has no business."""
        with suppress(KeyError):
            self._selector.unregister(worker.reading)
        job.ordered = Outcome(Ending.BROKEN, detail=f"wrote into the worker's channel: {error}")
        worker.order_end()

    def _hear(self, job: Job, worker: WorkerProcess, message: Message) -> Ended:
        job.heard = monotonic()
        message = checked(message)
        if message["is"] == "done":
            return job.finish(worker.journal.unread())
        ended: Ended = []
        if message["is"] == "row":
            ended = self._read_journal(job, worker)
            if trial := job.take(message["serial"]):
                ended.append((trial, outcome_in(message)))
        elif message["is"] == "warm":
            what = f"{message['task']} {message['shape']}: {message['ending']}"
            self.events.append(WorkerEvent(worker.backend, "warmed up", what, message["seconds"]))
        return ended

    def _read_journal(self, job: Job, worker: WorkerProcess, *, last: bool = False) -> Ended:
        """The trials of which the worker has noted the outcome since the last time.

        None where the worker has more to say: it may be that it has broken its
        channel, and a row that was noted after that is not believed.
        """
        job.looked = monotonic()
        told = worker.journal.unread()
        if worker.has_more_to_say and not last:
            return []
        worker.journal.mark_read()
        ended = job.ended(told)
        if ended:
            job.heard = job.looked
        return ended

    def _hear_keeper(self, job: Job, worker: WorkerProcess) -> Ended:
        """The worker has ended: take in its last rows, and say what became of its trial."""
        try:
            report = worker.report()
        except (Gone, ChannelBroken):
            report = Report(Why.ITSELF, -signal.SIGKILL, None, None, monotonic(), *(None,) * 3, "")
        ordered, job.ordered = job.ordered, None
        # A worker is told to end when it has closed its channel, and may be trials further by then.
        distrusted = ordered or report.why is Why.TOLD or report.serial is None
        ended = [] if distrusted else self._last_rows(job, worker)
        self._drop(job, worker.backend)
        detail = f"{report.why}, exit code {report.exit_code}"
        self.events.append(WorkerEvent(worker.backend, "ended", detail, None))
        if job.at_work is None:  # it had said that it was done
            return ended
        job.at_work = None
        if report.serial == WARM_UP:
            self._no_warm_up.add(worker.backend)
        elif distrusted and not job.alone and not job.as_one:
            # Which trial has done it is not known, nor what of its rows is true. All that
            # have not been given yet are asked again, and the one that does it again is at fault.
            job.alone = True
        elif job.waiting:
            for trial in job.take_culprits(None if distrusted else report.serial):
                outcome = ordered or outcome_of(report, trial.question)
                ended.append((trial, outcome._replace(ended_at=time())))
        return ended

    def _last_rows(self, job: Job, worker: WorkerProcess) -> Ended:
        ended: Ended = []
        with suppress(ChannelBroken):
            ended += self._read_journal(job, worker, last=True)
        if worker.reading in self._selector.get_map():
            os.set_blocking(worker.reading, False)
            with suppress(Gone, ChannelBroken, BlockingIOError):
                while True:
                    for message in worker.receive():
                        ended += self._hear(job, worker, message)
        return ended


def _cores(jobs: int) -> list[int | None]:
    """A core of its own for each job, from the last on; none where there are too few."""
    cores = usable_cores()[::-1]
    return [*cores[:jobs]] if jobs <= len(cores) else [None] * jobs
