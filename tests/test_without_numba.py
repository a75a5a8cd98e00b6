"""An installation without Numba: everything but the compiled solver works."""

import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import harness
from tests.environments import install, python_in

PROJECT = Path(__file__).resolve().parents[1]
LINUX = {"sys_platform": "linux", "implementation_name": "cpython", "python_version": "3.13"}


@pytest.fixture(scope="module")
def command(built: Path, build_once: Callable[..., Path]) -> Path:
    """The command of an environment without Numba."""
    without = ("numba", "llvmlite", "xcover")
    folder = build_once("no-numba", lambda folder: install(built, folder, without=without))
    return python_in(folder).with_name("harness")


def run_harness(command: Path, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([command, *words], cwd=command.parent, capture_output=True, text=True)


@pytest.mark.long
def test_a_sweep_needs_no_numba(command: Path, tmp_path: Path) -> None:
    core = ["--backend", "native", "cpsat", "milp", "cnf"]
    ran = run_harness(command, "run", "--dataset", "seeds", *core, "--out", tmp_path / "run")
    assert ran.returncode == 0, ran.stderr
    assert set(harness.load(tmp_path / "run").trials["verdict"]) == {"solved"}


@pytest.mark.long
def test_a_large_count_uses_the_plain_backend(command: Path) -> None:
    process = run_harness(command, "count", "." * 16, "--max-solutions", "100000")
    assert process.stdout.startswith("native  288 solutions"), process.stderr
    process = run_harness(command, "count", "." * 16, "--backend", "native-jit")
    assert (process.returncode, process.stderr) == (
        2,
        (
            "harness: backend native-jit is not available: numba is not installed; "
            "harness backends install native-jit\n"
        ),
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        ("--shape", "9x9", "--seed", "3"),
        ("--shape", "6x6", "--minimal", "--seed", "5"),
        ("--shape", "4x4", "--solutions", "2", "--seed", "7"),
        ("--shape", "4x4", "--pencilmarks", "--seed", "9"),
    ],
    ids=" ".join,
)
def test_the_same_puzzles_are_generated(command: Path, words: tuple[str, ...]) -> None:
    alone = run_harness(command, "generate", "--count", "3", *words)
    result = run_harness(Path(sys.executable), "-m", "harness", "generate", "--count", "3", *words)
    assert alone.returncode == 0, alone.stderr
    assert len(alone.stdout.splitlines()) >= 3
    assert alone.stdout == result.stdout


@pytest.mark.parametrize(
    ("machine", "has_wheel"),
    [
        ({"platform_machine": "x86_64"}, True),
        ({"platform_machine": "x86_64", "python_version": "3.15"}, True),
        ({"platform_machine": "x86_64", "python_version": "3.16"}, False),
        ({"platform_machine": "x86_64", "implementation_name": "pypy"}, False),
        ({"platform_machine": "arm64", "sys_platform": "darwin"}, True),
        ({"platform_machine": "AMD64", "sys_platform": "win32"}, True),
    ],
    ids=str,
)
def test_numba_is_a_dependency_wherever_it_has_a_wheel(
    machine: dict[str, str], has_wheel: bool
) -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    (numba,) = [r for r in map(Requirement, project["dependencies"]) if r.name == "numba"]
    assert numba.marker is not None
    assert numba.marker.evaluate(LINUX | machine) is has_wheel
