"""What comes back from a machine is checked before it is added."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from harness.analysis.run import load
from harness.base.errors import RunError
from harness.extensions.cluster.engine import Files, JobResult
from harness.extensions.cluster.shards import ShardPlan
from harness.records.folder.merging import Collection

Results = dict[int, list[JobResult]]


def damage(files: Files) -> Files:
    """The files with a wrong value in a cell of the store, which keeps its size."""
    with closing(sqlite3.connect(":memory:")) as db:
        store = files["trials.sqlite"]
        db.deserialize(store[:18] + b"\1\1" + store[20:])  # without a write-ahead log
        with db:
            db.execute("UPDATE trials SET repetition = -1 WHERE id = 1")
        return {**files, "trials.sqlite": db.serialize()}


def unseal(files: Files) -> Files:
    return {name: data for name, data in files.items() if not name.endswith(".sha256")}


@pytest.mark.long
def test_each_of_many_damaged_runs_is_refused(
    plan: ShardPlan, results: Results, folder: Path
) -> None:
    good = unseal(results[1][0].files)
    bad = damage(unseal(results[2][0].files))
    with closing(Collection(folder, plan.name)) as collection:
        for _ in range(20):
            collection.add_files(good)
            with pytest.raises(RunError, match="damaged: repetition in row 1 of trials is -1"):
                collection.add_files(bad)
        assert collection.merged == {1}
        collection.add_files(results[2][0].files)
    assert set(load(folder).trials["verdict"]) == {"solved"}
    assert len(load(folder).trials) == 6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trials.sqlite": None}, "not a run"),
        ({"trials.sqlite": b""}, "changed since"),
        ({"trials.sqlite.sha256": b"0" * 64}, "changed since"),
        ({"shard.json": None}, "does not hold a run of a shard"),
        ({"shard.json": b"{}"}, "not a record of a shard"),
        ({"environment.json": None}, "does not hold a run of a shard"),
        ({"environment.json": b"[]"}, "not a record of invocations"),
    ],
)
def test_a_run_without_all_of_its_files_is_refused(
    plan: ShardPlan,
    results: Results,
    folder: Path,
    changes: dict[str, bytes | None],
    message: str,
) -> None:
    changed = results[1][0].files | changes
    files = {name: data for name, data in changed.items() if data is not None}
    with closing(Collection(folder, plan.name)) as collection:
        collection.add_files(results[2][0].files)
        with pytest.raises(RunError, match=message):
            collection.add_files(files)
        assert collection.merged == {2}
        collection.add_files(results[1][0].files)
    assert len(load(folder).trials) == 6


def test_files_that_a_run_does_not_need_are_left_out(
    plan: ShardPlan, results: Results, folder: Path
) -> None:
    files = results[1][0].files | {"../evil.txt": b"x", "sweep.toml": b"x"}
    with closing(Collection(folder, plan.name)) as collection:
        assert collection.add_files(files) is not None
    assert not (folder.parent / "evil.txt").exists()
    assert not (folder / "sweep.toml").exists()
