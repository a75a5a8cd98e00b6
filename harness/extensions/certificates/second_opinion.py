"""A second opinion: the package dratify checks the same proof of the same formula.

dratify (https://pypi.org/project/dratify) checks forward and shares no code with
`checker`. Its rule RAT is switched off, so that both have the same rule.
"""

from typing import Final

from harness.base.errors import InputError
from harness.base.plugins import version_of
from harness.extensions.certificates.certificate import ProofSteps
from harness.extensions.certificates.checker import NOT_RUP, CheckResult
from harness.extensions.certificates.formula import Formula

DISTRIBUTION: Final = "dratify"


def version() -> str | None:
    """The installed version of dratify; None if it is not installed."""
    return version_of(DISTRIBUTION)


def require() -> None:
    """Check that dratify is installed.

    Raises:
        InputError: dratify is not installed.
    """
    if version() is None:
        raise InputError(
            "a second opinion needs the package dratify, which is not installed",
            expected="pip install dratify",
        )


def second_opinion(formula: Formula, steps: ProofSteps) -> CheckResult:
    """The verdict of dratify on whether `steps` prove that `formula` has no model.

    Raises:
        InputError: dratify is not installed.
    """
    require()
    from dratify import CNF, check_proof, from_dimacs

    cnf = CNF(formula.variables)
    for clause in formula.clauses():
        cnf.add_dimacs(clause)
    proof = [
        ("d" if is_deletion else "a", tuple(map(from_dimacs, literals)))
        for is_deletion, literals in steps.steps()
    ]
    judgement = check_proof(cnf, proof, check_rat=False)
    if judgement.ok:
        return CheckResult(True, steps=judgement.steps)
    if judgement.failed_step < 1:
        return CheckResult(False, reason=judgement.reason, steps=judgement.steps)
    return CheckResult(False, judgement.failed_step - 1, NOT_RUP, judgement.steps - 1)
