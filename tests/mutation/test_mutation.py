"""The runner of mutants finds what tests miss, in a small project of its own."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation.mutants import mutants
from tests.mutation.selection import Selection, measure
from tests.mutation.trial import NO_END, failing

PROJECT = Path(__file__).parents[2]

FEW = "harness/puzzles/few.py"
CODE = '''"""A module."""

LIMIT: int = 3  # cells


def is_few(cells: int, strict: bool = False) -> bool:
    """Whether there are few cells."""
    if strict:
        return cells < LIMIT
    if cells - 9 > 1:
        return False
    return cells <= LIMIT
'''
TESTS = """
from harness.puzzles.few import is_few

def test_few():
    assert is_few(3) and not is_few(4)
    assert not is_few(11)

def test_strict():
    assert is_few(2, strict=True)
"""
OF_THE_MODULE = [
    "module: 4 for 3",
    "is_few: not False",
    "is_few: not strict",
    "is_few: cells < LIMIT with another comparison",
    "is_few: cells - 9 > 1 with another comparison",
    "is_few: cells - 9 with another operator",
    "is_few: 10 for 9",
    "is_few: 2 for 1",
    "is_few: not False (2)",
    "is_few: cells <= LIMIT with another comparison",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one module with one test that misses the border of `strict`."""
    folder = tmp_path / "small"
    for package in ("harness", "harness/puzzles", "harness/extensions/conformance"):
        (folder / package).mkdir(parents=True, exist_ok=True)
        (folder / package / "__init__.py").touch()
    (folder / "harness/extensions/conformance/pytest_plugin.py").touch()  # which pytest loads
    (folder / "tests" / "puzzles").mkdir(parents=True)
    (folder / FEW).write_text(CODE)
    (folder / "tests" / "puzzles" / "test_few.py").write_text(TESTS)
    (folder / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\naddopts = ["--import-mode=importlib"]\n'
    )
    (folder / ".gitignore").write_text("build/\n__pycache__/\n")
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


def test_every_operator_changes_one_node_and_nothing_else(project: Path) -> None:
    all_mutants = list(mutants(project, FEW))
    assert sorted(m.name.removeprefix(f"{FEW} ") for m in all_mutants) == sorted(OF_THE_MODULE)
    for mutant in all_mutants:
        text = mutant.text(CODE)
        lines = zip(CODE.splitlines(), text.splitlines(), strict=True)
        differing = [number for number, (old, new) in enumerate(lines, 1) if old != new]
        assert differing == list(mutant.lines)
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(CODE))


@pytest.mark.long
def test_a_mutant_that_no_test_catches_survives(project: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "tests.mutation", "--project", str(project), "--jobs", "1"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1, process.stdout + process.stderr
    lines = [line.split("few.py ")[1] for line in process.stdout.splitlines() if "few.py " in line]
    caught = {line.split(" by ")[0]: line.split(" by ")[1] for line in lines if " by " in line}
    assert set(OF_THE_MODULE) - set(caught) == {
        "is_few: cells < LIMIT with another comparison",
        "is_few: cells - 9 > 1 with another comparison",
        "is_few: 10 for 9",
        "is_few: 2 for 1",
    }
    assert caught["is_few: not strict"] == "tests/puzzles/test_few.py::test_few"
    assert caught["is_few: cells - 9 with another operator"].endswith("test_few")


@pytest.mark.long
def test_after_a_change_of_tests_only_these_run_again(
    project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def ran() -> str:
        capfd.readouterr()
        measure(tmp_path, project, 1)
        return "".join(line for line in capfd.readouterr().out.splitlines() if "running" in line)

    def files() -> set[str]:
        (mutant, *_) = mutants(project, FEW)
        return {test.id.split("::")[0] for test in Selection(tmp_path).tests(mutant)}

    first = project / "tests" / "puzzles" / "test_few.py"
    second = first.with_name("test_more.py")
    assert "all tests" in ran()
    assert ran() == ""
    second.write_text(first.read_text().replace("def test_few", "def test_more"))
    assert ran().endswith("running tests/puzzles/test_more.py once")
    assert files() == {"tests/puzzles/test_few.py", "tests/puzzles/test_more.py"}
    second.unlink()
    ran()
    assert files() == {"tests/puzzles/test_few.py"}
    (project / FEW).write_text(f"{CODE}\n")
    assert "all tests" in ran()


@pytest.mark.long
def test_code_that_coverage_does_not_see_belongs_to_all_tests_of_its_room(
    project: Path, tmp_path: Path
) -> None:
    (project / "harness" / "puzzles" / "unseen.py").write_text(CODE)
    measure(tmp_path, project, 1)
    (mutant, *_) = mutants(project, "harness/puzzles/unseen.py")
    tests = {test.id for test in Selection(tmp_path).tests(mutant)}
    assert tests == {f"tests/puzzles/test_few.py::test_{name}" for name in ("few", "strict")}


@pytest.mark.long
def test_a_test_that_does_not_end_is_ended(project: Path, tmp_path: Path) -> None:
    (project / "tests" / "test_endless.py").write_text(
        "import time\n\ndef test_endless():\n    time.sleep(100)\n"
    )
    ids = ["tests/test_endless.py::test_endless"]
    assert failing(ids, project, 2, tmp_path / "log") == NO_END
