"""Sweeps and sweep files: one declaration checks the options from every source."""

import inspect
from dataclasses import fields
from pathlib import Path

import pytest

import harness
from harness.base.errors import InputError, OptionError
from harness.records.question import Start, Task
from harness.runs.sweep import Sweep, folder_name, options_of
from harness.runs.sweep_files import add_sweep, read_sweeps

VALID = {"datasets": ["seeds"], "backends": ["native"]}


def test_the_folder_name_depends_on_every_option() -> None:
    sweep = Sweep(("seeds", "a/b/my puzzles.txt"), ("native",))
    assert sweep.folder_name == Sweep(("seeds", "a/b/my puzzles.txt"), ("native",)).folder_name
    assert sweep.folder_name.startswith("seeds+my_puzzles-")
    names = {sweep.folder_name, Sweep(("seeds",), ("native",)).folder_name}
    names |= {Sweep(("seeds",), ("native",), timeout=3).folder_name}
    assert len(names) == 3
    assert Sweep(("+.txt", "!.txt"), ("native",)).folder_name.startswith("run-")
    assert Sweep(("x" * 300,), ("native",)).folder_name.startswith("x" * 40 + "-")


def test_the_folder_name_of_several_sweeps_depends_on_each_of_them() -> None:
    first, second, third = (Sweep(("a-b",), ("native",), seed=seed) for seed in range(3))
    names = {folder_name(sweeps) for sweeps in ([first], [first, second], [first, third])}
    assert len(names) == 3
    assert first.folder_name in names
    assert all(name.startswith("a-b-") for name in names)


def test_the_number_of_jobs_is_an_option_that_leaves_the_folder_name(tmp_path: Path) -> None:
    """The trials are the same: a run can be resumed with another number of jobs."""
    single, four = Sweep(("seeds",), ("native",)), Sweep(("seeds",), ("native",), jobs=4)
    assert single.jobs == 1
    assert single.folder_name == four.folder_name
    add_sweep(four, tmp_path / "sweep.toml")
    assert read_sweeps(tmp_path / "sweep.toml", {}) == [four]
    assert [sweep.jobs for sweep in read_sweeps(tmp_path / "sweep.toml", {"jobs": 2})] == [2]
    with pytest.raises(OptionError) as error:
        Sweep(("seeds",), ("native",), jobs=0)
    assert error.value.where == "jobs"


INVALID = [
    ({"datasets": []}, "datasets", "dataset names"),
    ({"datasets": {"seeds": 1}}, "datasets", "one or more"),
    ({"datasets": ["seeds", 3]}, "datasets", "one or more"),
    ({"backends": ()}, "backends", "backend specs"),
    ({"repeat": 0}, "repeat", "a whole number from 1 to 1000000"),
    ({"repeat": "3"}, "repeat", "a whole number from 1 to 1000000"),
    ({"repeat": True}, "repeat", "a whole number"),
    ({"max_solutions": 0}, "max_solutions", "a whole number of at least 1"),
    ({"timeout": 0}, "timeout", "seconds greater than 0"),
    ({"timeout": float("nan")}, "timeout", "seconds greater than 0"),
    ({"cpu": -0.5}, "cpu", "at least 0"),
    ({"memory": 0.5}, "memory", "MiB"),
    ({"memory": 2**41}, "memory", "MiB"),
    ({"seed": "x"}, "seed", "a whole number"),
    ({"tasks": b"solve"}, "tasks", "solve, count"),
    ({"tasks": ["all"]}, "tasks", "one of solve, count"),
    ({"starts": ["hot"]}, "starts", "one of cold, warm, batch"),
    ({"shape": 9}, "shape", "the name of a shape"),
    ({"until_stable": 1}, "until_stable", "at least 2"),
    ({"until_stable": -1}, "until_stable", "from 0 to 1000000"),
]


@pytest.mark.parametrize(("changes", "where", "expected"), INVALID, ids=str)
def test_an_invalid_option_is_an_error_with_its_name_and_the_valid_values(
    changes: dict[str, object], where: str, expected: str
) -> None:
    with pytest.raises(OptionError) as error:
        Sweep.from_options(VALID | changes)
    assert error.value.where == where
    assert expected in error.value.expected
    with pytest.raises(OptionError) as error:
        Sweep(**VALID | changes)  # type: ignore[arg-type]
    assert error.value.where == where


@pytest.mark.parametrize("missing", ["datasets", "backends"])
def test_a_missing_option_is_an_error_with_its_name(missing: str) -> None:
    with pytest.raises(OptionError) as error:
        Sweep.from_options({name: value for name, value in VALID.items() if name != missing})
    assert error.value.where == missing


def test_an_unknown_option_is_an_error_that_lists_all_options() -> None:
    with pytest.raises(OptionError) as error:
        Sweep.from_options({"nothing-like-it": ["native"]})
    assert "'nothing-like-it'" in error.value.what
    for field in fields(Sweep):
        assert field.name in error.value.expected


def test_options_are_converted_to_their_types() -> None:
    sweep = Sweep.from_options(
        VALID
        | {
            "datasets": ["seeds", "seeds"],
            "tasks": ["count", "count"],
            "starts": [Start.WARM],
            "timeout": 3,
        }
    )
    assert (sweep.datasets, sweep.backends) == (("seeds",), ("native",))
    assert (sweep.tasks, sweep.starts) == ((Task.COUNT,), (Start.WARM,))
    assert isinstance(sweep.tasks[0], Task)
    assert isinstance(sweep.timeout, float)


def test_every_option_has_help_and_python_has_the_same_defaults() -> None:
    options = options_of(Sweep)
    assert list(options) == [field.name for field in fields(Sweep)]
    parameters = inspect.signature(harness.run).parameters
    for name, option in options.items():
        assert option.help.endswith(".")
        assert option.metavar
        default = parameters[name].default
        assert default == (inspect.Parameter.empty if name in VALID else option.default)
        assert parameters[name].annotation is not inspect.Parameter.empty
        assert f"        {name}: " in (harness.run.__doc__ or "")


def test_a_sweep_file_is_read_from_its_own_folder(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        'datasets = ["seeds", "mine.txt"]\nbackends = ["native", "own.py:Mine[depth=3]"]\n'
        'tasks = ["solve", "count"]\nstarts = ["warm"]\nmax_solutions = 5\n'
        "repeat = 2\ntimeout = 3\n"
    )
    sweep = read_sweeps(path, {"repeat": 7})[0]
    assert sweep.datasets == ("seeds", str(tmp_path / "mine.txt"))
    assert sweep.backends == ("native", f"{tmp_path}/own.py:Mine[depth=3]")
    assert (sweep.tasks, sweep.starts) == ((Task.SOLVE, Task.COUNT), (Start.WARM,))
    assert (sweep.max_solutions, sweep.repeat, sweep.timeout) == (5, 7, 3.0)


def test_writing_then_reading_gives_the_same_sweep(tmp_path: Path) -> None:
    sweep = Sweep(
        ("seeds", str(tmp_path / "puzzles" / 'mine "x".txt')),
        (
            "native",
            "cnf[solver=[glucose4,cadical153]]",
            f"{tmp_path}/own.py:Mine[depth=3]",
            f"{tmp_path}/own.toml",
        ),
        (Task.COUNT,),
        max_solutions=9,
        starts=(Start.COLD, Start.WARM),
        repeat=4,
        processes=3,
        until_stable=6,
        timeout=2.5,
        cpu=1.5,
        memory=300,
        seed=-8,
        shape="9x9",
    )
    folder = tmp_path / "results" / "run"
    folder.mkdir(parents=True)
    add_sweep(sweep, folder / "sweep.toml")
    assert str(tmp_path) not in (folder / "sweep.toml").read_text()
    (read,) = read_sweeps(folder / "sweep.toml", {})
    assert [Path(name).resolve() for name in read.datasets[1:]] == [Path(sweep.datasets[1])]
    assert read.backends[:2] == sweep.backends[:2]
    paths = [Path(spec).resolve() for spec in read.backends[2:]]
    assert paths == [Path(spec) for spec in sweep.backends[2:]]
    for field in fields(Sweep)[2:]:
        assert getattr(read, field.name) == getattr(sweep, field.name)


def test_a_file_that_cannot_be_read_is_an_error_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("datasets = [\n")
    for name in ("bad.toml", "missing.toml", "."):
        with pytest.raises(InputError) as error:
            read_sweeps(tmp_path / name, {})
        assert error.value.where == str(tmp_path / name)


BOTH = 'datasets = ["seeds"]\nbackends = ["native"]\n'


@pytest.mark.parametrize(
    ("text", "changes", "where"),
    [
        (f'{BOTH}repeat = "3"', {}, "FILE: repeat"),
        (f"{BOTH}timeout = nan", {}, "FILE: timeout"),
        (f"{BOTH}seed = 2020-01-01", {}, "FILE: seed"),
        (f'{BOTH}where = "clues <"', {}, "FILE: where"),
        (f"{BOTH}where = 3", {}, "FILE: where"),
        (BOTH, {"repeat": 0}, "repeat"),
        ("repeat = 2", {"datasets": ["seeds"]}, "FILE: backends"),
        ("repeats = 2", VALID, "FILE"),
    ],
)
def test_an_invalid_option_is_an_error_with_its_place(
    text: str, changes: dict[str, object], where: str, tmp_path: Path
) -> None:
    """A change does not come from the file."""
    path = tmp_path / "my.toml"
    path.write_text(text)
    with pytest.raises(OptionError) as error:
        read_sweeps(path, changes)
    assert error.value.where == where.replace("FILE", str(path))
    assert error.value.expected or "did you mean 'repeat'?" in error.value.what


def test_a_file_may_leave_options_to_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text("repeat = 2\n")
    assert read_sweeps(path, VALID) == [Sweep(("seeds",), ("native",), repeat=2)]


def test_a_second_sweep_is_added_to_the_file_and_both_run_again_in_their_order(
    tmp_path: Path,
) -> None:
    first = Sweep(("seeds",), ("native",), repeat=2)
    second = Sweep(("named", str(tmp_path / "mine.txt")), ("cnf[solver=glucose4]",), timeout=3.0)
    folder = tmp_path / "run"
    folder.mkdir()
    path = folder / "sweep.toml"
    for sweep in (first, second, first, second):
        add_sweep(sweep, path)
    read = read_sweeps(path, {})
    assert [Path(name).resolve() for name in read[1].datasets[1:]] == [tmp_path / "mine.txt"]
    assert [s.datasets[0] for s in read] == ["seeds", "named"]
    for name in (field.name for field in fields(Sweep)[1:]):
        assert [getattr(s, name) for s in read] == [getattr(first, name), getattr(second, name)]
    assert [s.timeout for s in read_sweeps(path, {"timeout": 7.0})] == [7.0, 7.0]
    same = {"datasets": ["seeds"], "backends": ["native"], "timeout": 1.0, "repeat": 1}
    assert len(read_sweeps(path, same)) == 1


def test_a_sweep_that_a_file_of_fewer_options_has_is_not_added_again(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text('datasets = ["seeds"]\nbackends = ["native"]\n')
    add_sweep(Sweep(("seeds",), ("native",)), path)
    assert path.read_text() == 'datasets = ["seeds"]\nbackends = ["native"]\n'


@pytest.mark.parametrize(
    "content",
    [
        "sweep = 3",
        "sweep = [3]",
        'repeat = 2\n[[sweep]]\ndatasets = ["seeds"]',
        "[[sweep",
        "[[sweep]]\nrepeat = 'x'",
        "[[sweep]]\nrepeats = 2",
    ],
)
def test_a_damaged_file_of_sweeps_is_an_error_and_stays_as_it_is(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(content)
    for action in (
        lambda: read_sweeps(path, VALID),
        lambda: add_sweep(Sweep(("seeds",), ("native",)), path),
    ):
        with pytest.raises(InputError) as error:
            action()
        assert error.value.where.startswith(str(path))
    assert path.read_text() == content
    assert [entry.name for entry in tmp_path.iterdir()] == ["sweep.toml"]
