"""The list of runs, with folders that are no runs, damaged, links or not to be read."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.base.errors import InputError
from harness.extensions.workbench.following import Follower
from harness.extensions.workbench.runs import PER_PAGE, RunListing, folder_named, run_folders
from harness.records.folder.files import RunFile
from tests.extensions.workbench.conftest import CopyRun
from tests.extensions.workbench.server import PUZZLE, Workbench
from tests.stores import changed

CopyToName = Callable[[str], Path]


@pytest.fixture
def a_run(copy_run: CopyRun, tmp_path: Path) -> CopyToName:
    """Copy a run of two trials to a folder below ``results``."""
    return lambda name: copy_run(tmp_path / "results" / name)


@pytest.fixture
def listing(tmp_path: Path) -> RunListing:
    return RunListing(tmp_path / "results")


def test_runs_are_listed_with_their_trials(a_run: CopyToName, listing: RunListing) -> None:
    a_run("first")
    a_run("shards-abc/shard-0001")
    page = listing.page()
    assert {run.name for run in page.runs} == {"first", "shards-abc/shard-0001"}
    for run in page.runs:
        assert (run.state, run.done, run.planned) == ("finished", 2, 2)
        assert run.backends == ["native"]
        assert run.datasets == ["puzzles"]
        assert len(run.machines) == 1
        assert run.started_at is not None


def test_a_folder_that_is_missing_has_no_runs(listing: RunListing) -> None:
    assert listing.page().total == 0


def test_hostile_folders_are_listed_with_their_error(
    a_run: CopyToName, listing: RunListing, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    a_run("good")
    (a_run("truncated") / RunFile.STORE).write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    changed(a_run("other-tables"), "CREATE TABLE more (a)")
    changed(a_run("other-version"), "PRAGMA user_version = 999")
    (a_run("bad-record") / "environment.json").write_text("{")
    (a_run("linked-store") / RunFile.STORE).unlink()
    (results / "linked-store" / RunFile.STORE).symlink_to(results / "good" / RunFile.STORE)
    (results / "linked").symlink_to(tmp_path)
    (results / "dangling").symlink_to(tmp_path / "nowhere")
    (results / "folder-as-store" / RunFile.STORE).mkdir(parents=True)
    (results / "empty").mkdir()
    (results / "notes.txt").write_text("no run")
    Path(f"{results}/not-\udcff-utf8").mkdir()
    page = listing.page()
    errors = {run.name: run.error for run in page.runs if run.state == "unreadable"}
    assert {run.name for run in page.runs} - errors.keys() == {"good"}
    assert "damaged" in errors["truncated"] or "database" in errors["truncated"]
    assert "that the harness does not make" in errors["other-tables"]
    assert "version 999" in errors["other-version"]
    assert "JSON" in errors["bad-record"] or "record" in errors["bad-record"]
    assert "symbolic link" in errors["linked-store"]
    assert "link" in errors["linked"]
    assert "link" in errors["dangling"]
    assert "folder" in errors["folder-as-store"]
    assert errors["not-\\udcff-utf8"] == "its name is not UTF-8"
    assert "empty" not in errors
    msgspec.json.encode(page)  # every text of it can be sent


def test_a_filter_searches_names_backends_and_datasets(
    a_run: CopyToName, listing: RunListing
) -> None:
    for name in ("one", "two"):
        a_run(name)
    assert [run.name for run in listing.page("ONE native").runs] == ["one"]
    assert listing.page("puzzles").matching == 2
    assert listing.page("cpsat").matching == 0
    assert listing.page(state="finished").matching == 2
    assert listing.page(state="interrupted").matching == 0


def test_a_long_list_has_pages(a_run: CopyToName, listing: RunListing) -> None:
    source = a_run("run-000")
    for number in range(1, PER_PAGE + 3):
        shutil.copytree(source, source.with_name(f"run-{number:03}"))
    first, second = listing.page(number=1), listing.page(number=2)
    assert (first.pages, len(first.runs), len(second.runs)) == (2, PER_PAGE, 3)
    assert len({run.name for run in first.runs + second.runs}) == PER_PAGE + 3
    assert listing.page(number=10**8).page == 2


def test_a_change_of_a_store_is_seen(a_run: CopyToName, listing: RunListing) -> None:
    folder = a_run("run")
    assert listing.page().runs[0].done == 2
    changed(folder, "DELETE FROM trials WHERE repetition = 2")
    (run,) = listing.page().runs
    assert (run.state, run.done, run.planned) == ("unfinished", 1, 2)


def test_a_follower_adds_what_is_new(a_run: CopyToName) -> None:
    folder = a_run("run")
    changed(folder, "DELETE FROM trials WHERE repetition = 2")
    follower = Follower("run", folder)
    first = follower.look()
    assert (first.done, first.planned, first.wrong, first.failures) == (1, 2, [], [])
    changed(
        folder,
        "INSERT INTO trials (id, question_id, instance_id, repetition, answer_verdict, "
        "answer_reason, solution, stats, wall_s, cpu_source, memory_source) "
        "SELECT 9, question_id, instance_id, 2, 'wrong', 'planted', solution, stats, 1.5, "
        "cpu_source, memory_source FROM trials",
    )
    second = follower.look()
    assert (second.done, second.left_s) == (2, 0.0)
    (row,) = second.wrong
    assert (row.configuration, row.verdict, row.reason) == ("native", "wrong", "planted")
    assert row.task == "solve"
    (configuration,) = second.configurations
    assert configuration.verdicts == {"solved": 1, "wrong": 1}
    assert configuration.wall_s > 1.5
    assert follower.look() == second
    changed(folder, "UPDATE questions SET task = 'count', \"limit\" = 2")
    assert Follower("run", folder).look().wrong[0].task == "count to 2"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    name=st.lists(
        st.sampled_from(["good", "..", ".", "", "linked", "\0", "outside", "~"]) | st.text(),
        max_size=6,
    ).map("/".join)
)
@example(name="good/good")
@example(name="linked/../good")
@example(name="../results/good")
@example(name="good/trials.sqlite")
@example(name="a/" * 400)
@example(name="\udcff")
def test_a_name_opens_runs_inside_the_folder_only(name: str, tmp_path: Path) -> None:
    results, outside = tmp_path / "results", tmp_path / "outside"
    for folder in (results / "good", results / "good" / "good", outside):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RunFile.STORE).touch()
    if not (results / "linked").is_symlink():
        (results / "linked").symlink_to(outside)
    if name in ("good", "good/good"):
        assert folder_named(results, name) == results / name
        return
    with pytest.raises(InputError, match=r"^there is no run .{,500}$"):
        folder_named(results, name)


def test_a_run_below_a_folder_of_runs_is_found_to_a_depth(
    a_run: CopyToName, tmp_path: Path
) -> None:
    for name in ("a/b/c", "d/e/f/g"):
        a_run(name)
    assert [folder.name for folder in run_folders(tmp_path / "results")] == ["a/b/c"]


FULL = """
from pathlib import Path
from harness.base.errors import HarnessError
from harness.extensions.workbench.sweeps import NewSweep, make_run
results = Path("small/results")
new = NewSweep(name="run", datasets=["seeds/1"], backends=["native"])
filler = Path("small/filler")
filler.write_bytes(bytes(550_000))
try:
    make_run(new, results, (), allows_files=False)
except HarnessError as error:
    print(error)
print([path.name for path in results.iterdir()])
filler.unlink()
(results / "run").mkdir()
(results / "run" / "trials.sqlite.new-journal").touch()
print(make_run(new, results, (), allows_files=False)[0])
"""


def can_mount() -> bool:
    unshare = shutil.which("unshare")
    return unshare is not None and subprocess.run([unshare, "-rm", "true"]).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="a file system of its own needs a user namespace")
def test_a_full_disk_leaves_no_folder_of_a_sweep(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    program = tmp_path / "program.py"
    program.write_text(FULL)
    script = f"mount -t tmpfs -o size=600k none small && {sys.executable} {program}"
    words = ["unshare", "-rm", "sh", "-c", script]
    result = subprocess.run(words, check=True, cwd=tmp_path, capture_output=True, text=True)
    message, remaining, name = result.stdout.splitlines()
    assert message == "small/results/run/trials.sqlite: cannot be written: database or disk is full"
    assert remaining == "[]"
    assert name == "run"


OPTIONS = 'backends = ["native"]\ntasks = "solve"\n'


@pytest.fixture
def continued(workbench: Workbench, copy_run: CopyRun) -> Callable[[str, str], Path]:
    """Makes a run with these options in its sweep file, beside a file outside of it."""

    def make(name: str, toml: str) -> Path:
        folder = copy_run(workbench.results / name)
        (folder / "sweep.toml").write_text(toml)
        (workbench.folder / "outside.txt").write_text(PUZZLE)
        return folder

    return make


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        *(("board.jsonl", "link"), ("puzzles.txt", "dangling link")),
        *(("puzzles.txt", "fifo"), ("board.jsonl", "folder")),
    ],
)
def test_puzzles_of_a_run_are_a_file_of_its_own(
    workbench: Workbench, continued: Callable[[str, str], Path], file: str, kind: str
) -> None:
    name = f"{kind}-{file}".replace(" ", "-")
    path = continued(name, f'datasets = ["{file}"]\n{OPTIONS}') / file
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(workbench.folder / ("outside.txt" if kind == "link" else "nowhere"))
    text = workbench.refusal("/api/sweeps/continue", {"run": name})
    assert text.endswith("expected a file of the run itself"), text
    assert workbench.facts(name)["refusal"] == text


@pytest.mark.parametrize("option", ["jobs = 100000", 'jobs = "x"', "nonsense = 1"])
def test_a_run_with_malformed_options_is_not_begun(
    workbench: Workbench, continued: Callable[[str, str], Path], option: str
) -> None:
    name = "".join(filter(str.isalnum, option))
    continued(name, f'datasets = ["seeds/1"]\n{OPTIONS}{option}\n')
    text = workbench.refusal("/api/sweeps/continue", {"run": name})
    assert option.partition(" ")[0] in text
    assert workbench.facts(name)["refusal"] == text
    assert workbench.got("/api/sweeps") == []
