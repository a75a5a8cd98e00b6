"""`harness trend` over runs of real backends, as a user types it."""

import json
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from harness.records.folder.files import RunFile
from tests.conftest import Harness
from tests.stores import changed

PUZZLES = [
    "1234............",
    ".............123",
    "1...............",
    "12..34..........",
    "1..............2",
    "............4321",
]


@pytest.fixture
def runs(run_once: Callable[..., Path], tmp_path: Path) -> list[Path]:
    """Six days of the same run on a quiet machine: times are doubled from the fourth day on."""
    first = run_once("for-trends", PUZZLES, ["native"]) / "run"
    folders = []
    for day in range(1, 7):
        folder = tmp_path / f"day-{day}"
        shutil.copytree(first, folder)
        record = json.loads((folder / RunFile.ENVIRONMENT).read_text())
        record["invocations"][0]["started_at"] = f"2026-01-0{day}T00:00:00+00:00"
        record["invocations"][0]["activity"] = {"seconds": 10.0, "other_cpu_s": 0.0}
        (folder / RunFile.ENVIRONMENT).write_text(json.dumps(record))
        folders.append(changed(folder, f"UPDATE trials SET wall_s = wall_s * {1 + (day > 3)}"))
    return folders


def test_the_trend_shows_a_step_which_fails_on_request(harness: Harness, runs: list[Path]) -> None:
    code, out, err = harness("trend", *runs, "--fail-on-slowdown")
    assert (code, err) == (1, "")
    assert "slower at 4: 2.00x (" in out
    assert max(map(len, out.splitlines())) <= 80
    backwards = harness("trend", *runs[::-1], "--as-given", "--fail-on-slowdown")
    assert backwards[0] == 0
    assert "faster at 4: 0.50x (" in backwards[1]


def test_a_long_name_has_one_number_in_all_commands(
    harness: Harness, run_once: Callable[..., Path], tmp_path: Path
) -> None:
    names = ["cnf[solver=glucose4]", "cnf[solver=minisat22]"]
    first = run_once("for-numbers", PUZZLES, names) / "run"
    is_second = "question_id = (SELECT max(question_id) FROM trials)"
    folders = [Path(shutil.copytree(first, tmp_path / str(number))) for number in range(3)]
    changed(folders[0], f"UPDATE trials SET wall_s = iif({is_second}, 0.001, 0.002)")
    changed(
        folders[1],
        "UPDATE trials SET wall_s = 0.002",
        f"UPDATE trials SET answer_verdict = 'crashed', solution = NULL WHERE {is_second}",
    )
    commands = [["report", folders[0]], ["report", folders[1]], ["trend", *folders]]
    for text in [harness(*command)[1] for command in commands]:
        assert f"\n(1) {names[0]}\n(2) {names[1]}\n" in text
    text = harness("compare", *folders[:2])[1]
    assert f"\n(2) {names[1]}\n" in text
    assert f"\n(1) {names[0]}" not in text


@pytest.mark.long
def test_the_least_factor_of_a_step_is_chosen(harness: Harness, runs: list[Path]) -> None:
    out = " ".join(harness("trend", *runs, "--table", "steps")[1].split())
    assert "a factor of 1.1 or more" in out
    out = " ".join(harness("trend", *runs, "--table", "steps", "--least-factor", "1.5")[1].split())
    assert "a factor of 1.5 or more" in out
    assert harness("trend", *runs, "--least-factor", "2.5", "--fail-on-slowdown")[0] == 0
    for command in (["trend", *runs], ["compare", *runs[:2]], ["report", runs[0]]):
        for value in ("0.9", "fast", "nan"):
            code, _, err = harness(*command, "--least-factor", value)
            assert (code, "--least-factor" in err, "a number from 1" in err) == (2, True, True)


def test_the_page_is_in_the_folder_of_the_last_run(harness: Harness, runs: list[Path]) -> None:
    assert harness("trend", *runs[::-1], "--format", "html")[0] == 0
    assert (runs[-1] / "trend.html").is_file()


def test_csv_has_the_values(harness: Harness, runs: list[Path]) -> None:
    values = pd.read_csv(StringIO(harness("trend", *runs, "--format", "csv")[1]))
    assert list(values["run"]) == [1, 2, 3, 4, 5, 6]
    ratio = values["par2_s"] / values["par2_s"][0]
    assert list(ratio) == pytest.approx([1, 1, 1, 2, 2, 2])


def test_a_slowdown_under_unequal_conditions_does_not_fail(
    harness: Harness, runs: list[Path]
) -> None:
    """More jobs than cores from the fourth day on: nothing is known about the backend."""
    for folder in runs[3:]:
        record = json.loads((folder / RunFile.ENVIRONMENT).read_text())
        record["invocations"][0]["jobs"] = 500
        (folder / RunFile.ENVIRONMENT).write_text(json.dumps(record))
    code, out, _ = harness("trend", *runs, "--fail-on-slowdown")
    assert code == 0
    assert "no slowdown now; steps: 1 slower on an unequal machine; 6 runs" in " ".join(out.split())
    assert "500 trials at a time" in " ".join(out.split())


def test_the_first_screen_has_the_verdict_and_the_trends_with_steps(
    harness: Harness, runs: list[Path]
) -> None:
    lines = harness("trend", *runs)[1].splitlines()
    assert len(lines) <= 40
    everything = harness("trend", *runs, "--all")[1].splitlines()
    assert lines[0].startswith("SLOWDOWN: ")
    assert lines[0] in " ".join(everything)
    assert "-- Runs" in everything
    assert "-- Runs" not in lines
    assert harness("trend", *runs, "--all", "--table", "runs")[0] == 2
