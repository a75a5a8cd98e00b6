"""`harness cluster plan`, `harness run SHARD.toml` and `harness merge`: a sweep in parts."""

import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.run import load
from harness.extensions.cluster.shards import (
    NumberedInstance,
    ShardPlan,
    addresses,
    divided,
    write_shard,
)
from harness.puzzles import Puzzle, Shape
from harness.puzzles.puzzle import Instance
from harness.runs.sweep_files import read_sweeps
from tests.conftest import Ended
from tests.extensions.cluster.checks import refusal_of

Harness = Callable[..., Ended]
SWEEP = """
datasets = ["puzzles.txt", "seeds"]
backends = ["native", "dlx"]
tasks = ["solve", "count"]
repeat = 2
"""
PUZZLES = ["1234............", ".............123", "1...............", "11..............", "." * 16]


def write_sweep(folder: Path) -> Path:
    (folder / "puzzles.txt").write_text("\n".join(PUZZLES) + "\n")
    (folder / "sweep.toml").write_text(SWEEP)
    return folder / "sweep.toml"


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_sweep(tmp_path)


@pytest.fixture
def shards(sweep: Path, build_once: Callable[..., Path]) -> list[Path]:
    """Three shards of the sweep; their paths are relative, so they are made once and copied."""

    def build(folder: Path) -> None:
        (whole,) = read_sweeps(write_sweep(folder), {})
        (folder / "shards").mkdir()
        plan = ShardPlan(whole, folder / "shards", 3)
        for number in (1, 2, 3):
            write_shard(plan, number, folder / "shards")

    shutil.copytree(build_once("shard-files", build) / "shards", "shards")
    return sorted(Path("shards").iterdir())


@pytest.mark.long
def test_shards_have_all_trials(harness: Harness, sweep: Path, shards: list[Path]) -> None:
    assert [shard.name for shard in shards] == [f"shard-000{n}.toml" for n in (1, 2, 3)]
    for shard in shards:
        result = harness("run", shard)
        assert result.code == 0, result.err
    (plan,) = Path("results").iterdir()
    merge = harness("merge", *sorted(plan.iterdir()), "--out", "merged")
    assert merge.code == 0, merge.err
    assert "of 3 shards are in merged" in merge.out
    assert harness("run", sweep, "--out", "whole").code == 0
    columns = ["backend", "dataset", "name", "puzzle", "task", "repetition", "verdict", "count"]
    merged_trials, whole_trials = (
        load(Path(name)).trials[columns].sort_values(columns[:6]).reset_index(drop=True)
        for name in ("merged", "whole")
    )
    assert merged_trials.equals(whole_trials)
    assert len(merged_trials) == 11 * 2 * 2 * 2
    # The merged run is one of the whole sweep.
    assert harness("run", "merged/sweep.toml", "--dry-run").code == 0


@pytest.mark.long
def test_a_shard_that_ran_twice_counts_once(harness: Harness, shards: list[Path]) -> None:
    for number, folder in ((0, "a"), (0, "b"), (1, "c")):
        assert harness("run", shards[number], "--out", folder).code == 0
    result = harness("merge", "a", "b", "c", "--out", "merged")
    assert result.code == 0
    assert "left out: b, another attempt at shard 1 of 3" in result.err
    assert "missing: shard 3\n" in result.err
    again = harness("merge", "merged", "c", "--out", "again")
    assert "the runs of its shards in place of their merge" in again.err
    report = harness("report", "merged")
    assert "UNFINISHED RUN: 64 trials, incomplete (1 of 3 shards missing)" in report.out
    assert harness("report", "merged", "--require-complete").code == 1
    trials = load(Path("merged")).trials
    assert set(trials["repetition"]) == {1, 2}
    assert not trials.duplicated(["backend", "puzzle_id", "task", "repetition"]).any()


@pytest.mark.long
def test_a_folder_goes_on_with_the_same_shard_only(harness: Harness, shards: list[Path]) -> None:
    assert harness("run", shards[0], "--out", "a").code == 0
    again = harness("run", shards[0], "--out", "a")
    assert (again.code, "were complete before" in again.err) == (0, True)
    assert "a: has shard 1 of 3" in refusal_of(harness, "run", shards[1], "--out", "a")
    assert refusal_of(harness, "run", "sweep.toml", "--out", "a")


def change(settings: dict[str, Any], changes: dict[str, Any]) -> None:
    """Change settings, and those in their tables."""
    for name, value in changes.items():
        if isinstance(value, dict):
            change(settings[name], value)
        else:
            settings[name] = value


DIFFERS = "options or software that differ from its plan"
OTHER_VERSION = {"backends": {"dlx": {"versions": {"sudoku-harness": "99.1"}}}}


def test_a_shard_that_was_edited_is_refused(harness: Harness, shards: list[Path]) -> None:
    text = shards[0].read_text()
    for changes, messages in (
        ({"shard": OTHER_VERSION}, ["sudoku-harness 0.", "99.1 required"]),
        ({"tasks": ["count"], "seed": 5}, ["tasks ['count'] here, ", "seed 5 here, "]),
        ({"timeout": 0.5, "shard": {"sweep": {"timeout": 0.5}}}, [DIFFERS]),
        ({"shard": {"number": 4}}, ["malformed"]),
        ({"shard": {"of": 0}}, ["malformed"]),
    ):
        settings = tomllib.loads(text)
        change(settings, changes)
        shards[0].write_text(tomli_w.dumps(settings))
        error = refusal_of(harness, "run", shards[0], "--out", "x")
        assert all(message in error for message in messages), error
        assert not Path("x").exists()


def test_other_puzzles_are_refused_by_name(harness: Harness, shards: list[Path]) -> None:
    content = tomllib.loads(shards[0].read_text())
    assert any("puzzles.txt" in name for name in content["datasets"])
    Path("puzzles.txt").write_text("\n".join(["4321............", *PUZZLES[1:]]) + "\n")
    outcomes = [harness("run", shard, "--out", f"y{at}") for at, shard in enumerate(shards)]
    refusals = {"other puzzles of dataset puzzles" in end.err for end in outcomes if end.code == 2}
    assert refusals == {True}


def test_a_run_whose_shard_was_edited_is_not_merged(harness: Harness, shards: list[Path]) -> None:
    assert harness("run", shards[0], "--out", "a").code == 0
    record = json.loads(Path("a/shard.json").read_text())
    record["shard"]["sweep"]["timeout"] = 0.5
    Path("a/shard.json").write_text(json.dumps(record))
    error = refusal_of(harness, "merge", "a", "--out", "merged")
    assert f"shard 1 of 3 has {DIFFERS}" in error


@pytest.mark.long
def test_runs_with_a_common_shard_are_not_merged(harness: Harness, shards: list[Path]) -> None:
    for number in (0, 1, 2):
        assert harness("run", shards[number], "--out", f"r{number}").code == 0
    for name, runs in (("one", "01"), ("other", "12"), ("third", "2")):
        merge = harness("merge", *(f"r{run}" for run in runs), "--out", name)
        assert merge.code == 0, merge.err
    error = refusal_of(harness, "merge", "one", "other", "--out", "both")
    assert "other: has shard 2 of plan" in error
    assert not Path("both").exists()
    assert harness("merge", "one", "third", "--out", "all").code == 0
    assert len(load(Path("all")).trials) == 11 * 2 * 2 * 2


def test_a_plan_overwrites_no_shards(harness: Harness, sweep: Path, shards: list[Path]) -> None:
    before = shards[0].read_bytes()
    words = ("cluster", "plan", sweep, "--shards", "2", "--out", "shards")
    assert "has shards" in refusal_of(harness, *words)
    assert shards[0].read_bytes() == before


def test_there_are_no_more_shards_than_puzzles(harness: Harness, sweep: Path) -> None:
    result = harness("cluster", "plan", sweep, "--shards", "99")
    assert "shards in shards, not 99: each has a puzzle" in result.out
    assert "harness merge results/shards-" in result.out


def test_an_option_beside_a_shard_is_refused(harness: Harness, shards: list[Path]) -> None:
    error = refusal_of(harness, "run", shards[0], "--repeat", "9")
    assert "--repeat: cannot be set for shard 1 of 3" in error


@pytest.mark.parametrize("command", ["plan", "run"])
def test_one_whole_sweep_is_divided(
    harness: Harness, sweep: Path, shards: list[Path], command: str
) -> None:
    study = sweep.with_name("study.toml")
    table = f"[[sweep]]\n{sweep.read_text()}\n"
    study.write_text(table + table.replace('"native", "dlx"', '"cnf"'))
    for file, problem in ((shards[0], "a shard"), (study, "2 sweeps")):
        error = refusal_of(harness, "cluster", command, file, "--out", "r")
        assert f"{file}: {problem}; expected one whole sweep, or harness run" in error
    assert not Path("r").exists()


def test_shards_move_with_their_folder(harness: Harness, shards: list[Path]) -> None:
    Path("elsewhere").mkdir()
    shutil.move("puzzles.txt", "elsewhere")
    shutil.move("shards", "elsewhere")
    result = harness("run", "elsewhere/shards/shard-0001.toml", "--out", "r")
    assert result.code == 0, result.err


def test_the_document_has_the_plan(harness: Harness, sweep: Path) -> None:
    result = harness("cluster", "plan", sweep, "--shards", "2", "--json")
    (document,) = json.loads(result.out)["plans"]
    assert document["shards"] == 2
    assert len(document["plan"]) == 12
    assert Path(document["folder"], "shard-0002.toml").exists()


# Division of a sweep: each instance in one shard, equal shares of each dataset, deterministic.

_BLANK = Puzzle(Shape.parse("4x4"), (0,) * 16)


def instances(number: int, dataset: str = "some") -> list[NumberedInstance]:
    return [
        NumberedInstance(dataset, dataset, at, Instance(f"{at}", _BLANK))
        for at in range(1, number + 1)
    ]


@given(numbers=st.tuples(st.integers(1, 40), st.integers(0, 40)), data=st.data())
def test_equal_shards_have_every_instance(numbers: tuple[int, int], data: st.DataObject) -> None:
    every = instances(numbers[0], "some") + instances(numbers[1], "other")
    shards, seed = data.draw(st.integers(1, len(every))), data.draw(st.integers(0, 3))
    members = divided(every, shards, seed)
    assert len(members) == shards
    assert sorted(id(each) for shard in members for each in shard) == sorted(map(id, every))
    assert all(shard == [each for each in every if each in shard] for shard in members)
    for dataset in ("some", "other"):
        shares = [sum(each.dataset == dataset for each in shard) for shard in members]
        assert max(shares) - min(shares) <= 1
    assert members == divided(every, shards, seed)


def test_another_seed_divides_otherwise() -> None:
    every = instances(40)
    assert divided(every, 4, 1) != divided(every, 4, 2)


def test_addresses_have_ranges_and_no_number_that_could_be_a_name() -> None:
    every = instances(9)
    chosen = [every[at] for at in (0, 2, 3, 4, 8)]
    assert addresses(chosen) == ["some/1,3-5,9"]
    assert addresses(every[3:4]) == ["some/4-4"]
