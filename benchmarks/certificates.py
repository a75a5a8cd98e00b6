"""Proofs of the claims on whole collections, their cost, and mutated proofs: docs/certificates.md.

    python -m benchmarks.certificates 17_CLUES MAGICTOUR

The arguments are files of two collections, one puzzle per line: Gordon Royle's 17-clue puzzles
and the 1465 puzzles of the site magictour. Each number of solutions of the dataset `named`, of
the dataset `seeds` with its puzzle of 38,122 solutions, and of both files is proven. The harness
checks each proof, and dratify checks many of them, which takes half an hour. Then both judge
`MUTANTS` mutated proofs. All times are CPU times of one process, after its kernels are compiled.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Final, TypeVar

from benchmarks.inference import puzzle_lines
from benchmarks.mutated_proofs import KINDS, Mutant, WrittenProof, mutant
from benchmarks.records import put_record
from harness.contract import Backend, parse_specs
from harness.contract.registry import load_backend
from harness.extensions.certificates.certificate import read_steps
from harness.extensions.certificates.checker import CheckResult, check_proof
from harness.extensions.certificates.formula import formula_of
from harness.extensions.certificates.second_opinion import second_opinion
from harness.extensions.certificates.verify import fault_of_solutions
from harness.puzzles import Puzzle, Shape, load_dataset, parse_puzzle

PROVERS: Final = ("cnf[solver=glucose4]", "native-jit")
LIMIT: Final = 100_000
MUTANTS: Final = 1000
SECOND_OPINIONS_OF_17_CLUES: Final = 500
"""Puzzles of the first file whose proofs dratify checks too."""

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Claim:
    """A puzzle whose number of solutions is to be proven."""

    puzzle: Puzzle
    prover: str
    has_second_opinion: bool = True


@dataclass(frozen=True)
class Done:
    """What became of a claim; times in seconds."""

    number: int
    is_exact: bool
    accepted: bool
    second_accepted: bool | None
    steps: int
    count_s: float
    prove_s: float
    check_s: float
    second_s: float


@cache
def backend_of(spec: str, shape: Shape) -> Backend:
    """The backend of a spec, in this process."""
    (parsed,) = parse_specs(spec)
    kind, options = load_backend(parsed.locator, parsed.settings)
    return kind(shape, options)


def timed(function: Callable[[], _Result]) -> tuple[_Result, float]:
    """What a function returns, and its CPU time in seconds."""
    began = process_time()
    result = function()
    return result, process_time() - began


def prove(claim: Claim) -> Done:
    """Count, prove, and check the proof from its text."""
    puzzle, backend = claim.puzzle, backend_of(claim.prover, claim.puzzle.shape)
    backend.prove(puzzle, 2)  # compiles, and builds what depends on the shape
    check_proof(formula_of(puzzle), read_steps("", puzzle.shape.size**3))
    _, count_s = timed(lambda: backend.count(puzzle, LIMIT))
    proof, prove_s = timed(lambda: backend.prove(puzzle, LIMIT))
    if not proof.complete:
        is_right = fault_of_solutions(puzzle, proof.solutions) == ""
        return Done(len(proof.solutions), False, is_right, None, 0, count_s, prove_s, 0, 0)

    def check() -> CheckResult:
        formula = formula_of(puzzle, proof.solutions)
        steps = read_steps(proof.steps, puzzle.shape.size**3)
        if fault_of_solutions(puzzle, proof.solutions):
            return CheckResult(False)
        return check_proof(formula, steps)

    verdict, check_s = timed(check)
    formula = formula_of(puzzle, proof.solutions)
    steps = read_steps(proof.steps, puzzle.shape.size**3)
    other, second_s = None, 0.0
    if claim.has_second_opinion:
        opinion, second_s = timed(lambda: second_opinion(formula, steps))
        other = opinion.accepted
    return Done(
        *(len(proof.solutions), True, verdict.accepted, other, len(steps)),
        *(count_s, prove_s, check_s, second_s),
    )


def row(name: str, prover: str, results: Sequence[Done]) -> str:
    """The row of a collection."""
    exact = [done for done in results if done.is_exact]
    assert all(done.accepted for done in results), name
    assert all(done.second_accepted is not False for done in results), name
    by_number: dict[int, int] = defaultdict(int)
    for done in exact:
        by_number[min(done.number, 2)] += 1
    second = [done for done in exact if done.second_accepted]

    def ms(times: list[float]) -> str:
        return f"{1000 * median(times):,.2f}" if times else ""

    return (
        f"| {name} | `{prover}` | {by_number[0]:,} | {by_number[1]:,} | {by_number[2]:,} "
        f"| {len(second):,} | {median(done.steps for done in exact):,.0f} "
        f"| {ms([done.count_s for done in exact])} | {ms([done.prove_s for done in exact])} "
        f"| {ms([done.check_s for done in exact])} | {ms([done.second_s for done in second])} |"
    )


def judged(mutant: Mutant) -> tuple[Mutant, CheckResult, CheckResult]:
    """The verdicts of the harness and of dratify on a mutated proof."""
    proof = mutant.proof
    formula = formula_of(proof.puzzle, proof.solutions)
    steps = read_steps("".join(f"{step}\n" for step in proof.steps), formula.variables)
    return mutant, check_proof(formula, steps), second_opinion(formula, steps)


def written(claim: Claim) -> WrittenProof | None:
    """The proof of a puzzle; None if it has five lemmas or fewer."""
    proof = backend_of(claim.prover, claim.puzzle.shape).prove(claim.puzzle, LIMIT)
    steps = tuple(proof.steps.splitlines())
    lemmas = [step for step in steps if step[0] not in "d0"]
    return WrittenProof(claim.puzzle, proof.solutions, steps) if len(lemmas) > 5 else None


def mutants(puzzles: Sequence[Puzzle], number: int) -> list[Mutant]:
    """Mutants of the proofs of these puzzles, the same in every run."""
    random = Random(1)  # noqa: S311
    claims = [Claim(puzzle, random.choice(PROVERS)) for puzzle in puzzles]
    proofs = [proof for proof in map(written, claims) if proof is not None]
    return [mutant(random.choice(proofs), random.choice(proofs), random) for _ in range(number)]


def mutation_table(verdicts: Sequence[tuple[Mutant, CheckResult, CheckResult]]) -> list[str]:
    """The table of verdicts on mutants."""
    rows = [
        "| fault | proofs | refused by both | accepted by both | judged differently |",
        "|---|---:|---:|---:|---:|",
    ]
    sums = [0, 0, 0, 0]
    for kind in KINDS:
        of_kind = [(ours, other) for mutant, ours, other in verdicts if mutant.kind == kind]
        same = [a.accepted for a, b in of_kind if a.accepted == b.accepted]
        same_step = all(a.failed_step == b.failed_step for a, b in of_kind)
        assert same_step, kind
        numbers = [len(of_kind), same.count(False), same.count(True), len(of_kind) - len(same)]
        sums = [a + b for a, b in zip(sums, numbers, strict=True)]
        rows.append(f"| {kind} | {' | '.join(map(str, numbers))} |")
    wrongly = [mutant for mutant, ours, _ in verdicts if ours.accepted and mutant.is_claim_false]
    assert not wrongly
    rows.append(f"| all | {' | '.join(f'{number:,}' for number in sums)} |")
    return rows


def main(files: list[str]) -> None:
    """Prove and check everything, and replace both tables of the page."""
    royle, magictour = ([parse_puzzle(line) for line in puzzle_lines(Path(f))] for f in files)
    collections = {
        "`named`": [instance.puzzle for instance in load_dataset("named").instances],
        "`seeds`": [instance.puzzle for instance in load_dataset("seeds").instances],
        "magictour top1465": magictour,
        "17-clue sample": royle,
    }
    columns = "none | unique | several | dratify too | steps | count, ms | prove, ms | check, ms"
    rows = [f"| collection | prover | {columns} | dratify, ms |", f"|---|---|{'---:|' * 9}"]
    with Pool(2) as pool:
        for name, puzzles in collections.items():
            for prover in PROVERS:
                most = SECOND_OPINIONS_OF_17_CLUES if puzzles is royle else len(puzzles)
                # dratify takes ten minutes for the puzzle of `seeds` with 38,122 solutions.
                is_doubled = name != "`seeds`" or prover == PROVERS[-1]
                claims = [
                    Claim(puzzle, prover, is_doubled and at < most)
                    for at, puzzle in enumerate(puzzles)
                ]
                rows.append(row(name, prover, pool.map(prove, claims, chunksize=4)))
                print(rows[-1], flush=True)
        multiple = [instance.puzzle for instance in load_dataset("multi-solution").instances]
        made = mutants([*magictour[:100], *multiple], MUTANTS)
        verdicts = pool.map(judged, made, chunksize=10)
    table = mutation_table(verdicts)
    print("\n".join(table))
    put_record("certificate-claims", "\n".join(rows) + "\n")
    put_record("certificate-mutants", "\n".join(table) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
