"""Replay of saved cases: whether a fault is still there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from harness.contract.spec import BackendSpec
from harness.experiment.fuzzing.calls import Caller
from harness.experiment.fuzzing.confirmation import answer_of
from harness.experiment.fuzzing.judgement import Judge
from harness.experiment.fuzzing.reproduction import Reproducer
from harness.experiment.fuzzing.saved import Replayable
from harness.records.verdict import Verdict


class Replayed(StrEnum):
    """What a replay shows."""

    STILL_WRONG = "still wrong"
    RIGHT = "right"
    NO_ANSWER = "no answer"
    """The backend gave up, ran out of time or does not support the puzzle."""
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The replay of one case on one backend."""

    replayable: Replayable
    spec: BackendSpec
    result: Replayed
    answer: str
    """The last answer in words; empty if there is none."""
    wrong: int
    repetitions: int


_FEWEST: Final = 1_000
"""Repetitions of a case that failed by chance."""


def replay(
    cases: Sequence[Replayable], specs: Sequence[BackendSpec], timeout_s: float
) -> Iterator[ReplayResult]:
    """Run each case again.

    Args:
        cases: the saved cases.
        specs: the backends to run them on; empty for the backend of each case.
        timeout_s: limit of wall time of each call, in seconds.
    """
    with Caller(timeout_s) as caller:
        reproducer = Reproducer(caller, Judge())
        for saved in cases:
            for spec in specs or [saved.case.spec]:
                yield _replayed(saved, spec, caller, reproducer)


def _replayed(
    saved: Replayable, spec: BackendSpec, caller: Caller, reproducer: Reproducer
) -> ReplayResult:
    case = replace(saved.case, spec=spec)
    if caller.configuration(spec) is None:
        return ReplayResult(saved, spec, Replayed.UNAVAILABLE, "", 0, 0)
    _, repetitions = saved.saved.wrong_of
    if repetitions > 1:
        wrong, repetitions = reproducer.rate(case, max(repetitions, _FEWEST))
        result = Replayed.STILL_WRONG if wrong else Replayed.RIGHT
        return ReplayResult(saved, spec, result, "", wrong, repetitions)
    faulty = reproducer.fault(case)
    if faulty is not None:
        answer = answer_of(faulty.record)
        return ReplayResult(saved, spec, Replayed.STILL_WRONG, answer, 1, 1)
    last = caller.answers(case)[-1]
    is_right = last.verdict.answered
    result = Replayed.RIGHT if is_right else Replayed.NO_ANSWER
    answer = answer_of(last) if last.verdict is not Verdict.UNSUPPORTED else "unsupported"
    return ReplayResult(saved, spec, result, answer, 0, 1)
