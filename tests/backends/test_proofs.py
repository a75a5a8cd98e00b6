"""The backends that prove: every proof is complete and checked, on shapes of all kinds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.cnf import PROVING, SOLVERS
from harness.contract import Backend, Proof, Unsupported
from harness.contract.backend import Capability, capabilities_in_words, capabilities_of
from harness.contract.registry import load_class, names
from harness.proofs import SecondOpinion
from harness.proofs.certificate import Certificate, read_steps
from harness.proofs.verify import Verification, verify
from harness.puzzles import Puzzle, Shape
from harness.puzzles.solution_count import SolutionCount
from tests.backends.oracle import LIMIT, backend_of, with_givens, with_pencilmarks
from tests.conformance.plain_search import solutions

OUTSIDE = "houses4:11121314.21222324/3132.3343"
"""A shape with cells outside all houses, and pairs."""
SHAPES = ("4x4", "latin5", "6x6+diagonal", "6x6+antiknight", "jigsaw:1112122333243444", OUTSIDE)
PROVERS = ("native", "native-jit", "cnf[solver=glucose4]", "cnf[solver=cadical153]")
OTHERS = [
    f"cnf[solver={solver},encoding={encoding}]"
    for solver in PROVING
    for encoding in ("minimal", "extended")
]


def verified(puzzle: Puzzle, proof: Proof) -> Verification:
    """What the verifier finds of a complete proof, with dratify on small shapes."""
    steps = read_steps(proof.steps, puzzle.shape.size**3)
    claim = SolutionCount.of(len(proof.solutions))
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
    found = verified(puzzle, proof)
    assert found.proven, f"{puzzle.shape.definition} {puzzle.line}: {found.reason}"


@pytest.mark.parametrize("spec", PROVERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_proofs_are_right_on_every_shape(spec: str, shape: str) -> None:
    backend = backend_of(spec, Shape.parse(shape))
    for puzzle, _ in (*with_givens(shape, 8), *with_pencilmarks(shape, 4)):
        check(backend, puzzle)


@pytest.mark.parametrize("spec", OTHERS)
def test_the_proof_of_every_sat_solver_is_right(spec: str) -> None:
    shape = Shape.parse("4x4")
    backend = backend_of(spec, shape)
    for puzzle, _ in with_givens("4x4", 6):
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
        assert (len(proof.solutions), verified(puzzle, proof).proven) == (number, True)
    none = Puzzle(shape, (0,) * 4, (0, 3, 3, 3))
    assert verified(none, backend.prove(none, 2)).proven
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
        found = verified(puzzle, proof)
        assert (len(proof.solutions), found.proven) == (number, True), found.reason


def test_the_kernel_enlarges_its_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = Puzzle.of_line("12" + "." * 34, Shape.parse("6x6+diagonal"))
    whole = backend_of("native-jit", puzzle.shape).prove(puzzle, 100_000)
    assert whole.complete
    assert len(whole.steps) > 2**12
    monkeypatch.setattr("backends.native_jit.proving._TEXT", 8)
    monkeypatch.setattr("backends.native_jit.proving._SOLUTIONS", 1)
    again = backend_of("native-jit", puzzle.shape).prove(puzzle, 100_000)
    assert again == whole
    assert set(whole.solutions) == set(
        backend_of("native", puzzle.shape).prove(puzzle, 10**6).solutions
    )


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 15), min_size=16, max_size=16))
def test_any_pencilmarks_are_proven(marks: list[int]) -> None:
    puzzle = Puzzle(Shape.parse("4x4"), (0,) * 16, tuple(marks))
    for spec in PROVERS:
        check(backend_of(spec, puzzle.shape), puzzle, 300)


def test_backends_declare_whether_they_prove() -> None:
    proving = {name for name in names() if _class_proves(name)}
    assert proving == {"native", "native-jit", "cnf"}
    held = capabilities_of(load_class("native"))
    assert Capability.PROVES in held
    assert "prove" in capabilities_in_words(held)
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
            with pytest.raises(Unsupported, match=f"{solver} writes no proof that can be checked"):
                backend_of(f"cnf[solver={solver}]", puzzle.shape).prove(puzzle, 2)
    cardinality = backend_of("cnf[solver=gluecard4]", puzzle.shape)
    with pytest.raises(Unsupported, match=r"are not clauses; expected .* minimal or extended"):
        cardinality.prove(puzzle, 2)


def test_options_of_counting_do_not_change_proofs() -> None:
    puzzle, _ = with_givens("6x6+diagonal", 8)[0]
    plain = backend_of("cnf[solver=glucose4]", puzzle.shape).prove(puzzle, 50)
    for option in ("reuse=true", "counting=enumerate"):
        assert backend_of(f"cnf[solver=glucose4,{option}]", puzzle.shape).prove(puzzle, 50) == plain
