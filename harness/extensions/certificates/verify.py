"""Checks the claim of a certificate.

Nothing here comes from a backend: a solution is compared with the houses, the givens, the
pencilmarks, the pairs and the constraints of its puzzle, and a proof is checked against the
formula of the puzzle.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from harness.base.text import number_of, shortened
from harness.extensions.certificates import SecondOpinion
from harness.extensions.certificates import second_opinion as second
from harness.extensions.certificates.certificate import Certificate, ProofSteps
from harness.extensions.certificates.checker import CheckResult, check_proof
from harness.extensions.certificates.formula import formula_of
from harness.extensions.certificates.second_opinion import NoOpinionError, opinion_within
from harness.puzzles.primitives import Distinct, Line, Primitive, Relation, Sum, ValueCount
from harness.puzzles.puzzle import Grid, Puzzle

# Whether grids are different solutions of a puzzle.


_AT_ONCE: Final = 1000
"""Grids that are compared at once, so that memory does not grow with their number."""


def fault_of_solutions(puzzle: Puzzle, solutions: Sequence[Grid]) -> str:
    """Why these grids are not different solutions of `puzzle`; empty if they are.

    Args:
        puzzle: the puzzle.
        solutions: complete grids, with values from 1 to the size of the shape.
    """
    if len(set(solutions)) != len(solutions):
        return "a solution is listed twice"
    for at in range(0, len(solutions), _AT_ONCE):
        if fault := _first_fault(puzzle, solutions[at : at + _AT_ONCE]):
            number, what = fault
            return f"solution {at + number + 1:,} is wrong: {what}"
    return ""


def _first_fault(puzzle: Puzzle, solutions: Sequence[Grid]) -> tuple[int, str] | None:
    """The first of these grids that breaks a rule, from 0, and the rule; None if all are right."""
    shape = puzzle.shape
    grids = np.array(solutions, np.int64).reshape(len(solutions), shape.size**2)
    kind: Any = (
        np.int64 if shape.size < 64 else np.object_
    )  # integers of Python have any number of bits
    allowed: NDArray[Any] = np.array(puzzle.allowed, kind)
    places: NDArray[Any] = (grids - 1).astype(kind)
    is_kept = (allowed >> places & 1).astype(np.bool_)
    for number, _ in np.argwhere(~is_kept)[:1].tolist():
        return number, "it contradicts a given or a pencilmark"
    # A house of `size` cells has each of `size` values if their bits together are all.
    houses = np.array([house.cells for house in shape.houses], np.intp).reshape(-1, shape.size)
    bits = np.bitwise_or.reduce(1 << places[:, houses], axis=2)
    for number, house in np.argwhere(bits != (1 << shape.size) - 1)[:1].tolist():
        return number, f"{shape.houses[house]} repeats a value"
    ends = np.array(shape.pairs, np.intp).reshape(-1, 2)
    is_equal = np.equal(grids[:, ends[:, 0]], grids[:, ends[:, 1]])
    for number, pair in np.argwhere(is_equal)[:1].tolist():
        names = " and ".join(map(shape.cell_name, shape.pairs[pair]))
        return number, f"{names} have the same value"
    for primitive in shape.primitives:
        for number in np.flatnonzero(~_keep(primitive, grids)).tolist():
            cells = " ".join(map(shape.cell_name, primitive.cells))
            return number, f"it breaks a constraint on {cells}"
    return None


def _keep(primitive: Primitive, grids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """bool[n]: whether each of n grids keeps a constraint."""
    match primitive:
        case Relation(one, other, table):
            allowed: NDArray[np.int64] = np.array(table, np.int64)[grids[:, one] - 1]
            return (allowed >> grids[:, other] - 1 & 1).astype(np.bool_)
        case Sum(cells, coefficients, totals):
            sums: NDArray[np.int64] = (grids[:, cells] * np.array(coefficients)).sum(axis=1)
            return np.isin(sums, totals)
        case Distinct(cells):
            ordered = np.sort(grids[:, cells], axis=1)
            return np.asarray(np.diff(ordered, axis=1).all(axis=1))
        case ValueCount(cells, values, least, most):
            number: NDArray[np.int64] = (values >> grids[:, cells] - 1 & 1).sum(axis=1)
            return np.logical_and(number >= least, number <= most)
        case Line(cells, automaton):
            # The last state stands for a value that is refused.
            refused = len(automaton.accepting)
            rows = np.array([*automaton.transitions, (refused,) * len(automaton.transitions[0])])
            rows[rows < 0] = refused
            states = np.zeros(len(grids), np.intp)
            for cell in cells:
                states = rows[states, grids[:, cell] - 1]
            return np.asarray(np.array([*automaton.accepting, False])[states])


# Checks the claim of a certificate.


MOST_SECONDS: Final = 30.0
"""Time of dratify for a proof, above which only `SecondOpinion.REQUIRED` waits for it."""


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
    verdict: CheckResult | None = None
    """The judgement of the checker of the harness; None if no proof was checked."""
    second_verdict: CheckResult | None = None
    """The judgement of dratify; None if it was not consulted."""
    left_out: str = ""
    """Why dratify was not consulted although it is available; empty if it was."""

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
        found = [houses]
        if shape.constraints:
            primitives = number_of(len(shape.primitives), "primitive")
            number = number_of(len(shape.constraints), "constraint")
            found.append(f"the {primitives} to which its {number} reduce")
        if self.certificate.solutions:
            found.append("the comparison of solutions with the puzzle")
        if self.verdict is not None:
            found.append(f"the {number_of(self.clauses, 'clause')} of the formula")
            agreeing = f" or dratify {second.version()}, which agree" if self.second_verdict else ""
            found.append(f"the checker of the harness{agreeing}")
        return found


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
    if len(solutions) > claim.least and claim.exact:
        found = f"{number_of(len(solutions), 'different solution')}"
        return Verification(
            certificate, False, f"{found} are listed, more than the claim has", refuted=True
        )
    if len(solutions) < claim.least:
        found = number_of(len(solutions), "solution")
        verb = "is" if len(solutions) == 1 else "are"
        return Verification(certificate, False, f"only {found} {verb} listed")
    if not claim.exact:
        return Verification(certificate, True)
    if certificate.proof is None:
        return Verification(certificate, False, "the certificate has no proof")
    return _verify_proof(certificate, certificate.proof, opinion)


def _verify_proof(
    certificate: Certificate, proof: ProofSteps, opinion: SecondOpinion
) -> Verification:
    formula = formula_of(certificate.puzzle, certificate.solutions)
    verdict = check_proof(formula, proof)
    other, left_out = None, ""
    if opinion is SecondOpinion.AVAILABLE and second.version() is not None:
        seconds = second.estimated_s(formula, verdict)
        try:
            if seconds > MOST_SECONDS:
                raise NoOpinionError(f"dratify would take about {seconds:,.0f} s")
            other = opinion_within(formula, proof, MOST_SECONDS)
        except NoOpinionError as reason:
            left_out = str(reason)
    elif opinion is SecondOpinion.REQUIRED:
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
        left_out=left_out,
    )


def _refusal(verdict: CheckResult, proof: ProofSteps) -> str:
    if verdict.failed_step is None:
        return verdict.reason
    text = shortened(proof.text_of(verdict.failed_step), 60)
    return f"step {verdict.failed_step + 1:,} ({text}) {verdict.reason}"
