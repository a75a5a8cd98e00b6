"""Certificates by provers that are right, wrong or hostile."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import BackendUnavailableError, OptionError, UnknownBackendError
from harness.contract.options import parse_specs
from harness.extensions.certificates import SecondOpinion
from harness.extensions.certificates.certificate import read_certificates, write_certificates
from harness.extensions.certificates.certify import (
    MANY_SOLUTIONS,
    Certification,
    Certifiers,
    default_provers,
    refutation,
)
from harness.extensions.certificates.verify import verify
from harness.puzzles import Instance, Puzzle, Shape
from harness.puzzles.solution_count import SolutionCount
from harness.records.question import Question, Start, Task, Verdict
from harness.records.trial import Ending, Outcome, Trial, TrialRecord

FOUR = Puzzle.of_line("1...........2...", Shape.parse("4x4"))
CertifyWith = Callable[[str], Certification]
BACKEND = '''
import os, sys, time
from harness.contract import Answer, Backend, Proof, Unsupported
from backends.native import Native


class Mine(Native):
    """A prover with a fault."""

    name = "mine"

    def prove(self, puzzle, limit):
        right = super().prove(puzzle, limit)
        first = right.solutions[0]
        {fault}
'''


def certify(puzzle: Puzzle, limit: int, prover: str, **more: Any) -> Certification:
    with Certifiers(**more) as certifiers:
        return certifiers.certify(puzzle, limit, parse_specs(prover))


def of_fault(fault: str, folder: Path, puzzle: Puzzle = FOUR, **limits: Any) -> Certification:
    path = folder / "mine.py"
    path.write_text(BACKEND.format(fault=fault))
    return certify(puzzle, 1000, str(path), **limits)


def test_a_puzzle_with_constraints_has_a_certificate_that_is_read_back(tmp_path: Path) -> None:
    shape = Shape.parse("4x4; killer 5: R1C1 R2C1; thermometer: R3C2 R3C3; skyscraper 2: R4C1 R4C2")
    puzzle = Puzzle.of_line("3" + "." * 15, shape)
    with Certifiers(timeout_s=30) as certifiers:
        certification = certifiers.certify(puzzle, MANY_SOLUTIONS, default_provers(MANY_SOLUTIONS))
    assert certification.proven.reason == ""
    assert certification.certificate is not None
    assert certification.certificate.prover.startswith("cnf[solver=glucose4]")
    path = tmp_path / "variant.cert"
    write_certificates(path, [certification.certificate])
    (again,) = read_certificates(path)
    result = verify(again, SecondOpinion.REQUIRED)
    assert (again.puzzle, result.proven) == (puzzle, True)
    assert again.puzzle.shape.constraints == shape.constraints
    assert any("to which its 3 constraints reduce" in part for part in result.trusted)


def test_a_prover_may_wait_longer_than_a_proof_may_take() -> None:
    with Certifiers(timeout_s=0.5) as certifiers:
        assert certifiers.certify(FOUR, 2, parse_specs("native")).proven.reason == ""
        time.sleep(3.5)
        assert certifiers.certify(FOUR, 2, parse_specs("native")).proven.reason == ""


READ_FAULT = """code = dict(globals())
        exec(open(os.path.join(os.path.dirname(__file__), "fault.py")).read(), code)
        return code["faulty"](right, first)
"""


@pytest.fixture(scope="module")
def certify_with(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CertifyWith]:
    """Certifies `FOUR` by a prover with a fault, which one process reads before each proof.

    It starts again after a fault that ends it.
    """
    folder = tmp_path_factory.mktemp("faulty")
    path = folder / "mine.py"
    path.write_text(BACKEND.format(fault=READ_FAULT))
    with Certifiers(timeout_s=20.0) as certifiers:

        def certify_(fault: str) -> Certification:
            (folder / "fault.py").write_text(f"def faulty(right, first):\n    {fault}\n")
            certification = certifiers.certify(FOUR, 1000, parse_specs(str(path)))
            assert certification.certificate is None
            assert certification.proven.reason.startswith(f"{folder}/mine.py")
            return certification

        yield certify_


@pytest.mark.parametrize(
    ("fault", "failure"),
    [
        ("return Proof(right.solutions, True, '0')", "wrong proof: the checker of the harness "),
        ("return Proof((first, first), False)", "wrong solutions: a solution is listed twice"),
        ("return Proof(right.solutions, 'no', '')", "a Proof with complete = 'no'; expected a"),
        ("pass", "prove returns None; expected a harness.contract.Proof"),
        ("return Proof(((1,) * 16,), False)", "solution 1 is wrong: it contradicts a given"),
        ("return Proof((first[:15],), False)", "one of its solutions is not a grid of 4x4"),
        ("return Proof((), False)", "found no solution and no proof"),
        ("return Proof((), True, 'x 0')", "malformed proof: proof:1: 'x' is not a literal"),
        ("return Proof((), True, chr(0xdcff))", "malformed proof: proof:1"),
        ("raise ValueError('nothing')", "ValueError: nothing"),
        ("raise Unsupported('not today')", "not today"),
        ("print('its last line', flush=True); os.abort()", "killed by SIGABRT: its last line"),
        # The connection of a dying process closes before its end, by seconds under load.
        ("os.closerange(3, 99); time.sleep(1); os.abort()", "killed by SIGABRT"),
    ],
)
def test_a_faulty_prover_has_no_proof(fault: str, failure: str, certify_with: CertifyWith) -> None:
    certification = certify_with(fault)
    assert failure in certification.proven.reason


def test_a_proof_has_a_limit(certify_with: CertifyWith, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.extensions.certificates.prover.LARGEST_BYTES", 2**22)
    reason = certify_with("return Proof((), True, '1 0\\n' * 2**21)").proven.reason
    assert reason.endswith("its proof has more than 4 MiB")


def test_a_prover_has_limits_of_time_and_memory(tmp_path: Path) -> None:
    late = of_fault("time.sleep(60)", tmp_path, timeout_s=0.5)
    assert late.proven.reason.endswith("no proof within 0.5 s")
    large = of_fault("return bytearray(2**40)", tmp_path, timeout_s=20, memory_mib=300)
    assert "MemoryError" in large.proven.reason or "MiB of memory" in large.proven.reason


def test_pencilmarks_need_a_backend_that_takes_them(tmp_path: Path) -> None:
    puzzle = Puzzle(Shape.parse("latin3"), (0,) * 9, (3, *(7,) * 8))
    fault = "return right\n\n    takes = frozenset()"
    certification = of_fault(fault, tmp_path, puzzle, timeout_s=20)
    assert certification.proven.reason.endswith("mine does not take pencilmarks")


def test_backends_that_do_not_exist_or_do_not_load_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import nothing_of_this_name\n")
    for spec, kind, error in (
        ("nativ", UnknownBackendError, r"unknown backend 'nativ' \(did you mean"),
        ("native[depth=3]", OptionError, "depth"),
        (str(path), BackendUnavailableError, "is not available: ModuleNotFoundError"),
    ):
        with pytest.raises(kind, match=error):
            certify(FOUR, 2, spec, timeout_s=20)


def test_the_default_prover_depends_on_the_number_of_solutions() -> None:
    few, many = default_provers(2)[0], default_provers(MANY_SOLUTIONS)[0]
    assert (few.label, many.label) == ("cnf[solver=glucose4]", "native-jit")
    assert default_provers(MANY_SOLUTIONS)[-1].label == "native"


# Answers that a verified claim refutes.


EMPTY = Puzzle(Shape.parse("4x4"), (0,) * 16)


def record(task: Task, **outcome: object) -> TrialRecord:
    question = Question(task, 10, Start.COLD, 1.0)
    trial = Trial("a", "d", Instance("e", EMPTY), question, 1)
    outcome_ = Outcome(**{"ending": Ending.ANSWERED, **outcome})  # type: ignore[arg-type]
    return TrialRecord(trial, outcome_, Verdict.WRONG)


exactly, at_least = SolutionCount.from_number, SolutionCount
NONE = record(Task.SOLVE, status="unsatisfiable")
EXACT = record(Task.COUNT, count=2, exact=True)
LOWER = record(Task.COUNT, count=10, exact=False)


@pytest.mark.parametrize(
    ("proven", "answer", "reason"),
    [
        (exactly(0), NONE, ""),
        (at_least(1), NONE, "claims no solution, but a proof shows at least 1 solution"),
        (exactly(1), record(Task.SOLVE, status="solved"), ""),
        (exactly(1), record(Task.SOLVE, status="unknown"), ""),
        (exactly(2), EXACT, ""),
        (exactly(3), EXACT, "claims exactly 2 solutions, but a proof shows exactly 3 solutions"),
        (at_least(3), EXACT, "claims exactly 2 solutions, but a proof shows at least 3 solutions"),
        (at_least(2), EXACT, ""),
        (at_least(3), LOWER, ""),
        (exactly(10), LOWER, ""),
        (exactly(9), LOWER, "claims at least 10 solutions, but a proof shows exactly 9 solutions"),
        # A count that reaches its limit is never exact, whatever the backend states.
        (exactly(11), record(Task.COUNT, count=10, exact=True), ""),
        (exactly(3), record(Task.COUNT, ending=Ending.TIME_LIMIT, count=2, exact=True), ""),
        (exactly(3), record(Task.COUNT), ""),
    ],
)
def test_a_proof_refutes_an_answer(proven: SolutionCount, answer: TrialRecord, reason: str) -> None:
    assert refutation(proven, answer) == reason
