"""A ``~`` at the beginning of a path is the home of a user, wherever a path can be given."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.base.errors import InputError, UnknownBackendError
from harness.cli.options import NO_PATHS, parameters_of
from harness.puzzles.datasets.catalogue import load_dataset
from harness.runs.sweep import Sweep
from harness.runs.sweep_files import read_sweeps
from tests.cli.test_help import COMMANDS, command_at
from tests.conftest import Ended
from tests.installed import needs

LINE = "1234............"
NOBODY = "~no-such-user-here/x"
BACKEND = """\
from harness.contract import Answer, Backend


class Mine(Backend):
    name = "mine"
    paradigm = "none"

    def __init__(self, shape, options):
        pass

    def solve(self, puzzle):
        return Answer.unknown()
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a puzzle file and a backend, and another working folder."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "puzzles.txt").write_text(f"{LINE}\n")
    (folder / "mine.py").write_text(BACKEND)
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.chdir(tmp_path / "work")
    return folder


FUNCTIONS = {
    " ".join(path): command_at(path).callback
    for path in COMMANDS
    if not hasattr(command_at(path), "commands")
}
"""The functions of commands by their names."""


def is_declared(function: Any) -> bool:
    return hasattr(function, "__signature__")


def metavar_of(parameter: inspect.Parameter) -> str:
    declaration = getattr(parameter.annotation, "__metadata__", ("",))[0]
    return getattr(declaration, "metavar", None) or ""


def paths_of(function: Any) -> Iterator[inspect.Parameter]:
    """The parameters of a command whose metavar says that they name a file or a folder."""
    files = {"FILE", "FOLDER", "DIR", "DATASET", "PUZZLE", "RECORDS", "FROM", "TO", "PATH"}
    for parameter in parameters_of(inspect.unwrap(function, stop=is_declared)):
        words = metavar_of(parameter).replace("SWEEP.toml", "FILE").split("_")
        if {*files, "SPEC", "BACKEND"}.intersection(words):
            yield parameter


PATHS = [(name, f, p) for name, f in FUNCTIONS.items() for p in paths_of(f)]


@pytest.mark.parametrize(
    ("function", "parameter"),
    [(f, p) for _, f, p in PATHS],
    ids=[f"{name} {p.name}" for name, _, p in PATHS],
)
def test_every_path_of_every_command_refuses_the_home_of_nobody(
    function: Any, parameter: inspect.Parameter, home: Path, tmp_path: Path
) -> None:
    is_list = "list[" in str(parameter.annotation)
    kind = Path if "Path" in str(parameter.annotation) else str
    value = [kind(NOBODY)] if is_list else kind(NOBODY)
    with pytest.raises(InputError, match="no home for '~no-such-user-here/x'"):
        function(**{parameter.name: value})
    assert list((tmp_path / "work").iterdir()) == []


@needs("generate", "page")
def test_the_paths_of_all_commands_were_looked_at() -> None:
    assert len(PATHS) > 60


@needs("page")
@pytest.mark.usefixtures("warm_workers")
def test_the_command_line_reads_and_writes_in_the_home(
    home: Path, harness: Callable[..., Ended], tmp_path: Path
) -> None:
    run = ("run", "--dataset", "~/puzzles.txt/1", "--backend", "native", "~/mine.py")
    assert harness(*run, "--out", "~/runs/a").code == 0
    assert harness("report", "~/runs/a", "--format", "csv", "--out=~/a.csv").code == 0
    assert harness("datasets", "convert", "~/puzzles.txt", "~/b.csv").code == 0
    assert harness("solve", "~/puzzles.txt", "--backend", "native").code == 0
    assert harness("backends", "new", "yours", "--path", "~/").code == 0
    names = {path.name for path in home.iterdir()}
    assert names >= {"runs", "a.csv", "b.csv", "yours.py"}
    assert list((tmp_path / "work").iterdir()) == []


@needs("generate")
def test_only_free_texts_may_begin_with_a_tilde() -> None:
    free = {
        parameter.name
        for function in FUNCTIONS.values()
        for parameter in parameters_of(inspect.unwrap(function, stop=is_declared))
        if metavar_of(parameter) in ("TEXT", "CONDITION")
    }
    assert free == set(NO_PATHS)


def test_a_sweep_file_names_files_in_the_home(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text('datasets = ["~/puzzles.txt", "seeds"]\nbackends = "~/mine.py:Mine"\n')
    (sweep,) = read_sweeps(file, {})
    assert sweep.datasets == (f"{home}/puzzles.txt", "seeds")
    assert sweep.backends == (f"{home}/mine.py:Mine",)
    file.write_text(f'datasets = ["seeds"]\nbackends = ["{NOBODY}.py"]\n')
    with pytest.raises(InputError, match=rf"{file}: backends: no home for"):
        read_sweeps(file, {})


def test_python_takes_paths_in_the_home(home: Path, tmp_path: Path) -> None:
    run = harness.run("~/puzzles.txt", ["native"], out="~/runs/b")
    assert len(harness.load("~/runs/b").trials) == len(run.trials) == 1
    assert len(load_dataset(Path("~/puzzles.txt")).instances) == 1
    assert harness.solve(LINE, backend="~/mine.py").verdict == "unknown"
    sweep = Sweep.from_options({"datasets": "~/x.txt", "backends": "native"})
    assert sweep.datasets == (f"{home}/x.txt",)
    assert list((tmp_path / "work").iterdir()) == []
    with pytest.raises(InputError, match="out: no home for"):
        harness.run("seeds", "native", out=NOBODY)
    with pytest.raises(InputError, match="folder: no home for"):
        harness.load(NOBODY)
    with pytest.raises(InputError, match="no home for"):
        Sweep.from_options({"datasets": "~a\0b/x.txt", "backends": "native"})
    with pytest.raises(UnknownBackendError, match="no home for"):
        harness.solve(LINE, backend=f"{NOBODY}.py")


def test_the_workbench_takes_backends_in_the_home(home: Path, tmp_path: Path) -> None:
    sweeps = pytest.importorskip("harness.extensions.workbench.sweeps")
    new = sweeps.NewSweep(datasets=["seeds"], backends=["~/mine.py"])
    assert sweeps.sweep_in(new, tmp_path, allows_files=True).backends == (f"{home}/mine.py",)
    new = sweeps.NewSweep(datasets=["seeds"], backends=[f"{NOBODY}.py"])
    with pytest.raises(InputError, match="no home for"):
        sweeps.sweep_in(new, tmp_path, allows_files=True)


def test_folders_of_the_environment_may_be_in_the_home(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.base.files import user_folder

    monkeypatch.setenv("HARNESS_DATASETS", "~/sets")
    assert user_folder("datasets", "HARNESS_DATASETS") == home / "sets"
    monkeypatch.setenv("HARNESS_DATASETS", NOBODY)
    with pytest.raises(InputError, match="HARNESS_DATASETS: no home for"):
        user_folder("datasets", "HARNESS_DATASETS")
