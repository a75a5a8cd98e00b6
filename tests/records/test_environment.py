"""environment.json: a damaged file is a RunError wherever it is read, and stays as it is."""

import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from harness.analysis.run import load
from harness.base.errors import RunError
from harness.base.plugins import versions_in
from harness.records.folder.environment import Invocation, read_invocations, write_invocations
from tests.installed import needs

Harness = Callable[..., tuple[int, str, str]]

DAMAGED = [
    "no json",
    "\xff",
    *("[]", "3", "{}", '{"invocations": 3}', '{"invocations": [3]}'),
    '{"invocations": [{"packages": [1]}]}',
    '{"invocations": [{}, {"system": {"load_average": []}}]}',
    '{"invocations": [{}, {"system": {"load_average": ["<x>"]}}]}',
    '{"invocations": [{}, {"system": {"usable_cores": 5}}]}',
    '{"invocations": [{"checkout": "x"}]}',
    "[" * 200_000,
]


@pytest.fixture
def a_run(harness: Harness, a_file: Callable[..., Path], tmp_path: Path) -> Path:
    words = ("run", "--backend", "native", "--out", tmp_path / "run", "--dataset")
    assert harness(*words, a_file(["1234............"]))[0] == 0
    return tmp_path / "run"


@pytest.mark.parametrize("content", DAMAGED, ids=lambda content: content[:40])
def test_a_damaged_file_is_a_run_error_with_its_path(tmp_path: Path, content: str) -> None:
    path = tmp_path / "environment.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(RunError) as caught:
        read_invocations(tmp_path)
    assert caught.value.where == str(path)
    assert len(str(caught.value).splitlines()) == 1


@needs("page")
def test_every_command_stops_at_a_damaged_file_and_changes_nothing(
    harness: Harness, a_file: Callable[..., Path], a_run: Path, tmp_path: Path
) -> None:
    path = a_run / "environment.json"
    path.write_text("no json")
    other, out = tmp_path / "other", tmp_path / "made"
    shutil.copytree(a_run, other)
    dataset = a_file(["1234............", "." * 16])
    for words in (
        ("report", a_run, "--format", "html", "--out", out),
        ("export", a_run, "--anonymize", "--out", out),
        ("merge", a_run, other, "--out", out),
        ("compare", a_run, other),
        ("run", "--backend", "native", "--out", a_run, "--dataset", dataset),
    ):
        code, output, err = harness(*words)
        assert (code, output) == (2, ""), words
        assert err.startswith(f"harness: {path}: "), words
        assert err.count("\n") == 1
        assert not out.exists()
    assert path.read_text() == "no json"


def test_a_run_records_each_of_its_invocations(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    words = ["run", "--backend", "cnf", "--out", tmp_path / "run", "--dataset"]
    assert harness(*words, a_file(["1234............"]))[0] == 0
    assert harness(*words, a_file(["1234............", "." * 16]))[0] == 0
    first, second = load(tmp_path / "run").invocations
    assert (first.ended_at or "") >= (first.started_at or "-") > "2026"
    assert first.packages["ortools"] == version("ortools")
    assert first.backends["cnf"].versions["python-sat"] == version("python-sat")
    assert first.backends["cnf"].options["solver"] == "minicard"
    assert first.datasets["puzzles"].puzzles == 1
    assert second.datasets["puzzles"].puzzles == 2
    assert first.datasets["puzzles"].sha256 != second.datasets["puzzles"].sha256
    assert first.system.processor
    assert first.system.load_average is not None
    assert len(first.system.load_average) == len(first.load_average_after or []) == 3
    assert first.checkout is None or len(first.checkout.commit) == 40


def test_a_package_is_recorded_with_the_version_that_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {
        "1/a-2.dist-info/METADATA": "Name: a\nVersion: 2\n\nVersion: 4 of a description\n",
        "2/a-1.dist-info/METADATA": "Name: a\nVersion: 1\n",
        "2/B.egg-info/PKG-INFO": "Name: B\nVersion: 3\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr("sys.path", [str(tmp_path / "1"), str(tmp_path / "2")])
    assert [*versions_in().items()] == [("a", "2"), ("B", "3")]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert read_invocations(tmp_path) == []
    invocations = [Invocation(), Invocation(started_at="now", left_out={"z3": "not installed"})]
    write_invocations(tmp_path, invocations)
    assert read_invocations(tmp_path) == invocations
