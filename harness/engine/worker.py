"""The process that runs the trials of one configuration, one after another.

Its monitor, which has the imported backend, forks it. It has a session, a working folder and
a temporary folder of its own, and runs on a core of its own if there are enough. It receives
requests and sends messages, all of `harness.engine.wire.messages`; outcomes go into the journal.
"""

import os
import random
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter, time
from typing import Any

from harness.base.errors import InputError
from harness.contract import Backend, Options, Restriction, Unsupported
from harness.engine import wire
from harness.engine.meter import Calibration, Meter
from harness.engine.outcomes import (
    outcome_of_answer,
    outcome_of_error,
    outcome_of_unsupported,
    outcomes_of_batch,
)
from harness.engine.system import confine, limit_address_space
from harness.puzzles import Puzzle, Shape, pattern_puzzle
from harness.records import DEFAULT_LIMIT, Measurements, Outcome, Question, Start, Task


def run_worker(
    backend: type[Backend],
    options: Options,
    setup: wire.ForkWorker,
    descriptors: Sequence[int],
    current_trial: wire.CurrentTrial,
) -> None:
    """Run the requested trials, in a process that a monitor has forked.

    Args:
        backend: the backend.
        options: its options.
        setup: the request for this process, with its core and its limit.
        descriptors: those of its connection to the harness and of the journal's memory.
        current_trial: what the monitor sees of the trials.
    """
    to_harness, memory = descriptors
    confine([] if setup.core is None else [setup.core])
    journal = wire.Journal(memory)
    if setup.address_space_bytes is not None:
        limit_address_space(setup.address_space_bytes)
    random.seed(0)
    wire.Journal.forbid_writes(memory)
    os.close(memory)
    connection: wire.Connection[wire.TrialsRequest] = wire.Connection(
        socket.socket(fileno=to_harness), wire.TrialsRequest
    )
    Worker(backend, options, connection, journal, current_trial, setup.core).serve()


@dataclass(eq=False)
class Worker:
    """A backend with its options, and the trials that it runs."""

    _backend: type[Backend]
    _options: Options
    _connection: wire.Connection[wire.TrialsRequest]
    _journal: wire.Journal
    _current_trial: wire.CurrentTrial
    _core: int | None

    def __post_init__(self) -> None:
        self._meter = Meter(self._current_trial, self._core)
        self._built: dict[Shape, Backend] = {}
        self._warmed_up: set[tuple[str, Task, bool]] = set()
        self._pid = os.getpid()
        self._calibration = Calibration()

    def serve(self) -> None:
        """Run the requested trials until the connection is closed."""
        try:
            for request in self._connection.receive_all():
                self._run_trials(request)
        except wire.ChannelClosed:  # by the backend, or the harness has ended
            os.write(2, b"the connection to the harness was closed\n")
            os._exit(1)

    def _run_trials(self, request: wire.TrialsRequest) -> None:
        start = request.start
        question = Question(request.task, request.limit, start, request.timeout_s)
        shape = Shape.parse(request.shape)
        if request.warm_up:
            self._warm_up(shape, question)
        puzzles = [(serial, Puzzle.of_line(line, shape)) for serial, line in request.puzzles]
        calibration_s = self._calibration.due()
        self._meter.reset()
        if start is Start.BATCH:
            outcomes = self._run_batch(puzzles[0][0], [p for _, p in puzzles], question)
            for (serial, _), outcome in zip(puzzles, outcomes, strict=True):
                self._journal.append(serial, outcome)
        else:
            for serial, puzzle in puzzles:
                self._journal.append(serial, self._run_trial(serial, puzzle, question))
        self._connection.send(wire.Done(calibration_s))
        self._current_trial.stop()

    def _warm_up(self, shape: Shape, question: Question) -> None:
        """Make an unmeasured call before the first request of a kind: first calls are slow."""
        kind = (shape.spec, question.task, question.start is Start.BATCH)
        if kind in self._warmed_up:
            return
        self._warmed_up.add(kind)
        try:
            puzzle = pattern_puzzle(shape, blank_every=4)
        except InputError:
            return  # no complete grid of such a shape is known
        if question.start is Start.BATCH:
            (outcome,) = self._run_batch(wire.WARM_UP, [puzzle], question)
        else:
            first = Question(question.task, DEFAULT_LIMIT, Start.COLD, question.timeout_s)
            outcome = self._run_trial(wire.WARM_UP, puzzle, first)
        self._connection.send(
            wire.WarmedUp(question.task, shape.spec, outcome.wall_s, outcome.ending)
        )

    def _run_trial(self, serial: int, puzzle: Puzzle, question: Question) -> Outcome:
        """Run one trial."""
        shape, task, limit = puzzle.shape, question.task, question.limit

        def call(backend: Backend) -> Any:
            return backend.solve(puzzle) if task is Task.SOLVE else backend.count(puzzle, limit)

        result = self._call(serial, shape, question, call, [puzzle])
        if isinstance(result, Outcome):
            return result
        answer, measurements, decides = result
        return outcome_of_answer(answer, task, shape, measurements, decides=decides)

    def _run_batch(self, serial: int, puzzles: list[Puzzle], question: Question) -> list[Outcome]:
        """Run the trials of all these puzzles as one call."""
        import numpy as np

        shape, task, limit = puzzles[0].shape, question.task, question.limit
        givens = np.array([puzzle.givens for puzzle in puzzles], np.uint8)

        def call(backend: Backend) -> Any:
            if task is Task.SOLVE:
                return backend.solve_many(givens)
            return backend.count_many(givens, limit)

        result = self._call(serial, shape, question, call, puzzles)
        if isinstance(result, Outcome):
            return [result] * len(puzzles)
        answer, measurements, decides = result
        return outcomes_of_batch(answer, task, shape, len(puzzles), measurements, decides=decides)

    def _call(
        self,
        serial: int,
        shape: Shape,
        question: Question,
        call: Callable[[Backend], Any],
        puzzles: Sequence[Puzzle],
    ) -> tuple[Any, Measurements, bool] | Outcome:
        """Measure a call.

        Returns:
            Its answer, its measurements, and whether the backend declares that it decides every
            puzzle; only the outcome if the call failed.
        """
        began = perf_counter()
        with_pencilmarks = any(puzzle.pencilmarks for puzzle in puzzles)
        if with_pencilmarks and (refusal := self._refusal(question)):
            return outcome_of_unsupported(refusal)

        def timed_call(backend: Backend) -> tuple[Any, Backend]:
            backend.time_limit = question.timeout_s
            answer = call(backend)
            self._end_if_forked()
            self._current_trial.end_call()
            return answer, backend

        try:
            self._current_trial.start(serial, wire.TrialPhase.PREPARING)
            # Constraints belong to one puzzle: their model counts in its time at any start.
            if question.start is Start.COLD or shape.constraints:
                build = partial(self._backend, shape, self._options)
            else:
                if shape not in self._built:
                    self._built[shape] = self._backend(shape, self._options)
                build = partial(self._built.__getitem__, shape)
                began = perf_counter()
            (answer, backend), measurements = self._meter.measure(serial, build, timed_call)
            self._wait_for_monitor(measurements.wall_s or 0)
            return answer, measurements, bool(backend.complete)
        except BaseException as error:  # noqa: BLE001  a backend may raise anything
            wall_s = perf_counter() - began
            self._end_if_forked()
            self._current_trial.end_call()
            self._wait_for_monitor(wall_s)
            if isinstance(error, Unsupported):
                return outcome_of_unsupported(error)
            return outcome_of_error(error, Measurements(wall_s=wall_s, ended_at=time()))

    def _refusal(self, question: Question) -> Unsupported | None:
        """The reason why puzzles with pencilmarks get no answer here; None if they do."""
        if question.start is Start.BATCH:
            return Unsupported("a batch has no pencilmarks")
        if Restriction.PENCILMARKS not in self._backend.takes:
            return Unsupported(f"{self._backend.name} does not take pencilmarks")
        return None

    def _wait_for_monitor(self, wall_s: float) -> None:
        """Give the monitor time to notice if all processes stood still during a long call."""
        if wall_s > wire.STANDSTILL_S:
            self._current_trial.wait_for_monitor()

    def _end_if_forked(self) -> None:
        """Exit if this process is a fork of the worker that the backend let return."""
        if os.getpid() != self._pid:
            os._exit(0)
