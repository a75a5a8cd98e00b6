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


@pytest.mark.parametrize("most", [0, 1, 9])
def test_too_small_a_claim_is_refuted_by_grids(judge: Judge, most: int) -> None:
    judgement = judge.judged(EMPTY, [SolutionCount(most, most)], [])
    assert judgement.evidence is Evidence.GRIDS
    assert judgement.solutions == SolutionCount(most + 1)


def test_the_grids_of_an_answer_are_enough(judge: Judge) -> None:
    grids = ["1234341221434321", "1234341243212143"]
    judgement = Judge().judged(EMPTY, [SolutionCount(1, 1)], grids)
    assert (judgement.solutions, judgement.evidence) == (SolutionCount(2), Evidence.GRIDS)


def test_too_large_a_claim_is_refuted_by_a_certificate(judge: Judge) -> None:
    judgement = judge.judged(EMPTY, [SolutionCount(289)], [])
    assert (judgement.solutions, judgement.evidence) == (
        SolutionCount(288, 288),
        Evidence.CERTIFICATE,
    )


def test_without_a_prover_the_internal_solver_decides() -> None:
    judgement = Judge().judged(EMPTY, [SolutionCount(287, 287)], [])
    assert (judgement.solutions, judgement.evidence) == (
        SolutionCount(288, 288),
        Evidence.ENUMERATION,
    )


def test_a_large_number_is_enumerated(judge: Judge) -> None:
    puzzle = Puzzle(SQUARES, (0,) * 16)
    judgement = judge.judged(puzzle, [SolutionCount(331_775, 331_775)], [])
    assert (judgement.solutions, judgement.evidence) == (
        SolutionCount(24**4, 24**4),
        Evidence.ENUMERATION,
    )


def test_claims_on_both_sides_need_the_exact_number(judge: Judge) -> None:
    judgement = judge.judged(EMPTY, [SolutionCount(287, 287), SolutionCount(289)], [])
    assert (judgement.solutions, judgement.evidence) == (
        SolutionCount(288, 288),
        Evidence.CERTIFICATE,
    )
