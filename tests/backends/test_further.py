"""The further backends keep the contract, if their libraries are installed."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from random import Random

import pytest

import harness
from harness.base.plugins import version_of
from harness.contract import Status, Unsupported, registry
from harness.puzzles import Puzzle, parse_puzzle
from harness.puzzles.patterns import pattern_grid
from tests.backends.oracle import NAMED, backend_of, named_puzzle
from tests.conftest import Harness
from tests.solvers import LICENCE, libraries, normal_name, optional_backends, packages_of, pins

PROJECT = Path(__file__).resolve().parents[2]
SMALL = ("4x4", "6x6", "box3x2", "latin5", "9x9")
LARGE = (
    *("annealing", "choco", "clingo", "cplex", "cryptominisat", "dlx", "exact", "exact-cover"),
    *("gurobi", "highs", "kissat", "py-sudoku", "python-constraint", "xcover", "z3"),
)
"""Backends that solve 16x16 too within seconds."""
CORE = {"native", "native-jit", "cpsat", "milp", "cnf"}
ONLY_9X9 = ("dlxsudoku", "dokusan", "lib-sudoku", "pencilmark")
"""Backends that need minutes for some puzzles."""
FURTHER = [
    *(name for name in registry.names() if name not in {*CORE, "annealing"}),
    *("annealing[steps=3000]", "cpmpy[solver=choco]"),
]


def examine(spec: str, *shapes: str) -> dict[str, list[str] | str]:
    program = Path(__file__).with_name("examined.py")
    command = [sys.executable, str(program), spec, *shapes]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    findings: dict[str, list[str] | str] = json.loads(process.stdout.splitlines()[-1])
    return findings


def is_installed(distribution: str) -> bool:
    return version_of(distribution) is not None


@pytest.mark.long
@pytest.mark.parametrize("spec", FURTHER)
def test_a_further_backend_keeps_the_contract(spec: str) -> None:
    name = spec.partition("[")[0]
    examination = examine(spec, *SMALL, *(("16x16",) if name in LARGE else ()))
    if "unavailable" in examination:
        distributions = registry.load_class(name).distributions
        assert not all(map(is_installed, distributions)) or "[" in spec, examination
        pytest.skip(str(examination["unavailable"]))
    assert examination == {"breaches": []}


@pytest.mark.long
@pytest.mark.solvers
@pytest.mark.timeout(600)
@pytest.mark.parametrize("spec", [*optional_backends(), "cpmpy[solver=choco]"])
def test_an_optional_backend_passes_its_examination(spec: str) -> None:
    name = spec.partition("[")[0]
    missing = [package for package in packages_of(name) if not is_installed(package)]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    shape, timeout = ("9x9", "10") if name in ONLY_9X9 else ("4x4", "60")
    words = ("backends", "test", spec, "--shape", shape, "--timeout", timeout)
    command = [sys.executable, "-m", "harness", *words]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if LICENCE in process.stderr:
        pytest.skip(process.stderr[process.stderr.index(LICENCE) :])
    is_kept = process.returncode == 0 and "keeps the contract" in process.stdout
    is_slow = name in ONLY_9X9 and ": no breach\nnot examined: " in process.stdout
    assert is_kept or is_slow, process.stdout + process.stderr


@pytest.mark.solvers
def test_the_installed_libraries_are_the_pinned_versions() -> None:
    versions, pin_of = {name: version_of(name) for name in libraries()}, pins()
    assert {name: pin_of[normal_name(name)] for name, version in versions.items() if version} == {
        name: version for name, version in versions.items() if version
    }
    if missing := sorted(name for name, version in versions.items() if not version):
        pytest.skip(f"{missing[0]} is not installed")


def test_every_package_of_an_extra_has_a_backend_and_the_reverse() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    core = {requirement.partition(">")[0] for requirement in project["dependencies"]}
    packages = {package for name in registry.names() for package in packages_of(name)}
    assert packages - core == libraries() - core


def test_annealing_is_reproducible_and_returns_unknown_for_contradictions() -> None:
    once, again = (backend_of("annealing").solve(named_puzzle("wikipedia")) for _ in range(2))
    assert once.status is Status.SOLVED
    assert (once.grid, once.stats) == (again.grid, again.stats)
    contradiction = parse_puzzle("11" + "." * 79)
    assert backend_of("annealing").solve(contradiction).status is Status.UNKNOWN


def test_annealing_keeps_its_time_limit() -> None:
    backend = backend_of("annealing")
    puzzle = parse_puzzle("1." + "." * 6 + "2" + "........." * 7 + "........1")
    backend.time_limit = 1e-9
    given_up = backend.solve(puzzle)
    assert (given_up.status, given_up.stats["moves"]) == (Status.UNKNOWN, 0)
    backend.time_limit = None
    twice_in_a_column = parse_puzzle("1" + "." * 71 + "1" + "." * 8)
    given_up = backend.solve(twice_in_a_column)
    assert (given_up.status, given_up.stats["moves"]) == (Status.UNKNOWN, 0)


@pytest.mark.solvers
def test_an_approximate_count_is_a_lower_bound(harness: Harness) -> None:
    if not is_installed("pyapproxmc"):
        pytest.skip("pyapproxmc is not installed")
    words = ("count", NAMED["many"], "--backend", "approxmc", "--max-solutions", "100000", "--json")
    code, out, _ = harness(*words)
    (result,) = json.loads(out)["results"]
    assert (code, result["verdict"], result["exact"]) == (1, "unknown", False)
    assert result["count"] < 38122 < 1.8 * result["stats"]["estimate"]


@pytest.mark.parametrize("name", ["ganak", "approxmc"])
@pytest.mark.parametrize("line", ["11" + "." * 79, "1.............2.", "1234341223414123"])
def test_a_backend_that_only_counts_does_not_answer_solve(name: str, line: str) -> None:
    puzzle = parse_puzzle(line)
    backend = registry.load_class(name)
    instance = backend(puzzle.shape, backend.options_type())
    with pytest.raises(Unsupported, match="counts solutions but does not return them"):
        instance.solve(puzzle)


@pytest.mark.solvers
def test_lib_sudoku_rejects_100_puzzles_with_a_wrong_given() -> None:
    instance, random = backend_of("lib-sudoku"), Random(13)
    shape = instance.shape
    for _ in range(100):
        blank = random.uniform(0.05, 0.6)
        givens = [0 if random.random() < blank else value for value in pattern_grid(shape)]
        cell = random.choice([cell for cell, value in enumerate(givens) if value])
        peer = random.choice([peer for peer in shape.peers[cell] if givens[peer]])
        givens[cell] = givens[peer]
        assert instance.solve(Puzzle(shape, tuple(givens))).status is Status.UNSATISFIABLE


@pytest.mark.parametrize("name", ["gurobi", "cplex"])
def test_a_model_beyond_the_limit_of_a_licence_is_unsupported(name: str, harness: Harness) -> None:
    backend_of(name)
    _, out, _ = harness("solve", "." * 256, "--backend", name, "--json")
    (result,) = json.loads(out)["results"]
    assert result["verdict"] == "unsupported"


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_all_backends_agree_on_the_shipped_puzzles_and_200_of_magictour(
    harness: Harness, shared_puzzles: Path, tmp_path: Path
) -> None:
    lines = (shared_puzzles / "magictour_top1465.txt").read_text().splitlines()
    collection = tmp_path / "top200.txt"
    collection.write_text("\n".join([line for line in lines if len(line) == 81][:200]) + "\n")
    backends = json.loads(harness("backends", "--json")[1])
    available = {b["name"] for b in backends if b["available"]}
    unsure = {name for name in available if not registry.load_class(name).complete}
    assert "annealing" in unsure
    qqwing = [str(command_file(tmp_path))] if shutil.which("qqwing") else []
    # Enough steps for easy puzzles, and quickly used up on others.
    names = ["annealing[steps=30000]", *sorted(unsure - {"annealing"}), *qqwing]
    words = ("--dataset", "seeds", "named", collection, "--timeout", "3", "--jobs", "2", "--json")
    code, out, _ = harness("check", *words, "--backend", "*", *names)
    findings = json.loads(out)
    assert set(findings["backends"]) == {*(available - {"annealing"}), *names}
    assert findings["disagreements"] == []
    assert findings["without_answer"] == []
    assert findings["compared"] == findings["puzzles"] == 236
    assert findings["questions"] == 2 * 236
    # Only backends that may give up return unknown, and no backend crashes.
    statuses_of = {backend: set(statuses) for backend, statuses in findings["unanswered"].items()}
    with_unknown = {b for b, statuses in statuses_of.items() if "unknown" in statuses}
    assert with_unknown <= {*names} - {*qqwing}
    assert "unknown" in statuses_of["annealing[steps=30000]"]
    assert set().union(*statuses_of.values()) <= {"unknown", "timeout", "unsupported"}
    assert code == 0


@pytest.mark.solvers
def test_scip_counts_each_solution_once() -> None:
    pytest.importorskip("pyscipopt", reason="pyscipopt is not installed")
    (instance,) = harness.load_dataset("medium/89").instances
    assert harness.count(instance.puzzle, "scip", max_solutions=10).count == 1


def command_file(folder: Path) -> Path:
    """The command file of qqwing from docs/programs.md."""
    page = (PROJECT / "docs" / "programs.md").read_text()
    path = folder / "qqwing.toml"
    files = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    path.write_text(next(file for file in files if "qqwing" in file))
    return path
