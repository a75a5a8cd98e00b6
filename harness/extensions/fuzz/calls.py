"""Cases: sequences of calls to one backend, repeated from a new worker."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from math import inf
from time import monotonic

from harness.contract import BackendSpec
from harness.engine import Supervisor
from harness.extensions.fuzz.findings import FaultKind, Judge, fault_of, seconds_of_calls
from harness.extensions.fuzz.puzzles import enumerate_patiently
from harness.extensions.fuzz.stream import batch_of
from harness.puzzles import Puzzle, Shape
from harness.records import Batch, Configuration, Question, Start, Task, TrialRecord
from harness.runs import Sink, execute

# Cases: sequences of calls to one backend, and its answers from a new worker.


@dataclass(frozen=True, slots=True)
class Call:
    """One call: what decides the answer."""

    puzzles: tuple[Puzzle, ...]
    """One puzzle; with the start `batch` one or more, all of one shape."""
    task: Task
    limit: int
    """Number of solutions at which `count` stops; 0 for `solve`."""
    start: Start

    @property
    def shape(self) -> Shape:
        """The shape of its puzzles."""
        return self.puzzles[0].shape


def call_of(record: TrialRecord) -> Call:
    """The question of a finished trial."""
    question = record.trial.question
    return Call((record.trial.instance.puzzle,), question.task, question.limit, question.start)


@dataclass(frozen=True, slots=True)
class CallSequence:
    """Calls in their order; the last one has the answer in question."""

    spec: BackendSpec
    calls: tuple[Call, ...]
    hash_seed: int = 0
    """The seed of the string hashes in the backend's process, which decides the order of a set."""

    @property
    def last(self) -> Call:
        """The call with the answer in question."""
        return self.calls[-1]

    @property
    def is_single(self) -> bool:
        """Whether it is one call about one puzzle on a new backend object."""
        return len(self.calls) == 1 and self.last.start is Start.COLD


class StreamEnded(Exception):
    """The time is up, or no backend supports the shapes of the stream."""


class _Answers(Sink):
    """Ends an execution when the time is up."""

    def __init__(self, until: float) -> None:
        super().__init__()
        self._until = until

    def flush(self) -> None:
        """End the execution if the time is up; called when no trial has ended for a moment."""
        if monotonic() >= self._until:
            raise StreamEnded


class Caller:
    """Sends the calls of cases to backends; use it as a context manager.

    Args:
        timeout_s: wall time limit of each call, in seconds.
        until: when the time for all calls ends, on the clock of `time.monotonic`; from then on
            cases get no answers.
    """

    def __init__(self, timeout_s: float, until: float = inf) -> None:
        self.until = until
        """When the time for all calls ends."""
        self.timeout_s = timeout_s
        """Wall time limit of each call, in seconds."""
        self._opened: dict[tuple[str, int], tuple[Configuration, Supervisor | None]] = {}
        self.trials = 0
        """Trials that have run."""

    def __enter__(self) -> "Caller":
        return self

    def __exit__(self, *error: object) -> None:
        while self._opened:
            _, (_, supervisor) = self._opened.popitem()
            if supervisor:
                supervisor.close()

    def configuration(self, case: CallSequence) -> Configuration:
        """The configuration of a case, which may be unavailable with these options."""
        return self._open(case)[0]

    def answers(self, case: CallSequence) -> Sequence[TrialRecord]:
        """The records of all calls, in order; empty if no backend or no time remains.

        ``repetition`` of a trial is the number of its call, from 1. A case that is not single
        gets a new worker, so that earlier calls have no effect.
        """
        supervisor = None if monotonic() >= self.until else self._open(case)[1]
        if supervisor is None:
            return ()
        if not case.is_single:
            supervisor.renew_workers()
        sink = _Answers(self.until)
        try:
            execute(supervisor, self._batches(case), sink)
        except StreamEnded:
            return ()
        self.trials += len(sink.records)
        return sink.records

    def _batches(self, case: CallSequence) -> Iterator[Batch]:
        """The calls in as few requests as possible; calls of several puzzles stay apart."""

        def request_of(numbered: tuple[int, Call]) -> tuple[object, ...]:
            number, call = numbered
            apart = number if call.start is Start.BATCH else None
            return call.task, call.limit, call.start, call.shape, apart

        for _, calls in groupby(enumerate(case.calls), request_of):
            batches = []
            for number, call in calls:
                question = Question(call.task, call.limit, call.start, self.timeout_s)
                puzzles = list(enumerate(call.puzzles))
                name = f"call {number}"
                batches.append(batch_of(name, "", puzzles, question, case.spec, number + 1))
            yield replace(batches[0], trials=[t for batch in batches for t in batch.trials])

    def _open(self, case: CallSequence) -> tuple[Configuration, Supervisor | None]:
        """The configuration of a case, and its processes if it is available."""
        place = case.spec.label, case.hash_seed
        if place not in self._opened:
            supervisor = Supervisor([case.spec], warm_up=False, hash_seed=case.hash_seed)
            (configuration,) = supervisor.open(refusals=True)
            if configuration.unavailable:
                supervisor.close()
            self._opened[place] = configuration, None if configuration.unavailable else supervisor
        return self._opened[place]


# The calls that workers have received, so that an answer that depends on them can be repeated.


_Worker = tuple[str, int | None]
"""What identifies a worker: the spec of its configuration and its core."""


class History:
    """The last 3,000 calls of each worker, in the order in which they ended."""

    def __init__(self) -> None:
        self._calls: defaultdict[_Worker, deque[Call]] = defaultdict(lambda: deque(maxlen=3_000))
        self._batch: dict[_Worker, str] = {}

    def add(self, records: Iterable[TrialRecord]) -> None:
        """Take note of finished trials."""
        for record in records:
            trial, worker = record.trial, (record.trial.spec, record.outcome.core)
            calls = self._calls[worker]
            puzzle = trial.instance.puzzle
            if trial.call is not None and self._batch.get(worker) == trial.call:
                last = calls.pop()
                calls.append(replace(last, puzzles=(*last.puzzles, puzzle)))
                continue
            self._batch[worker] = trial.call or ""
            calls.append(call_of(record))

    def up_to(self, record: TrialRecord) -> tuple[Call, ...]:
        """The calls of the worker of a trial, up to that trial."""
        calls, own = list(self._calls[record.trial.spec, record.outcome.core]), call_of(record)
        (puzzle,) = own.puzzles
        while calls and not (
            puzzle in calls[-1].puzzles and replace(calls[-1], puzzles=own.puzzles) == own
        ):
            calls.pop()
        return tuple(calls)


# Reproduction: a case that shows a fault again, from a new worker.


@dataclass(frozen=True, slots=True)
class FaultyAnswer:
    """A wrong answer in a case."""

    fault: FaultKind
    record: TrialRecord
    call: int
    """The number of its call, from 0."""


class Reproducer:
    """Decides whether a case shows a fault.

    Args:
        caller: sends the cases to backends.
        judge: determines the numbers of solutions.
    """

    def __init__(self, caller: Caller, judge: Judge) -> None:
        self.caller = caller
        self.judge = judge

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Within the `with` block, limit the wall time of each call to at most these seconds."""
        before = self.caller.timeout_s
        self.caller.timeout_s = min(before, seconds)
        try:
            yield
        finally:
            self.caller.timeout_s = before

    def faults(self, case: CallSequence) -> Iterator[FaultyAnswer]:
        """The wrong answers of all calls, in their order."""
        return self.faults_among(case, self.caller.answers(case))

    def faults_among(
        self, case: CallSequence, records: Sequence[TrialRecord]
    ) -> Iterator[FaultyAnswer]:
        """The wrong answers among the records of a case, in their order."""
        calls = seconds_of_calls(records)
        for record in records:
            if monotonic() >= self.caller.until:  # an enumeration can take a second
                return
            fault = fault_of(record, self.caller.configuration(case), calls)
            claim = record.claim
            if fault is None and claim is not None:
                count = enumerate_patiently(record.trial.instance.puzzle)
                fault = FaultKind.CONTRADICTION if claim.excludes(count) else None
            if fault is not None:
                yield FaultyAnswer(fault, record, record.trial.repetition - 1)

    def fault(self, case: CallSequence) -> FaultyAnswer | None:
        """The first wrong answer of the last call; None if its answers are right."""
        return next((f for f in self.faults(case) if f.call == len(case.calls) - 1), None)

    def fails(self, case: CallSequence, fault: FaultKind) -> bool:
        """Whether the last answer has this fault; a wrong number counts as a wrong grid."""
        outcome = self.fault(case)
        numbers = {FaultKind.WRONG, FaultKind.CONTRADICTION, FaultKind.LAW}
        return outcome is not None and (outcome.fault == fault or {outcome.fault, fault} <= numbers)

    def reproduce(
        self, spec: BackendSpec, record: TrialRecord, calls: Sequence[Call], hash_seed: int
    ) -> tuple[CallSequence, FaultyAnswer] | None:
        """The simplest case that shows the fault of a record again; None if none does.

        A new backend gets the question alone, then with the start that it had, then the whole call,
        then the calls of its worker about the same shape, then all of them.

        Args:
            spec: the configuration.
            record: the wrong answer.
            calls: the calls of its worker, the last with the wrong answer.
            hash_seed: the seed of the hashes in its worker.
        """
        question, puzzle = record.trial.question, record.trial.instance.puzzle
        alone = Call((puzzle,), question.task, question.limit, Start.COLD)
        attempts: list[tuple[Call, ...]] = [(alone,), (replace(alone, start=question.start),)]
        if calls:
            same_shape = tuple(call for call in calls if call.shape == puzzle.shape)
            attempts += [(calls[-1],), same_shape, tuple(calls)]
        for attempt in dict.fromkeys(attempts):
            case = CallSequence(spec, attempt, hash_seed)
            faulty = next(self.faults(case), None)
            if faulty is not None:
                return replace(case, calls=attempt[: faulty.call + 1]), faulty
        return None

    def rate(self, case: CallSequence, most: int) -> tuple[int, int]:
        """Repeat the last call on one backend; return the numbers of wrong answers and repetitions.

        Args:
            case: the case.
            most: the maximum number of repetitions; after 20 seconds, no further ones begin.
        """
        wrong, repetitions, end = 0, 0, min(self.caller.until, monotonic() + 20.0)
        while repetitions < most and monotonic() < end:
            number = min(most - repetitions, max(1, repetitions))
            repetition = replace(case, calls=(replace(case.last, start=Start.WARM),) * number)
            wrong += sum(1 for _ in self.faults(repetition))
            repetitions += number
        return wrong, repetitions
