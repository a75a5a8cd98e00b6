"""The installed wheel beside files of the user that have the names of its packages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import harness

CORE = ("native", "cpsat", "milp", "cnf")
SHADOWS = (
    *("backends", "harness", "numpy", "ortools", "pulp", "pysat", "msgspec", "pandas"),
    *("typing_extensions", "highspy", "native", "server"),
)
"""Names that modules of the user have in these tests. Each fails when it is imported."""
TRAP = "raise SystemExit(f'{__file__} was imported')\n"
BACKEND = """
from harness.contract import Answer, Backend
from helper import ANSWER
import ortools.sat

class Mine(Backend):
    name = "mine"
    paradigm = "made for a test"
    def __init__(self, shape, options): pass
    def solve(self, puzzle): return ANSWER
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the user in which files hide every package that the harness needs."""
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text(TRAP)
    for name in ("backends", "harness"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(TRAP)
    return tmp_path


def run(folder: Path, *command: str | Path, **environment: str) -> str:
    """The output of a command in `folder`."""
    process = subprocess.run(
        command,
        cwd=folder,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | environment,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.mark.long
def test_the_command_runs_in_a_folder_with_modules_of_the_same_names(
    installed_python: Path, folder: Path
) -> None:
    options = ["--dataset", "named/rustoku_all_3", "--task", "solve", "count"]
    options += ["--timeout", "60", "--out", "r"]
    run(folder, installed_python.with_name("harness"), "run", "--backend", *CORE, *options)
    trials = harness.load(folder / "r").trials
    assert trials.groupby("backend")["verdict"].apply(set).to_dict() == {
        name: {"solved", "counted"} for name in CORE
    }
    assert set(trials["versions"].str.contains('"sudoku-harness": ')) == {True}


@pytest.mark.long
def test_a_script_keeps_its_own_backends_package(installed_python: Path, tmp_path: Path) -> None:
    package = tmp_path / "backends"
    package.mkdir()
    (package / "__init__.py").write_text("OWN = True\n")
    (package / "native.py").write_text(TRAP)
    (tmp_path / "script.py").write_text(
        "import backends, harness\n"
        "from harness.contract.registry import load_backend\n"
        "assert backends.OWN\n"
        "print(harness.solve('.' * 16, 'native').verdict)\n"
        "print(load_backend('native')[0].__module__)\n"
        "import backends\n"
        "assert backends.OWN\n"
    )
    output = run(tmp_path, installed_python, "script.py")
    assert output.splitlines() == ["solved", "harness.backends.native"]
    assert run(tmp_path, installed_python, "script.py", PYTHONPATH=str(tmp_path)) == output


@pytest.mark.long
def test_a_checkout_finds_its_backends_where_a_script_has_a_package_of_this_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "backends.py").write_text("OWN = True\n")
    (tmp_path / "script.py").write_text(
        "import backends\n"
        "from harness.contract.registry import load_backend\n"
        "backend, options = load_backend('native-jit')\n"
        "print(backends.OWN, backend.__module__)\n"
    )
    output = run(tmp_path, sys.executable, "script.py")
    assert output == "True harness.backends.native_jit.backend\n"


@pytest.mark.long
def test_a_backend_file_imports_modules_next_to_it_and_installed_libraries(
    installed_python: Path, folder: Path
) -> None:
    """Its own name and those of its neighbours may be names of libraries."""
    (folder / "helper.py").write_text(
        "from harness.contract import Answer\nANSWER = Answer.unsatisfiable()\n"
    )
    (folder / "pysat.py").write_text(BACKEND)
    words = ("solve", "11" + "." * 14, "--backend", "pysat.py")
    output = run(folder, installed_python.with_name("harness"), *words)
    assert output.startswith("mine  unsatisfiable")
