"""Programs that write proofs, and programs that check them."""

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.contract import model_named, named_line, parse_specs
from harness.extensions.certificates.certificate import (
    Certificate,
    read_certificates,
    read_steps,
    write_certificates,
)
from harness.extensions.certificates.certify import Certification, Certifiers
from harness.extensions.certificates.export import FORMATS
from harness.extensions.certificates.formula import Formula, formula_of, variables_of
from harness.extensions.certificates.second_opinion import Program
from harness.extensions.certificates.verify import verify
from harness.puzzles import Puzzle, Shape, SolutionCount
from tests.backends.oracle import backend_of
from tests.conftest import Ended
from tests.installed import needs

pytestmark = needs("models")

Harness = Callable[..., Ended]
TWO = ".....32...3..1.."
"""Two solutions; that there is no other does not follow by unit propagation alone."""
GLUCOSE = "cnf[solver=glucose4]"
KILLER = "4x4; killer 3: R1C1 R1C2; thermometer: R3C2 R3C3"
NONE = "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3.."
ONE = ".7.1.56.....6.81...9.........28....63.....9..8..2.751.7......6...4.2...........39"


def puzzle_of(line: str, shape: str = "4x4") -> Puzzle:
    return Puzzle.of_line(line, Shape.parse(shape))


def certify(puzzle: Puzzle, prover: str, limit: int = 1000, timeout: float = 60) -> Certification:
    with Certifiers(timeout_s=timeout) as certifiers:
        return certifiers.certify(puzzle, limit, parse_specs(prover))


def certificate_of(line: str, shape: str = "4x4", prover: str = GLUCOSE) -> Certificate:
    """The certificate by a backend in this process."""
    puzzle = puzzle_of(line, shape)
    backend = backend_of(prover, puzzle.shape)
    if puzzle.shape.primitives:
        proof = backend.prove_clauses(puzzle, 1000, formula_of(puzzle).clauses())
    else:
        proof = backend.prove(puzzle, 1000)
    claim = SolutionCount.from_number(len(proof.solutions))
    steps = read_steps(proof.steps, variables_of(puzzle.shape))
    return Certificate(puzzle, claim, proof.solutions, steps)


PROVERS = (
    "cadical {cnf} {proof}",
    "cadical --no-binary {cnf:encoding=minimal} {proof}",
    "picosat -R {proof} {cnf}",
    "cryptominisat5 {cnf} {proof}",
)
PUZZLES = ((TWO, "4x4", 2), (NONE, "9x9", 0), (ONE, "9x9", 1), ("." * 16, KILLER, 24))


@pytest.mark.parametrize("prover", PROVERS)
@pytest.mark.parametrize(("line", "shape", "number"), PUZZLES)
def test_a_program_of_debian_proves(prover: str, line: str, shape: str, number: int) -> None:
    program = prover.split()[0]
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    certification = certify(puzzle_of(line, shape), prover)
    assert certification.proven.reason == ""
    assert certification.proven.number == SolutionCount.from_number(number)
    assert certification.proven.prover == prover


SOLVER = """
import sys
from pathlib import Path
from pysat.formula import CNF
from pysat.solvers import Solver
proof = Path(sys.argv[2])
with Solver("glucose4", bootstrap_with=CNF(from_file=sys.argv[1]), with_proof=True) as solver:
    solved = solver.solve()
    if solved:
        print("s SATISFIABLE\\nv", *solver.get_model(), 0)
        sys.exit(10)
    steps = solver.get_proof()
{end}
print("s UNSATISFIABLE")
sys.exit(20)
"""


def solver(folder: Path, end: str) -> str:
    """A solver that ends so when no solution is left."""
    (folder / "solver.py").write_text(SOLVER.replace("{end}", end))
    return f"{sys.executable} {folder}/solver.py {{cnf}} {{proof}}"


def binary(steps: Iterable[str]) -> bytes:
    """Steps in binary DRAT."""
    data = bytearray()
    for step in steps:
        words = step.split()
        data += b"d" if words[0] == "d" else b"a"
        for literal in map(int, words[words[0] == "d" :]):
            number = 2 * abs(literal) + (literal < 0)
            while number > 127:
                data.append(number & 127 | 128)
                number >>= 7
            data.append(number)
    return bytes(data)


ENDS = {
    "text": r"proof.write_text('c a comment\n' + '\n'.join(steps) + '\n')",
    "windows": r"proof.write_text('\r\n'.join(steps))",
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_proof_may_have_comments_and_other_line_ends(tmp_path: Path, end: str) -> None:
    assert certify(puzzle_of(TWO), solver(tmp_path, end)).proven.number.exact


FAULTS = {
    "missing": ("pass", "wrote no file for {proof}"),
    "empty": ("proof.touch()", "does not reach the empty clause"),
    "no end": (r"proof.write_text('\n'.join(steps[:-1]) + '\n')", "does not reach the empty"),
    "wrong lemma": (r"proof.write_text('0\n')", "step 1 (0) does not follow"),
    "another formula": (r"proof.write_text('1 0\n-2 0\n5 0\n0\n')", "does not follow by unit"),
    "unknown variable": (r"proof.write_text('65 0\n0\n')", "65 is not a literal of the formula"),
    "text": ("proof.write_text('no proof at all')", "wrote a malformed proof"),
    "letters": ("proof.write_bytes(bytes(range(1, 256)))", "wrote a malformed proof"),
    "bytes": ("proof.write_bytes(bytes(range(256)))", "neither text nor binary DRAT"),
    "half a step": (r"proof.write_bytes(b'a\x02\x00a\x83')", "neither text nor binary DRAT"),
    "no variable": (r"proof.write_bytes(b'a\x01\x00')", "wrote a malformed proof"),
    "large variable": (r"proof.write_bytes(b'a\xff\xff\xff\xff\x7f\x00')", "malformed proof"),
    "a folder": ("proof.mkdir()", "wrote no file for {proof}"),
}


@pytest.mark.parametrize(("end", "words"), FAULTS.values(), ids=FAULTS)
def test_a_faulty_proof_is_not_believed(tmp_path: Path, end: str, words: str) -> None:
    certification = certify(puzzle_of(TWO), solver(tmp_path, end))
    assert (certification.certificate, certification.proven.proven) == (None, False)
    assert words in certification.proven.reason


def test_a_liar_proves_nothing(tmp_path: Path) -> None:
    (tmp_path / "liar.py").write_text(
        "import sys\nopen(sys.argv[2], 'w').write('0\\n')\nprint('s UNSATISFIABLE')"
    )
    liar = f"{sys.executable} {tmp_path}/liar.py {{cnf}} {{proof}}"
    assert "does not follow by unit" in certify(puzzle_of(TWO), liar).proven.reason
    assert certify(puzzle_of("11" + "." * 14), liar).proven.proven  # and it is right here


def test_an_endless_proof_ends_at_the_limit(tmp_path: Path) -> None:
    end = "    import time\n    while proof.open('a').write('1 -1 0\\n'):\n        time.sleep(0.01)"
    certification = certify(puzzle_of(TWO), solver(tmp_path, end), timeout=8)
    assert "no proof within 8 s" in certification.proven.reason


def test_the_proof_of_an_earlier_call_is_not_read(tmp_path: Path) -> None:
    once = tmp_path / "once"
    end = f"""
if not Path("{once}").exists():
    Path("{once}").touch()
    proof.write_text("\\n".join(steps))"""
    prover = solver(tmp_path, end)
    with Certifiers(timeout_s=60) as certifiers:
        first, other = (
            certifiers.certify(puzzle_of(TWO), 100, parse_specs(prover)) for _ in range(2)
        )
    assert (first.proven.proven, other.proven.proven) == (True, False)


def test_binary_steps_are_those_of_the_text() -> None:
    steps = ["-1 64 8191 -8192 0", "d 1 -2 0", "268435455 -99999999 0", "0"]
    read_proof = model_named("cnf").read_proof
    assert read_proof is not None
    assert read_proof(binary(steps)).splitlines() == steps


def test_only_clauses_have_proofs(tmp_path: Path) -> None:
    prover = solver(tmp_path, "pass")
    for model in ("{opb}", "{cnf-cardinality}"):
        reason = certify(puzzle_of(TWO), prover.replace("{cnf}", model)).proven.reason
        assert reason.endswith(" writes no proof of clauses; expected {cnf} {proof}")


# Checkers.


def is_lrat(formula: Formula, lines: Iterable[str]) -> bool:
    """Whether each clause follows by its hints alone; each hint forces a literal."""
    clauses = {number: set(clause) for number, clause in enumerate(formula.clauses(), 1)}
    for line in lines:
        words = [*map(int, line.split())]
        number, (*literals, _) = words[0], words[1 : words.index(0) + 1]
        hints = words[words.index(0) + 1 : -1]
        assert number == max(clauses) + 1
        false = set(literals)
        is_refuted = False
        for hint in hints:
            remaining = clauses[hint] - false
            if is_refuted or len(remaining) > 1 or any(-x in false for x in remaining):
                return False
            is_refuted = not remaining
            false.update(-literal for literal in remaining)
        if not is_refuted:
            return False
        clauses[number] = set(literals)
    return set() in clauses.values()


LINES = (*PUZZLES, ("." * 16, "4x4+antiknight", 24), ("11" + "." * 14, "4x4", 0))


@pytest.mark.parametrize("prover", [GLUCOSE, "cnf[solver=cadical153]", "native"])
@pytest.mark.parametrize(("line", "shape"), [(line, shape) for line, shape, _ in LINES])
def test_each_lemma_has_hints_from_which_it_follows(prover: str, line: str, shape: str) -> None:
    certificate = certificate_of(line, shape, GLUCOSE if ";" in shape else prover)
    assert certificate.proof is not None
    formula = formula_of(certificate.puzzle, certificate.solutions)
    lines = [*FORMATS["lrat"](formula, certificate.proof)]
    assert is_lrat(formula, lines)
    assert not is_lrat(formula, lines[:-1])


def test_a_lemma_that_does_not_follow_has_no_hints() -> None:
    formula = Formula.from_clauses(3, [[1, 2], [-1, 2], [1, 3]])
    lines = [*FORMATS["lrat"](formula, read_steps("2 0\n-3 0\n0\n", 3))]
    assert lines[:2] == ["4 2 0 1 2 0\n", "5 -3 0 0 0\n"]
    pbp = "".join(FORMATS["pbp"](formula, read_steps("2 -3 0\nd 1 2 0\n", 3)))
    assert "f 3 ;\nrup 1 x2 1 ~x3 >= 1 ;\nrup >= 1 ;\noutput NONE ;\n" in pbp


def checker(folder: Path, text: str, formats: str = "{cnf} {proof}") -> Program:
    (folder / "checker.py").write_text(f"import os, sys, time\n{text}")
    return Program(*named_line(f"{sys.executable} {folder}/checker.py {formats}"))


VERDICTS = {
    "print('\\rs VERIFIED')": "",
    "print('c some\\ns VERIFIED UNSAT\\nc more')": "",
    "print('s VERIFIED UNSATISFIABLE')": "",
    "print('Verification succeeded.')": "",
    "print('s NOT VERIFIED')": "s NOT VERIFIED",
    "print('s VERIFIED NO CONCLUSION')": "s VERIFIED NO CONCLUSION",
    "print('c s VERIFIED')": "c s VERIFIED",
    "": "exited with code 0",
    "sys.exit('broken')": "broken",
    "print('s VERIFIED', flush=True); os.kill(os.getpid(), 9)": "s VERIFIED",
    r"while True: print('s VERIFIED\n' * 10**5)": "bytes of output",
}


@pytest.mark.parametrize(("text", "reason"), VERDICTS.items())
def test_a_checker_accepts_by_its_words(tmp_path: Path, text: str, reason: str) -> None:
    certificate = certificate_of(NONE, "9x9")
    result = verify(certificate, checker(tmp_path, text))
    assert (result.proven, result.second_opinion, result.checker) == (not reason, not reason, True)
    if reason:
        words = "the checker of the harness accepts the proof; checker refuses the proof: "
        assert result.reason.startswith(words)
        assert reason in result.reason
        assert result.trusted == []
    else:
        assert result.trusted[-1] == "the checker of the harness or checker, which agree"


def test_a_checker_that_accepts_everything_proves_nothing_alone(tmp_path: Path) -> None:
    puzzle = puzzle_of(TWO)
    steps = read_steps("0\n", 64)
    certificate = Certificate(puzzle, SolutionCount.from_number(0), (), steps)
    for formats in ("{cnf} {proof}", "{cnf} {lrat}", "{cnf} {pbp}"):
        result = verify(certificate, checker(tmp_path, "print('s VERIFIED')", formats))
        assert not result.proven
        assert result.reason.endswith("; checker accepts the proof")


def test_a_slow_checker_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.extensions.certificates.second_opinion.MOST_SECONDS", 0.5)
    result = verify(certificate_of(NONE, "9x9"), checker(tmp_path, "time.sleep(60)"))
    assert result.reason.endswith("no verdict within 0.5 s")


def test_a_checker_reads_the_formula_and_the_proof(tmp_path: Path) -> None:
    certificate = certificate_of(TWO)
    assert certificate.proof is not None
    text = "print(*open(sys.argv[1]), *open(sys.argv[2]), sep='', file=open(sys.argv[3], 'w'))"
    out = tmp_path / "out"
    result = verify(certificate, checker(tmp_path, text, f"{{cnf}} {{proof}} {out}"))
    formula = formula_of(certificate.puzzle, certificate.solutions)
    lines = out.read_text().splitlines()
    assert not result.proven
    assert lines[0] == f"p cnf 64 {len(formula)}"
    clauses = [[*map(int, line.split())][:-1] for line in lines[1 : len(formula) + 1]]
    assert clauses == [*formula.clauses()]
    assert lines[len(formula) + 1 : -1] == certificate.proof.text.splitlines()


CHECKERS: Sequence[str] = (
    "drat-trim {cnf} {proof}",
    "cake_lpr {cnf} {lrat}",
    "lrat-trim {cnf} {lrat}",
    "veripb {cnf} {pbp}",
)


@pytest.mark.parametrize("command", CHECKERS)
@pytest.mark.parametrize(("line", "shape"), [(line, shape) for line, shape, _ in LINES])
def test_a_program_confirms(command: str, line: str, shape: str) -> None:
    program = command.split()[0]
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    if program == "veripb" and not named_line(command)[0].startswith("veripb-3"):
        pytest.skip("veripb is older than 3.0")
    certificate = certificate_of(line, shape)
    result = verify(certificate, Program(*named_line(command)))
    assert result.reason == ""
    assert program in result.trusted[-1]
    formula = formula_of(certificate.puzzle)  # the solutions are not forbidden
    empty = read_steps("0\n", formula.variables)
    if certificate.solutions:
        assert not Program(*named_line(command)).check(formula, empty).accepted


def test_the_command_names_the_checker(harness: Harness, tmp_path: Path) -> None:
    file = tmp_path / "none.cert"
    write_certificates(file, [certificate_of(NONE, "9x9")])
    (tmp_path / "checker.py").write_text("print('s VERIFIED')")
    command = f"mine={sys.executable} {tmp_path}/checker.py {{cnf}} {{lrat}}"
    result = harness("verify", file, "--checker", command)
    assert result.code == 0
    assert "the checker of the harness or mine, which agree" in " ".join(result.out.split())
    (tmp_path / "checker.py").write_text("print('s NOT VERIFIED')")
    result = harness("verify", file, "--checker", command)
    assert result.code == 1
    assert "mine refuses the proof: s NOT VERIFIED" in " ".join(result.out.split())
    assert read_certificates(file)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("true {cnff}", "unknown placeholder {cnff} (did you mean 'cnf'?)"),
        ("no-such-checker {cnf}", "program no-such-checker not found"),
        ("true", "no placeholder in 'true'; expected PROGRAM {cnf}"),
        ("{cnf}", "no program in '{cnf}'"),
    ],
)
def test_a_checker_that_cannot_be_used_is_an_error(command: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        Program(*named_line(command))
    assert words in str(error.value)
