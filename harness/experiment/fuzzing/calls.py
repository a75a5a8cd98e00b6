"""Cases: calls in a row to one backend, and its answers from a worker of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.contract.spec import BackendSpec
from harness.engine.supervisor import Supervisor
from harness.experiment.execute import execute
from harness.experiment.memory_sink import MemorySink
from harness.experiment.plan import FixedPlan
from harness.puzzles.catalogue import Instance
from harness.puzzles.puzzle import Puzzle
from harness.puzzles.shape import Shape
from harness.records.configuration import Configuration
from harness.records.question import Question, Start, Task
from harness.records.trial import Batch, Trial, TrialRecord


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
class Case:
    """Calls in their order; the last one has the answer in question."""

    spec: BackendSpec
    calls: tuple[Call, ...]
    hash_seed: int = 0
    """The seed of the hashes of texts in the backend's process: it decides the order of a set."""

    @property
    def last(self) -> Call:
        """The call with the answer in question."""
        return self.calls[-1]

    @property
    def last_number(self) -> int:
        """The number of the last call, from 0."""
        return len(self.calls) - 1

    @property
    def is_single(self) -> bool:
        """Whether it is one puzzle on a backend object of its own."""
        return len(self.calls) == 1 and self.last.start is Start.COLD


class Caller:
    """Puts cases to backends; use it as a context manager.

    Args:
        timeout_s: limit of wall time of each call, in seconds.
        memory_mib: limit of memory in MiB; 0 for no limit.
    """

    def __init__(self, timeout_s: float, memory_mib: int = 0) -> None:
        self.timeout_s = timeout_s
        """Limit of wall time of each call, in seconds."""
        self._memory_mib = memory_mib
        self._open: dict[_Place, Supervisor] = {}
        self._configurations: dict[_Place, Configuration] = {}
        self.trials = 0
        """Trials that have run."""

    def __enter__(self) -> "Caller":
        return self

    def __exit__(self, *error: object) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def configuration(self, case: Case) -> Configuration:
        """The configuration of a case, which may be unavailable with these options."""
        self._supervisor(case)
        return self._configurations[_place(case)]

    def answers(self, case: Case) -> Sequence[TrialRecord]:
        """The records of all calls, in their order; none if the backend is not available.

        ``repetition`` of a trial is the number of its call, from 1. A case that is not single
        gets a new worker, so that nothing is left of earlier calls.
        """
        supervisor = self._supervisor(case)
        if supervisor is None:
            return ()
        if not case.is_single:
            supervisor.renew_workers()
        batches = [self._batch(case.spec, call, number) for number, call in enumerate(case.calls)]
        sink = MemorySink()
        execute(supervisor, FixedPlan(_joined(batches)), sink)
        self.trials += len(sink.records)
        return sink.records

    def _batch(self, spec: BackendSpec, call: Call, number: int) -> Batch:
        question = Question.of(
            *(call.task, call.limit, call.start, self.timeout_s), 0.0, self._memory_mib
        )
        together = f"call {number}" if call.start is Start.BATCH else None
        trials = [
            Trial(
                *(spec.label, "", Instance(puzzle.id, puzzle), question, number + 1),
                spec.label,
                together,
            )
            for puzzle in call.puzzles
        ]
        return Batch(spec.label, question, trials)

    def _supervisor(self, case: Case) -> Supervisor | None:
        """The processes of the backend of a case; None if it is not available."""
        place = _place(case)
        if place not in self._configurations:
            supervisor = Supervisor([case.spec], warm_up=False, hash_seed=case.hash_seed)
            (self._configurations[place],) = supervisor.open(refusals=True)
            if self._configurations[place].unavailable:
                supervisor.close()
            else:
                self._open[place] = supervisor
        return self._open.get(place)


_Place = tuple[str, int]


def _place(case: Case) -> _Place:
    """What decides the processes of a case: the configuration and the seed of hashes."""
    return case.spec.label, case.hash_seed


def _joined(batches: Sequence[Batch]) -> list[Batch]:
    """The same trials in as few requests as possible; calls of several puzzles stay apart."""
    joined: list[Batch] = []
    for batch in batches:
        before = joined[-1] if joined else None
        if (
            before
            and batch.question == before.question
            and batch.question.start is not Start.BATCH
            and _shape(batch) == _shape(before)
        ):
            joined[-1] = Batch(before.backend, before.question, [*before.trials, *batch.trials])
        else:
            joined.append(batch)
    return joined


def _shape(batch: Batch) -> Shape:
    return batch.trials[0].instance.puzzle.shape
