"""Answers that a verified claim refutes."""

import pytest

from harness.extensions.certificates.certify import refutation
from harness.puzzles import Puzzle, Shape
from harness.puzzles.puzzle import Instance
from harness.puzzles.solution_count import SolutionCount
from harness.records.question import Question, Start, Task, Verdict
from harness.records.trial import Ending, Outcome, Trial, TrialRecord

EMPTY = Puzzle(Shape.parse("4x4"), (0,) * 16)


def record(task: Task, **outcome: object) -> TrialRecord:
    question = Question(task, 10, Start.COLD, 1.0)
    trial = Trial("a", "d", Instance("e", EMPTY), question, 1)
    outcome_ = Outcome(**{"ending": Ending.ANSWERED, **outcome})  # type: ignore[arg-type]
    return TrialRecord(trial, outcome_, Verdict.WRONG)


def exactly(number: int) -> SolutionCount:
    return SolutionCount.from_number(number)


def at_least(number: int) -> SolutionCount:
    return SolutionCount(number)


NONE = record(Task.SOLVE, status="unsatisfiable")
EXACT = record(Task.COUNT, count=2, exact=True)
LOWER = record(Task.COUNT, count=10, exact=False)


@pytest.mark.parametrize(
    ("proven", "answer", "reason"),
    [
        (exactly(0), NONE, ""),
        (at_least(1), NONE, "claims no solution, but a proof shows at least 1 solution"),
        (exactly(1), record(Task.SOLVE, status="solved"), ""),
        (exactly(1), record(Task.SOLVE, status="unknown"), ""),
        (exactly(2), EXACT, ""),
        (exactly(3), EXACT, "claims exactly 2 solutions, but a proof shows exactly 3 solutions"),
        (at_least(3), EXACT, "claims exactly 2 solutions, but a proof shows at least 3 solutions"),
        (at_least(2), EXACT, ""),
        (at_least(3), LOWER, ""),
        (exactly(10), LOWER, ""),
        (exactly(9), LOWER, "claims at least 10 solutions, but a proof shows exactly 9 solutions"),
        # A count that reaches its limit is never exact, whatever the backend states.
        (exactly(11), record(Task.COUNT, count=10, exact=True), ""),
        (exactly(3), record(Task.COUNT, ending=Ending.TIME_LIMIT, count=2, exact=True), ""),
        (exactly(3), record(Task.COUNT), ""),
    ],
)
def test_an_answer_is_refuted_by_what_it_claims(
    proven: SolutionCount, answer: TrialRecord, reason: str
) -> None:
    assert refutation(proven, answer) == reason
