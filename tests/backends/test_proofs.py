"""The backends that prove: every proof is complete and checked, on shapes of all kinds."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.cnf import PROVING, SOLVERS
from harness.contract import Backend, Proof, Unsupported
from harness.contract.backend import Capability, capabilities_of
from harness.contract.registry import load_class, names
from harness.extensions.certificates import SecondOpinion
from harness.extensions.certificates.certificate import Certificate, read_steps
from harness.extensions.certificates.formula import formula_of, variables_of
from harness.extensions.certificates.proven import Proven
from harness.extensions.certificates.verify import fault_of_solutions, verify
from harness.puzzles import Puzzle, Shape
from harness.puzzles.constraints.kinds import KINDS
from harness.puzzles.solution_count import SolutionCount
from tests.backends.oracle import LIMIT, backend_of, with_givens, with_pencilmarks
from tests.plain_search import solutions
from tests.puzzles.rules import mixes, variants

OUTSIDE = "houses4:11121314.21222324/3132.3343"
"""A shape with cells outside all houses, and pairs."""
SHAPES = ("4x4", "latin5", "6x6+diagonal", "6x6+antiknight", "jigsaw:1112122333243444", OUTSIDE)
PROVERS = ("native", "native-jit", "cnf[solver=glucose4]", "cnf[solver=cadical153]")
OTHERS = [
    f"cnf[solver={solver},encoding={encoding}]"
    for solver in PROVING
    for encoding in ("minimal", "extended")
]


def verdict_on(puzzle: Puzzle, proof: Proof) -> Proven:
    """What the verifier finds of a complete proof, with dratify on small shapes."""
    steps = read_steps(proof.steps, variables_of(puzzle.shape))
    claim = SolutionCount.from_number(len(proof.solutions))
    opinion = SecondOpinion.REQUIRED if puzzle.shape.size < 6 else SecondOpinion.NONE
    return verify(Certificate(puzzle, claim, proof.solutions, steps), opinion)


def check(backend: Backend, puzzle: Puzzle, limit: int = LIMIT) -> None:
    """Compare the proof with the solutions of a plain search."""
    expected = solutions(puzzle, limit)
    proof = backend.prove(puzzle, limit)
    assert proof.complete == (len(expected) < limit)
    if not proof.complete:
        assert len(set(proof.solutions)) == limit
        assert proof.steps == ""
        return
    assert sorted(proof.solutions) == sorted(expected)
    verification = verdict_on(puzzle, proof)
    assert verification.proven, f"{puzzle.shape.definition} {puzzle.line}: {verification.reason}"


@pytest.mark.parametrize(
    ("spec", "shape"), [*product(PROVERS, SHAPES), *((spec, "4x4") for spec in OTHERS)]
)
def test_proofs_are_right(spec: str, shape: str) -> None:
    """Of each prover on every shape, and of every SAT solver."""
    backend = backend_of(spec, Shape.parse(shape))
    for puzzle, _ in (*with_givens(shape, 8), *with_pencilmarks(shape, 4)):
        check(backend, puzzle)


@pytest.mark.parametrize("spec", PROVERS)
def test_proofs_of_puzzles_that_need_no_search(spec: str) -> None:
    shape = Shape.parse("latin2")
    backend = backend_of(spec, shape)
    for givens, number in (
        ((1, 2, 2, 1), 1),
        ((1, 1, 0, 0), 0),
        ((1, 0, 0, 2), 0),
        ((1, 2, 2, 2), 0),
    ):
        puzzle = Puzzle(shape, givens)
        proof = backend.prove(puzzle, 2)
        assert (len(proof.solutions), verdict_on(puzzle, proof).proven) == (number, True)
    none = Puzzle(shape, (0,) * 4, (0, 3, 3, 3))
    assert verdict_on(none, backend.prove(none, 2)).proven
    full = Puzzle(shape, (1, 2, 2, 1))
    assert backend.prove(full, 1) == Proof((full.givens,), complete=False)


@pytest.mark.parametrize("spec", PROVERS)
def test_a_hard_puzzle_and_one_with_many_solutions(spec: str) -> None:
    shape = Shape.parse("9x9")
    backend = backend_of(spec, shape)
    for line, number in (
        ("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..", 1),
        ("98.7..6....5.4...........3.7..8..9...4...2..5.3.....2.1...8...6...1...9.....671..", 1),
        ("..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..", 0),
        ("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9......4", 143),
    ):
        puzzle = Puzzle.of_line(line, shape)
        proof = backend.prove(puzzle, 400)
        verification = verdict_on(puzzle, proof)
        assert (len(proof.solutions), verification.proven) == (number, True), verification.reason


def test_the_kernel_enlarges_its_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = Puzzle.of_line("12" + "." * 34, Shape.parse("6x6+diagonal"))
    whole = backend_of("native-jit", puzzle.shape).prove(puzzle, 100_000)
    assert whole.complete
    assert len(whole.steps) > 2**12
    monkeypatch.setattr("backends.native_jit.learner._ARENA", 8)
    again = backend_of("native-jit", puzzle.shape).prove(puzzle, 100_000)
    assert set(again.solutions) == set(whole.solutions)
    assert again.complete
    assert set(whole.solutions) == set(
        backend_of("native", puzzle.shape).prove(puzzle, 10**6).solutions
    )


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 15), min_size=16, max_size=16))
def test_any_pencilmarks_are_proven(marks: list[int]) -> None:
    puzzle = Puzzle(Shape.parse("4x4"), (0,) * 16, tuple(marks))
    for spec in PROVERS:
        check(backend_of(spec, puzzle.shape), puzzle, 300)


@pytest.mark.parametrize("step", [300, pytest.param(20, marks=pytest.mark.long)])
def test_proofs_of_puzzles_with_constraints_are_right(step: int) -> None:
    for puzzle, _, grids, right in (*variants(len(KINDS), 11), *mixes(11, step)):
        faults = [fault_of_solutions(puzzle, [grid]) for grid in grids[:40]]
        assert [not fault for fault in faults] == [grid in right for grid in grids[:40]]
        for spec in PROVERS[2:]:
            proof = prove(spec, puzzle, 400)
            assert proof.complete
            assert set(proof.solutions) == right
            verification = verdict_on(puzzle, proof)
            place = f"{spec}: {puzzle.shape.definition} {puzzle.line}"
            assert verification.proven, f"{place}: {verification.reason}"
            if len(right) > 1:  # a proof that forgets a solution
                fewer = Proof(proof.solutions[1:], True, proof.steps)
                assert not verdict_on(puzzle, fewer).proven, place


def test_every_sat_solver_that_proves_takes_constraints() -> None:
    for puzzle, _, _, right in variants(8, 12):
        for spec in (name for name in OTHERS if name.endswith("minimal]")):
            proof = prove(spec, puzzle, 400)
            assert set(proof.solutions) == right, spec
            assert verdict_on(puzzle, proof).proven, spec


RESTORED = (
    "9x9+antiknight; killer 13: r1c1 r1c2; killer 9: r4c1 r5c1; killer 12: r6c1 r7c1 r7c2; "
    "killer 28: r7c4 r7c5 r7c6 r8c5 r8c6; palindrome: r1c3 r1c4 r2c4; "
    "palindrome: r1c5 r1c6 r2c7 r3c8; palindrome: r5c3 r4c2 r3c3 r4c4; "
    "palindrome: r5c9 r4c8 r3c7; palindrome: r6c4 r7c4 r7c3; palindrome: r8c7 r7c8 r6c9"
)
"""A puzzle in which CaDiCaL 3, in the call after the solution, needs a learned clause that it
deleted before. 1.5.3 and 1.9.5 do the same on some larger ones."""


@pytest.mark.parametrize("solver", [solver for solver in PROVING if solver.startswith("cadical")])
def test_what_cadical_restores_after_a_solution_is_not_deleted(solver: str) -> None:
    puzzle = Puzzle.of_line("." * 15 + "1" + "." * 12 + "45" + "." * 51, Shape.parse(RESTORED))
    proof = prove(f"cnf[solver={solver}]", puzzle, 2)
    verification = verdict_on(puzzle, proof)
    assert (len(proof.solutions), verification.proven) == (1, True), verification.reason
    assert "d" not in proof.steps


def prove(spec: str, puzzle: Puzzle, limit: int) -> Proof:
    backend = backend_of(spec, puzzle.shape)
    return backend.prove_clauses(puzzle, limit, formula_of(puzzle).clauses())


def test_the_proof_of_other_constraints_is_refused() -> None:
    shape = Shape.parse("4x4; killer 4: R1C1 R1C2; killer 6: R2C1 R3C1")
    looser = Shape.parse("4x4; killer 4: R1C1 R1C2; killer 5,6: R2C1 R3C1")
    puzzle, loose = (Puzzle.of_line("." * 15 + "1", form) for form in (shape, looser))
    proof = prove(PROVERS[2], puzzle, 400)
    assert verdict_on(puzzle, proof).proven
    assert not verdict_on(loose, proof).proven
    more = prove(PROVERS[2], loose, 400)
    assert len(more.solutions) > len(proof.solutions)
    assert "it breaks a constraint on R2C1 R3C1" in verdict_on(puzzle, more).reason


@pytest.mark.parametrize("spec", PROVERS)
def test_the_proof_of_a_puzzle_with_constraints_needs_the_clauses_of_the_verifier(
    spec: str,
) -> None:
    puzzle = Puzzle.of_line("." * 16, Shape.parse("4x4; thermometer: R1C1 R1C2"))
    with pytest.raises(Unsupported, match="constraints"):
        backend_of(spec, puzzle.shape).prove(puzzle, 2)
    if spec.startswith("native"):
        with pytest.raises(Unsupported, match="writes no proofs for puzzles with constraints"):
            prove(spec, puzzle, 2)


def test_backends_declare_whether_they_prove() -> None:
    proving = {name for name in names() if _class_proves(name)}
    assert proving == {"native", "native-jit", "cnf"}
    native = load_class("native")
    assert "prove" in capabilities_of(native).in_words(native.takes)
    assert Capability.PROVES not in capabilities_of(load_class("milp"))


def _class_proves(name: str) -> bool:
    try:
        return load_class(name).proves
    except Exception:  # noqa: BLE001  its library is not installed
        return False


def test_a_backend_without_proofs_raises_unsupported() -> None:
    puzzle = Puzzle.of_line("1...", Shape.parse("latin2"))
    with pytest.raises(Unsupported, match="milp writes no proofs"):
        backend_of("milp", puzzle.shape).prove(puzzle, 2)
    for solver in SOLVERS:
        if solver not in PROVING:
            with pytest.raises(
                Unsupported, match=rf"{solver} writes no proof.* cnf\[solver=glucose4\]"
            ):
                backend_of(f"cnf[solver={solver}]", puzzle.shape).prove(puzzle, 2)
    cardinality = backend_of("cnf[solver=gluecard4]", puzzle.shape)
    with pytest.raises(Unsupported, match=r"expected cnf\[solver=gluecard4,encoding=extended\]"):
        cardinality.prove(puzzle, 2)


def test_options_of_counting_do_not_change_proofs() -> None:
    puzzle, _ = with_givens("6x6+diagonal", 8)[0]
    plain = backend_of("cnf[solver=glucose4]", puzzle.shape).prove(puzzle, 50)
    for option in ("reuse=true", "counting=enumerate"):
        assert backend_of(f"cnf[solver=glucose4,{option}]", puzzle.shape).prove(puzzle, 50) == plain
