"""Versions, and the environment that a spec means."""

import json
import os
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from harness.base.errors import OptionError
from harness.contract import environments
from harness.contract.backend import Unavailable
from harness.contract.environments import Environment, is_version, version_key
from harness.contract.options import BackendSpec, parse_specs


@pytest.mark.parametrize(
    ("version", "pattern", "expected"),
    [
        ("9.14.6206", "9.14", True),
        ("9.14.6206", "9.14.6206", True),
        ("9.14.6206", "9", True),
        ("9.14.6206", "9.1", False),
        ("9.14", "9.14.0", True),
        ("9.15", "9.14", False),
        ("1.8.dev13", "1.8", True),
        ("1.8.dev13", "1.8.dev13", True),
        ("1.8.dev13", "1.8.dev1", False),
        ("2.0+cpu", "2.0", True),
        ("anything", "", True),
    ],
)
def test_a_version_begins_with_the_wanted_numbers(
    version: str, pattern: str, expected: bool
) -> None:
    assert is_version(version, pattern) is expected


def test_versions_are_in_the_order_of_their_releases() -> None:
    old = ["1.8.dev2", "1.8.dev13", "1.8a1", "1.8b1", "1.8rc2", "1.8", "1.8.post1"]
    versions = [*old, "1.9", "1.10.dev1", "1.10", "2"]
    assert all(version_key(a) < version_key(b) for a, b in pairwise(versions))


def test_a_relative_folder_of_data_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(environments.FOLDER_VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", "here")
    assert environments.folder() == Path.home() / ".local/share/sudoku-harness/environments"


def test_a_relative_folder_of_environments_is_in_the_working_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(environments.FOLDER_VARIABLE, "here")
    assert environments.folder() == Path.cwd() / "here"
    monkeypatch.setenv(environments.FOLDER_VARIABLE, "~no-such-user/here")
    with pytest.raises(OptionError, match="HARNESS_ENVIRONMENTS: no home for '~no-such-user/here'"):
        environments.folder()


Make = Callable[..., Environment]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Write the record of an environment, with a Python that is the present one."""
    monkeypatch.setenv(environments.FOLDER_VARIABLE, str(tmp_path))

    def write(
        version: str, backend: str = "z3", package: str = "no-z3", python: str = ""
    ) -> Environment:
        exact = f"{python or '3.11'}.1"
        folder = tmp_path / f"{backend}-{version}{python}"
        environment = Environment(folder, backend, package, version, exact, python)
        environment.interpreter.packages.mkdir(parents=True)
        environment.interpreter.program.parent.mkdir()
        environment.interpreter.program.symlink_to(sys.executable)
        (folder / environments.RECORD).write_bytes(environment.record)
        return environment

    return write


def environment_of(text: str) -> str:
    (spec,) = parse_specs(text)
    environment = environments.find(spec)
    return environment.folder.name if environment else "own"


def test_a_spec_means_the_newest_version_that_begins_with_its_numbers(make: Make) -> None:
    for version in ("4.8.17", "4.13.0", "4.13.4", "4.9"):
        make(version)
    make("4.13.9", python="3.13")
    make("4.13.5", backend="other")
    assert environment_of("z3@4.13[a=1]") == "z3-4.13.4"
    assert environment_of("z3@4") == "z3-4.13.4"
    assert environment_of("z3@4.13.0") == "z3-4.13.0"
    assert environment_of("z3@4.13[python=3.13]") == "z3-4.13.93.13"


def test_a_spec_without_version_means_the_own_packages_if_they_have_the_solver(make: Make) -> None:
    assert environment_of("z3") == "own"
    make("4.8")
    make("4.13")
    make("5.0", python="3.13")
    assert environment_of("z3") == "z3-4.13"
    make("9.9", backend="cnf", package="python-sat")
    assert environment_of("cnf") == "own"


def test_a_version_that_is_not_installed_comes_with_the_command_that_installs_it(
    make: Make,
) -> None:
    make("4.8")
    with pytest.raises(
        Unavailable, match=r"version 4\.13 is not installed \(installed: 4\.8\)"
    ) as error:
        environment_of("z3@4.13[timeout=3]")
    assert error.value.remedy == "harness backends install z3@4.13"
    with pytest.raises(Unavailable, match=r"version 4\.8 with Python 3\.13") as error:
        environment_of("z3@4.8[python=3.13]")
    assert error.value.remedy == "harness backends install 'z3@4.8[python=3.13]'"


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", json.dumps({"x": 1}).encode()])
def test_a_damaged_record_is_no_environment(make: Make, content: bytes) -> None:
    environment = make("4.8")
    (environment.folder / environments.RECORD).write_bytes(content)
    assert environments.installed_environments() == []
    with pytest.raises(Unavailable, match=r"version 4 is not installed") as error:
        environment_of("z3@4")
    assert error.value.remedy == "harness backends install z3@4"


def test_the_label_of_an_environment_is_its_spec(make: Make) -> None:
    environment = make("4.8.17", python="3.13")
    assert Environment.read(environment.folder) == environment
    assert environment.spec == BackendSpec("z3", version="4.8.17", python="3.13")


def test_a_fifo_in_place_of_a_record_is_no_environment(make: Make) -> None:
    record = make("4.8").folder / environments.RECORD
    record.unlink()
    os.mkfifo(record)
    assert environments.installed_environments() == []
