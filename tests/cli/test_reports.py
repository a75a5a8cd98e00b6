"""`harness report`, `compare` and `export` over runs of real backends, as a user types them."""

import shlex
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.run import load
from harness.analysis.summary import SUMMARY
from harness.records.store import FILE

Harness = Callable[..., tuple[int, str, str]]

PUZZLES = ["1234............", ".............123", "1...............", "12..34.........."]


@pytest.fixture
def puzzles(a_file: Callable[..., Path]) -> Path:
    return a_file(PUZZLES)


@pytest.fixture
def a_run(harness: Harness, puzzles: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    words = ["--dataset", puzzles, "--backend", "native", "cnf", "--repeat", "3"]
    assert harness("run", *words, "--out", folder)[0] == 0
    return folder


def changed(folder: Path, statement: str) -> Path:
    """The run in `folder` after a change of its store."""
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.execute(statement)
    return folder


def again(harness: Harness, puzzles: Path, folder: Path, *backends: str) -> Path:
    words = ["--dataset", puzzles, "--backend", *backends, "--repeat", "3", "--out", folder]
    assert harness("run", *words)[0] in (0, 1)
    return folder


def test_the_report_has_every_table_that_says_something(harness: Harness, a_run: Path) -> None:
    code, out, err = harness("report", a_run)
    assert (code, err) == (0, "")
    for title in ("-- Ranks", "-- Pairwise comparison", "-- Contributions", "-- Throughput"):
        assert title in out
    for title in ("-- Machines", "-- Failures", "-- By size"):
        assert title not in out
    assert "4 instances: too few for a significant difference" in out
    assert "backtracking with" in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_one_table_is_asked_for_by_its_name(harness: Harness, a_run: Path) -> None:
    out = harness("report", a_run, "--table", "ranks", "--format", "markdown")[1]
    assert "### Ranks" in out
    assert "Contributions" not in out
    table = pd.read_csv(
        StringIO(harness("report", a_run, "--format", "csv", "--table", "pairwise")[1])
    )
    assert table["instances"].tolist() == [4]
    summary = StringIO(harness("report", a_run, "--format", "csv")[1])
    assert list(pd.read_csv(summary, dtype=SUMMARY.dtypes)["trials"]) == [12, 12]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--table", "rank"], "harness: unknown table 'rank'; expected one of summary, ranks, "),
        (
            ["--format", "csv", "--table", "ranks", "--table", "pairwise"],
            "harness: 2 tables in one CSV; expected one --table\n",
        ),
        (["nowhere"], "harness: nowhere: no run; expected a folder"),
        (["--out", "no/such/folder/x"], "harness: no/such/folder/x: cannot be written: "),
    ],
)
def test_what_cannot_be_reported_is_told_in_one_line(
    harness: Harness, a_run: Path, words: list[str], message: str
) -> None:
    code, out, err = harness("report", a_run, *words)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_several_runs_are_reported_as_one(
    harness: Harness, a_run: Path, puzzles: Path, tmp_path: Path
) -> None:
    other = again(harness, puzzles, tmp_path / "other", "native", "cpsat")
    table = pd.read_csv(StringIO(harness("report", a_run, other, "--format", "csv")[1]))
    assert dict(zip(table["backend"], table["trials"], strict=True)) == {
        "native": 24,
        "cnf": 12,
        "cpsat": 12,
    }
    code, _, err = harness("report", a_run, f"{a_run}/.")
    assert code == 2
    assert "named twice" in err


def test_latex_and_markdown_go_into_a_file(harness: Harness, a_run: Path, tmp_path: Path) -> None:
    for form, begin in (("latex", "% Tables"), ("markdown", "## puzzles: solve")):
        code, out, _ = harness("report", a_run, "--format", form, "--out", tmp_path / "report")
        assert (code, out) == (0, "")
        assert (tmp_path / "report").read_text().startswith(begin)


def test_a_failure_is_listed_with_a_command_that_shows_it_again(
    harness: Harness, puzzles: Path, a_backend: Callable[..., str], tmp_path: Path
) -> None:
    broken = a_backend("raise ValueError('no idea')")
    folder = again(harness, puzzles, tmp_path / "run", "native", broken)
    out = harness("report", folder, "--table", "failures")[1]
    lines = [line for line in out.splitlines() if line.startswith("  again: ")]
    assert len(lines) == 12
    code, out, _ = harness(*shlex.split(lines[0].removeprefix("  again: "))[1:])
    assert code == 1
    assert "crashed" in out
    assert "ValueError: no idea" in out


def test_the_command_keeps_the_limit_that_a_trial_ran_into(
    harness: Harness, puzzles: Path, a_backend: Callable[..., str], tmp_path: Path
) -> None:
    hungry = a_backend("x = bytearray(300 << 20)\nreturn Answer.unknown()")
    words = ["--dataset", puzzles, "--backend", hungry, "--memory", "50"]
    harness("run", *words, "--out", tmp_path / "run")
    command = load(tmp_path / "run").failures()["command"][0]
    code, out, _ = harness(*shlex.split(command)[1:])
    assert code == 1
    assert "out_of_memory" in out


def test_a_run_against_itself_is_no_regression(harness: Harness, a_run: Path) -> None:
    code, out, err = harness("compare", a_run, a_run)
    assert (code, err) == (0, "")
    last = out.splitlines()[-1]
    assert last == "no regression: 0 now wrong, 0 new failures, 0 fixed, 0 slower, 0 faster"
    assert all(len(line) <= 80 for line in out.splitlines())


def test_a_new_failure_is_a_regression_and_its_repair_is_not(
    harness: Harness, a_run: Path, puzzles: Path, tmp_path: Path
) -> None:
    worse = changed(
        again(harness, puzzles, tmp_path / "worse", "native", "cnf"),
        "UPDATE trials SET verdict = 'timeout' WHERE id = 1",
    )
    code, out, _ = harness("compare", a_run, worse)
    assert code == 1
    first = out.splitlines()[1]
    assert first.startswith("new failure, ")
    assert "solved, timeout, 0/3 before, 1/3 after" in first
    assert "REGRESSION: 0 now wrong, 1 new failures" in out
    code, out, _ = harness("compare", worse, a_run)
    assert code == 0
    assert out.splitlines()[1].startswith("fixed, ")


def test_real_slowness_is_a_regression(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    puzzles = a_file([f"{'.' * n}1".ljust(16, ".") for n in range(12)])
    before = again(harness, puzzles, tmp_path / "before", "native")
    after = shutil.copytree(before, tmp_path / "after")
    changed(after, "UPDATE trials SET wall_s = 3 * wall_s")
    for form in ("text", "markdown", "latex", "csv"):
        code, out, _ = harness("compare", before, after, "--format", form)
        assert code == 1
        assert "slower" in out
    table = pd.read_csv(StringIO(out))
    assert table["change"].tolist() == ["slower"]
    words = ("compare", before, after, "--format")
    table = pd.read_csv(StringIO(harness(*words, "csv", "--table", "puzzles")[1]))
    assert table["factor"].tolist() == pytest.approx([3] * 5)
    code, out, _ = harness(*words, "html")
    assert code == 1
    assert out.splitlines() == [
        f"comparison: {after / 'comparison.html'}",
        "REGRESSION: 0 now wrong, 0 new failures, 0 fixed, 1 slower, 0 faster",
    ]
    assert "Two runs compared" in (after / "comparison.html").read_text()
    code, out, _ = harness("compare", after, "--baseline", before, "--out", tmp_path / "told")
    assert (code, out) == (1, "")
    assert "REGRESSION" in (tmp_path / "told").read_text()


def test_a_table_of_a_comparison_is_chosen_by_its_name(harness: Harness, a_run: Path) -> None:
    assert "-- Times" in harness("compare", a_run, a_run, "--table", "times")[1]
    assert "-- Times" not in harness("compare", a_run, a_run, "--table", "status")[1]
    for words, told in (
        (("--table", "ranks"), "unknown table 'ranks'; expected one of status, times, puzzles"),
        (("--table", "times", "--format", "html"), "a page of one table; expected no --table"),
    ):
        code, out, err = harness("compare", a_run, a_run, *words)
        assert (code, out) == (2, "")
        assert err.startswith(f"harness: {told}")


def test_machines_are_compared_only_where_that_is_asked_for(
    harness: Harness,
    a_run: Path,
    puzzles: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("platform.node", lambda: "elsewhere")
    other = again(harness, puzzles, tmp_path / "other", "native", "cnf")
    code, out, err = harness("compare", a_run, other)
    assert (code, out) == (2, "")
    assert "wall times of different machines are not compared" in err
    assert err.count("\n") == 1
    _, out, _ = harness("compare", a_run, other, "--across-machines")
    assert "wall times of different machines are compared" in " ".join(out.split())
    page = tmp_path / "page.html"
    harness("compare", a_run, other, "--across-machines", "--format", "html", "--out", page)
    assert "--format html --across-machines</code>" in page.read_text()
    out = " ".join(harness("report", a_run, other)[1].split())
    assert "-- Machines" in out
    assert "-- Machine factors" in out
    assert "trials of 2 machines" in out
    out = " ".join(harness("report", a_run, other, "--across-machines")[1].split())
    assert "wall times of different machines are compared" in out
    assert "-- Machines" not in out


def test_a_comparison_needs_two_runs(harness: Harness, a_run: Path) -> None:
    for words, given in (
        ([a_run], "1 run"),
        ([a_run] * 3, "3 runs"),
        (["--baseline", a_run, a_run, a_run], "a baseline and 2 runs"),
    ):
        code, out, err = harness("compare", *words)
        assert (code, out) == (2, "")
        assert err == f"harness: {given} to compare; expected two runs, or one and --baseline\n"


def test_an_export_keeps_lines_of_values_exact_and_defuses_names(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    puzzles = a_file(PUZZLES, name="=cmd|x.txt")
    folder = again(harness, puzzles, tmp_path / "run", "native")
    changed(folder, "UPDATE trials SET solution = '@@@@', reason = '-1+cmd|x'")
    table = pd.read_csv(StringIO(harness("export", folder)[1]), dtype="string")
    assert set(table["dataset"]) == {"'=cmd|x"}
    assert set(table["reason"]) == {"'-1+cmd|x"}
    assert set(table["solution"]) == {"@@@@"}
    assert set(table["puzzle"]) == set(PUZZLES)
