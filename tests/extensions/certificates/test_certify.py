"""`harness prove` and `harness verify`."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from harness.extensions.certificates.documents import ProvedRun, Verified
from harness.extensions.certificates.proven import Proven
from harness.puzzles import Shape
from harness.puzzles.patterns import pattern_puzzle
from tests.conftest import Ended

Harness = Callable[..., Ended]
SEED_0 = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
pytestmark = pytest.mark.usefixtures("warm_workers")
NONE = "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3.."
FOUR = "1...........2..."
LIAR = '''
from harness.contract import Answer, Backend, Count, Proof
from harness.puzzles import Grid


class Liar(Backend):
    """Finds nothing."""

    name = "liar"
    paradigm = "none"

    def __init__(self, shape, options) -> None:
        pass

    def solve(self, puzzle) -> Answer:
        return Answer.unsatisfiable()
'''


@pytest.fixture
def liar(tmp_path: Path) -> Path:
    path = tmp_path / "liar.py"
    path.write_text(LIAR)
    return path


def words(result: Ended) -> str:
    """The output without line breaks."""
    return " ".join(result.out.split())


def test_no_solution_is_proven(harness: Harness, tmp_path: Path) -> None:
    file = tmp_path / "none.cert"
    result = harness("prove", NONE, "--out", file)
    assert result.code == 0
    assert "proven: no solution; cnf[solver=glucose4]" in words(result)
    assert words(result).endswith(f"certificate: {file}")
    verification = harness("verify", file)
    assert (verification.code, verification.err) == (0, "")
    flat = words(verification)
    assert f"{file}:1: proven: no solution of a 9x9 puzzle with 28 clues relies on: the 27" in flat
    assert "the 10,558 clauses of the formula; the checker of the harness or dratify" in flat


def test_candidates_of_the_puzzle_are_named(harness: Harness, tmp_path: Path) -> None:
    puzzle, file = tmp_path / "p.jsonl", tmp_path / "one.cert"
    candidates = "1..." + "12.." + "1234" * 14
    puzzle.write_text('{"shape": "4x4", "puzzle": "' + candidates + '"}\n')
    harness("prove", puzzle, "--max-solutions", 1, "--out", file)
    assert "puzzle with 1 clue and pencilmarks" in words(harness("verify", file))


def test_the_chosen_backend_proves(harness: Harness, tmp_path: Path) -> None:
    file = tmp_path / "one.cert.gz"
    for backend in ("native", "cnf[solver=cadical153]"):
        command = ["--backend", backend, "--out", file, "--replace", "--json"]
        result = harness("prove", SEED_0, *command)
        assert result.code == 0, result.err
        proven = msgspec.json.decode(result.out, type=Proven)
        assert (proven.claim, proven.reason) == ("exactly 1", "")
        assert proven.prover.startswith(f"{backend} " if "[" in backend else backend)
        assert proven.clauses == 10563


@pytest.mark.long
def test_standard_input_may_be_compressed(harness: Harness, tmp_path: Path) -> None:
    file = tmp_path / "one.cert.gz"
    harness("prove", FOUR, "--out", file)
    with file.open("rb") as stream:
        command = [sys.executable, "-m", "harness", "verify", "-"]
        result = subprocess.run(command, stdin=stream, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "standard input:1: proven: exactly 24 solutions" in " ".join(result.stdout.split())


def test_a_file_that_cannot_be_written_is_an_error_before_the_proof(harness: Harness) -> None:
    code, out, err = harness("prove", FOUR, "--out", "/proc/none.cert")
    assert (code, out, "/proc: cannot be written" in err) == (2, "", True)


def test_too_large_a_proof_is_refused_before_the_search(harness: Harness, tmp_path: Path) -> None:
    puzzle, file = tmp_path / "large.txt", tmp_path / "large.cert"
    puzzle.write_text(" ".join(map(str, pattern_puzzle(Shape.parse("81x81"), 99).givens)) + "\n")
    result = harness("prove", puzzle, "--out", file)
    assert result.code == 1
    text = words(result)
    assert "not proven: no proof can be checked: the " in text
    assert "clauses of 81x81 take" in text
    assert "expected a shape whose clauses take at most 1,024 MiB" in text
    assert not file.exists()
    result = harness("prove", puzzle, "--max-solutions", 1, "--out", file, "--backend", "cnf")
    assert result.code == 0
    assert file.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_certificate_that_is_not_written_is_not_announced(harness: Harness) -> None:
    code, out, err = harness("prove", FOUR, "--out", "/dev/full")
    assert (code != 0, "certificate: " in out, "cannot be written" in err) == (True, False, True)


def test_a_solution_and_a_limit_are_lower_bounds(harness: Harness, tmp_path: Path) -> None:
    files = (tmp_path / "one", tmp_path / "many")
    for puzzle, limit, file in ((SEED_0, "1", files[0]), (FOUR, "5", files[1])):
        result = harness("prove", puzzle, "--max-solutions", limit, "--out", file)
        assert f"proven: at least {limit} solution" in result.out
    assert "2 of 2 claims are proven" in harness("verify", *files).out


def test_several_puzzles_have_a_certificate_each(harness: Harness, tmp_path: Path) -> None:
    file = tmp_path / "several.cert"
    result = harness("prove", "named/1-2", "--max-solutions", "5", "--out", file)
    assert (result.code, result.out.count("proven: exactly 1 solution")) == (0, 2)
    verification = harness("verify", file, "--second-opinion", "none")
    assert verification.out.count("proven: exactly 1 solution") == 2
    document = msgspec.json.decode(harness("verify", file, "--json").out, type=Verified)
    assert document.proven
    assert [claim.checker for claim in document.claims] == [True] * 2
    assert [claim.second_opinion for claim in document.claims] == [True] * 2
    bad_file = tmp_path / "malformed.cert"
    bad_file.write_text("nonsense")
    result = harness("verify", bad_file, file, "--second-opinion", "none")
    assert (result.code, result.out.count("proven: exactly 1 solution")) == (2, 2)
    assert "malformed.cert" in result.err


def test_without_a_proof_nothing_is_written(harness: Harness, liar: Path, tmp_path: Path) -> None:
    file = tmp_path / "absent"
    for prover, reason in (
        (str(liar), "liar writes no proofs"),
        ("cnf", "minicard writes no proof that can be checked"),
    ):
        result = harness("prove", SEED_0, "--out", file, "--backend", prover)
        assert result.code == 1
        assert f"not proven: {prover}: {reason}" in words(result)
        assert result.err.endswith(f"{file}: not written, because nothing is proven\n")
        assert not file.exists()


def test_a_claim_that_is_not_proven_has_exit_code_1(harness: Harness, tmp_path: Path) -> None:
    file = tmp_path / "some.cert"
    harness("prove", FOUR, "--out", file)
    text = file.read_text()
    (number,) = [line for line in text.splitlines() if line.startswith("claim")]
    first = next(line for line in text.splitlines() if line.startswith("solution"))
    assert number == "claim exactly 24"
    for old, new, reason in (
        (f"{first}\n", "", "only 23 solutions are listed"),
        (f"{number}\n", "claim exactly 23\n", "REFUTED: exactly 23 solutions"),
        ("proof\n", "proof\n0\n", "refuses the proof: step 1 (0) does not follow by unit"),
    ):
        file.write_text(text.replace(old, new, 1))
        result = harness("verify", file)
        assert result.code == 1
        assert reason in words(result)
        document = harness("verify", file, "--second-opinion", "none", "--json")
        assert (document.code, '"proven": false' in document.out) == (1, True)


@pytest.fixture
def puzzles(tmp_path: Path) -> Path:
    path = tmp_path / "puzzles.txt"
    path.write_text("1..2..3......4..\n1234.1..1.......\n1...........2...\n")
    return path


def test_a_sweep_proves_its_exact_answers(harness: Harness, puzzles: Path, tmp_path: Path) -> None:
    command = ["run", "--dataset", puzzles, "--task", "solve", "count", "--max-solutions", "5"]
    assert harness(*command, "--backend", "native", "cpsat", "--out", tmp_path / "run").code == 0
    result = harness("prove", tmp_path / "run")
    folder = tmp_path / "run" / "certificates"
    assert result.code == 0, result.err
    # The third puzzle has 24 solutions: nothing states their exact number.
    flat = words(result)
    assert "certificates: 2 of 2 puzzles proven, 0 answers refuted; " in flat
    files = sorted(folder.iterdir())
    assert len(files) == 2
    verification = harness("verify", *files)
    assert "2 of 2 claims are proven" in verification.out
    before = [file.stat().st_mtime_ns for file in files]
    files[0].write_bytes(files[0].read_bytes()[:-20])  # damaged: it is made again
    again = harness("prove", tmp_path / "run", "--json")
    proved_run = msgspec.json.decode(again.out, type=ProvedRun)
    assert (proved_run.puzzles, proved_run.proven) == (2, 2)
    assert (proved_run.refuted, proved_run.unproven) == ([], [])
    after = [file.stat().st_mtime_ns for file in files]
    assert (after[0] != before[0], after[1] == before[1]) == (True, True)
    assert harness("verify", *files).code == 0


def test_a_lie_is_refuted(harness: Harness, liar: Path, puzzles: Path, tmp_path: Path) -> None:
    harness("run", "--dataset", puzzles, "--backend", liar, "--out", tmp_path / "run")
    result = harness("prove", tmp_path / "run", "--backend", "native")
    flat = words(result)
    assert result.code == 1
    assert "REFUTED: liar on puzzles:1 claims no solution, but a proof shows at least 1" in flat
    assert "certificates: 3 of 3 puzzles proven, 2 answers refuted;" in flat


@pytest.mark.long
def test_the_proof_of_an_answer_refutes_an_expected_count(harness: Harness, tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(f'[[puzzle]]\npuzzle = "{NONE}"\nsolutions = 1\n')
    command = ["run", "--dataset", path, "--backend", "native", "--out", tmp_path / "run"]
    assert harness(*command).code == 1  # the dataset contradicts the answer
    result = harness("prove", tmp_path / "run")
    assert result.code == 0
    assert "certificates: 1 of 1 puzzle proven, 0 answers refuted" in words(result)


@pytest.mark.long
def test_an_interrupted_certification_goes_on(harness: Harness, tmp_path: Path) -> None:
    command = ["run", "--dataset", "hard", "--backend", "native-jit", "--task", "count"]
    assert harness(*command, "--out", tmp_path / "run").code == 0
    command = [sys.executable, "-m", "harness", "prove", str(tmp_path / "run")]
    command += ["--backend", "native"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        folder = tmp_path / "run" / "certificates"
        while not folder.is_dir() or len(list(folder.iterdir())) < 3:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b" missing;" in out
    assert b"certificates are missing; to resume: harness prove" in err
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "certificates: 60 of 60 puzzles proven, 0 answers refuted" in result.stdout


@pytest.mark.long
def test_without_exact_answers_there_is_nothing_to_prove(harness: Harness, tmp_path: Path) -> None:
    harness("run", "--dataset", "seeds/1", "--backend", "native", "--out", tmp_path / "run")
    result = harness("prove", tmp_path / "run")
    assert "certificates: no answer states an exact number of solutions" in result.out


@pytest.mark.parametrize("first_is_proven", [True, False])
def test_one_bad_claim_decides(first_is_proven: bool, harness: Harness, tmp_path: Path) -> None:
    text = "certificate 1\nshape 4x4\npuzzle {}\nclaim {}\nsolution 1234341221434321\n{}end\n"
    claims = [("at least 1", ""), ("exactly 1", "proof\n0\n")]
    parts = [text.format("." * 16, *claim) for claim in claims]
    one, two = parts if first_is_proven else parts[::-1]
    together, first, other = (tmp_path / name for name in ("both", "one", "other"))
    for file, content in ((together, one + two), (first, one), (other, two)):
        file.write_text(content)
    assert harness("verify", together).code == 1
    assert harness("verify", first, other).code == 1
