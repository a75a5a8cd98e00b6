"""Plans: every trial once, in an order that follows from the seed."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.contract.spec import BackendSpec
from harness.errors import InputError
from harness.experiment.plan import Sweep, batches, number_of_trials
from harness.experiment.sweep_file import read_sweep, sweep_from, write_sweep
from harness.puzzles import Dataset, Instance, Shape
from harness.puzzles.generate import pattern_puzzle
from harness.records.question import Start, Task
from harness.records.trial import Trial

SPECS = [BackendSpec("one"), BackendSpec("two")]


def dataset(name: str, shapes: list[str]) -> Dataset:
    instances = tuple(
        Instance(f"{spec}/{blank}", pattern_puzzle(Shape.parse(spec), blank))
        for spec in shapes
        for blank in range(2, 16)
    )
    return Dataset(name, instances)


DATASETS = [dataset("small", ["4x4", "6x6"]), dataset("large", ["9x9"])]


def trials_of(sweep: Sweep) -> list[Trial]:
    return [trial for batch in batches(sweep, SPECS, DATASETS) for trial in batch.trials]


@given(
    st.integers(0, 99),
    st.integers(1, 3),
    st.sets(st.sampled_from(Task), min_size=1),
    st.sets(st.sampled_from(Start), min_size=1),
)
@settings(max_examples=20)
def test_every_trial_is_planned_once(
    seed: int, repeat: int, tasks: set[Task], starts: set[Start]
) -> None:
    sweep = Sweep(
        ("small", "large"),
        ("one", "two"),
        tuple(sorted(tasks)),
        starts=tuple(sorted(starts)),
        repeat=repeat,
        seed=seed,
    )
    planned = trials_of(sweep)
    keys = Counter(
        (t.backend, t.dataset, t.instance.puzzle.id, t.question, t.repetition) for t in planned
    )
    assert set(keys.values()) == {1}
    assert len(planned) == number_of_trials(sweep, SPECS, DATASETS)
    assert len(planned) == 42 * 2 * len(tasks) * len(starts) * repeat


def test_the_same_seed_gives_the_same_order_and_another_a_different_one() -> None:
    sweep = Sweep(("small",), ("one",))
    other = Sweep(("small",), ("one",), seed=1)
    assert trials_of(sweep) == trials_of(sweep)
    assert trials_of(sweep) != trials_of(other)


def test_backends_take_turns() -> None:
    planned = trials_of(Sweep(("small", "large"), ("one", "two"), repeat=2))
    turns = sum(a.backend != b.backend for a, b in pairwise(planned))
    assert turns >= 3


def test_a_batch_has_one_backend_one_question_and_one_shape() -> None:
    sweep = Sweep(("small", "large"), ("one", "two"), (Task.SOLVE, Task.COUNT))
    for batch in batches(sweep, SPECS, DATASETS):
        assert {trial.backend for trial in batch.trials} == {batch.backend}
        assert {trial.question for trial in batch.trials} == {batch.question}
        assert len({trial.instance.puzzle.shape for trial in batch.trials}) == 1


def test_what_is_done_is_left_out_and_the_order_of_the_rest_stays() -> None:
    sweep = Sweep(("small",), ("one", "two"))
    planned = trials_of(sweep)
    done = set(map(id, planned[::3]))
    keys = {(t.backend, t.instance.puzzle.id) for t in planned if id(t) in done}
    left = [
        trial
        for batch in batches(
            sweep, SPECS, DATASETS, lambda t: (t.backend, t.instance.puzzle.id) in keys
        )
        for trial in batch.trials
    ]
    assert left == [t for t in planned if (t.backend, t.instance.puzzle.id) not in keys]


def test_the_folder_follows_from_what_is_asked() -> None:
    sweep = Sweep(("seeds", "a/b/my puzzles.txt"), ("native",))
    assert sweep.folder_name == Sweep(("seeds", "a/b/my puzzles.txt"), ("native",)).folder_name
    assert sweep.folder_name.startswith("seeds+my_puzzles-")
    names = {sweep.folder_name, Sweep(("seeds",), ("native",)).folder_name}
    names |= {Sweep(("seeds",), ("native",), timeout=3).folder_name}
    assert len(names) == 3


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "no dataset; expected at least one --dataset"),
        ({"datasets": ["seeds"]}, "no backend; expected at least one --backend"),
        ({"repeat": 0}, "repeat 0 is too small; expected at least 1"),
        ({"limit": 0}, "limit 0 is too small; expected at least 1"),
        ({"timeout": 0}, "no timeout of 0 s; expected more than 0 seconds"),
        ({"timeout": float("nan")}, "no timeout of nan s; expected more than 0 seconds"),
        ({"tasks": ["solv"]}, "no task 'solv'; expected one of solve, count"),
        ({"starts": ["hot"]}, "no start 'hot'; expected one of cold, warm, batch"),
        ({"repeat": "3"}, "repeat '3'; expected a whole number"),
        ({"datasets": "seeds"}, "datasets 'seeds'; expected a list of texts"),
        ({"shape": 9}, "shape 9; expected a text"),
    ],
)
def test_a_sweep_that_cannot_be_is_told_why(fields: dict[str, object], message: str) -> None:
    asked = {"datasets": ["seeds"], "backends": ["native"]} if fields else {}
    if "datasets" in fields and len(fields) == 1 and isinstance(fields["datasets"], list):
        asked = {}
    with pytest.raises(InputError) as error:
        sweep_from(asked | fields)
    assert str(error.value) == message


def test_an_unknown_field_lists_those_there_are() -> None:
    with pytest.raises(InputError, match="no field 'bakends' in a sweep; expected one of datasets"):
        sweep_from({"bakends": ["native"]})


def test_a_sweep_file_is_read_from_its_own_folder(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        'datasets = ["seeds", "mine.txt"]\nbackends = ["native", "own.py:Mine[depth=3]"]\n'
        'tasks = ["solve", "count"]\nstarts = ["warm"]\nlimit = 5\nrepeat = 2\ntimeout = 3\n'
    )
    sweep = read_sweep(path, {"repeat": 7})
    assert sweep.datasets == ("seeds", str(tmp_path / "mine.txt"))
    assert sweep.backends == ("native", f"{tmp_path}/own.py:Mine[depth=3]")
    assert (sweep.tasks, sweep.starts) == ((Task.SOLVE, Task.COUNT), (Start.WARM,))
    assert (sweep.limit, sweep.repeat, sweep.timeout) == (5, 7, 3.0)


def test_writing_then_reading_gives_the_same_sweep(tmp_path: Path) -> None:
    sweep = Sweep(
        ("seeds", str(tmp_path / "puzzles" / "mine.txt")),
        ("native", "cnf[solver=[glucose4,cadical153]]", f"{tmp_path}/own.py:Mine[depth=3]"),
        (Task.COUNT,),
        limit=9,
        starts=(Start.COLD, Start.WARM),
        repeat=4,
        timeout=2.5,
        seed=8,
        shape="9x9",
    )
    folder = tmp_path / "results" / "run"
    folder.mkdir(parents=True)
    write_sweep(sweep, folder / "sweep.toml")
    read = read_sweep(folder / "sweep.toml", {})
    assert [Path(name).resolve() for name in read.datasets[1:]] == [Path(sweep.datasets[1])]
    assert read.backends[:2] == sweep.backends[:2]
    assert Path(read.backends[2]).resolve() == Path(sweep.backends[2])
    assert (read.tasks, read.limit, read.starts) == (sweep.tasks, sweep.limit, sweep.starts)
    assert (read.repeat, read.timeout, read.seed, read.shape) == (4, 2.5, 8, "9x9")


def test_a_sweep_file_that_is_no_toml_is_told_where(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("datasets = [\n")
    with pytest.raises(InputError, match=r"bad\.toml: no TOML: "):
        read_sweep(path, {})
    with pytest.raises(InputError, match="no such file"):
        read_sweep(tmp_path / "missing.toml", {})
