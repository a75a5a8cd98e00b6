"""The number of solutions that a judgement has, and its evidence."""

from collections.abc import Iterator

import pytest

from harness.extensions.certificates.certify import Certifiers
from harness.extensions.fuzz.findings import Evidence, Judge
from harness.puzzles import Puzzle, Shape
from harness.puzzles.solution_count import SolutionCount

EMPTY = Puzzle(Shape.parse("4x4"), (0,) * 16)
"""It has 288 solutions."""
SQUARES = Shape.parse("houses4:11121314.21222324.31323334.41424344")
"""Rows alone: 24 to the power of 4 solutions."""


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Certifiers(timeout_s=20.0) as certifiers:
        yield Judge(certifiers)


exactly, at_least = SolutionCount.from_number, SolutionCount


@pytest.mark.parametrize(
    ("shape", "claims", "solutions", "evidence"),
    [
        # Grids refute claims that are too small, a certificate refutes those that are too large.
        (EMPTY.shape, [exactly(0)], at_least(1), Evidence.GRIDS),
        (EMPTY.shape, [exactly(1)], at_least(2), Evidence.GRIDS),
        (EMPTY.shape, [exactly(9)], at_least(10), Evidence.GRIDS),
        (EMPTY.shape, [at_least(289)], exactly(288), Evidence.CERTIFICATE),
        # Claims on both sides need the exact number.
        (EMPTY.shape, [exactly(287), at_least(289)], exactly(288), Evidence.CERTIFICATE),
        # A large number is enumerated.
        (SQUARES, [exactly(331_775)], exactly(24**4), Evidence.ENUMERATION),
    ],
)
def test_claims_are_refuted_by_the_simplest_evidence(
    judge: Judge,
    shape: Shape,
    claims: list[SolutionCount],
    solutions: SolutionCount,
    evidence: Evidence,
) -> None:
    judgement = judge.judged(Puzzle(shape, (0,) * 16), claims, [])
    assert (judgement.solutions, judgement.evidence) == (solutions, evidence)


def test_without_a_prover_grids_of_answers_and_the_internal_solver_decide() -> None:
    grids = ["1234341221434321", "1234341243212143"]
    judgement = Judge().judged(EMPTY, [exactly(1)], grids)
    assert (judgement.solutions, judgement.evidence) == (at_least(2), Evidence.GRIDS)
    judgement = Judge().judged(EMPTY, [exactly(287)], [])
    assert (judgement.solutions, judgement.evidence) == (exactly(288), Evidence.ENUMERATION)
