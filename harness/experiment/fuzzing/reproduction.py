"""Reproduction: a case that shows a fault again, from a new worker."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from harness.contract.spec import BackendSpec
from harness.experiment.fuzzing.calls import Call, Caller, Case
from harness.experiment.fuzzing.claims import claim_of
from harness.experiment.fuzzing.findings import Fault, fault_of, seconds_of_calls
from harness.experiment.fuzzing.judgement import Judge
from harness.records.question import Start
from harness.records.trial import TrialRecord


@dataclass(frozen=True, slots=True)
class FaultyAnswer:
    """An answer of a case that is wrong."""

    fault: Fault
    record: TrialRecord
    call: int
    """The number of its call, from 0."""


class Reproducer:
    """Decides whether a case shows a fault.

    Args:
        caller: puts the cases to backends.
        judge: knows the numbers of solutions.
    """

    def __init__(self, caller: Caller, judge: Judge) -> None:
        self._caller = caller
        self._judge = judge

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit the wall time of each call to at most these seconds in the block."""
        before = self._caller.timeout_s
        self._caller.timeout_s = min(before, seconds)
        try:
            yield
        finally:
            self._caller.timeout_s = before

    def faults(self, case: Case) -> Iterator[FaultyAnswer]:
        """The wrong answers of all calls, in their order."""
        return self.faults_among(case, self._caller.answers(case))

    def faults_among(self, case: Case, records: Sequence[TrialRecord]) -> Iterator[FaultyAnswer]:
        """The wrong ones of the answers to a case, in their order."""
        configuration = self._caller.configuration(case)
        calls = seconds_of_calls(records)
        for record in records:
            fault = fault_of(record, configuration, calls)
            claim = claim_of(record)
            if fault is None and claim is not None:
                known = self._judge.enumerated(record.trial.instance.puzzle)
                fault = Fault.CONTRADICTION if claim.excludes(known) else None
            if fault is not None:
                yield FaultyAnswer(fault, record, record.trial.repetition - 1)

    def fault(self, case: Case) -> FaultyAnswer | None:
        """The first wrong answer of the last call; None if its answers are right."""
        return next((f for f in self.faults(case) if f.call == case.last_number), None)

    def fails(self, case: Case, fault: Fault) -> bool:
        """Whether the last answer is wrong as `fault` is; a wrong number is like a wrong grid."""
        found = self.fault(case)
        return found is not None and _kind(found.fault) == _kind(fault)

    def reproduced(
        self, spec: BackendSpec, record: TrialRecord, calls: Sequence[Call], hash_seed: int
    ) -> tuple[Case, FaultyAnswer] | None:
        """The simplest case that shows the fault of a record again; None if none does.

        A new backend gets the question alone, then with the start that it had, then after the
        earlier calls of its worker about the same shape, then after all of them.

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
            case = Case(spec, attempt, hash_seed)
            faulty = next(self.faults(case), None)
            if faulty is not None:
                return replace(case, calls=attempt[: faulty.call + 1]), faulty
        return None

    def rate(self, case: Case, most: int) -> tuple[int, int]:
        """Repeat the last call on one backend: the wrong answers, and the repetitions.

        Args:
            case: the case.
            most: repetitions at most; fewer if they take longer than `_RATE_S`.
        """
        wrong, repetitions, end = 0, 0, monotonic() + _RATE_S
        while repetitions < most and monotonic() < end:
            number = min(most - repetitions, max(1, repetitions))
            repeated = replace(case, calls=(replace(case.last, start=Start.WARM),) * number)
            wrong += sum(1 for _ in self.faults(repeated))
            repetitions += number
        return wrong, repetitions


_RATE_S: Final = 20.0
"""Seconds after which no further repetitions begin."""


def _kind(fault: Fault) -> Fault:
    return _KINDS.get(fault, fault)


_KINDS: Mapping[Fault, Fault] = {Fault.CONTRADICTION: Fault.WRONG, Fault.LAW: Fault.WRONG}
