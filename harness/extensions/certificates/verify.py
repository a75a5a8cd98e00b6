"""Checks the claim of a certificate.

Nothing here comes from a backend: a solution is compared with the houses, the givens, the
pencilmarks, the pairs and the constraints of its puzzle, and a proof is checked against the
formula of the puzzle.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from harness.base.text import number_of, shortened
from harness.extensions.certificates import SecondOpinion
from harness.extensions.certificates import second_opinion as second
from harness.extensions.certificates.certificate import Certificate, ProofSteps
from harness.extensions.certificates.checker import CheckResult, check_proof
from harness.extensions.certificates.formula import formula_of
from harness.extensions.certificates.proven import Proven, unproven
from harness.puzzles import Grid, Puzzle
from harness.puzzles.constraints import keeps

# Whether grids are different solutions of a puzzle.


_AT_ONCE: Final = 1000
"""Maximum number of grids compared at once, so that memory does not grow with their number."""


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
            number, rule = fault
            return f"solution {at + number + 1:,} is wrong: {rule}"
    return ""


def _first_fault(puzzle: Puzzle, solutions: Sequence[Grid]) -> tuple[int, str] | None:
    """The number, from 0, of a grid that breaks a rule, and the rule; None if all are right."""
    shape = puzzle.shape
    grids = np.array(solutions, np.int64).reshape(len(solutions), shape.size**2)
    # Integers of Python have any number of bits.
    kind: Any = np.int64 if shape.size < 64 else np.object_
    masks: NDArray[Any] = np.array(puzzle.allowed, kind)
    places: NDArray[Any] = (grids - 1).astype(kind)
    is_kept = (masks >> places & 1).astype(np.bool_)
    for number, _ in np.argwhere(~is_kept)[:1].tolist():
        return number, "it contradicts a given or a pencilmark"
    # A house of `size` cells has each of the `size` values if every bit is set in one of them.
    houses = np.array([house.cells for house in shape.houses], np.intp).reshape(-1, shape.size)
    bits = np.bitwise_or.reduce(1 << places[:, houses], axis=2)
    for number, house in np.argwhere(bits != (1 << shape.size) - 1)[:1].tolist():
        return number, f"{shape.houses[house]} repeats a value"
    ends = np.array(shape.pairs, np.intp).reshape(-1, 2)
    is_equal = np.equal(grids[:, ends[:, 0]], grids[:, ends[:, 1]])
    for number, pair in np.argwhere(is_equal)[:1].tolist():
        names = " and ".join(map(shape.cell_name, shape.pairs[pair]))
        return number, f"{names} have the same value"
    for number, grid in enumerate(solutions):
        for primitive in shape.primitives:
            if not keeps(primitive, grid):
                cells = " ".join(map(shape.cell_name, primitive.cells))
                return number, f"it breaks a constraint on {cells}"
    return None


# Checks the claim of a certificate.


MOST_SECONDS: Final = 30.0
"""Expected seconds of dratify for a proof, above which only `SecondOpinion.REQUIRED` waits."""


def _assumptions(certificate: Certificate, clauses: int, checkers: Sequence[str]) -> list[str]:
    """What a reader must trust to trust that a certificate proves its claim, in words.

    Args:
        certificate: the certificate.
        clauses: the clauses of the formula, 0 without a proof.
        checkers: the names of those that accept the proof; none without a proof.
    """
    shape = certificate.puzzle.shape
    houses = f"the {number_of(len(shape.houses), 'house')} of {shape}"
    if shape.pairs:
        houses += f" and its {number_of(len(shape.pairs), 'pair')}"
    parts = [houses]
    if shape.constraints:
        primitives = number_of(len(shape.primitives), "primitive")
        number = number_of(len(shape.constraints), "constraint")
        parts.append(f"the {primitives} to which its {number} reduce")
    if certificate.solutions:
        parts.append("the comparison of solutions with the puzzle")
    if clauses:
        parts.append(f"the {number_of(clauses, 'clause')} of the formula")
        agreement = ", which agree" if len(checkers) > 1 else ""
        parts.append(f"{' or '.join(checkers)}{agreement}")
    return parts


def verify(
    certificate: Certificate, opinion: SecondOpinion | second.Program = SecondOpinion.AVAILABLE
) -> Proven:
    """Check the solutions of a certificate and, if its claim is exact, its proof.

    Args:
        certificate: the certificate.
        opinion: whether dratify also checks the proof, or the program that does. If the checkers
            disagree, nothing is proven.

    Raises:
        InputError: dratify is required and not installed, or the shape is too large for a proof.
    """
    claim, number, puzzle = certificate.claim, len(certificate.solutions), certificate.puzzle
    proven = unproven(puzzle, fault_of_solutions(puzzle, certificate.solutions))
    proven.place, proven.prover = certificate.place, certificate.prover
    proven.claim = claim.as_claim
    proven.solutions = number
    proven.steps = 0 if certificate.proof is None else len(certificate.proof)
    if proven.reason:
        return proven
    if number > claim.least and claim.exact:
        solutions = number_of(number, "different solution")
        proven.reason = f"{solutions} are listed, more than are claimed"
        proven.refuted = True
    elif number < claim.least:
        verb = "is" if number == 1 else "are"
        proven.reason = f"only {number_of(number, 'solution')} {verb} listed"
    elif not claim.exact:
        proven.proven, proven.trusted = True, _assumptions(certificate, 0, ())
    elif certificate.proof is None:
        proven.reason = "the certificate has no proof"
    else:
        _check(proven, certificate, certificate.proof, opinion)
    return proven


def _check(
    proven: Proven,
    certificate: Certificate,
    proof: ProofSteps,
    opinion: SecondOpinion | second.Program,
) -> None:
    """Check the proof of a certificate, and record the result in `proven`."""
    formula = formula_of(certificate.puzzle, certificate.solutions)
    verdict = check_proof(formula, proof)
    is_consulted = opinion is SecondOpinion.REQUIRED
    if opinion is SecondOpinion.AVAILABLE and second.version() is not None:
        # Roughly what dratify needs, from the work of the harness's own checker.
        seconds = 1e-5 * len(formula) + 4e-7 * verdict.work
        is_consulted = seconds <= MOST_SECONDS
        if not is_consulted:
            proven.left_out = f"dratify would take about {seconds:,.0f} s"
    results = {"the checker of the harness": verdict}
    if is_consulted:
        results[f"dratify {second.version()}"] = second.second_opinion(formula, proof)
    if isinstance(opinion, second.Program):
        results[opinion.name] = opinion.check(formula, proof)
    proven.proven = all(result.accepted for result in results.values())
    proven.clauses = len(formula)
    proven.checker, *others = (result.accepted for result in results.values())
    proven.second_opinion = all(others) if others else None
    if proven.proven:
        proven.trusted = _assumptions(certificate, len(formula), [*results])
    else:
        judgements = (f"{name} {_judgement(result, proof)}" for name, result in results.items())
        proven.reason = "; ".join(judgements)


def _judgement(verdict: CheckResult, proof: ProofSteps) -> str:
    if verdict.accepted:
        return "accepts the proof"
    if verdict.failed_step is None:
        return f"refuses the proof: {verdict.reason}"
    text = shortened(proof.text_of(verdict.failed_step), 60)
    return f"refuses the proof: step {verdict.failed_step + 1:,} ({text}) {verdict.reason}"
