"""Answers of backends that a verified claim refutes."""

from harness.contract.status import Status
from harness.proofs.certificate import Claim
from harness.records.outcome import Ending
from harness.records.question import Task
from harness.records.trial import TrialRecord
from harness.text import number_of


def refutation(claim: Claim, record: TrialRecord) -> str:
    """Why a verified `claim` refutes the answer of a trial on its puzzle; empty if it does not.

    The grids of answers are judged elsewhere; here only what an answer states on the number of
    solutions counts.
    """
    outcome, question = record.outcome, record.trial.question
    if outcome.ending is not Ending.ANSWERED:
        return ""
    stated = ""
    if question.task is Task.SOLVE:
        if outcome.status == Status.UNSATISFIABLE and claim.number:
            stated = "no solution"
    elif record.count is not None:
        number = number_of(record.count, "solution")
        if record.exact and excludes(claim, record.count):
            stated = f"exactly {number}"
        elif claim.is_exact and record.count > claim.number:
            stated = f"at least {number}"
    return f"states {stated}, but a proof shows {claim.in_words}" if stated else ""


def excludes(claim: Claim, number: int) -> bool:
    """Whether a verified `claim` shows that `number` is not the number of solutions."""
    return number != claim.number if claim.is_exact else number < claim.number
