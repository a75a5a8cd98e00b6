"""Unfinished and extended runs in every command that reads runs."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import harness as api
from harness.records.folder.environment import InvocationEnd, read_invocations, write_invocations
from tests.stores import changed

Harness = Callable[..., tuple[int, str, str]]

PUZZLES = ["1234............", ".............123", "1...............", "12..34.........."]
HEADLINE = "UNFINISHED RUN: 6 of 8 planned trials, interrupted (SIGTERM)"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A finished run of two backends on four puzzles, and one that lacks two trials of one."""
    folder = tmp_path_factory.mktemp("runs")
    puzzles = folder / "puzzles.txt"
    puzzles.write_text("".join(f"{line}\n" for line in PUZZLES))
    api.run(str(puzzles), ["native", "cnf"], out=folder / "whole")
    unfinished = shutil.copytree(folder / "whole", folder / "cut")
    changed(
        unfinished,
        "DELETE FROM trials WHERE question_id IN (SELECT q.id FROM questions q "
        "JOIN configurations c ON c.id = q.configuration_id WHERE backend = 'cnf') "
        "AND instance_id > 2",
    )
    (invocation,) = read_invocations(unfinished)
    ending = {"end": InvocationEnd.INTERRUPTED, "end_reason": "SIGTERM"}
    write_invocations(unfinished, [msgspec.structs.replace(invocation, **ending)])
    return folder / "whole", unfinished


@pytest.fixture
def whole(runs: tuple[Path, Path]) -> Path:
    return runs[0]


@pytest.fixture
def unfinished(runs: tuple[Path, Path]) -> Path:
    return runs[1]


def test_the_report_of_an_unfinished_run_begins_with_what_it_lacks(
    harness: Harness, unfinished: Path
) -> None:
    out = harness("report", unfinished, "--all")[1]
    assert out.startswith(HEADLINE)
    rows = [line.split() for line in out.splitlines()[3:6]]
    assert ["cnf", "2", "4", "2"] in rows
    assert ["native", "4", "4", "0"] in rows
    latex = harness("report", unfinished, "--format", "latex")[1]
    assert latex.index("% UNFINISHED RUN: 6 of 8") < latex.index("native")
    for table in latex.split("% Table ")[1:]:
        assert table.count("UNFINISHED RUN: 6 of 8") == 2  # on top, and on paper below


@pytest.mark.long
def test_the_page_of_an_unfinished_run_begins_with_what_it_lacks(
    harness: Harness, unfinished: Path, tmp_path: Path
) -> None:
    _, _, err = harness("report", unfinished, "--format", "html", "--out", tmp_path / "page.html")
    assert err.startswith(HEADLINE)
    page = (tmp_path / "page.html").read_text()
    body = page[page.index("<body>") :]
    assert "<strong>6 of 8 trials</strong>" in body
    first = body[body.index("<li data-kind=") :]
    assert first.startswith('<li data-kind="unfinished">')
    assert HEADLINE in first[:200]
    assert "cnf: 2 of 4 trials" in first[:600]
    assert page.count(HEADLINE) >= 2  # the tables have it too


@pytest.mark.long
def test_output_without_a_place_for_it_has_it_on_standard_error(
    harness: Harness, unfinished: Path, tmp_path: Path
) -> None:
    for words in (
        ("report", unfinished, "--format", "csv"),
        ("report", unfinished, "--out", tmp_path / "report.txt"),
        ("export", unfinished),
        ("charts", unfinished, "--out", tmp_path / "charts"),
    ):
        code, out, err = harness(*words)
        assert (code, err.splitlines()[0][: len(HEADLINE)]) == (0, HEADLINE), words
        assert "UNFINISHED" not in out
    for chart in (tmp_path / "charts").iterdir():
        assert "UNFINISHED RUN: 6 of 8 planned trials" in chart.read_text(), chart


@pytest.mark.long
def test_a_complete_run_can_be_required(harness: Harness, whole: Path, unfinished: Path) -> None:
    code, out, err = harness("report", unfinished, "--table", "summary", "--require-complete")
    assert code == 1
    assert "median" in out
    assert err.startswith("not complete: 6 of 8 planned trials")
    assert harness("report", whole, "--require-complete")[0] == 0
    assert harness("report", whole, unfinished, "--require-complete")[0] == 1


def test_a_run_without_a_record_of_its_plan_is_not_shown_to_be_complete(
    harness: Harness, whole: Path, tmp_path: Path
) -> None:
    old = changed(shutil.copytree(whole, tmp_path / "old"), "DELETE FROM planned")
    record = json.loads((old / "environment.json").read_text())
    for name in ("end", "end_reason"):
        del record["invocations"][0][name]
    (old / "environment.json").write_text(json.dumps(record))
    code, out, err = harness("report", old, "--require-complete")
    assert code == 1
    assert out.startswith("Whether this run is finished is not recorded: 8 trials (an earlier")
    assert err.startswith("not complete: 8 trials")
    # It is not known to be unfinished either.
    assert harness("compare", whole, old)[0] == 0


@pytest.mark.long
def test_a_comparison_with_an_unfinished_run_is_accepted_only_as_partial(
    harness: Harness, whole: Path, unfinished: Path, tmp_path: Path
) -> None:
    code, out, err = harness("compare", whole, unfinished, "--all")
    assert code == 1
    assert out.startswith("PARTIAL COMPARISON: ")
    assert "the second run is unfinished: 6 of 8 planned trials, interrupted" in out
    assert "2 results are only in the first run" in out
    assert "--partial" in err
    code, out, err = harness("compare", whole, unfinished, "--partial")
    assert (code, err) == (0, "")
    assert out.startswith("no regression in the part that was compared")
    assert "PARTIAL COMPARISON: " in out
    code, out, err = harness("compare", whole, unfinished, "--format", "csv")
    assert code == 1
    assert "PARTIAL" not in out
    assert "2 results are only in the first run" in err
    harness("compare", unfinished, whole, "--format", "html", "--out", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert '<li data-kind="partial"><bdi>PARTIAL COMPARISON' in page
    assert "the first run is unfinished" in page
    assert '<section id="warnings" class="warnings"' in page


def test_runs_of_different_backends_are_compared_only_as_partial(
    harness: Harness, whole: Path, tmp_path: Path
) -> None:
    path = whole.parent / "puzzles.txt"
    api.run(str(path), ["native"], out=tmp_path / "one")
    code, out, _ = harness("compare", whole, tmp_path / "one")
    assert code == 1
    text = " ".join(out.split())
    assert "4 results are only in the first run" in text
    assert "the runs differ in backend (cnf only in the first run)" in text
    assert harness("compare", whole, tmp_path / "one", "--partial")[0] == 0
    for elsewhere in (("--json",), ("--out", tmp_path / "comparison.txt")):
        _, _, err = harness("compare", whole, tmp_path / "one", *elsewhere)
        assert err.startswith("PARTIAL COMPARISON: ")


def test_runs_that_differ_in_the_time_limit_alone_report_it(
    harness: Harness, whole: Path, tmp_path: Path
) -> None:
    api.run(str(whole.parent / "puzzles.txt"), ["native", "cnf"], timeout=3, out=tmp_path / "other")
    code, out, err = harness("compare", whole, tmp_path / "other")
    assert (code, out) == (2, "")
    assert (
        "nothing can be compared: the runs differ in time limit (10 s only in the first run, "
        in err
    )
