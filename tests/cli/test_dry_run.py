"""``--dry-run``: trials, what is stored, and times; nothing runs and nothing is written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

from harness.runs.dry_run import PlannedTrials, Preview
from tests.conftest import Ended
from tests.documents import document
from tests.stores import changed

Harness = Callable[..., Ended]
PUZZLES = ["1234............", ".............123", "1...............", "12.............."]


@pytest.fixture
def puzzles(a_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return a_file(PUZZLES)


def plan_of(harness: Harness, *words: object) -> Any:
    result = harness(*words, "--dry-run", "--json")
    assert result.code == 0
    return document(result.out, Preview)


def test_a_plan_counts_trials_and_writes_nothing(
    harness: Harness, puzzles: Path, tmp_path: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    words = ["run", "--dataset", puzzles, "seeds/1-2", "--backend", "native", "cnf"]
    words += ["--task", "solve", "count", "--repeat", "3", "--timeout", "7"]
    plan = plan_of(harness, *words, "--jobs", "2")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert [PlannedTrials(**asdict(row)) for row in plan.plan] == [
        PlannedTrials(backend, dataset, trials, 0, None, 7.0 * trials)
        for backend in ("cnf", "native")
        for dataset, trials in (("puzzles", 24), ("seeds", 12))
    ]
    assert (plan.trials, plan.stored, plan.jobs) == (72, 0, 2)
    assert (plan.expected_s, plan.longest_s) == (None, 72 * 7 / 2)
    assert plan.folder is not None
    assert plan.folder.startswith("results/puzzles+seeds-1-2-")


def test_stored_trials_are_not_planned_again_and_give_the_expected_time(
    harness: Harness, puzzles: Path, tmp_path: Path
) -> None:
    words = ["run", "--dataset", f"{puzzles}/1-3", "--backend", "native", "--out"]
    assert harness(*words, tmp_path / "first").code == 0
    changed(
        tmp_path / "first",
        "UPDATE trials SET wall_s = 1.5",
        "UPDATE trials SET wall_s = NULL, answer_verdict = 'timeout' WHERE id = 1",
    )
    again = ["run", "--dataset", puzzles, "--backend", "native", "--out", tmp_path / "first"]
    (row,) = plan_of(harness, *again).plan
    # The time of the fourth puzzle is the mean of the others; the failure has its limit of 10 s.
    assert (row.trials, row.stored, row.longest_s) == (4, 3, 10.0)
    assert row.expected_s == pytest.approx((1.5 + 1.5 + 10) / 3)
    fresh = plan_of(harness, *again, "--fresh", "--timeout", "5")
    assert (fresh.stored, fresh.expected_s) == (0, None)
    assert "--fresh deletes the results" in harness(*again, "--fresh", "--dry-run").out
    (row,) = plan_of(harness, *again, "--timeout", "5").plan
    assert row.stored == 0, "another limit makes other trials"
    assert row.expected_s == pytest.approx(1.5 + 1.5 + 5 + (1.5 + 1.5 + 10) / 3)


def test_runs_in_results_give_expected_times(harness: Harness, puzzles: Path) -> None:
    Path("results", "broken").mkdir(parents=True)
    Path("results", "broken", "trials.sqlite").write_text("no store")
    words = ["--dataset", puzzles, "--backend", "native"]
    assert harness("run", *words, "--out", "results/mine").code == 0
    changed(Path("results/mine"), "UPDATE trials SET wall_s = 2")
    assert plan_of(harness, "check", *words, "--task", "solve").expected_s == 4 * 2
    plan = plan_of(harness, "run", *words, "--out", "new", "--repeat", "2", "--jobs", "2")
    assert plan.expected_s == 4 * 2 * 2 / 2
    assert plan.stored == 0
    changed(Path("results/mine"), "UPDATE questions SET host = 'elsewhere'")
    assert plan_of(harness, "run", *words).expected_s is None, "another machine"


def test_a_batch_has_one_limit_for_its_call(harness: Harness, puzzles: Path) -> None:
    words = ["run", "--dataset", puzzles, "--backend", "native", "--start", "batch"]
    assert plan_of(harness, *words).longest_s == 10.0


def test_a_plan_of_too_many_rows_for_a_screen_has_their_sums(
    harness: Harness, puzzles: Path
) -> None:
    files = [puzzles.with_name(f"list-{n}.txt") for n in range(16)]
    for number, file in enumerate(files, 1):
        file.write_text("".join(f"{line}\n" for line in PUZZLES[: 1 + number % 2]))
    words = ["run", "--dataset", *files, "--backend", "native", "cnf", "--out", "part"]
    assert harness("run", "--dataset", files[0], "--backend", "native", "--out", "part").code == 0
    lines = [line.split() for line in harness(*words, "--dry-run").out.splitlines()]
    assert lines[2] == ["cnf", "16", "datasets", "24", "0", "-", "4", "min"]
    assert lines[3][:5] == ["native", "16", "datasets", "24", "2"]
    assert len(plan_of(harness, *words).plan) == 32
    few = ["run", "--dataset", *files[:15], "--backend", "native", "cnf", "--out", "new"]
    assert harness(*few, "--dry-run").out.count("list-") == 30


def test_the_plan_can_be_read_at_80_columns(
    harness: Harness, puzzles: Path, a_backend: Callable[..., str]
) -> None:
    backend = a_backend("pass", top="import nothing_of_this_name")
    words = ["run", "--dataset", puzzles, "--backend", "native", backend, "--until-stable", "5"]
    assert harness(*words, "--dry-run").code == 2
    result = harness(*words, "--skip-unavailable", "--fresh", "--dry-run", "--out", "new")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[2].split() == ["native", "puzzles", "4", "0", "-", "40", "s"]
    assert "4 trials to run, 0 stored; at most 40 s" in lines
    assert any(line.startswith("left out: made.py:Made is not available: ") for line in lines)
    assert any("further repetitions" in line for line in lines)
    assert lines[-1] == "folder: new"
    assert max(map(len, lines)) <= 80


@pytest.mark.long
def test_a_check_without_backends_plans_those_that_are_available(
    harness: Harness, puzzles: Path
) -> None:
    plan = plan_of(harness, "check", "--dataset", puzzles)
    assert {"native", "cnf", "cpsat", "milp"} <= {row.backend for row in plan.plan}
    assert {row.trials for row in plan.plan} == {8}
    assert plan.folder is None
