"""``--json`` of every command: one document on standard output, as its class declares it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.measures.measure import MEASURES
from harness.analysis.run import load
from harness.cli.options import SweepTotals
from harness.report.documents import SolveDocument
from harness.report.run_documents import Checked, Compared, Reported, rows
from tests.conftest import Ended
from tests.documents import document, documents

Harness = Callable[..., Ended]

PUZZLES = ["1234............", ".............123", "11.............."]


@pytest.fixture
def a_run(run_once: Callable[..., Path], tmp_path: Path) -> Path:
    folder = run_once("for-documents", PUZZLES, ["native", "cnf"], tasks=["count"])
    return Path(shutil.copytree(folder, tmp_path / "made")) / "run"


def test_a_run_has_a_report_with_its_summary(
    harness: Harness, a_file: Callable[..., Path], tmp_path: Path
) -> None:
    arguments = ["--dataset", a_file(PUZZLES), "--backend", "native", "cnf", "--task", "count"]
    result = harness("run", *arguments, "--out", tmp_path / "run", "--json")
    assert (result.code, result.err) == (0, "")
    run = document(result.out, SweepTotals)
    assert (run.trials, run.done, run.done_before) == (6, 6, 0)
    assert (run.folder, run.interrupted) == (str(tmp_path / "run"), False)
    assert run.report is not None
    assert [*run.report.tables] == ["summary"]


def test_a_report_has_the_rows_of_every_measure(harness: Harness, a_run: Path) -> None:
    result = harness("report", a_run, "--json")
    assert (result.code, result.err) == (0, "")
    report = document(result.out, Reported)
    run = load(a_run)
    assert [*report.tables] == [*MEASURES]
    for name in ("summary", "ranks", "pairwise"):
        assert report.tables[name] == json.loads(json.dumps(rows(run.measure(name))))
    (row, *_) = report.tables["summary"]
    assert {type(row[name]) for name in ("backend", "trials", "median_s")} == {str, int, float}
    assert row["memory_limit_mib"] == 0
    assert (report.trials, report.backends) == (6, ["cnf", "native"])
    assert report.agreement.agreed
    file = a_run / "report.json"
    result = harness("report", a_run, "--json", "--table", "ranks", "--out", file)
    assert (result.code, result.out) == (0, "")
    assert [*document(file.read_text(), Reported).tables] == ["ranks"]


def test_a_comparison_has_its_tables(harness: Harness, a_run: Path) -> None:
    result = harness("compare", a_run, a_run, "--json")
    assert (result.code, result.err) == (0, "")
    comparison = document(result.out, Compared)
    assert not comparison.regressed
    assert set(comparison.changes.values()) == {0}
    assert [row["change"] for row in comparison.tables["times"]] == ["no change"] * 2
    assert [*comparison.tables] == ["status", "limits", "times", "puzzles", "environment"]
    assert comparison.notes[1] == "3 instances: too few for a significant change of times"


def test_solve_and_count_have_one_document_or_a_list(harness: Harness) -> None:
    solved = document(harness("solve", PUZZLES[0], "--json").out, SolveDocument)
    assert (solved.task, solved.limit, solved.name) == ("solve", None, solved.puzzle_id)
    assert solved.results[0].verdict == "solved"
    count = document(harness("count", "named/17", "--json").out, SolveDocument)
    assert (count.name, count.limit) == ("fcc_48307", 1000)
    several = documents(harness("count", "named/17-18", "--json").out, SolveDocument)
    assert [it.name for it in several] == ["fcc_48307", "tdoku_issue10"]
    assert len(documents(harness("solve", "named/17-17", "--json").out, SolveDocument)) == 1


def test_check_lists_disagreements_and_failures(
    harness: Harness, a_file: Callable[..., Path], a_backend: Callable[..., str]
) -> None:
    liar = a_backend("return Answer.unsatisfiable()", count="raise ValueError(puzzle.clues)")
    arguments = ["--dataset", a_file(PUZZLES), "--backend", "native", liar]
    result = harness("check", *arguments, "--json")
    assert result.code == 1
    check = document(result.out, Checked)
    assert (check.trials, check.done, check.interrupted) == (12, 12, False)
    claims = [{c.text: c.backends for c in d.claims} for d in check.disagreements]
    assert [texts["at least 1 solution"] for texts in claims] == [["native"]] * 2
    (failure,) = check.failures
    assert (failure.trials, failure.verdict, failure.backend) == (3, "crashed", "made")
    assert check.unanswered == {"made": {"crashed": 3}}


def test_an_export_takes_the_format_of_its_name(harness: Harness, a_run: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    trials = load(a_run).trials
    choices: list[tuple[str, list[str]]] = [("a.parquet", []), ("b", ["--format", "parquet"])]
    for name, words in choices:
        assert harness("export", a_run, *words, "--out", a_run / name).code == 0
        pd.testing.assert_frame_equal(pd.read_parquet(a_run / name), trials)
    harness("export", a_run, "--format", "csv", "--out", a_run / "c.parquet")
    assert (a_run / "c.parquet").read_text().startswith("backend,spec,dataset,")
    result = harness("export", a_run, "--format", "parquet")
    assert (result.code, result.out) == (2, "")
    assert "--out: missing" in result.err
