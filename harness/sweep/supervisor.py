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
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from harness.contract.registry import Description
from harness.contract.spec import BackendSpec
from harness.errors import InputError
from harness.sweep.channel import ChannelBroken, Message
from harness.sweep.heartbeat import WARM_UP
from harness.sweep.keeper import Report, Why
from harness.sweep.limits import MIB, Limits, usable_cores
from harness.sweep.post_mortem import death, outcome_of
from harness.sweep.process import BackendServer, Gone, WorkerProcess
from harness.sweep.trial import Ending, Outcome, Question, Trial

_IDLE_AFTER: Final = 0.5
START_UP_LIMIT: Final = 120.0
"""Seconds a worker may take to import its backend, or to do nothing between two trials."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Trials of one backend, one shape and one question, for one worker in a row."""

    backend: str
    question: Question
    trials: Sequence[Trial]


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


@dataclass
class _Job:
    """One of the places where trials run."""

    core: int | None
    workers: dict[str, WorkerProcess] = field(default_factory=dict)
    at_work: WorkerProcess | None = None
    question: Question | None = None
    waiting: deque[tuple[int, Trial]] = field(default_factory=deque)
    ordered: Outcome | None = None
    """What the trial at hand comes to when its worker was ordered to end."""
    heard: float = 0.0
    """When the worker was last heard, on the clock of `time.monotonic`."""


class Supervisor:
    """Workers for these backends, `jobs` trials at a time.

    Use it as a context manager: leaving it ends every worker with all that
    descends from it.

    Args:
        specs: the backends, with locators as `registry.resolve` gives them.
        jobs: how many trials run at a time.
        warm_up: whether each worker is first asked about a puzzle that is not
            measured, once a shape and task.
    """

    def __init__(
        self, specs: Sequence[BackendSpec], *, jobs: int = 1, warm_up: bool = True
    ) -> None:
        self._specs = {spec.label: spec for spec in specs}
        self._servers: dict[str, BackendServer] = {}
        self._jobs = [_Job(core) for core in _cores(jobs)]
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
    ) -> Iterator[tuple[Trial, Outcome]]:
        """Run the trials of these batches, and give each with its outcome as it ends.

        The batches are taken one by one, when a job is free. `idle` is called
        when nothing has ended for half a second.
        """
        pending = iter(batches)
        while True:
            for job in self._jobs:
                if job.at_work is None and (batch := next(pending, None)):
                    self._begin(job, batch)
            busy = [job for job in self._jobs if job.at_work]
            if not busy:
                return
            readable = {key.fileobj for key, _ in self._selector.select(_IDLE_AFTER)}
            if not readable:
                idle()
            for job in self._jobs:
                self._bury_idle(job, readable)
            for job in busy:
                yield from self._attend(job, readable)

    def _hear_opening(self, server: BackendServer) -> Opened | None:
        """What a server says when it is opened, None as long as it says nothing."""
        late = monotonic() - server.started > START_UP_LIMIT
        ready = any(key.fileobj is server.line for key, _ in self._selector.select(0))
        try:
            for message in server.receive() if ready else ():
                return self._opened(server.spec, message)
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

    def _begin(self, job: _Job, batch: Batch) -> None:
        """Give `batch` to the worker of its backend, forked if there is none."""
        job.question = batch.question
        for trial in batch.trials:
            job.waiting.append((self._serial, trial))
            self._serial += 1
        self._send_waiting(job, batch.backend)

    def _send_waiting(self, job: _Job, label: str) -> None:
        assert job.question is not None
        question = job.question
        worker = job.workers.get(label)
        if worker and worker.memory != question.memory:
            self._drop(job, label)
            worker = None
        worker = worker or self._fork(job, label, question.memory)
        job.at_work, job.heard = worker, monotonic()
        worker.limit(Limits(question.timeout, question.cpu or None, question.memory * MIB or None))
        worker.send(
            {
                "task": question.task,
                "limit": question.limit,
                "start": question.start,
                "timeout": question.timeout,
                "warm_up": label not in self._no_warm_up,
                "shape": job.waiting[0][1].entry.puzzle.shape.spec,
                "puzzles": [(serial, trial.entry.puzzle.givens) for serial, trial in job.waiting],
            }
        )

    def _fork(self, job: _Job, label: str, memory: int) -> WorkerProcess:
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

    def _drop(self, job: _Job, label: str) -> None:
        worker = job.workers.pop(label)
        for end in (worker.reading, worker.control):
            with suppress(KeyError):
                self._selector.unregister(end)
        worker.close()

    def _bury_idle(self, job: _Job, readable: Set[object]) -> None:
        """Take leave of workers that have ended while they had nothing to do."""
        for label, worker in list(job.workers.items()):
            if worker is not job.at_work and {worker.reading, worker.control} & readable:
                self._drop(job, label)
                self.events.append(WorkerEvent(label, "ended", "while it was idle", None))

    def _attend(self, job: _Job, readable: Set[object]) -> Iterator[tuple[Trial, Outcome]]:
        """Hear what the worker of `job` and its keeper say."""
        worker = job.at_work
        assert worker is not None
        if worker.reading in readable:
            yield from self._hear_worker(job, worker)
        if job.at_work is None:
            return
        if worker.control in readable:
            yield from self._hear_keeper(job, worker)
        elif job.question and monotonic() > job.heard + START_UP_LIMIT + job.question.timeout:
            job.ordered = Outcome(Ending.DIED, detail="did nothing for minutes outside a trial")
            worker.order_end()

    def _hear_worker(self, job: _Job, worker: WorkerProcess) -> Iterator[tuple[Trial, Outcome]]:
        try:
            for message in worker.receive():
                job.heard = monotonic()
                yield from self._hear(job, message)
        except Gone:
            # It may be dying, or have closed its pipes to go on in silence.
            self._selector.unregister(worker.reading)
            worker.order_end()
        except ChannelBroken as error:
            self._selector.unregister(worker.reading)
            job.ordered = Outcome(Ending.BROKEN, detail=f"wrote into the worker's channel: {error}")
            worker.order_end()

    def _hear(self, job: _Job, message: Message) -> Iterator[tuple[Trial, Outcome]]:
        assert job.at_work is not None
        if message["is"] == "row":
            data = message["outcome"]
            trial = _take(job.waiting, message["serial"])
            if trial:
                yield trial, Outcome(**(data | {"ending": Ending(data["ending"])}))
        elif message["is"] == "warm":
            what = f"{message['task']} {message['shape']}: {message['ending']}"
            backend = job.at_work.backend
            self.events.append(WorkerEvent(backend, "warmed up", what, message["seconds"]))
        else:
            job.at_work = None

    def _hear_keeper(self, job: _Job, worker: WorkerProcess) -> Iterator[tuple[Trial, Outcome]]:
        """The worker has ended: take in its last rows, and say what became of its trial."""
        try:
            report = worker.report()
        except (Gone, ChannelBroken):
            report = Report(Why.ITSELF, -signal.SIGKILL, None, None, monotonic(), *(None,) * 3, "")
        yield from self._last_rows(job, worker)
        label, ordered = worker.backend, job.ordered
        self._drop(job, label)
        at_work, job.at_work, job.ordered = job.at_work, None, None
        detail = f"{report.why}, exit code {report.exit_code}"
        self.events.append(WorkerEvent(label, "ended", detail, None))
        if at_work is None:
            return
        if report.serial == WARM_UP:
            self._no_warm_up.add(label)
        elif trial := self._trial_of(job, report):
            yield trial, ordered or outcome_of(report, trial.question)
        if job.waiting:
            self._send_waiting(job, label)

    def _last_rows(self, job: _Job, worker: WorkerProcess) -> Iterator[tuple[Trial, Outcome]]:
        if worker.reading not in self._selector.get_map():
            return
        os.set_blocking(worker.reading, False)
        with suppress(Gone, ChannelBroken, BlockingIOError):
            while True:
                for message in worker.receive():
                    yield from self._hear(job, message)

    def _trial_of(self, job: _Job, report: Report) -> Trial | None:
        """The trial that was running, or the first one that waits where that is not known."""
        if report.serial is not None and (trial := _take(job.waiting, report.serial)):
            return trial
        return _take(job.waiting, job.waiting[0][0]) if job.waiting else None


def _cores(jobs: int) -> list[int | None]:
    """A core of its own for each job, from the last on; none where there are too few."""
    cores = usable_cores()[::-1]
    return [*cores[:jobs]] if jobs <= len(cores) else [None] * jobs


def _take(waiting: deque[tuple[int, Trial]], serial: int) -> Trial | None:
    """The trial with this serial, taken out; None if it is not waited for."""
    for at, (number, trial) in enumerate(waiting):
        if number == serial:
            del waiting[at]
            return trial
    return None
