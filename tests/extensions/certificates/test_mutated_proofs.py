"""Mutated proofs: the checker, dratify and the definition judge them alike, and none is wrong."""

from collections import Counter
from random import Random

import pytest

from benchmarks.mutated_proofs import KINDS, Mutant, WrittenProof, mutant
from harness.extensions.certificates.certificate import ProofSteps, read_steps
from harness.extensions.certificates.checker import check_proof
from harness.extensions.certificates.formula import Formula, formula_of
from harness.extensions.certificates.second_opinion import second_opinion
from harness.puzzles import Puzzle, Shape
from tests.backends.oracle import backend_of
from tests.extensions.certificates.rup import is_proof
from tests.plain_search import solutions

PUZZLES = (
    ("4x4", "1...2.......3...", "native"),
    ("4x4", "1..2............", "cnf[solver=glucose4]"),
    ("latin4", "1.2.............", "cnf[solver=cadical153]"),
    ("latin4", "..............12", "native-jit"),
    ("jigsaw:1112122333243444", "1...............", "cnf[solver=lingeling]"),
)


def proof_of(shape: str, line: str, prover: str) -> WrittenProof:
    puzzle = Puzzle.of_line(line, Shape.parse(shape))
    proof = backend_of(prover, puzzle.shape).prove(puzzle, 1000)
    assert proof.complete
    return WrittenProof(puzzle, proof.solutions, tuple(proof.steps.splitlines()))


def steps_of(proof: WrittenProof) -> tuple[Formula, ProofSteps]:
    formula = formula_of(proof.puzzle, proof.solutions)
    return formula, read_steps("".join(f"{step}\n" for step in proof.steps), formula.variables)


def is_judged_alike(mutation: Mutant) -> bool:
    """Whether the mutant is accepted; all three judges have to agree."""
    formula, steps = steps_of(mutation.proof)
    ours, other = check_proof(formula, steps), second_opinion(formula, steps)
    assert (ours.accepted, ours.failed_step) == (other.accepted, other.failed_step), mutation
    assert ours.accepted == is_proof(formula.clauses(), steps.steps()), mutation
    if mutation.is_claim_false:
        assert len(solutions(mutation.proof.puzzle, 1000)) > len(mutation.proof.solutions)
        assert not ours.accepted, mutation
    return ours.accepted


@pytest.mark.parametrize("number", [25, pytest.param(1000, marks=pytest.mark.long)])
def test_mutated_proofs_are_judged_alike(number: int) -> None:
    random = Random(1)
    proofs = [proof_of(*puzzle) for puzzle in PUZZLES]
    acceptances, refusals = Counter[str](), Counter[str]()
    for _ in range(number):
        mutation = mutant(random.choice(proofs[:2]), random.choice(proofs[:2]), random)
        if random.random() < 0.6:
            same = random.choice(proofs[2:])
            mutation = mutant(same, same, random)
        (acceptances if is_judged_alike(mutation) else refusals)[mutation.kind] += 1
    assert sum(acceptances.values()) > number // 10
    assert sum(refusals.values()) > number // 4
    assert acceptances.keys() | refusals.keys() <= set(KINDS)


def test_proofs_are_accepted_before_they_are_mutated() -> None:
    for puzzle in PUZZLES:
        formula, steps = steps_of(proof_of(*puzzle))
        assert check_proof(formula, steps).accepted
        assert is_proof(formula.clauses(), steps.steps())


def test_a_proof_that_was_cut_short_as_by_old_releases_of_python_sat_is_refused() -> None:
    # Before python-sat 1.9.dev16 the end of CaDiCaL's proofs was missing (pysathq/pysat#233).
    proof = proof_of("latin4", "..............12", "cnf[solver=cadical153]")
    formula, steps = steps_of(proof)
    assert check_proof(formula, steps).accepted
    for length in (0, 1, len(proof.steps) // 2, len(proof.steps) - 1):
        shorter = WrittenProof(proof.puzzle, proof.solutions, proof.steps[:length])
        verdict = check_proof(*steps_of(shorter))
        assert not verdict.accepted
        assert verdict.reason == "the proof does not reach the empty clause"


def test_a_proof_whose_variables_are_one_too_large_is_refused() -> None:
    # Proofs of maplesat in python-sat count variables from 2 (pysathq/pysat#139).
    proof = proof_of("latin4", "..............12", "cnf[solver=glucose4]")

    def shift(word: str) -> str:
        return str(int(word) + (1 if int(word) > 0 else -1)) if word not in ("d", "0") else word

    steps = tuple(" ".join(map(shift, step.split())) for step in proof.steps)
    formula = formula_of(proof.puzzle, proof.solutions)
    within = [step for step in steps if "65" not in step]
    inner_steps = read_steps("".join(f"{step}\n" for step in within), formula.variables)
    verdict = check_proof(formula, inner_steps)
    assert not verdict.accepted
    assert verdict.failed_step is not None
    assert second_opinion(formula, inner_steps).failed_step == verdict.failed_step
