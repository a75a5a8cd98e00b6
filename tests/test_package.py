"""The distributions: their contents, and the installed wheel used from an empty folder."""

import os
import re
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.solvers import normal_name, pins

PROJECT = Path(__file__).resolve().parents[1]


def test_the_wheel_has_code_data_types_and_licence(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"backends/native.py", "harness/cli/__init__.py", "harness/py.typed"} <= names
    assert {"harness/datasets/catalogue.toml", "harness/datasets/seeds.toml"} <= names
    assert "harness/extensions/images/model.npz" in names
    assert {f"harness/extensions/page/{n}" for n in ("run.html.j2", "page.css", "core.js")} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {
        "backends",
        "harness",
        "sudoku_harness",
    }


def test_the_sdist_has_the_tests_and_no_results(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"tests/test_package.py", "datasets/seeds.toml", "constraints.txt"} <= names
    assert {"benchmarks/report.py", "docs/declared.py", "CITATION.cff", "backends/cnf.py"} <= names
    assert not [name for name in names if name.startswith(("results/demo", ".venv"))]


def test_the_installed_wheel_works_from_an_empty_folder(
    installed_python: Path, tmp_path: Path
) -> None:
    code = (
        "import sys; import harness.puzzles.datasets.catalogue as c; from harness.cli import main\n"
        "assert c.folder().is_relative_to(sys.prefix), c.folder()\n"
        "main(sys.argv[1:])"
    )
    words = ["run", "--dataset", "seeds", "--backend", "native", "cnf"]
    process = subprocess.run(
        [installed_python, "-P", "-c", code, *words],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


@pytest.mark.parametrize("file", ["constraints.txt", "pyproject.toml", "Makefile", ".ci/run"])
def test_no_registry_address_is_configured(file: str) -> None:
    text = (PROJECT / file).read_text()
    assert not re.findall(r"://(?!example\.org/sudoku-harness)", text)


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {normal_name(re.split(r"[>[]", each)[0]) for group in groups for each in group}
    assert names - {*pins()} == set()
