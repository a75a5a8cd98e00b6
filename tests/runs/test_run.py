"""Stored runs: every trial once, also after interruptions."""

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.completeness import RunState
from harness.analysis.run import load
from harness.base.errors import InputError, RunError, StoreDamagedError
from harness.records.folder.files import RunFile
from harness.records.folder.merging import merge
from harness.records.folder.store import Store
from harness.records.question import Task
from harness.records.trial import TrialRecord
from harness.runs.execution import Observer
from harness.runs.run import FinishedRun, run_sweep
from harness.runs.sweep import Sweep
from harness.runs.sweep_files import read_sweeps
from tests.runs.starting import nothing_is_left, start_run
from tests.stores import changed

PUZZLES = [f"1234{row}........" for row in ("3412", "3421", "4312", "4321", "....", "3...")]


class Kept(Observer):
    def __init__(self) -> None:
        self.results: list[TrialRecord] = []
        self.plans: list[tuple[int, int]] = []

    def planned(self, trials: Mapping[str, int], done: Mapping[str, int]) -> None:
        self.plans.append((sum(trials.values()), sum(done.values())))

    def finished(self, results: Sequence[TrialRecord]) -> None:
        self.results += results


def run(sweep: Sweep, folder: Path, *, fresh: bool = False) -> tuple[FinishedRun, Kept]:
    observer = Kept()
    return run_sweep(sweep, folder, fresh=fresh, observer=observer), observer


def test_a_run_has_its_trials_its_sweep_and_its_environment(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    sweep = Sweep((str(a_file(PUZZLES)),), ("native",), (Task.SOLVE, Task.COUNT), repeat=2)
    finished, observer = run(sweep, tmp_path / "run")
    assert (finished.trials, finished.done_before) == (24, 0)
    assert observer.plans == [(24, 0)]
    assert len(observer.results) == 24
    trials = load(tmp_path / "run").trials
    assert len(trials) == 24
    assert set(trials["dataset"]) == {"puzzles"}
    assert set(trials["verdict"]) == {"solved", "counted"}
    assert trials["wall_s"].notna().all()
    assert (trials["limit"].dropna() == 2).all()
    assert trials[trials["task"] == "solve"]["limit"].isna().all()
    assert (tmp_path / "run" / "sweep.toml").is_file()
    assert load(tmp_path / "run").environment.python == sys.version


def test_the_same_sweep_again_runs_nothing_unless_it_starts_afresh(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    sweep = Sweep((str(a_file(PUZZLES)),), ("native",))
    for fresh, done_before, results in ((False, 0, 6), (False, 6, 0), (True, 0, 6)):
        finished, observer = run(sweep, tmp_path / "run", fresh=fresh)
        assert (finished.done_before, len(observer.results)) == (done_before, results)
        assert len(load(tmp_path / "run").trials) == 6


def test_added_puzzles_and_backends_are_all_that_is_run(
    a_file: Callable[..., Path], a_backend: Callable[..., str], tmp_path: Path
) -> None:
    path = a_file(PUZZLES[:3])
    run(Sweep((str(path),), ("native",)), tmp_path / "run")
    path = a_file([PUZZLES[5], *PUZZLES[:4]])
    other = a_backend()
    finished, observer = run(Sweep((str(path),), ("native", other)), tmp_path / "run")
    assert (finished.trials, finished.done_before, len(observer.results)) == (10, 3, 7)
    assert observer.plans == [(10, 3)]
    assert len(load(tmp_path / "run").trials) == 10


def test_two_versions_of_a_backend_are_two_configurations_and_one_of_the_store_is_refused(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    sweep = Sweep((str(a_file(PUZZLES)),), ("native",))
    run(sweep, tmp_path / "run")
    changed(
        tmp_path / "run", 'UPDATE configurations SET versions = \'{"sudoku-harness": "0.0.1"}\''
    )
    _, observer = run(sweep, tmp_path / "run")
    assert len(observer.results) == 6
    assert set(load(tmp_path / "run").trials["backend"]) == {"native#1", "native#2"}
    changed(tmp_path / "run", "PRAGMA user_version = 99")
    for opener in (lambda: run(sweep, tmp_path / "run"), lambda: load(tmp_path / "run")):
        with pytest.raises(RunError, match="99") as error:
            opener()
        assert not isinstance(error.value, StoreDamagedError)


@pytest.mark.parametrize(
    ("prepare", "error"),
    [
        (lambda f: f.write_text("x"), InputError),
        (lambda f: (f.mkdir(), (f / "thesis.tex").write_text("x")), RunError),
    ],
)
def test_a_folder_with_other_content_is_left_alone(
    a_file: Callable[..., Path],
    tmp_path: Path,
    prepare: Callable[[Path], object],
    error: type[InputError],
) -> None:
    prepare(tmp_path / "run")
    with pytest.raises(InputError) as refusal:
        run(Sweep((str(a_file(PUZZLES)),), ("native",)), tmp_path / "run", fresh=True)
    assert type(refusal.value) is error
    assert refusal.value.where == str(tmp_path / "run")
    assert (tmp_path / "run").is_file() or (tmp_path / "run" / "thesis.tex").is_file()


def finished_trials(store: Path) -> int:
    if not store.is_file():
        return 0
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
        try:
            return int(db.execute("SELECT count(*) FROM trials").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def workers_of(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in children.read_text().split()]


@pytest.mark.parametrize(
    "how",
    [
        signal.SIGKILL,
        pytest.param(signal.SIGINT, marks=pytest.mark.long),
        pytest.param(signal.SIGTERM, marks=pytest.mark.long),
    ],
)
def test_an_interrupted_run_continues_where_it_stopped(
    a_file: Callable[..., Path],
    a_backend: Callable[..., str],
    tmp_path: Path,
    how: signal.Signals,
    has_ended: Callable[[int], bool],
) -> None:
    slow = a_backend("time.sleep(0.03)\nreturn Answer.unsatisfiable()")
    words = ["--dataset", str(a_file(PUZZLES)), "--backend", slow, "native", "--repeat", "4"]
    words += ["--out", "run"]
    store = tmp_path / "run" / RunFile.STORE
    process = start_run(words, tmp_path)
    while finished_trials(store) < 10:
        time.sleep(0.02)
    workers = workers_of(process.pid)
    process.send_signal(how)
    _, err = process.communicate()
    codes = {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}
    assert process.returncode == codes[how]
    if how is not signal.SIGKILL:
        assert b"harness run" in err
    before = finished_trials(store)
    assert 10 <= before < 48
    assert len(workers) == 2
    assert all(map(has_ended, workers))
    progress = load(tmp_path / "run").progress
    states = {signal.SIGKILL: "killed", signal.SIGINT: "interrupted", signal.SIGTERM: "interrupted"}
    reasons = {signal.SIGKILL: "no end is recorded", signal.SIGINT: "Ctrl-C"}
    assert (progress.state, progress.reason) == (states[how], reasons.get(how, "SIGTERM"))
    assert (progress.done, progress.planned) == (before, 48)

    again = start_run(words, tmp_path)
    again.communicate()
    assert again.returncode == 1  # the two backends disagree
    trials = load(tmp_path / "run").trials
    assert len(trials) == 48
    assert not trials.duplicated(["backend", "puzzle_id", "repetition"]).any()
    assert load(tmp_path / "run").progress.finished


@pytest.mark.long
def test_finished_trials_are_on_disk_while_a_long_one_runs(
    a_file: Callable[..., Path], a_backend: Callable[..., str], tmp_path: Path
) -> None:
    stuck = a_backend("if puzzle.givens[4] == 3: time.sleep(60)\nreturn Answer.unsatisfiable()")
    words = ["--dataset", str(a_file(PUZZLES)), "--backend", stuck, "--out", "run"]
    process = start_run([*words, "--timeout", "8"], tmp_path)
    store = tmp_path / "run" / RunFile.STORE
    deadline = time.monotonic() + 6
    while not finished_trials(store) and time.monotonic() < deadline:
        time.sleep(0.05)
    now = load(tmp_path / "run")
    trials = now.trials
    assert now.progress.state is RunState.GOING_ON
    assert (now.progress.done, now.progress.planned) == (len(trials), 6)
    process.kill()
    process.communicate()
    assert 0 < len(trials) < 6
    assert set(trials["verdict"]) == {"unsatisfiable"}


def can_mount() -> bool:
    unshare = shutil.which("unshare")
    return unshare is not None and subprocess.run([unshare, "-rm", "true"]).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="a file system of its own needs a user namespace")
def test_a_full_file_system_is_reported_and_keeps_what_is_stored(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    harness_run = f"{sys.executable} -m harness run"
    run = (
        f"{harness_run} --dataset {a_file(PUZZLES)} --backend native --repeat 1500 --out small/run"
    )
    commands = f"""
    mount -t tmpfs -o size=600k none small
    {run}
    echo "exit code $?"
    cp -r small/run copy
    """
    words = ["unshare", "-rm", "bash", "-c", commands]
    process = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert "exit code 3" in process.stdout
    assert process.stderr.count("\n") == 1
    assert "trials.sqlite: cannot be written: " in process.stderr
    trials = load(tmp_path / "copy").trials
    assert 0 < len(trials) < 9000
    assert set(trials["verdict"]) == {"solved"}


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_after_115_kills_every_trial_is_stored_once_and_nothing_is_left_behind(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    words = ["--dataset", str(a_file(PUZZLES)), "--backend", "native", "cnf", "cpsat", "milp"]
    words += ["--task", "solve", "count", "--repeat", "40", "--jobs", "2", "--out", "run"]
    moments = random.Random(0)
    for _ in range(115):
        process = start_run(words, tmp_path, {"TMPDIR": str(temporary)})
        time.sleep(moments.uniform(0.05, 2.5))
        process.kill()
        process.communicate()
        assert nothing_is_left(temporary)
    start_run(words, tmp_path, {"TMPDIR": str(temporary)}).communicate()
    trials = load(tmp_path / "run").trials
    assert len(trials) == 6 * 4 * 2 * 40
    assert not trials.duplicated(["backend", "puzzle_id", "task", "repetition"]).any()
    assert set(trials["verdict"]) == {"solved", "counted"}


def test_trials_that_differ_too_much_are_repeated_up_to_the_bound(
    a_file: Callable[..., Path], a_backend: Callable[..., str], tmp_path: Path
) -> None:
    noisy = a_backend(
        "time.sleep(next(TIMES))\nreturn Answer.unsatisfiable()",
        name="noisy",
        top="import itertools\nTIMES = itertools.cycle([0.002, 0.02, 0.002, 0.002])",
    )
    steady = a_backend("time.sleep(0.2)\nreturn Answer.unsatisfiable()", name="steady")
    fails = a_backend("raise ValueError", name="fails")
    datasets = (str(a_file(PUZZLES[:2])),)
    sweep = Sweep(datasets, (noisy, steady, fails), repeat=2, until_stable=5)
    _, observer = run(sweep, tmp_path / "run")
    assert observer.plans[0] == (12, 0)
    counts = load(tmp_path / "run").trials.groupby(["backend", "puzzle_id"])["repetition"].max()
    assert counts.groupby("backend").max().to_dict() == {"noisy": 5, "steady": 2, "fails": 2}
    assert sum(trials for trials, _ in observer.plans) == len(observer.results)
    progress = load(tmp_path / "run").progress
    assert progress.finished
    assert progress.done == progress.planned == len(observer.results)
    again, observer = run(sweep, tmp_path / "run")
    assert (again.done_before, observer.results) == (12, [])


def test_each_process_imports_the_backend_anew_with_its_own_hashes_and_stack(
    a_file: Callable[..., Path], a_backend: Callable[..., str], tmp_path: Path
) -> None:
    backends = tuple(
        a_backend(
            "return Answer.unknown(stats=FACTS)",
            name=name,
            top="FACTS = {'import': time.monotonic_ns() // 1000, 'hash': hash('a') % 10**6, "
            "'padding': len(os.environ.get('HARNESS_PADDING', ''))}",
        )
        for name in ("first", "second")
    )
    sweep = Sweep((str(a_file(PUZZLES)),), backends, repeat=2, processes=3)
    run(sweep, tmp_path / "run")
    trials = load(tmp_path / "run").trials
    facts = pd.DataFrame(list(map(json.loads, trials["stats"])))
    for fact, number in (("import", 6), ("hash", 3), ("padding", 3)):
        assert facts[fact].nunique() == number
    assert facts.groupby([trials["backend"], trials["process"]]).nunique().eq(1).all(axis=None)
    assert trials.groupby(["backend", "process"]).size().to_list() == [4] * 6
    assert trials["process"].is_monotonic_increasing
    run(replace(sweep, repeat=3, processes=2), tmp_path / "run")
    further = load(tmp_path / "run").trials.iloc[len(trials) :]
    assert set(further["process"]) == {5}
    seeds = {json.loads(text)["hash"] for text in further["stats"]}
    assert not seeds & set(facts["hash"])
    assert Store.last_process(tmp_path / "run") == 5
    changed(tmp_path / "run", "UPDATE trials SET process = 'x' WHERE process = 5")
    assert Store.last_process(tmp_path / "run") == 3
    changed(tmp_path / "run", "UPDATE trials SET process = 5 WHERE process = 'x'")
    run(replace(sweep, datasets=(str(a_file(PUZZLES[:2], "two.txt")),)), tmp_path / "other")
    merge([tmp_path / "run", tmp_path / "other"], tmp_path / "both")
    assert set(load(tmp_path / "both").trials["process"]) == {1, 2, 3, 5, 6, 7, 8}


def test_an_import_that_fails_in_a_later_process_makes_its_backend_unavailable(
    a_file: Callable[..., Path], a_backend: Callable[..., str], tmp_path: Path
) -> None:
    fails = a_backend(
        name="fails", top="if os.environ['PYTHONHASHSEED'] == '1': raise ImportError('gone')"
    )
    sweep = Sweep((str(a_file(PUZZLES)),), ("native", fails), processes=3)
    run(sweep, tmp_path / "run")
    result = load(tmp_path / "run")
    assert result.trials.groupby("backend").size().to_dict() == {"fails": 2, "native": 6}
    assert "gone" in str(result.progress.reason) or "gone" in str(result.invocations[-1])


def test_an_error_that_stops_a_run_is_in_its_record(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    class Stops(Observer):
        def finished(self, results: Sequence[TrialRecord]) -> None:
            raise ValueError("no\udcff more")

    sweep = Sweep((str(a_file(PUZZLES)),), ("native",))
    with pytest.raises(ValueError, match="more"):
        run_sweep(sweep, tmp_path / "run", observer=Stops())
    progress = load(tmp_path / "run").progress
    assert progress.state is RunState.STOPPED
    assert progress.reason == "ValueError: no\\udcff more"
    assert 0 < progress.done <= 6 == progress.planned


def test_merged_runs_have_the_plans_and_sweeps_of_both(
    a_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = str(a_file(PUZZLES))
    first, second = (tmp_path / "a" / "first", tmp_path / "second")
    run(Sweep((path,), ("native",), repeat=2), first)
    run(Sweep((path, "seeds"), ("native",), (Task.COUNT,)), second)
    changed(second, "DELETE FROM trials WHERE id > 5")
    merge([first, second], tmp_path / "both")
    both = load(tmp_path / "both")
    assert (both.progress.done, both.progress.planned) == (12 + 5, 12 + 12)
    assert both.progress.finished is False
    sweeps = read_sweeps(tmp_path / "both" / "sweep.toml", {})
    assert [s.tasks for s in sweeps] == [(Task.SOLVE,), (Task.COUNT,)]
    assert [s.datasets[1:] for s in sweeps] == [(), ("seeds",)]
    assert all(Path(s.datasets[0]).resolve() == Path(path) for s in sweeps)
    progress = load(first, second).progress
    assert (progress.done, progress.planned) == (17, 24)
    merge([first, shutil.copytree(first, tmp_path / "copy")], tmp_path / "twice")
    twice = load(tmp_path / "twice").progress
    assert (twice.done, twice.planned, twice.finished) == (24, 24, True)
