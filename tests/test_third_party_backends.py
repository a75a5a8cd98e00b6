"""Third-party backends beside the built-in ones: from a package and from a bare file."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import harness

PROJECT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def installed(build_once: Callable[..., Path]) -> tuple[Path, dict[str, str]]:
    """A folder with a bare file, and the environment in which the package is installed."""
    pip = ["pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index"]

    def build(folder: Path) -> None:
        command(folder, os.environ.copy(), "harness", "backends", "new", "bare-one")
        command(folder, os.environ.copy(), "harness", "backends", "new", "packed-one", "--package")
        command(folder, os.environ.copy(), *pip, "--target", "site", "./sudoku-packed-one")

    folder = build_once("third-party", build)
    return folder, os.environ | {"PYTHONPATH": str(folder / "site")}


def command(
    folder: Path, environment: dict[str, str], *arguments: str
) -> "subprocess.CompletedProcess[str]":
    process = subprocess.run(
        [sys.executable, "-P", "-m", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return process


@pytest.mark.long
def test_a_package_and_a_file_run_beside_the_built_in_ones(
    installed: tuple[Path, dict[str, str]],
) -> None:
    folder, environment = installed
    backends = ["native", "cnf", "packed-one", "bare_one.py"]
    options = ["--backend", *backends, "--task", "solve", "count", "--out", "run"]
    (folder / "puzzles.txt").write_text("1...........2...\n.2.4.4.223414123\n11..............\n")
    command(folder, environment, "harness", "run", "--dataset", "puzzles.txt", *options)
    trials = harness.load(folder / "run").trials
    assert trials.groupby("backend").size().to_dict() == {
        "native": 6,
        "cnf": 6,
        "packed-one": 6,
        "bare-one": 6,
    }
    assert set(trials["verdict"]) == {"solved", "unsatisfiable", "counted"}
    assert trials.groupby(["puzzle_id", "task"])["verdict"].nunique().max() == 1
    # The versions distinguish results of different code.
    versions = {
        backend: set(json.loads(rows["versions"].iloc[0]))
        for backend, rows in trials.groupby("backend")
    }
    assert versions["packed-one"] == {"sudoku-harness", "sudoku-packed-one", "code"}
    assert versions["bare-one"] == {"sudoku-harness", "code"}
    assert versions["native"] == {"sudoku-harness"}


@pytest.mark.long
def test_an_installed_package_is_listed_and_tested_by_its_name(
    installed: tuple[Path, dict[str, str]],
) -> None:
    folder, environment = installed
    assert "packed-one: " in command(folder, environment, "harness", "backends").stdout
    command(folder, environment, "harness", "backends", "test", "packed-one", "--shape", "4x4")


@pytest.mark.long
def test_the_test_of_the_package_passes(installed: tuple[Path, dict[str, str]]) -> None:
    folder, environment = installed
    options = ["-W", "error", "-q", "-p", "no:cacheprovider", "-k", "4x4"]
    process = command(folder / "sudoku-packed-one", environment, "pytest", *options)
    assert " passed" in process.stdout


@pytest.mark.long
def test_the_workflow_of_the_package_makes_a_record(installed: tuple[Path, dict[str, str]]) -> None:
    folder, environment = installed
    root = folder / "sudoku-packed-one"
    workflow = (root / ".github" / "workflows" / "entry.yml").read_text()
    run, export = re.findall("- run: (harness .*)", workflow)
    command(root, environment, *run.split(), "--sample", "1")
    command(root, environment, *export.split())
    record = harness.load(root / "results" / "record")
    assert record.backends == ("cnf", "native", "packed-one")
    assert set(record.trials["verdict"]) == {"solved", "unsatisfiable", "counted"}
