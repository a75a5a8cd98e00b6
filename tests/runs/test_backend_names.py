"""Names of backends that files declare: in tables, in stores and in commands."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.analysis.run import Run, load
from harness.base.errors import UnknownBackendError
from harness.contract import Unavailable, registry
from harness.records.folder.files import RunFile

Harness = Callable[..., Any]
BACKEND = """
from harness.contract import Answer, Backend

class Mine(Backend):
    name = "mine"
    paradigm = "made for a test"
    def __init__(self, shape, options): pass
    def solve(self, puzzle): return Answer.unsatisfiable()
"""


@pytest.fixture
def sweep(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> Callable[..., tuple[Any, Run]]:
    """Run backends on two puzzles in the folder ``run``."""
    puzzles = a_file(["11..............", "22.............."])

    def run(*backends: str | Path) -> tuple[Any, Run]:
        result = harness(
            "run", "--dataset", puzzles, "--backend", *backends, "--out", tmp_path / "run"
        )
        assert result.code == 0, result.err
        return result, load(tmp_path / "run")

    return run


def backend_file(folder: Path, name: str = "own.py", text: str = BACKEND) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def test_a_file_is_called_by_the_name_that_its_class_declares(
    sweep: Callable[..., tuple[Any, Run]], tmp_path: Path
) -> None:
    path = backend_file(tmp_path / "a")
    result, run = sweep("native", path)
    assert run.backends == ("mine", "native")
    assert set(run.trials["spec"]) == {"native", str(path)}
    assert "\nmine " in result.out
    assert "own.py" not in result.out.partition("results:")[0]
    assert f'"{path.parent.name}/own.py"' not in run.folder.joinpath("environment.json").read_text()
    assert set(run.invocations[0].backends) == {"mine", "native"}


@pytest.mark.long
def test_a_run_goes_on_under_another_spec_of_the_same_file(
    sweep: Callable[..., tuple[Any, Run]], tmp_path: Path
) -> None:
    """The class may be named or not, and the file may have moved or have another name."""
    sweep(backend_file(tmp_path / "a"))
    other_file = backend_file(tmp_path / "a", "other.py")
    for spec in (f"{tmp_path}/a/own.py:Mine", backend_file(tmp_path / "b"), other_file):
        result, run = sweep(spec)
        assert "2 of 2 trials were complete before" in result.err
        assert "changed" not in result.err
        assert len(run.trials) == 2


def test_an_edited_file_is_another_version(
    sweep: Callable[..., tuple[Any, Run]], tmp_path: Path
) -> None:
    result, _ = sweep(backend_file(tmp_path / "a"))
    assert "changed" not in result.err
    result, run = sweep(backend_file(tmp_path / "a", text=f"{BACKEND}# faster\n"))
    assert "warning: mine: has changed since earlier trials in this folder" in result.err
    assert run.trials.groupby("backend").size().to_dict() == {"mine#1": 2, "mine#2": 2}
    assert run.trials.groupby("backend")["versions"].nunique().tolist() == [1, 1]
    assert run.trials["versions"].str.contains('"code": "sha256:').all()


def test_two_files_with_one_name_are_an_error_that_names_both(
    harness: Harness, tmp_path: Path
) -> None:
    first, second = backend_file(tmp_path / "a"), backend_file(tmp_path / "b", "other.py")
    out = tmp_path / "run"
    for command in (("run", "--out", out, "--dataset", "seeds"), ("solve", "." * 16)):
        result = harness(*command, "--backend", first, "--backend", second)
        assert result.code == 2
        assert result.err == (
            f"harness: {second}: {first} has the name 'mine' too; "
            "expected a different name in each class\n"
        )
    assert not (out / RunFile.STORE).exists()


def test_the_command_of_a_failure_names_the_file(
    harness: Harness, sweep: Callable[..., tuple[Any, Run]], tmp_path: Path
) -> None:
    text = BACKEND.replace("return Answer.unsatisfiable()", "raise KeyError(3)")
    path = backend_file(tmp_path / "a b", text=text)
    _, run = sweep("native", path)
    command = run.failures()["command"].iloc[0]
    assert shlex.split(command)[-6:-4] == ["--backend", str(path)]
    result = harness(*shlex.split(command)[1:])
    assert (result.code, result.out.split()[:2]) == (1, ["mine", "crashed"])


@pytest.mark.parametrize(
    "name", ["''", "'two words'", "'a[b]'", "'x' * 81", "'a/b'", "'\\n'", "'\\udcff'", "None", "3"]
)
def test_a_name_that_a_table_cannot_show_makes_a_backend_unavailable(
    name: str, tmp_path: Path
) -> None:
    path = backend_file(tmp_path / "a", text=BACKEND.replace('"mine"', name))
    with pytest.raises(Unavailable, match="its name is"):
        registry.load_backend(str(path))


@pytest.mark.parametrize("name", ["2sat", "a.b-c_d+e", "数独", "x" * 80])
def test_names_are_words_of_any_alphabet(name: str, tmp_path: Path) -> None:
    path = backend_file(tmp_path / "a", text=BACKEND.replace("mine", name))
    backend, _ = registry.load_backend(str(path))
    assert registry.describe(backend, str(path)).name == name


def test_a_command_shows_a_name_of_another_alphabet_and_refuses_two_words(
    harness: Harness, tmp_path: Path
) -> None:
    for name, code, out, err in (("数独", 0, "数独 ", ""), ("two words", 2, "", "'two words'")):
        path = backend_file(tmp_path, text=BACKEND.replace("mine", name))
        result = harness("solve", "11" + "." * 14, "--backend", path)
        assert (result.code, result.err.count("\n")) == (code, code // 2)
        assert result.out.startswith(out)
        assert err in result.err


CLASSES = {
    "several": (f"{BACKEND}\nclass Other(Mine):\n    name = 'other'\n", None),
    "an alias": (f"{BACKEND}\nSolver = Mine\n", "Mine"),
    "an abstract base": (
        BACKEND.replace("class Mine(Backend)", "class Mine(Base)").replace(
            "class Mine", "class Base(Backend):\n    def helper(self): pass\n\nclass Mine"
        ),
        "Mine",
    ),
    "an imported base": (
        "from backends.native import Native\n\nclass Mine(Native):\n    name = 'mine'\n",
        "Mine",
    ),
    "an imported backend alone": ("from backends.native import Native\n", "Native"),
    "none": ("import harness.contract\nX = 3\n", None),
}


@pytest.mark.parametrize(("text", "class_name"), CLASSES.values(), ids=CLASSES)
def test_a_file_with_one_backend_needs_no_class(
    text: str, class_name: str | None, tmp_path: Path
) -> None:
    path = backend_file(tmp_path / "a", text=text)
    if class_name:
        assert registry.load_class(str(path)).__name__ == class_name
        return
    with pytest.raises(UnknownBackendError) as error:
        registry.load_class(str(path))
    assert error.value.where == str(path)
    expected = f"one of {path}:Mine, {path}:Other" if "Other" in text else "a subclass of"
    assert error.value.expected.startswith(expected)


def test_a_file_may_have_annotations_as_text(harness: Harness, tmp_path: Path) -> None:
    """Data classes look up the module that defines them."""
    options = """from __future__ import annotations
from dataclasses import dataclass
from typing import ClassVar
from harness.contract import Options, option
@dataclass(frozen=True)
class Own(Options):
    shared: ClassVar[int] = 1
    depth: int = option(3, help='depth')
"""
    text = BACKEND.replace("(Backend)", "(Backend[Own])").replace(
        "pass", "assert options.depth == 4"
    )
    path = backend_file(tmp_path / "a", text=options + text)
    result = harness("solve", "11..............", "--backend", f"{path}[depth=4]")
    assert (result.code, result.out.split()[:2]) == (0, ["mine[depth=4]", "unsatisfiable"])


def test_a_sweep_file_takes_a_file_without_its_class(harness: Harness, tmp_path: Path) -> None:
    path = backend_file(tmp_path / "a")
    (path.parent / "puzzles.txt").write_text("11..............\n")
    file = path.parent / "sweep.toml"
    file.write_text('datasets = ["puzzles.txt"]\nbackends = "own.py"\n')
    assert harness("run", file, "--out", tmp_path / "run").code == 0
    assert harness("run", tmp_path / "run" / "sweep.toml", "--out", tmp_path / "again").code == 0
    assert load(tmp_path / "again").backends == ("mine",)
