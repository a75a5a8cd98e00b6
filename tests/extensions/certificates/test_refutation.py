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


@pytest.mark.parametrize(
    ("claim", "number", "is_excluded"),
    [
        (exactly(3), 3, False),
        (exactly(3), 2, True),
        (exactly(3), 4, True),
        (at_least(3), 2, True),
        (at_least(3), 3, False),
        (at_least(3), 9, False),
    ],
)
def test_a_claim_excludes_numbers(claim: SolutionCount, number: int, is_excluded: bool) -> None:
    assert claim.excludes(SolutionCount.from_number(number)) == is_excluded


def test_no_solution_is_refuted_by_any_solution() -> None:
    none = record(Task.SOLVE, status="unsatisfiable")
    assert refutation(exactly(0), none) == ""
    assert refutation(at_least(1), none) == (
        "claims no solution, but a proof shows at least 1 solution"
    )
    assert refutation(exactly(1), record(Task.SOLVE, status="solved")) == ""
    assert refutation(exactly(1), record(Task.SOLVE, status="unknown")) == ""


def test_counts_are_refuted_by_what_they_state() -> None:
    exact = record(Task.COUNT, count=2, exact=True)
    assert refutation(exactly(2), exact) == ""
    assert refutation(exactly(3), exact) == (
        "claims exactly 2 solutions, but a proof shows exactly 3 solutions"
    )
    assert "at least 3 solutions" in refutation(at_least(3), exact)
    assert refutation(at_least(2), exact) == ""
    lower_bound = record(Task.COUNT, count=10, exact=False)
    assert refutation(at_least(3), lower_bound) == refutation(exactly(10), lower_bound) == ""
    assert refutation(exactly(9), lower_bound) == (
        "claims at least 10 solutions, but a proof shows exactly 9 solutions"
    )
    # A count that reaches its limit is never exact, whatever the backend states.
    assert refutation(exactly(11), record(Task.COUNT, count=10, exact=True)) == ""


def test_what_did_not_answer_is_not_refuted() -> None:
    late = record(Task.COUNT, ending=Ending.TIME_LIMIT, count=2, exact=True)
    assert refutation(exactly(3), late) == ""
    assert refutation(exactly(3), record(Task.COUNT)) == ""
