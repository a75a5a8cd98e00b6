"""The process that runs trials: one backend, one trial after another.

Forked by its monitor from a process that has imported the backend; in a session,
a working folder and a temporary folder of its own, on a core of its own. What it
is told are the messages of `harness.engine.wire.channel`, and so is what it tells but
for ordinary rows, which go into the journal.
"""

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, time
from typing import Any

from harness.contract.backend import Backend, Unsupported
from harness.contract.options import Options
from harness.engine.limits import die_with_parent, limit_address_space, pin
from harness.engine.meter import Meter
from harness.engine.wire.channel import pack, read_messages, write_all
from harness.engine.wire.current_trial import WARM_UP, CurrentTrial
from harness.engine.wire.journal import Journal
from harness.engine.wire.messages import Done, Row, TrialsRequest, WarmedUp, WorkerMessage
from harness.engine.wire.outcomes import (
    outcome_of_answer,
    outcome_of_error,
    outcome_of_unsupported,
    outcomes_of_batch,
)
from harness.errors import InputError
from harness.puzzles.generate import pattern_puzzle
from harness.puzzles.puzzle import Puzzle, values_of_line
from harness.puzzles.shape import Shape
from harness.records.outcome import Measurements, Outcome
from harness.records.question import DEFAULT_LIMIT, Question, Start, Task


@dataclass(frozen=True, slots=True)
class WorkerConfiguration:
    """Where a worker works: its ends of the pipes, its journal, its core, its address space."""

    reading: int
    writing: int
    memory: int
    """The descriptor of the journal's memory."""
    core: int | None
    address_space_bytes: int | None
    """Bytes beyond what the worker starts with; None where it is not limited."""


def work(
    backend: type[Backend],
    options: Options,
    configuration: WorkerConfiguration,
    current_trial: CurrentTrial,
    folder: Path,
) -> None:
    """Be the worker: settle in `folder` and run the trials that come until there are no more."""
    parent = os.getppid()
    os.setsid()
    die_with_parent(parent)
    settle(folder)
    pin(configuration.core)
    if configuration.address_space_bytes is not None:
        limit_address_space(configuration.address_space_bytes)
    random.seed(0)
    journal = Journal(configuration.memory)
    os.close(configuration.memory)

    def send(message: WorkerMessage) -> None:
        write_all(configuration.writing, pack(message))

    worker = Worker(backend, options, send, journal, current_trial, configuration.core)
    worker.serve(read_messages(configuration.reading, TrialsRequest))


def settle(folder: Path) -> None:
    """Make `folder` the working, the home and the temporary folder and the place of all output."""
    os.chdir(folder)
    os.environ["HOME"] = os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    output = os.open("output", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(output)
    os.close(nothing)


class Worker:
    """A backend with its options, and the puzzles it is asked about."""

    def __init__(
        self,
        backend: type[Backend],
        options: Options,
        send: Callable[[WorkerMessage], None],
        journal: Journal,
        current_trial: CurrentTrial,
        core: int | None,
    ) -> None:
        self._backend = backend
        self._options = options
        self._send = send
        self._journal = journal
        self._current_trial = current_trial
        self._meter = Meter(current_trial, core)
        self._kept: dict[Shape, Backend] = {}
        self._warmed: set[tuple[Shape, Task, bool]] = set()
        self._pid = os.getpid()

    def serve(self, messages: Iterator[TrialsRequest]) -> None:
        """Do what the messages say until there are no more."""
        for message in messages:
            self._batch(message)

    def _batch(self, request: TrialsRequest) -> None:
        start = request.start
        question = Question(request.task, request.limit, start, request.timeout_s)
        shape = Shape.parse(request.shape)
        if request.warm_up:
            self._warm_up(shape, question)
        puzzles = [
            (serial, Puzzle(shape, values_of_line(line))) for serial, line in request.puzzles
        ]
        self._meter.begin_anew()
        if start is Start.BATCH:
            outcomes = self._ask_about_all(puzzles[0][0], [p for _, p in puzzles], question)
            for (serial, _), outcome in zip(puzzles, outcomes, strict=True):
                self._tell(serial, outcome)
        else:
            for serial, puzzle in puzzles:
                self._tell(serial, self._ask(serial, puzzle, question))
        self._send(Done())

    def _tell(self, serial: int, outcome: Outcome) -> None:
        if not self._journal.append(serial, outcome):
            self._send(Row(serial, outcome))
            self._meter.begin_anew()

    def _warm_up(self, shape: Shape, question: Question) -> None:
        """The first call of a kind is slow: make it on a puzzle that is not measured."""
        kind = (shape, question.task, question.start is Start.BATCH)
        if kind in self._warmed:
            return
        self._warmed.add(kind)
        try:
            puzzle = pattern_puzzle(shape, blank_every=4)
        except InputError:
            return
        if question.start is Start.BATCH:
            (outcome,) = self._ask_about_all(WARM_UP, [puzzle], question)
        else:
            first = Question(question.task, DEFAULT_LIMIT, Start.COLD, question.timeout_s)
            outcome = self._ask(WARM_UP, puzzle, first)
        self._send(WarmedUp(question.task, shape.spec, outcome.wall_s, outcome.ending))

    def _ask(self, serial: int, puzzle: Puzzle, question: Question) -> Outcome:
        """Run one trial."""
        task, limit = question.task, question.limit
        answer, measurements = self._call(
            serial,
            puzzle.shape,
            question,
            lambda backend: (
                backend.solve(puzzle) if task is Task.SOLVE else backend.count(puzzle, limit)
            ),
        )
        if measurements is None:
            failed: Outcome = answer
            return failed
        return outcome_of_answer(answer, task, puzzle.shape, measurements)

    def _ask_about_all(
        self, serial: int, puzzles: list[Puzzle], question: Question
    ) -> list[Outcome]:
        """Run the trials of all these puzzles in one call."""
        import numpy as np

        shape, task, limit = puzzles[0].shape, question.task, question.limit
        given = np.array([puzzle.givens for puzzle in puzzles], np.uint8)
        answer, measurements = self._call(
            serial,
            shape,
            question,
            lambda backend: (
                backend.solve_many(given)
                if task is Task.SOLVE
                else backend.count_many(given, limit)
            ),
        )
        if measurements is None:
            return [answer] * len(puzzles)
        return outcomes_of_batch(answer, task, shape, len(puzzles), measurements)

    def _call(
        self, serial: int, shape: Shape, question: Question, call: Callable[[Backend], Any]
    ) -> tuple[Any, Measurements | None]:
        """An answer and what it cost; or the outcome of a call that failed, and None."""
        began = perf_counter()

        def asked(backend: Backend) -> Any:
            backend.time_limit = question.timeout_s
            answer = call(backend)
            self._end_if_forked()
            self._current_trial.stop()
            return answer

        try:
            self._current_trial.start(serial)
            if question.start is Start.COLD:
                return self._meter.measure(lambda: self._backend(shape, self._options), asked)
            kept = self._kept_backend(shape)
            self._current_trial.start(serial)
            began = perf_counter()
            return self._meter.measure(lambda: kept, asked)
        except Unsupported as error:
            return outcome_of_unsupported(error, Measurements(ended_at=time())), None
        except BaseException as error:  # noqa: BLE001  a backend may raise anything
            self._end_if_forked()
            measurements = Measurements(wall_s=perf_counter() - began, ended_at=time())
            return outcome_of_error(error, measurements), None
        finally:
            self._current_trial.stop()

    def _end_if_forked(self) -> None:
        """End this process if the backend has forked it and let it come back here."""
        if os.getpid() != self._pid:
            os._exit(0)

    def _kept_backend(self, shape: Shape) -> Backend:
        if shape not in self._kept:
            self._kept[shape] = self._backend(shape, self._options)
        return self._kept[shape]
