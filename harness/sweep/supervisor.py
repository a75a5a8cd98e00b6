"""Keeps workers at work and ends those that break a limit.

One thread, one loop: every job has at most one trial running, the loop sleeps
until a worker says something or the earliest limit is reached.
"""

import selectors
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from harness.contract.registry import Description
from harness.contract.spec import BackendSpec
from harness.errors import InputError
from harness.sweep.channel import ChannelBroken, Message
from harness.sweep.heartbeat import WARM_UP
from harness.sweep.process import WorkerGone, WorkerProcess
from harness.sweep.trial import Ending, Outcome, Question, Trial

START_UP_LIMIT: Final = 120.0
"""Seconds a worker may take to import its backend, or to do nothing between two trials."""
_IDLE_LOOK: Final = 0.02


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
    """``started``, ``warmed up``, ``killed`` or ``died``."""
    detail: str
    seconds: float | None


@dataclass
class _Job:
    """One of the places where trials run."""

    workers: dict[str, WorkerProcess] = field(default_factory=dict)
    at_work: WorkerProcess | None = None
    question: Question | None = None
    waiting: deque[tuple[int, Trial]] = field(default_factory=deque)
    sent: float = 0.0
    """When the batch was sent; clocks are those of `time.monotonic`."""
    heard: float = 0.0
    """When the worker was last heard, or the batch was sent."""

    def running(self, now: float) -> tuple[int, float] | None:
        """The serial of the trial that runs and when it started.

        The heartbeat is in reach of a backend that writes where it has no
        business: a time that cannot be is taken for the last time when the
        worker was heard, a trial that cannot be for the first that is waited for.
        """
        assert self.at_work is not None
        running = self.at_work.running()
        if running is None:
            return None
        serial, since = running
        if serial != WARM_UP and all(serial != waiting for waiting, _ in self.waiting):
            serial = self.waiting[0][0] if self.waiting else WARM_UP
        return serial, since if self.sent <= since <= now else self.heard


class Supervisor:
    """Workers for these backends, `jobs` trials at a time.

    Use it as a context manager: leaving it ends every worker with all its
    children.

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
        self._jobs = [_Job() for _ in range(jobs)]
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
        """End every worker."""
        for job in self._jobs:
            for label in list(job.workers):
                self._drop(job, label)
        self._selector.close()

    def open(self) -> list[Opened]:
        """Start a worker for every backend and hear what it is.

        Raises:
            InputError: a backend does not exist or does not take its options.
        """
        job = self._jobs[0]
        opened: dict[str, Opened] = {}
        for label in self._specs:
            self._start(job, label)
        while len(opened) < len(self._specs):
            self._selector.select(timeout=1.0)
            for label, worker in list(job.workers.items()):
                if label not in opened and (answer := self._hear_opening(worker)):
                    opened[label] = answer
                    if answer.unavailable:
                        self._drop(job, label)
        return [opened[label] for label in self._specs]

    def run(self, batches: Iterable[Batch]) -> Iterator[tuple[Trial, Outcome]]:
        """Run the trials of these batches, and give each with its outcome as it ends.

        The batches are taken one by one, when a job is free. The consumer
        should be quick: limits are kept while it waits for the next outcome.
        """
        pending = iter(batches)
        while True:
            for job in self._jobs:
                if job.at_work is None and (batch := next(pending, None)):
                    self._begin(job, batch)
            busy = [job for job in self._jobs if job.at_work]
            if not busy:
                return
            self._selector.select(timeout=self._until_next_limit(busy))
            for job in busy:
                yield from self._attend(job)

    def _start(self, job: _Job, label: str) -> WorkerProcess:
        worker = WorkerProcess(self._specs[label])
        job.workers[label] = worker
        self._selector.register(worker.reading, selectors.EVENT_READ)
        return worker

    def _drop(self, job: _Job, label: str) -> None:
        worker = job.workers.pop(label)
        self._selector.unregister(worker.reading)
        worker.end()

    def _hear_opening(self, worker: WorkerProcess) -> Opened | None:
        """What a worker says when it is opened, None as long as it says nothing."""
        label = worker.spec.label
        late = monotonic() - worker.started > START_UP_LIMIT
        try:
            for message in worker.receive() if self._readable(worker) else ():
                return self._opened(worker.spec, message)
        except WorkerGone:
            ended = _death(worker.exit_code())
            tail = worker.output_tail().splitlines()
            why = f"its process {ended}{f': {tail[-1]}' if tail else ''}"
        except ChannelBroken as error:
            why = f"it wrote into the worker's channel: {error}"
        else:
            why = f"not ready after {START_UP_LIMIT:.0f} s" if late else ""
        if not why:
            return None
        self.events.append(WorkerEvent(label, "died", why, None))
        return Opened(worker.spec, None, {}, unavailable=why)

    def _readable(self, worker: WorkerProcess) -> bool:
        return any(key.fd == worker.reading for key, _ in self._selector.select(timeout=0))

    def _opened(self, spec: BackendSpec, message: Message) -> Opened:
        if message["is"] == "refused" and message["why"] == "input":
            raise InputError(message["reason"])
        data = message.get("description")
        description = Description.from_dict(data) if data else None
        if message["is"] == "refused":
            return Opened(spec, description, {}, message["reason"], message["remedy"])
        self.events.append(WorkerEvent(spec.label, "started", "", message["seconds"]))
        return Opened(spec, description, message["options"])

    def _begin(self, job: _Job, batch: Batch) -> None:
        """Give `batch` to the worker of its backend, started if there is none."""
        job.question = batch.question
        for trial in batch.trials:
            job.waiting.append((self._serial, trial))
            self._serial += 1
        self._send_waiting(job, batch.backend)

    def _send_waiting(self, job: _Job, label: str) -> None:
        assert job.question is not None
        worker = job.workers.get(label) or self._start(job, label)
        job.at_work, job.sent = worker, monotonic()
        job.heard = job.sent
        question = job.question
        worker.send(
            {
                "do": "batch",
                "task": question.task,
                "limit": question.limit,
                "start": question.start,
                "timeout": question.timeout,
                "warm_up": label not in self._no_warm_up,
                "shape": job.waiting[0][1].entry.puzzle.shape.spec,
                "puzzles": [(serial, trial.entry.puzzle.givens) for serial, trial in job.waiting],
            }
        )

    def _until_next_limit(self, busy: list[_Job]) -> float:
        now = monotonic()
        waits = []
        for job in busy:
            assert job.at_work is not None
            assert job.question is not None
            running = job.running(now)
            waits.append(_IDLE_LOOK if running is None else running[1] + job.question.timeout - now)
        return max(0.0, min(waits))

    def _attend(self, job: _Job) -> Iterator[tuple[Trial, Outcome]]:
        """Hear what the worker of `job` says and see whether it is over a limit."""
        worker = job.at_work
        assert worker is not None
        assert job.question is not None
        try:
            for message in worker.receive() if self._readable(worker) else ():
                job.heard = monotonic()
                yield from self._hear(job, message)
        except WorkerGone:
            yield from self._bury(job, worker)
            return
        except ChannelBroken as error:
            detail = f"wrote into the worker's channel: {error}"
            yield from self._end_trial(job, Outcome(Ending.BROKEN, detail=detail))
            return
        if job.at_work is None:
            return
        now = monotonic()
        running = job.running(now)
        if running and now >= running[1] + job.question.timeout and not self._readable(worker):
            yield from self._kill(job, running[0], now - running[1])
        elif running is None and now > job.heard + START_UP_LIMIT:
            detail = f"did nothing for {START_UP_LIMIT:.0f} s outside a trial"
            yield from self._end_trial(job, Outcome(Ending.DIED, detail=detail))

    def _hear(self, job: _Job, message: Message) -> Iterator[tuple[Trial, Outcome]]:
        assert job.at_work is not None
        label = job.at_work.spec.label
        match message["is"]:
            case "row":
                data = message["outcome"]
                outcome = Outcome(**(data | {"ending": Ending(data["ending"])}))
                trial = _take(job.waiting, message["serial"])
                if trial:
                    yield trial, outcome
            case "warm":
                what = f"{message['task']} {message['shape']}: {message['ending']}"
                self.events.append(WorkerEvent(label, "warmed up", what, message["seconds"]))
            case "done":
                job.at_work = None
            case "ready":
                self.events.append(WorkerEvent(label, "started", "", message["seconds"]))
            case "refused":
                # It worked when it was opened: its environment changed under the run.
                detail = f"no longer available: {message['reason']}"
                yield from self._end_trial(job, Outcome(Ending.DIED, detail=detail))

    def _kill(self, job: _Job, serial: int, seconds: float) -> Iterator[tuple[Trial, Outcome]]:
        """End a worker whose trial is over its limit."""
        assert job.at_work is not None
        label = job.at_work.spec.label
        if serial == WARM_UP:
            self._no_warm_up.add(label)
            self.events.append(WorkerEvent(label, "killed", "in its warm-up", seconds))
            self._drop(job, label)
            self._send_waiting(job, label)
            return
        self.events.append(WorkerEvent(label, "killed", "at the time limit", seconds))
        detail = f"killed after {seconds:.3f} s"
        yield from self._end_trial(job, Outcome(Ending.KILLED, detail=detail, wall=seconds), serial)

    def _bury(self, job: _Job, worker: WorkerProcess) -> Iterator[tuple[Trial, Outcome]]:
        """A worker died by itself: that is how the trial it was at ended."""
        running = job.running(monotonic())
        code, tail = worker.exit_code(), worker.output_tail()
        label, death = worker.spec.label, _death(code)
        self.events.append(WorkerEvent(label, "died", death, None))
        if running and running[0] == WARM_UP:
            self._no_warm_up.add(label)
            self._drop(job, label)
            self._send_waiting(job, label)
            return
        wall = monotonic() - running[1] if running else None
        detail = f"the process {death}\n{tail}".strip()
        outcome = Outcome(Ending.DIED, detail=detail, wall=wall, exit_code=code)
        yield from self._end_trial(job, outcome, running[0] if running else None)

    def _end_trial(
        self, job: _Job, outcome: Outcome, serial: int | None = None
    ) -> Iterator[tuple[Trial, Outcome]]:
        """End the worker together with the trial it is at, and go on with those behind it."""
        assert job.at_work is not None
        label = job.at_work.spec.label
        self._drop(job, label)
        job.at_work = None
        trial = _take(job.waiting, job.waiting[0][0] if serial is None else serial)
        if trial:
            yield trial, outcome
        if job.waiting:
            self._send_waiting(job, label)


def _take(waiting: deque[tuple[int, Trial]], serial: int) -> Trial | None:
    """The trial with this serial, taken out; None if it is not waited for."""
    for at, (number, trial) in enumerate(waiting):
        if number == serial:
            del waiting[at]
            return trial
    return None


def _death(exit_code: int) -> str:
    """How a process ended, in words."""
    if exit_code < 0:
        try:
            name = signal.Signals(-exit_code).name
        except ValueError:
            name = f"signal {-exit_code}"
        return f"was ended by {name}"
    return f"exited with code {exit_code}"
