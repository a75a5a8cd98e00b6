"""The checker accepts what follows by unit propagation, and nothing else."""

import os
import subprocess
import sys
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import InputError
from harness.extensions.certificates.certificate import ProofSteps, read_steps
from harness.extensions.certificates.checker import CheckResult, check_proof
from harness.extensions.certificates.formula import Formula, formula_of
from harness.extensions.certificates.second_opinion import second_opinion
from harness.puzzles import Puzzle, Shape
from tests.extensions.certificates.rup import Step, has_model, is_proof

VARIABLES = 5


def text_of(steps: list[Step]) -> str:
    return "".join(
        f"{'d ' if is_deletion else ''}{' '.join(map(str, [*literals, 0]))}\n"
        for is_deletion, literals in steps
    )


def question_of(clauses: list[list[int]], steps: list[Step]) -> tuple[Formula, ProofSteps]:
    return Formula.from_clauses(VARIABLES, clauses), read_steps(text_of(steps), VARIABLES)


def verdict_of(clauses: list[list[int]], steps: list[Step]) -> CheckResult:
    """The verdict of the checker, which dratify and the definition have to share."""
    formula, proof = question_of(clauses, steps)
    verdict = check_proof(formula, proof)
    assert verdict.accepted == is_proof(clauses, steps)
    other = second_opinion(formula, proof)
    assert (verdict.accepted, verdict.failed_step) == (other.accepted, other.failed_step)
    return verdict


LITERALS = st.integers(1, VARIABLES).flatmap(
    lambda variable: st.sampled_from((variable, -variable))
)
CLAUSES = st.lists(st.lists(LITERALS, max_size=4), max_size=14)
STEPS = st.lists(st.tuples(st.booleans(), st.lists(LITERALS, max_size=4)), max_size=8)


@settings(max_examples=40, deadline=None)
@given(CLAUSES, STEPS)
def test_a_proof_is_judged_as_by_definition(clauses: list[list[int]], steps: list[Step]) -> None:
    if verdict_of(clauses, steps).accepted:
        assert not has_model(clauses, VARIABLES)


def random_proof(random: Random) -> tuple[list[list[int]], list[Step]]:
    """Clauses without a model, and a proof with many right lemmas, some wrong ones, deletions."""
    clauses: list[list[int]] = []
    while has_model(clauses, VARIABLES):
        variables = random.sample(range(1, VARIABLES + 1), random.choice((2, 3, 3, 3)))
        clauses.append([variable * random.choice((1, -1)) for variable in variables])
    live, steps = list(clauses), list[Step]()
    for _ in range(40):
        variables = random.sample(range(1, VARIABLES + 1), random.choice((1, 2, 2, 3, 3, 4)))
        lemma = [variable * random.choice((1, -1)) for variable in variables]
        if is_proof([*live, *([-literal] for literal in lemma)], []) or random.random() < 0.08:
            steps.append((False, lemma))
            live.append(lemma)
        if random.random() < 0.2:
            clause = random.choice(live)
            steps.append((True, random.sample(clause, len(clause))))
            live.remove(clause)
    return clauses, [*steps, (False, [])]


def test_proofs_with_lemmas_and_deletions_are_judged_as_by_the_definition() -> None:
    random = Random(1)
    verdicts = [verdict_of(*random_proof(random)).accepted for _ in range(40)]
    assert 7 < sum(verdicts) < 33


def test_the_empty_clause_must_follow() -> None:
    clauses = [[1, 2], [-1, -2], [3, 4], [-3, -4]]
    verdict = verdict_of(clauses, [(False, [])])
    assert (verdict.accepted, verdict.failed_step) == (False, 0)
    assert "RUP, the only rule here: RAT is refused" in verdict.reason
    nothing = verdict_of(clauses, [])
    assert nothing == CheckResult(False, reason="the proof does not reach the empty clause")


PAIRS = [[1, -2], [-1, 2], [-1, -2]]
"""With the clause (1 2) they have no model."""
TRIPLES = [[1, 2, 3], [1, 2, -3], *PAIRS]
END = "0"


@pytest.mark.parametrize(
    ("clauses", "steps", "failed_step"),
    [
        # No clause has -1, so the lemma (1) keeps the formula satisfiable, but does not follow.
        pytest.param([[1, 2], [2, 3]], ["1 0", END], 0, id="RAT"),
        pytest.param(TRIPLES, ["1 2 0", "d 3 2 1 0", "2 0", END], None, id="deleted after use"),
        pytest.param(TRIPLES, ["d 3 2 1 0", "1 2 0", END], 1, id="deleted before use"),
        pytest.param([[3, 2, 1], *TRIPLES], ["d 1 2 3 0", "1 2 0", "1 0", END], None, id="once"),
        pytest.param(
            [[3, 2, 1], *TRIPLES], ["d 2 1 3 0", "d 1 2 3 0", "1 2 0", END], 2, id="both deleted"
        ),
        pytest.param([[1], [-1]], [], None, id="units"),
        pytest.param([[-2], [1], [2]], [], None, id="units of several"),
        pytest.param([[1], [-1, 2], [-2]], [], None, id="by propagation"),
        pytest.param([[]], ["3 0"], None, id="empty clause of the formula"),
        pytest.param([[1, 2], *PAIRS], ["d 2 1 0", "1 0", END], 1, id="pair deleted"),
        pytest.param([[1, 2], *PAIRS], ["d 2 3 0", "1 0", END], None, id="no such pair"),
        pytest.param(
            [[1], [-1, 2, 3], [-1, 2, -3], [-2, 3], [-2, -3]],
            ["d 1 0", "2 0", END],
            None,
            id="unit deleted",
        ),
        pytest.param([[1, 2, 3], [-1, -2]], ["4 -4 5 0", END], 1, id="tautology"),
        pytest.param(
            [[1], [-1, 2], [-2, 3, 4], [-2, 3, -4], [-3, 4], [-3, -4]],
            ["d -1 2 0", "3 0", END],
            None,
            id="what followed stays",
        ),
    ],
)
def test_lemmas_and_deletions(
    clauses: list[list[int]], steps: list[str], failed_step: int | None
) -> None:
    proof = read_steps("".join(f"{step}\n" for step in steps), VARIABLES)
    verdict = verdict_of(clauses, list(proof.steps()))
    assert (verdict.accepted, verdict.failed_step) == (failed_step is None, failed_step)


@pytest.mark.parametrize("repeats", [2, 3, 5])
def test_a_literal_counts_once_however_often_it_is_there(repeats: int) -> None:
    clauses = [[1, 2], [1, -2], [-1, 3], [-1, -3]]
    assert verdict_of(clauses, [(False, [1] * repeats), (False, [])]).accepted
    lemma_and_deletion = [(False, [1, 4, *[1] * repeats]), (True, [4, *[1] * repeats])]
    clauses = [[1, 2, 4], [1, -2, 4], [-1, 3], [-1, -3], [-4, 3], [-4, -3]]
    assert verdict_of(clauses, [(False, [1, 4] * repeats), (False, [1]), (False, [])]).accepted
    clauses = [[1, 2, 4], [1, -2, 4]]
    assert not verdict_of(clauses, [*lemma_and_deletion, (False, [1])]).accepted


@pytest.mark.parametrize("cells", [(0,), (0, 1), (0, 4)])
def test_contradictory_givens_need_no_proof(cells: tuple[int, ...]) -> None:
    givens = tuple(1 if cell in cells else 0 for cell in range(16))
    question = formula_of(Puzzle(Shape.parse("4x4"), givens)), read_steps("0\n", 64)
    accepted = len(cells) > 1
    assert check_proof(*question).accepted == second_opinion(*question).accepted == accepted


def test_the_kernel_pauses_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(2)
    proofs = [random_proof(random) for _ in range(20)]

    def verdicts() -> list[CheckResult]:
        return [check_proof(*question_of(*proof)) for proof in proofs]

    expected = verdicts()
    monkeypatch.setattr("harness.extensions.certificates.checker._SLICE", 0)
    monkeypatch.setattr("harness.extensions.certificates.checker._SLICE_WITHOUT_NUMBA", 0)
    assert verdicts() == expected


PROGRAM = """
from random import Random
from harness.extensions.certificates.checker import check_proof
from harness.extensions.certificates.certificate import read_steps
from harness.extensions.certificates.formula import formula_of
from harness.puzzles import Puzzle, Shape
from harness.puzzles.search.compilation import COMPILES
from tests.extensions.certificates.test_checker import question_of, random_proof
import sys
print(COMPILES, file=sys.stderr)
random = Random(3)
for _ in range(20):
    print(check_proof(*question_of(*random_proof(random))))
shape = Shape.parse("9x9")
print(check_proof(formula_of(Puzzle(shape, (1,) * 2 + (0,) * 79)), read_steps("0", 729)))
"""


@pytest.mark.long
def test_proofs_are_judged_the_same_without_numba() -> None:
    def output(**more: str) -> tuple[str, str]:
        command, env = [sys.executable, "-c", PROGRAM], os.environ | more
        result = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        return result.stdout, result.stderr.strip()

    assert output(NUMBA_DISABLE_JIT="1") == (output()[0], "False")


def test_malformed_steps_are_errors_with_their_lines() -> None:
    for text, error in (
        ("1 2 0\n3 x 0\n", "proof:2: 'x' is not a literal"),
        ("1 2 0\n3 4\n", "proof:2: '3 4' does not end with 0"),
        ("\n", "proof:1: '' does not end with 0"),
        ("1 0 2 0\n", "proof:1: 0 before the end of the line is not a literal"),
        (
            "1 0\nd 2 0\n0\n-7 0\n",
            "proof:4: -7 is not a literal of the formula; expected variables 1 to 6",
        ),
        ("+1 0\n", "proof:1: '+1' is not a literal"),
        ("1_0 0\n", "proof:1: '1_0' is not a literal"),
        ("d\n", "proof:1: 'd' does not end with 0"),
        ("0 d\n", "proof:1"),
        ("01 0\n", "proof:1: '01' is not a literal"),
        ("1 -0\n", "proof:1: '1 -0' does not end with 0"),
        ("9999999999 0\n", "proof:1: '9999999999' is not a literal"),
        ("\u0661 0\n", "proof:1: '\u0661' is not a literal"),
        ("1\u2003 0\n", "proof:1: '1\\u2003' is not a literal"),
        ("1 0\x0b2 0\n", "proof:1: '0\\x0b2' is not a literal"),
        ("1 0\r2 0\n", "proof:1: '0\\r2' is not a literal"),
        ("d d 1 0\n", "proof:1: 'd' is not a literal"),
    ):
        with pytest.raises(InputError) as caught:
            read_steps(text, 6)
        assert str(caught.value).startswith(error)


def test_white_space_is_free_within_a_line() -> None:
    plain = "1 -2 0\nd 1 -2 0\n0\n"
    for text in (plain, plain[:-1], " 1\t-2  0 \r\nd  1 -2 0\n0", plain.replace("\n", "\r\n")):
        steps = read_steps(text, 2)
        assert steps.text == plain
        assert [steps.text_of(at) for at in range(3)] == plain.splitlines()
        assert list(steps.steps()) == [(False, [1, -2]), (True, [1, -2]), (False, [])]
