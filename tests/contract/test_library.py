"""Shared libraries as backends: library files, their errors, and libraries with faults."""

import csv
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness.contract import Unavailable, Unsupported, registry
from harness.puzzles import parse_puzzle
from harness.puzzles.search import compilation
from tests.contract.programs import BLANK, backend_of, digests
from tests.installed import needs

Harness = Callable[..., tuple[int, str, str]]
WriteFile = Callable[..., Path]

CRASHES, WRITES_NO_SOLUTION, IGNORES_LIMIT, HANGS, COUNTS_NO_GUESSES = range(1, 6)
"""The faults of `search.c`."""


@pytest.fixture(scope="session")
def library_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that `search.c` makes."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    path = tmp_path_factory.mktemp("library") / "libsearch.so"
    source = Path(__file__).with_name("search.c")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", path], check=True)
    return path


@pytest.fixture
def library(library_file: Path, tmp_path: Path) -> WriteFile:
    """Writes a copy of the library and a library file."""
    shutil.copy(library_file, tmp_path)

    def write(name: str = "search", **keys: object) -> Path:
        contents = {"library": "libsearch.so", "function": "search", "shapes": ["4x4"]} | keys
        path = tmp_path / f"{name}.toml"
        path.write_text("".join(f"{k} = {json.dumps(value)}\n" for k, value in contents.items()))
        return path

    return write


def test_a_library_keeps_the_contract(library: WriteFile) -> None:
    backend, options = registry.load_backend(str(library(library="{folder}/libsearch.so")))
    assert backend.name == "search"
    conformance = pytest.importorskip("harness.extensions.conformance")
    assert conformance.examine(backend, options, shapes=("4x4",)) == []


@pytest.mark.parametrize("compiles", [True, False])
def test_a_batch_has_the_answers_and_guesses_of_its_puzzles(
    compiles: bool, library: WriteFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation, "COMPILES", compiles)
    backend = backend_of(library())
    puzzles = np.zeros((3, 16), np.uint8)
    puzzles[0, :2], puzzles[1, :2] = (1, 2), (1, 1)
    answers, counts = backend.solve_many(puzzles), backend.count_many(puzzles, 200)
    assert [str(status) for status in answers.statuses] == ["solved", "unsatisfiable", "solved"]
    assert (counts.numbers.tolist(), counts.exact.tolist()) == ([24, 0, 200], [True, True, False])
    single = [backend.solve(parse_puzzle(text)) for text in ("12" + "." * 14, "11" + "." * 14)]
    assert tuple(answers.grids[0].tolist()) == single[0].grid
    single += [backend.solve(BLANK)]
    guesses = sum(answer.stats["guesses"] for answer in single)
    assert answers.stats == {"guesses": guesses}
    assert backend_of(library(configuration=COUNTS_NO_GUESSES)).solve_many(puzzles).stats == {}


def test_a_library_may_only_count_and_only_to_a_limit(library: WriteFile) -> None:
    backend = backend_of(library(solves=False, largest_limit=2))
    assert backend.count(BLANK, 2).number == 2
    with pytest.raises(Unsupported, match="counts solutions but does not return them"):
        backend.solve(BLANK)
    with pytest.raises(Unsupported, match="counts up to 2 only"):
        backend.count(BLANK, 3)


def test_a_limit_beyond_32_bits_is_a_limit_of_31(library: WriteFile) -> None:
    count = backend_of(library()).count(BLANK, 2**70)
    assert (count.number, count.exact) == (288, True)


def test_a_fault_of_a_library_costs_its_own_trials_only(
    library: WriteFile, harness: Harness, tmp_path: Path
) -> None:
    """The library that crashes does so at one of the puzzles."""
    faults = {
        CRASHES: (["crashed", "solved"], "SIGSEGV"),
        WRITES_NO_SOLUTION: (["wrong", "wrong"], "0 in R1C1"),
        HANGS: (["timeout", "timeout"], ""),
    }
    puzzles, run = tmp_path / "two.txt", tmp_path / "run"
    puzzles.write_text("".join(f"{start}{'.' * 12}\n" for start in ("1234", "4312")))
    paths = [library(f"fault{fault}", configuration=fault) for fault in faults]
    words = ("--start", "warm", "--timeout", "1", "--out", run)
    harness("run", "--dataset", puzzles, "--backend", *paths, library(), *words)
    rows = [*csv.DictReader(harness("export", run)[1].splitlines())]
    for fault, (verdicts, reason) in faults.items():
        own = [row for row in rows if row["backend"] == f"fault{fault}"]
        assert sorted(row["verdict"] for row in own) == verdicts
        assert any(reason in row["reason"] for row in own)
    assert [row["verdict"] for row in rows if row["backend"] == "search"] == ["solved"] * 2


def test_a_library_that_ignores_the_limit_is_wrong(library: WriteFile, harness: Harness) -> None:
    path, words = library(configuration=IGNORES_LIMIT), ("--max-solutions", "2", "--json")
    _, out, _ = harness("count", "4312" + "." * 12, "--backend", path, *words)
    (result,) = json.loads(out)["results"]
    assert result["verdict"] == "wrong"
    assert "counts 12, more than the limit of 2" in result["reason"]


@pytest.mark.parametrize(
    ("keys", "data", "reason"),
    [
        ({"library": "libother.so"}, None, "No such file"),
        ({}, b"no library at all", "file too short|invalid ELF header"),
        ({}, "other machine", "cannot open shared object file"),
        ({"function": "solve"}, None, "has no function solve"),
    ],
)
def test_a_library_that_cannot_be_loaded_is_unavailable(
    keys: dict[str, object], data: bytes | str | None, reason: str, library: WriteFile
) -> None:
    path = library(remedy="build it", **keys)
    binary = path.with_name("libsearch.so")
    if data is not None:
        head = bytearray(binary.read_bytes())
        head[18] ^= 0xFF  # the machine, in the header of ELF
        binary.write_bytes(data if isinstance(data, bytes) else head)
    with pytest.raises(Unavailable, match=reason) as error:
        registry.load_backend(str(path))
    assert error.value.remedy == "build it"


def test_a_library_that_is_built_again_is_a_new_version(library: WriteFile) -> None:
    path = library()
    binary = path.with_name("libsearch.so")
    first, second = digests(path, lambda: binary.write_bytes(binary.read_bytes() + b"built again"))
    assert first["code"] == second["code"]
    assert first["library libsearch.so"] != second["library libsearch.so"]


@needs("conformance")
def test_a_library_file_is_written_with_all_keys(harness: Harness, tmp_path: Path) -> None:
    words = ("backends", "new", "my-program", "--path", tmp_path, "--kind", "library")
    assert harness(*words)[0] == 0
    path = tmp_path / "my-program.toml"
    keys = {line.lstrip("# ").partition(" = ")[0] for line in path.read_text().splitlines()}
    assert keys >= {"library", "function", "configuration", "solves", "largest_limit", "remedy"}
    code, _, errors = harness("solve", BLANK.line, "--backend", path)
    assert code == 2
    assert "No such file" in errors
    assert "build it as its README says" in errors
    assert harness(*words, "--package")[0] == 2
