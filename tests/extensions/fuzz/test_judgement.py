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


def interval(least: int, most: int | None = None) -> SolutionCount:
    return SolutionCount(least, most)


@pytest.mark.parametrize(
    ("shape", "claims", "solutions", "evidence"),
    [
        # Grids refute claims that are too small, a certificate refutes those that are too large.
        (EMPTY.shape, [interval(0, 0)], interval(1), Evidence.GRIDS),
        (EMPTY.shape, [interval(1, 1)], interval(2), Evidence.GRIDS),
        (EMPTY.shape, [interval(9, 9)], interval(10), Evidence.GRIDS),
        (EMPTY.shape, [interval(289)], interval(288, 288), Evidence.CERTIFICATE),
        # Claims on both sides need the exact number.
        (
            EMPTY.shape,
            [interval(287, 287), interval(289)],
            interval(288, 288),
            Evidence.CERTIFICATE,
        ),
        # A large number is enumerated.
        (SQUARES, [interval(331_775, 331_775)], interval(24**4, 24**4), Evidence.ENUMERATION),
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
    judgement = Judge().judged(EMPTY, [interval(1, 1)], grids)
    assert (judgement.solutions, judgement.evidence) == (interval(2), Evidence.GRIDS)
    judgement = Judge().judged(EMPTY, [interval(287, 287)], [])
    assert (judgement.solutions, judgement.evidence) == (interval(288, 288), Evidence.ENUMERATION)
