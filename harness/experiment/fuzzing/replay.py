"""Replay of saved cases: whether a fault is still there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from harness.contract.spec import BackendSpec
from harness.experiment.certification import Certifiers
from harness.experiment.fuzzing.calls import Caller
from harness.experiment.fuzzing.claims import Interval, claim_of
from harness.experiment.fuzzing.confirmation import answer_of
from harness.experiment.fuzzing.judgement import Judge
from harness.experiment.fuzzing.reproduction import Reproducer
from harness.experiment.fuzzing.saved import Replayable
from harness.records.trial import TrialRecord


class Replayed(StrEnum):
    """What a replay shows."""

    STILL_WRONG = "still wrong"
    RIGHT = "right"
    UNDECIDED = "undecided"
    """Nothing refutes the answer, and no evidence shows that it is right."""
    NO_ANSWER = "no answer"
    """The backend gave up, ran out of time or does not support the puzzle."""
    UNAVAILABLE = "not available"


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The replay of one case on one backend."""

    replayable: Replayable
    spec: BackendSpec
    result: Replayed
    answer: str
    """The last answer in words, or the reason why there is none."""
    wrong: int
    repetitions: int


_FEWEST: Final = 1_000
"""Repetitions of a case that failed by chance."""
_PROOF_S: Final = 20.0
"""Seconds for the proof of a number of solutions."""


def replay(
    cases: Sequence[Replayable], specs: Sequence[BackendSpec], timeout_s: float
) -> Iterator[ReplayResult]:
    """Run each case again.

    Args:
        cases: the saved cases.
        specs: the backends to run them on; empty for the backend of each case.
        timeout_s: limit of wall time of each call, in seconds.
    """
    with Certifiers(timeout_s=_PROOF_S) as certifiers, Caller(timeout_s) as caller:
        judge = Judge(certifiers)
        replays = _Replays(caller, judge, Reproducer(caller, judge))
        for saved in cases:
            for spec in specs or [saved.case.spec]:
                yield replays.result(saved, spec)


@dataclass(frozen=True, slots=True)
class _Replays:
    """What all replays share."""

    caller: Caller
    judge: Judge
    reproducer: Reproducer

    def result(self, saved: Replayable, spec: BackendSpec) -> ReplayResult:
        case = replace(saved.case, spec=spec)
        configuration = self.caller.configuration(case)
        if configuration.unavailable:
            reason = configuration.unavailable
            return ReplayResult(saved, spec, Replayed.UNAVAILABLE, reason, 0, 0)
        _, repetitions = saved.saved.wrong_of
        if repetitions > 1:
            wrong, repetitions = self.reproducer.rate(case, max(repetitions, _FEWEST))
            if wrong:
                return ReplayResult(saved, spec, Replayed.STILL_WRONG, "", wrong, repetitions)
        records = self.caller.answers(case)
        faulty = next(
            (f for f in self.reproducer.faults_among(case, records) if f.call == case.last_number),
            None,
        )
        if faulty is not None:
            answer = answer_of(faulty.record)
            return ReplayResult(saved, spec, Replayed.STILL_WRONG, answer, 1, 1)
        results = [
            (self._judged(record), answer_of(record))
            for record in records
            if record.trial.repetition == case.last_number + 1
        ]
        result, answer = max(results, key=lambda found: _ORDER.index(found[0]))
        return ReplayResult(saved, spec, result, answer, 0, max(1, repetitions))

    def _judged(self, record: TrialRecord) -> Replayed:
        """What evidence says of an answer that it does not refute at once."""
        claim = claim_of(record)
        if claim is None or not record.verdict.answered:
            return Replayed.NO_ANSWER
        grids = [record.solution] if record.solution else []
        known = Interval(len(grids))
        if not claim.includes(known):
            known = self.judge.judged(record.trial.instance.puzzle, [claim], grids).solutions
        if claim.excludes(known):
            return Replayed.STILL_WRONG
        return Replayed.RIGHT if claim.includes(known) else Replayed.UNDECIDED


_ORDER: Final = (
    Replayed.RIGHT,
    Replayed.NO_ANSWER,
    Replayed.UNDECIDED,
    Replayed.STILL_WRONG,
)
"""The results of the puzzles of a batch, from best to worst."""
