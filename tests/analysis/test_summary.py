"""Summary of a run: verdicts, times, failures, incidents."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import harness
from harness.analysis.run import Run
from harness.analysis.summary import failures, summary
from harness.cli import main
from harness.records.fields import DTYPES
from harness.records.frame import frame
from harness.report.page.run_page import warnings_of

# The summary by hand, failures included.


def trials(*rows: dict[str, Any]) -> pd.DataFrame:
    """Trials of one dataset and task, with defaults for what a row does not give."""
    given = {
        "dataset": "d",
        "task": "solve",
        "limit": 0,
        "start": "cold",
        "timeout_s": 10.0,
        "clues": 0,
        "repetition": 1,
        "verdict": "solved",
    }
    full = [given | row for row in rows]
    columns = [name for name in DTYPES if any(name in row for row in full)]
    return frame(columns, [[row.get(name) for name in columns] for row in full])


def solved(backend: str, *seconds: float) -> list[dict[str, Any]]:
    return [{"backend": backend, "puzzle_id": f"p{n}", "wall_s": s} for n, s in enumerate(seconds)]


def failed(backend: str, verdict: str, seconds: float | None = None) -> dict[str, Any]:
    return {"backend": backend, "puzzle_id": verdict, "wall_s": seconds, "verdict": verdict}


def row(table: pd.DataFrame, backend: str) -> "pd.Series[Any]":
    (found,) = [r for _, r in table.iterrows() if r["backend"] == backend]
    return found


def test_times_of_right_answers_are_summed_up_as_they_are() -> None:
    found = row(summary(trials(*solved("a", 1.0, 2.0, 3.0, 6.0))), "a")
    assert (found["trials"], found["solved"], found["failed"]) == (4, 4, 0)
    assert (found["median_s"], found["mean_s"], found["total_s"]) == (2.5, 3.0, 12.0)
    assert found["par2_s"] == 3.0
    assert not any(found[f"{name}_is_bound"] for name in ("median", "mean", "p95", "total"))


@pytest.mark.parametrize(
    "verdict", ["timeout", "crashed", "unknown", "out_of_memory", "wrong", "unsupported"]
)
def test_a_failure_counts_as_the_limit_and_in_par2_twice(verdict: str) -> None:
    found = row(summary(trials(*solved("a", 1.0, 2.0, 3.0), failed("a", verdict, 0.001))), "a")
    assert (found[verdict], found["failed"]) == (1, 1)
    assert found["mean_s"] == (1 + 2 + 3 + 10) / 4
    assert found["total_s"] == 16.0
    assert found["par2_s"] == (1 + 2 + 3 + 20) / 4
    assert found["mean_is_bound"]
    assert found["total_is_bound"]


def test_a_puzzle_weighs_the_same_however_often_it_was_repeated() -> None:
    """Those whose times differ are repeated more often, and they are not the typical ones."""
    often = [
        {"backend": "a", "puzzle_id": "p0", "wall_s": s, "repetition": n}
        for n, s in enumerate((8.0, 9.0, 7.0, 8.0), 1)
    ]
    once = [
        {"backend": "a", "puzzle_id": f"p{n}", "wall_s": float(n), "repetition": 1}
        for n in (1, 2, 3)
    ]
    found = row(summary(trials(*often, *once)), "a")
    assert found["trials"] == 7
    assert found["mean_s"] == pytest.approx((8 + 1 + 2 + 3) / 4)
    assert found["par2_s"] == pytest.approx((8 + 1 + 2 + 3) / 4)
    assert found["median_s"] == 2.5  # as if each were repeated as often
    assert found["total_s"] == 14.0


def test_a_median_among_the_failures_is_only_a_bound() -> None:
    few = row(summary(trials(*solved("a", 1.0, 2.0, 3.0), failed("a", "timeout"))), "a")
    assert (few["median_s"], few["median_is_bound"]) == (2.5, False)
    assert few["p95_is_bound"]
    late = [failed("a", "timeout") | {"puzzle_id": f"late{n}"} for n in range(3)]
    many = row(summary(trials(*solved("a", 1.0), *late)), "a")
    assert (many["median_s"], many["median_is_bound"]) == (10.0, True)


def test_the_ratio_is_par2_over_the_best_right_one() -> None:
    table = summary(
        trials(
            *solved("a", 2.0, 2.0), *solved("b", 6.0, 6.0), *solved("c", 0.1), failed("c", "wrong")
        )
    )
    assert row(table, "a")["ratio"] == 1.0
    assert row(table, "b")["ratio"] == 3.0
    assert pd.isna(row(table, "c")["ratio"])
    assert list(table["backend"]) == ["a", "b", "c"]


def test_the_fast_wrong_one_is_never_first() -> None:
    table = summary(
        trials(
            *solved("slow", *[9.0] * 99), *solved("liar", *[0.001] * 98), failed("liar", "wrong")
        )
    )
    assert list(table["backend"]) == ["slow", "liar"]


def test_datasets_tasks_starts_and_limits_do_not_compete() -> None:
    rows = [
        {"backend": "a", "puzzle_id": "p", "wall_s": 1.0} | place
        for place in (
            {},
            {"dataset": "e"},
            {"task": "count", "limit": 2, "verdict": "counted"},
            {"start": "warm"},
            {"timeout_s": 5.0},
        )
    ]
    assert list(summary(trials(*rows))["ratio"]) == [1.0] * 5


# Failures: every one, each with the command that repeats it.


Trials = Callable[..., pd.DataFrame]


def test_every_failed_trial_is_listed_the_worst_first(trials_of: Trials) -> None:
    results = ["timeout", (1.0, "crashed"), "unsupported", "unknown", "out_of_memory", "wrong", 1.0]
    table = failures(trials_of({"a": results}))
    assert list(table["verdict"]) == [
        *("wrong", "crashed", "out_of_memory", "timeout", "unknown", "unsupported")
    ]
    assert table["repetition"].tolist() == [1, 2, 1, 1, 1, 1]
    assert failures(trials_of({"a": [1.0]})).empty


def test_the_command_puts_the_same_question(trials_of: Trials) -> None:
    trials = trials_of({"cnf[solver=x]#2": ["timeout"]}, timeout_s=0.25, start="warm")
    (line,) = failures(trials)["command"]
    assert line == (
        "harness solve ................ --shape 4x4 --backend 'cnf[solver=x]' "
        "--start warm --timeout 0.25"
    )
    count = trials_of(
        {"a": ["out_of_memory"]}, task="count", limit=7, cpu_limit_s=1.5, memory_limit_mib=64
    )
    (line,) = failures(count)["command"]
    assert line.startswith("harness count ................ ")
    assert line.endswith("--timeout 10 --max-solutions 7 --cpu 1.5 --memory 64")


# What happens beside the trials of a run is in its tables, its page and its frames.


PUZZLES = ["1...............", ".1.............."]
LEAVES = """
    import subprocess
    subprocess.Popen(["sleep", "60"])
    raise ValueError("no idea")
"""


@pytest.fixture
def run(a_backend: Callable[..., str], a_file: Callable[..., Path], tmp_path: Path) -> Run:
    """A run of a backend that leaves a program running after each batch, beside another."""
    leaves = a_backend(LEAVES, name="leaves")
    return harness.run(a_file(PUZZLES), [leaves, "native"], out=tmp_path / "run")


def test_programs_left_running_are_incidents_of_their_backend(run: Run) -> None:
    (row,) = run.incidents().to_dict("records")
    assert (row["backend"], row["kind"]) == ("leaves", "left running")
    assert row["incidents"] == len(run.events) >= 1
    assert "sleep" in row["detail"]
    assert row["at"] == run.events["at"].min()


@pytest.mark.long
def test_every_format_shows_them(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(run.folder)
    for options in ([], ["--format", "markdown"], ["--format", "latex"], ["--json"]):
        with pytest.raises(SystemExit):
            main(["report", folder, *options])
        shown = " ".join(capsys.readouterr().out.split())
        assert "left running" in shown, options
        assert "sleep" in shown, options
    messages = [w.message for w in warnings_of(run) if w.kind == "incident"]
    assert len(messages) == 1
    assert messages[0].startswith("leaves: its trials left ")


def test_joined_and_merged_runs_have_the_incidents_of_all(run: Run, tmp_path: Path) -> None:
    copy = shutil.copytree(run.folder, tmp_path / "copy")
    assert len(harness.load(run.folder, copy).events) == 2 * len(run.events)
    with pytest.raises(SystemExit):
        main(["merge", str(run.folder), str(copy), "--out", str(tmp_path / "both")])
    assert len(harness.load(tmp_path / "both").events) == 2 * len(run.events)


def test_a_run_without_incidents_has_no_such_table(
    a_file: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quiet = harness.run(a_file(PUZZLES), "native", out=tmp_path / "quiet")
    assert quiet.incidents().empty
    with pytest.raises(SystemExit):
        main(["report", str(quiet.folder)])
    assert "Incidents" not in capsys.readouterr().out
