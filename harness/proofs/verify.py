"""Checks the claim of a certificate.

Nothing here comes from a backend: a solution is compared with the houses, the givens, the
pencilmarks and the pairs of its puzzle, and a proof is checked against the formula of the puzzle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from harness.proofs import second_opinion as second
from harness.proofs.certificate import Certificate
from harness.proofs.checker import Verdict, check_proof
from harness.proofs.drup import Steps
from harness.proofs.formula import formula_of
from harness.puzzles.puzzle import Grid, Puzzle
from harness.text import number_of, shortened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SecondOpinion(StrEnum):
    """Whether a proof is also checked by dratify."""

    NONE = "none"
    AVAILABLE = "available"
    """If dratify is installed."""
    REQUIRED = "required"


@dataclass(frozen=True)
class Verification:
    """What was found of the claim of a certificate."""

    certificate: Certificate
    proven: bool
    """Whether the claim is proven."""
    reason: str = ""
    """Why the claim is not proven; empty if it is."""
    refuted: bool = False
    """Whether the listed solutions show that the claim is false."""
    clauses: int = 0
    """The clauses of the formula; 0 if no proof was checked."""
    verdict: Verdict | None = None
    """The judgement of the checker of the harness; None if no proof was checked."""
    second_verdict: Verdict | None = None
    """The judgement of dratify; None if it was not consulted."""

    @property
    def steps(self) -> int:
        """The steps of the proof."""
        return len(self.certificate.proof) if self.certificate.proof is not None else 0

    @property
    def trusted(self) -> list[str]:
        """What a reader has to trust to trust the result, in words."""
        shape = self.certificate.puzzle.shape
        houses = f"the {number_of(len(shape.houses), 'house')} of {shape}"
        if shape.pairs:
            houses += f" and its {number_of(len(shape.pairs), 'pair')}"
        if self.verdict is None:
            return [houses, "the comparison of solutions with them"]
        checkers = "the checker of the harness"
        if self.second_verdict is not None:
            checkers += f" or dratify {second.version()}, which agree"
        return [houses, f"the {number_of(self.clauses, 'clause')} made from them", checkers]


def verify(
    certificate: Certificate, opinion: SecondOpinion = SecondOpinion.AVAILABLE
) -> Verification:
    """Check the solutions of a certificate and, if its claim is exact, its proof.

    Args:
        certificate: the certificate.
        opinion: whether dratify also checks the proof. If both disagree, nothing is proven.

    Raises:
        InputError: dratify is required and not installed, or the shape is too large for a proof.
    """
    claim, solutions = certificate.claim, certificate.solutions
    if fault := fault_of_solutions(certificate.puzzle, solutions):
        return Verification(certificate, False, fault)
    if len(solutions) > claim.number and claim.is_exact:
        found = f"{number_of(len(solutions), 'different solution')}"
        return Verification(
            certificate, False, f"{found} are listed, more than the claim has", refuted=True
        )
    if len(solutions) < claim.number:
        found = number_of(len(solutions), "solution")
        verb = "is" if len(solutions) == 1 else "are"
        return Verification(certificate, False, f"only {found} {verb} listed")
    if not claim.is_exact:
        return Verification(certificate, True)
    if certificate.proof is None:
        return Verification(certificate, False, "the certificate has no proof")
    return _verify_proof(certificate, certificate.proof, opinion)


def _verify_proof(certificate: Certificate, proof: Steps, opinion: SecondOpinion) -> Verification:
    formula = formula_of(certificate.puzzle, certificate.solutions)
    verdict = check_proof(formula, proof)
    other = None
    if opinion is SecondOpinion.REQUIRED or (
        opinion is SecondOpinion.AVAILABLE and second.version()
    ):
        other = second.second_opinion(formula, proof)
    refusals = []
    for name, of in (("the checker of the harness", verdict), ("dratify", other)):
        if of is not None and not of.accepted:
            refusals.append(f"{name} refuses the proof: {_refusal(of, proof)}")
    if len(refusals) == 1 and other is not None:
        accepting = "dratify" if other.accepted else "the checker of the harness"
        refusals.append(f"{accepting} accepts it")
    return Verification(
        certificate,
        not refusals,
        "; ".join(refusals),
        clauses=len(formula),
        verdict=verdict,
        second_verdict=other,
    )


def _refusal(verdict: Verdict, proof: Steps) -> str:
    if verdict.failed_step is None:
        return verdict.reason
    text = shortened(proof.text_of(verdict.failed_step), 60)
    return f"step {verdict.failed_step + 1:,} ({text}) {verdict.reason}"


def fault_of_solutions(puzzle: Puzzle, solutions: Sequence[Grid]) -> str:
    """Why these grids are not different solutions of `puzzle`; empty if they are.

    Args:
        puzzle: the puzzle.
        solutions: complete grids, with values from 1 to the size of the shape.
    """
    if len(set(solutions)) != len(solutions):
        return "a solution is listed twice"
    for is_wrong, what in _faults(puzzle, solutions):
        if is_wrong.any():
            return f"solution {int(is_wrong.argmax()) + 1:,} is wrong: {what}"
    return ""


def _faults(puzzle: Puzzle, solutions: Sequence[Grid]) -> Iterator[tuple["NDArray[np.bool_]", str]]:
    """For each rule of the puzzle the solutions that break it, bool[n], and what is wrong."""
    import numpy as np

    shape = puzzle.shape
    every = np.arange(1, shape.size + 1)
    grids = np.array(solutions, np.int64).reshape(len(solutions), shape.size**2)
    allowed = np.array(puzzle.allowed, np.int64)
    is_kept = (allowed >> (grids - 1) & 1).astype(np.bool_)
    yield np.logical_or.reduce(~is_kept, axis=1), "it contradicts a given or a pencilmark"
    for house in shape.houses:
        values = np.sort(grids[:, house.cells], axis=1)
        yield (values != every).any(axis=1), f"{house} repeats a value"
    for one, other in shape.pairs:
        names = f"{shape.cell_name(one)} and {shape.cell_name(other)}"
        yield np.asarray(grids[:, one] == grids[:, other], np.bool_), f"{names} have the same value"
