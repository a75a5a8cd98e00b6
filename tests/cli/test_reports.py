"""`harness report`, `compare` and `export` over runs of real backends, as a user types them."""

import shlex
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.run import load
from harness.analysis.summary import SUMMARY
from tests.installed import needs
from tests.stores import changed

Harness = Callable[..., tuple[int, str, str]]

PUZZLES = ["1234............", ".............123", "1...............", "12..34.........."]


@pytest.fixture
def puzzles(a_file: Callable[..., Path]) -> Path:
    return a_file(PUZZLES)


@pytest.fixture
def a_run(run_once: Callable[..., Path], tmp_path: Path) -> Path:
    folder = run_once("for-reports", PUZZLES, ["native", "cnf"], repeat=3)
    return Path(shutil.copytree(folder, tmp_path / "made")) / "run"


def again(harness: Harness, puzzles: Path, folder: Path, *backends: str) -> Path:
    arguments = ["--dataset", puzzles, "--backend", *backends, "--repeat", "3", "--out", folder]
    assert harness("run", *arguments)[0] in (0, 1)
    return folder


def test_the_report_has_every_table_with_content(harness: Harness, a_run: Path) -> None:
    code, out, err = harness("report", a_run, "--all")
    assert (code, err) == (0, "")
    for title in ("-- Ranks", "-- Pairwise comparison", "-- Averages", "-- Throughput"):
        assert title in out
    assert "-- Contributions" not in out
    _, table, _ = harness("report", a_run, "--table", "contributions")
    assert "-- Contributions" in table
    assert "Borda" in table
    for title in ("-- Machines", "-- Failures", "-- By size"):
        assert title not in out
    assert all(len(line) <= 80 for line in out.splitlines())


@needs("reasoning")
def test_times_are_grouped_by_a_feature(harness: Harness, a_run: Path) -> None:
    words = ("report", a_run, "--table", "by-difficulty", "--difficulty")
    code, out, _ = harness(*words, "clues")
    assert code == 0
    assert all(f"clues {number}" in out for number in (1, 3, 4))
    assert "difficulty: feature clues of the puzzle" in out
    code, _, err = harness(*words, "claes")
    assert code == 2
    assert "difficulty: unknown feature 'claes'" in err


@pytest.mark.long
def test_a_chosen_table_without_content_is_named(
    harness: Harness, a_run: Path, tmp_path: Path
) -> None:
    tables = ["--table", "survival", "--table", "failures", "--table", "ranks"]
    rows = "table survival: nothing to show for this run; --format csv has its rows"
    none = "table failures: nothing to show for this run"
    for form in ("text", "markdown"):
        out = harness("report", a_run, *tables, "--format", form)[1]
        lines = [line.strip("- ") for line in out.splitlines() if "nothing to show" in line]
        assert lines == [rows, none]
    code, _, err = harness("report", a_run, *tables, "--format", "latex", "--out", tmp_path / "t")
    assert (code, err.splitlines()) == (0, [rows, none])
    assert "nothing to show" not in harness("report", a_run, "--all")[1]
    assert "nothing to show" not in harness("report", a_run, "--table", "ranks")[1]


def test_a_table_is_chosen_by_its_name(harness: Harness, a_run: Path) -> None:
    out = harness("report", a_run, "--table", "ranks", "--format", "markdown")[1]
    assert "### Ranks" in out
    assert "Contributions" not in out
    out = harness("report", a_run, "--format", "csv", "--table", "pairwise")[1]
    assert pd.read_csv(StringIO(out))["instances"].tolist() == [4]
    summary = StringIO(harness("report", a_run, "--format", "csv")[1])
    assert list(pd.read_csv(summary, dtype=SUMMARY.dtypes)["trials"]) == [12, 12]


def test_several_runs_are_reported_as_one(
    harness: Harness, a_run: Path, puzzles: Path, tmp_path: Path
) -> None:
    other = again(harness, puzzles, tmp_path / "other", "native", "dlx")
    table = pd.read_csv(StringIO(harness("report", a_run, other, "--format", "csv")[1]))
    trials = dict(zip(table["backend"], table["trials"], strict=True))
    assert trials == {"native": 24, "cnf": 12, "dlx": 12}
    code, _, err = harness("report", a_run, f"{a_run}/.")
    assert code == 2
    assert str(a_run) in err


def test_latex_writes_a_file_for_each_table_into_a_folder(
    harness: Harness, a_run: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "paper" / "tables"
    latex = ("--format", "latex", "--out", folder)
    code, out, _ = harness("report", a_run, *latex, "--table", "ranks", "--table", "summary")
    assert code == 0
    names = [Path(line).name for line in out.splitlines()]
    assert names == ["summary-puzzles-solve-cold.tex", "ranks-puzzles-solve-cold.tex"]
    assert sorted(names) == sorted(path.name for path in folder.iterdir())
    assert "\\label{tab:ranks-puzzles-solve-cold}" in (folder / names[1]).read_text()


def test_a_failure_is_listed_with_a_command_that_reproduces_it(
    harness: Harness, puzzles: Path, a_backend: Callable[..., str], tmp_path: Path
) -> None:
    backend = a_backend("raise ValueError('no idea')")
    folder = again(harness, puzzles, tmp_path / "run", "native", backend)
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
    arguments = ["--dataset", puzzles, "--backend", hungry, "--memory", "50"]
    harness("run", *arguments, "--out", tmp_path / "run")
    command = load(tmp_path / "run").failures()["command"][0]
    code, out, _ = harness(*shlex.split(command)[1:])
    assert code == 1
    assert "out_of_memory" in out


def test_a_run_against_itself_is_no_regression(harness: Harness, a_run: Path) -> None:
    code, out, err = harness("compare", a_run, a_run)
    assert (code, err) == (0, "")
    assert out == "both runs have the same trials: nothing to compare\n"


def test_a_new_failure_is_a_regression_and_its_repair_is_not(
    harness: Harness, a_run: Path, tmp_path: Path
) -> None:
    worse = Path(shutil.copytree(a_run, tmp_path / "worse"))
    changed(worse, "UPDATE trials SET answer_verdict = 'crashed' WHERE id = 1")
    code, out, _ = harness("compare", a_run, worse)
    assert code == 1
    assert out.startswith("REGRESSION: 1 new failure\n")
    (failure,) = [line for line in out.splitlines() if line.startswith("new failure")]
    for fact in ("crashed", "0/3", "1/3"):
        assert fact in failure
    arguments = ("--format", "csv", "--table", "status")
    code, out, _ = harness("compare", a_run, worse, *arguments)
    assert code == 1
    assert pd.read_csv(StringIO(out))["change"].tolist() == ["new failure"]
    code, out, _ = harness("compare", worse, a_run, *arguments)
    assert code == 0
    assert pd.read_csv(StringIO(out))["change"].tolist() == ["fixed"]


@pytest.mark.long
def test_real_slowness_is_a_regression(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    puzzles = a_file([f"{'.' * n}1".ljust(16, ".") for n in range(12)])
    before = again(harness, puzzles, tmp_path / "before", "native")
    after = shutil.copytree(before, tmp_path / "after")
    changed(after, "UPDATE trials SET wall_s = 3 * wall_s, cpu_s = 3 * cpu_s")
    for form in ("text", "markdown", "latex", "csv"):
        code, out, _ = harness("compare", before, after, "--time", "cpu", "--format", form)
        assert code == 1
        assert "slower" in out
    table = pd.read_csv(StringIO(out))
    assert table["change"].tolist() == ["slower"]
    arguments = ("compare", before, after, "--time", "cpu", "--format")
    table = pd.read_csv(StringIO(harness(*arguments, "csv", "--table", "puzzles")[1]))
    assert table["factor"].tolist() == pytest.approx([3] * 5)
    code, out, _ = harness(*arguments, "html")
    assert code == 1
    assert out.splitlines()[0] == f"comparison: {after / 'comparison.html'}"
    assert "1 slower" in out
    assert (after / "comparison.html").read_text().startswith("<!DOCTYPE html>")
    words = ("compare", before, after, "--time", "cpu", "--out", tmp_path / "comparison.txt")
    assert harness(*words)[:2] == (1, "")
    assert "1 slower" in (tmp_path / "comparison.txt").read_text()


@needs("page")
def test_a_run_without_cpu_times_has_no_report_of_them(harness: Harness, a_run: Path) -> None:
    changed(a_run, "UPDATE trials SET cpu_s = NULL WHERE id <= 5")
    for words in (
        ("report", a_run, "--time", "cpu"),
        ("charts", a_run, "--time", "cpu", "--out", a_run / "charts"),
        ("compare", a_run, a_run, "--time", "cpu"),
    ):
        code, out, err = harness(*words)
        assert (code, out) == (2, "")
        assert "no CPU time was recorded for 5 of 24 right answers" in err
        assert "--time wall" in err
        assert err.count("\n") == 1
    code, out, _ = harness("compare", a_run, a_run, "--time", "reliable", "--all")
    assert code == 0
    assert "CPU time is not recorded for all right answers" in " ".join(out.split())


@pytest.mark.long
def test_machines_are_compared_only_with_across_machines(
    harness: Harness, a_run: Path, puzzles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.node", lambda: "elsewhere")
    other = again(harness, puzzles, tmp_path / "other", "native", "cnf")
    code, out, err = harness("compare", a_run, other)
    assert (code, out) == (2, "")
    assert "elsewhere" in err
    assert err.count("\n") == 1
    _, out, _ = harness("compare", a_run, other, "--across-machines", "--all")
    assert "-- Times" in out
    page = tmp_path / "page.html"
    harness("compare", a_run, other, "--across-machines", "--format", "html", "--out", page)
    assert "--format html --across-machines</code>" in page.read_text()
    out = harness("report", a_run, other, "--all")[1]
    assert "-- Machines" in out
    assert "2 machines" in out
    report = harness("report", a_run, other, "--across-machines")[1]
    assert "-- Machines" not in report
    assert "elsewhere" in report


def test_an_export_keeps_lines_of_values_exact_and_defuses_names(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    puzzles = a_file(PUZZLES, name="=cmd|x.txt")
    folder = again(harness, puzzles, tmp_path / "run", "native")
    changed(folder, "UPDATE trials SET solution = '@@@@', answer_reason = '-1+cmd|x'")
    table = pd.read_csv(StringIO(harness("export", folder)[1]), dtype="string")
    assert set(table["dataset"]) == {"'=cmd|x"}
    assert set(table["reason"]) == {"'-1+cmd|x"}
    assert set(table["solution"]) == {"@@@@"}
    assert set(table["puzzle"]) == set(PUZZLES)
