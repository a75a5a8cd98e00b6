"""The process that runs trials: one backend, one trial after another.

Forked by its keeper from a process that has imported the backend; in a session,
a working folder and a temporary folder of its own, on a core of its own. What it
is told are the messages of `harness.sweep.channel`, and so is what it tells but
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
from harness.errors import InputError
from harness.puzzles.generate import pattern_puzzle
from harness.puzzles.puzzle import Puzzle, values_of_line
from harness.puzzles.shape import Shape
from harness.sweep.channel import Message, pack, read_messages, write_all
from harness.sweep.heartbeat import WARM_UP, Heartbeat
from harness.sweep.journal import Journal
from harness.sweep.limits import die_with_parent, limit_address_space, pin
from harness.sweep.meter import Figures, Meter
from harness.sweep.telling import told, told_of_error, told_of_many
from harness.sweep.trial import DEFAULT_LIMIT, Ending, Outcome, Question, Start, Task


@dataclass(frozen=True, slots=True)
class Place:
    """Where a worker works: its ends of the pipes, its journal, its core, its address space."""

    reading: int
    writing: int
    memory: int
    """The descriptor of the journal's memory."""
    core: int | None
    address_space: int | None
    """Bytes beyond what the worker starts with; None where it is not limited."""


def work(
    backend: type[Backend], options: Options, place: Place, heartbeat: Heartbeat, folder: Path
) -> None:
    """Be the worker: settle in `folder` and run the trials that come until there are no more."""
    parent = os.getppid()
    os.setsid()
    die_with_parent(parent)
    settle(folder)
    pin(place.core)
    if place.address_space is not None:
        limit_address_space(place.address_space)
    random.seed(0)
    journal = Journal(place.memory)
    os.close(place.memory)

    def send(message: Message) -> None:
        write_all(place.writing, pack(message))

    worker = Worker(backend, options, send, journal, heartbeat, place.core)
    worker.serve(read_messages(place.reading))


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
        send: Callable[[Message], None],
        journal: Journal,
        heartbeat: Heartbeat,
        core: int | None,
    ) -> None:
        self._backend = backend
        self._options = options
        self._send = send
        self._journal = journal
        self._heartbeat = heartbeat
        self._meter = Meter(heartbeat, core)
        self._kept: dict[Shape, Backend] = {}
        self._warmed: set[tuple[Shape, Task, bool]] = set()
        self._pid = os.getpid()

    def serve(self, messages: Iterator[Message]) -> None:
        """Do what the messages say until there are no more."""
        for message in messages:
            self._batch(message)

    def _batch(self, message: Message) -> None:
        task, start = Task(message["task"]), Start(message["start"])
        question = Question(task, message["limit"], start, message["timeout"])
        shape = Shape.parse(message["shape"])
        if message["warm_up"]:
            self._warm_up(shape, question)
        puzzles = [
            (serial, Puzzle(shape, values_of_line(line))) for serial, line in message["puzzles"]
        ]
        self._meter.begin_anew()
        if start is Start.BATCH:
            outcomes = self._ask_about_all(puzzles[0][0], [p for _, p in puzzles], question)
            for (serial, _), outcome in zip(puzzles, outcomes, strict=True):
                self._tell(serial, outcome)
        else:
            for serial, puzzle in puzzles:
                self._tell(serial, self._ask(serial, puzzle, question))
        self._send({"is": "done"})

    def _tell(self, serial: int, outcome: Outcome) -> None:
        if not self._journal.note(serial, outcome):
            self._send({"is": "row", "serial": serial, "outcome": outcome._asdict()})
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
            first = Question(question.task, DEFAULT_LIMIT, Start.COLD, question.timeout)
            outcome = self._ask(WARM_UP, puzzle, first)
        self._send(
            {"is": "warm", "shape": shape.spec, "task": question.task, "seconds": outcome.wall}
            | {"ending": outcome.ending, "detail": outcome.detail}
        )

    def _ask(self, serial: int, puzzle: Puzzle, question: Question) -> Outcome:
        """Run one trial."""
        task, limit = question.task, question.limit
        answer, figures = self._call(
            serial,
            puzzle.shape,
            question,
            lambda backend: (
                backend.solve(puzzle) if task is Task.SOLVE else backend.count(puzzle, limit)
            ),
        )
        return answer if figures is None else told(answer, task, puzzle.shape, figures)

    def _ask_about_all(
        self, serial: int, puzzles: list[Puzzle], question: Question
    ) -> list[Outcome]:
        """Run the trials of all these puzzles in one call."""
        import numpy as np

        shape, task, limit = puzzles[0].shape, question.task, question.limit
        given = np.array([puzzle.givens for puzzle in puzzles], np.uint8)
        answer, figures = self._call(
            serial,
            shape,
            question,
            lambda backend: (
                backend.solve_many(given)
                if task is Task.SOLVE
                else backend.count_many(given, limit)
            ),
        )
        if figures is None:
            return [answer] * len(puzzles)
        return told_of_many(answer, task, shape, len(puzzles), figures)

    def _call(
        self, serial: int, shape: Shape, question: Question, call: Callable[[Backend], Any]
    ) -> tuple[Any, Figures | None]:
        """An answer and what it cost; or the outcome of a call that failed, and None."""
        began = perf_counter()

        def asked(backend: Backend) -> Any:
            backend.time_limit = question.timeout
            answer = call(backend)
            self._end_if_forked()
            self._heartbeat.stop()
            return answer

        try:
            self._heartbeat.start(serial)
            if question.start is Start.COLD:
                return self._meter.measure(lambda: self._backend(shape, self._options), asked)
            kept = self._kept_backend(shape)
            self._heartbeat.start(serial)
            began = perf_counter()
            return self._meter.measure(lambda: kept, asked)
        except Unsupported as error:
            return Outcome(Ending.UNSUPPORTED, detail=str(error), ended_at=time()), None
        except BaseException as error:  # noqa: BLE001  a backend may raise anything
            self._end_if_forked()
            figures = {"wall": perf_counter() - began, "ended_at": time()}
            return told_of_error(error, figures), None
        finally:
            self._heartbeat.stop()

    def _end_if_forked(self) -> None:
        """End this process if the backend has forked it and let it come back here."""
        if os.getpid() != self._pid:
            os._exit(0)

    def _kept_backend(self, shape: Shape) -> Backend:
        if shape not in self._kept:
            self._kept[shape] = self._backend(shape, self._options)
        return self._kept[shape]
