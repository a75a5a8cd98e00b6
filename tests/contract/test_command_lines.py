"""Programs by their command lines: models, conventions of answers, and hostile output."""

import hashlib
import os
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import harness
from harness import Question, Start, Task, Verdict
from harness.base.errors import InputError
from harness.contract import parse_specs, registry
from tests.installed import needs

pytestmark = needs("models")

EMPTY = "................"
ONE = "1234341221434321"
HINTED = "1...........2..."

OTHER = "2143341212344321"
SAT = """
import sys
import time
from contextlib import suppress
from pysat.formula import CNF
from pysat.solvers import Solver
with Solver("cadical153", bootstrap_with=CNF(from_string=open(sys.argv[1]).read())) as solver:
    solved = solver.solve()
    model = " ".join(map(str, solver.get_model() or []))
"""
CONVENTIONS = {
    "competition": 'print("s SATISFIABLE\\nv " + model + " 0" if solved else "s UNSATISFIABLE")',
    "exit code": 'print("v " + model + " 0"); sys.exit(10 if solved else 20)',
    "file": 'open(sys.argv[2], "w").write("SAT\\n" + model + " 0" if solved else "UNSAT")',
}


def command(tmp_path: Path, text: str, arguments: str = "{cnf} {out}") -> str:
    (tmp_path / "solver.py").write_text(text)
    return f"{sys.executable} {tmp_path}/solver.py {arguments}"


@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=CONVENTIONS)
def test_a_solver_of_dimacs_solves_and_counts(tmp_path: Path, convention: str) -> None:
    backend = command(tmp_path, SAT + convention)
    reply = harness.solve(HINTED, backend)
    assert (reply.backend, reply.verdict) == ("solver", Verdict.SOLVED)
    assert harness.solve("11..............", backend).verdict is Verdict.UNSATISFIABLE
    reply = harness.count(EMPTY, backend, max_solutions=5)
    assert (reply.count, reply.exact) == (5, False)
    expected = harness.count(HINTED, max_solutions=100)
    assert (expected.count, expected.exact) == (24, True)
    counted = harness.count(HINTED, backend, max_solutions=100)
    assert (counted.count, counted.exact, counted.stats["solve_calls"]) == (24, True, 25)


def test_a_model_counter_answers_by_its_own_number(tmp_path: Path) -> None:
    backend = command(tmp_path, 'print("c s exact arb int 288")')
    assert harness.count(EMPTY, backend, max_solutions=1000).count == 288
    assert not harness.count(EMPTY, backend, max_solutions=9).exact
    assert harness.solve(EMPTY, backend).verdict is Verdict.UNKNOWN


def test_a_program_reads_the_line_as_an_argument_or_as_input(tmp_path: Path) -> None:
    text = f"import sys; print('{ONE}' if '{HINTED}' in [*sys.argv, input()] else 'no solution')"
    for arguments in ("< {line}", "{line} < {line}"):
        reply = harness.solve(HINTED, command(tmp_path, text, arguments))
        assert reply.verdict is Verdict.WRONG  # the line has 1 where the puzzle has 2


def test_a_proof_is_a_scratch_file_where_none_is_wanted(tmp_path: Path) -> None:
    text = f"{SAT}open(sys.argv[3], 'w').write('0'); {CONVENTIONS['competition']}"
    backend = command(tmp_path, text, "{cnf} {out} {proof}")
    assert harness.solve(HINTED, backend).verdict is Verdict.SOLVED
    assert harness.count(HINTED, backend, max_solutions=3).count == 3


HOSTILE = {
    "nothing": ("", Verdict.UNKNOWN, "no output"),
    "no values": ('print("s SATISFIABLE")', Verdict.UNKNOWN, "prints no values of variables"),
    "half a line": ('print("s SATISF", end="")', Verdict.UNKNOWN, "s SATISF"),
    "only an exit code": ("sys.exit(10)", Verdict.UNKNOWN, "prints no values of variables"),
    "both statuses": ('print("s SATISFIABLE\\ns UNSATISFIABLE")', Verdict.CRASHED, "says both"),
    "two values": (
        'print("s SATISFIABLE\\nv", *range(1, 65), 0)',
        Verdict.CRASHED,
        "two values for R1C1",
    ),
    "a cell without value": (
        'print("s SATISFIABLE\\nv 1 0")',
        Verdict.CRASHED,
        "no value for R1C2",
    ),
    "another puzzle": (
        f'print("s SATISFIABLE\\nv", *[4 * at + int(v) for at, v in enumerate("{OTHER}")], 0)',
        Verdict.WRONG,
        "",
    ),
    "no text": ("sys.stdout.buffer.write(bytes(range(256)))", Verdict.UNKNOWN, ""),
    "a signal": ("import os; os.kill(os.getpid(), 9)", Verdict.CRASHED, "SIGKILL"),
}


@pytest.mark.parametrize(("text", "verdict", "words"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_output_is_not_believed(
    tmp_path: Path, text: str, verdict: Verdict, words: str
) -> None:
    backend = command(tmp_path, f"import sys\n{text}")
    reply = harness.solve(HINTED, backend)
    report = f"{reply.record.reason} {reply.record.outcome.detail}"
    assert (reply.verdict, words in report) == (verdict, True), report


def test_the_answer_file_of_an_earlier_puzzle_is_not_read(tmp_path: Path) -> None:
    once = tmp_path / "once"
    text = f"""{SAT}
import os
if not os.path.exists("{once}"):
    open("{once}", "w").close()
    open(sys.argv[2], "w").write("SAT\\n" + model + " 0")
"""
    backend = command(tmp_path, text)
    with harness.Session(warm_up=False) as session:
        question = Question(Task.SOLVE, limit=1, start=Start.WARM, timeout_s=60.0)
        verdicts = [session.ask(EMPTY, backend, question)[0].verdict for _ in range(2)]
    assert verdicts == [Verdict.SOLVED, Verdict.UNKNOWN]


def test_a_solution_that_the_model_excludes_is_not_counted_twice(tmp_path: Path) -> None:
    text = f'print("s SATISFIABLE\\nv", *[4 * at + int(v) for at, v in enumerate("{ONE}")], 0)'
    reply = harness.count(EMPTY, command(tmp_path, text), max_solutions=3)
    assert reply.verdict is not Verdict.COUNTED
    assert "excludes" in f"{reply.record.reason} {reply.record.outcome.detail}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("solver {cnff}", "{cnf}"),
        ("solver {cnf} {lp}", "one of them"),
        ("{cnf}", "PROGRAM {cnf}"),
        ("solver {CNF}", "no placeholder in 'solver {CNF}'"),
        ("solver {cnf} > {out}", "no shell reads '>'"),
        ("solver {cnf} | sort", "no shell reads '|'"),
        ("solver 'x {cnf}", "No closing quotation"),
    ],
)
def test_a_command_line_that_cannot_be_used_is_an_error(text: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        harness.solve(HINTED, text)
    assert words in str(error.value)


def test_a_command_line_has_a_name_and_an_absolute_path(tmp_path: Path) -> None:
    (spec,) = parse_specs("mine=./solver.py --fast {cnf:encoding=minimal}")
    located = registry.resolve(spec.locator, tmp_path)
    assert located == f"mine={tmp_path}/solver.py --fast {{cnf:encoding=minimal}}"
    assert registry.load_class(located).name == "mine"
    assert parse_specs(located)[0].label == located


PROGRAMS = (
    *("minisat {cnf} {out}", "picosat {cnf}", "cadical -q {cnf}", "cryptominisat5 {cnf}"),
    *("clasp {cnf}", "clasp {opb}", "glpsol --lp {lp} -w {out}", "glpsol --freemps {mps} -w {out}"),
    "cbc {lp} solve solu {out}",
    *("minizinc {mzn}", "z3 {smt2}", "cvc5 --produce-models {smt2}", "clingo {asp}"),
)


@pytest.mark.parametrize("backend", PROGRAMS)
def test_a_program_of_debian_answers_as_the_native_backend(backend: str) -> None:
    program = backend.split()[0]
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    for puzzle, number in ((HINTED, 24), ("11..............", 0), ("1234341221434...", 1)):
        reply = harness.count(puzzle, backend, max_solutions=30)
        assert (reply.verdict, reply.count, reply.exact) == (Verdict.COUNTED, number, True)


@pytest.mark.parametrize(
    "placeholder",
    [
        "{cnf:encoding=minimal}",
        "{cnf:encoding=commander,cages=partial-sums}",
        "{opb:cages=linear}",
    ],
)
def test_an_encoding_has_options(tmp_path: Path, placeholder: str) -> None:
    """Here a program sees the model, and the solutions of its models are those of `native`."""
    if "opb" in placeholder:
        backend = f"clasp {placeholder}"
        if not shutil.which("clasp"):
            pytest.skip("clasp is not installed")
    else:
        backend = command(tmp_path, SAT + CONVENTIONS["competition"], placeholder)
    shape = "4x4; killer 3: R1C1 R1C2; killer 5: R4C1 R4C2"
    expected = harness.count(EMPTY, shape=shape, max_solutions=1000)
    reply = harness.count(EMPTY, backend, shape=shape, max_solutions=1000)
    assert (reply.count, reply.exact) == (expected.count, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("solver {cnf:encoding=minimum}", "encoding is 'minimum' (did you mean 'minimal'?)"),
        ("solver {cnf:coding=minimal}", "unknown option 'coding' (did you mean 'encoding'?)"),
        ("solver {mzn:cages=linear}", "unknown option 'cages'"),
        ("solver {line:x=1}", "unknown placeholder {line:x=1}"),
    ],
)
def test_an_unknown_option_of_a_model_is_an_error(text: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        harness.solve(HINTED, text)
    assert words in str(error.value)


def test_a_program_gets_rows_and_the_seed_of_its_worker(tmp_path: Path) -> None:
    backend = command(
        tmp_path,
        "import sys; print(['1234', '3412', '2143', '4321'][0] * 4, sys.argv[2:], "
        "open(sys.argv[1]).read().split())",
        "{grid} {seed}",
    )
    report = harness.solve(HINTED, backend).record.outcome.detail
    assert "['0'] ['1...', '....', '....', '2...']" in report


def test_a_record_identifies_programs_and_the_libraries_that_they_load(tmp_path: Path) -> None:
    program = tmp_path / "solver"
    shutil.copy(sys.executable, program)
    kind = registry.load_class(f"{program} {{cnf}}")
    receipts = registry.describe(kind, f"{program} {{cnf}}").code
    data = program.read_bytes()
    version = ".".join(map(str, sys.version_info[:3]))
    expected = f"{version}, {len(data):,} bytes, sha256:{hashlib.sha256(data).hexdigest()}"
    assert receipts.pop("program solver") == expected
    if sys.platform == "linux":
        assert any(key.startswith("solver loads libc.") for key in receipts)
    program.write_bytes(data + b"\0")
    assert registry.describe(kind, f"{program} {{cnf}}").code["program solver"] != expected


ENDLESS = {
    "output without an end": "while True: sys.stdout.write('v 1 ' * 10000)",
    "a hundred million literals": "print('s SATISFIABLE\\nv', '1 ' * 10**8)",
    "a child that goes on": "os.fork() or time.sleep(600); print('s UNSATISFIABLE', flush=True)",
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_a_program_is_ended_with_its_children(tmp_path: Path, text: str) -> None:
    file = tmp_path / "group"
    start = f"import os, sys, time\nprint(os.getpgid(0), file=open('{file}', 'w'), flush=True)\n"
    for timeout_s in (3, 10, 60):  # a busy machine may not have started it
        backend = command(tmp_path, start + text)
        reply = harness.solve(HINTED, backend, timeout=timeout_s, memory=2048)
        assert reply.verdict in {Verdict.TIMEOUT, Verdict.CRASHED, Verdict.OUT_OF_MEMORY}
        if file.exists() and file.read_text().strip():
            break
    group = int(file.read_text())
    with suppress(ProcessLookupError):
        while True:  # until the kernel has ended the processes that were killed
            os.killpg(group, 0)
            time.sleep(0.01)


def test_output_in_another_encoding_is_no_answer(tmp_path: Path) -> None:
    text = "import sys; sys.stdout.buffer.write('s UNSATISFIABLE\\n'.encode('utf-16'))"
    assert harness.solve(HINTED, command(tmp_path, text)).verdict is Verdict.UNKNOWN
