"""Every number in a heading, counted again from the rows of the trials."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.report import page, tables
from harness.report.tables import contents

Trials = Callable[..., pd.DataFrame]


@pytest.fixture(scope="module")
def run(trials_of: Trials) -> Run:
    """30 instances x 4 backends x 1; the same puzzles in a second dataset, repeated unequally."""
    four: dict[str, list[Any]] = {
        "a": [0.1] * 30,
        "b": ["crashed"] * 3 + [0.2] * 27,
        "c": [0.3] * 29 + ["wrong"],
        "d": [0.4] * 30,
    }
    two: dict[str, list[Any]] = {"a": [(0.1, 0.1, 0.3)] * 10, "b": [(0.2, 0.2)] * 8 + [None] * 2}
    parts = [
        trials_of(four),
        trials_of(two, dataset="e"),
        trials_of({"a": ["unknown"] * 5}, task="count", limit=2),
    ]
    made = pd.concat(parts, ignore_index=True)
    return Run(Path(), made.assign(cpu_s=made["wall_s"] / 2, cpu_source="rusage"))


def of(trials: pd.DataFrame, dataset: str, task: str) -> pd.DataFrame:
    return trials[(trials["dataset"] == dataset) & (trials["task"] == task)]


def test_the_heading_of_a_comparison_group_counts_its_rows(run: Run) -> None:
    titles = [section.title for section in contents.sections(run, ["summary"])]
    expected = []
    for dataset, task, words in (
        ("d", "count", "d: count to 2"),
        ("d", "solve", "d: solve"),
        ("e", "solve", "e: solve"),
    ):
        rows = of(run.trials, dataset, task)
        instances, backends = rows["puzzle_id"].nunique(), rows["backend"].nunique()
        expected.append((words, instances, backends, len(rows)))
    assert expected == [
        ("d: count to 2", 5, 1, 5),
        ("d: solve", 30, 4, 120),
        ("e: solve", 10, 2, 46),
    ]
    shown = [
        (title.split(",")[0], *(int(n) for n in re.findall(r"(\d+) (?:inst|backend|trial)", title)))
        for title in titles
    ]
    assert sorted(shown) == expected


@pytest.mark.long
def test_the_page_counts_its_rows_in_heading_and_warnings(run: Run) -> None:
    text = page.html(run)
    about = re.search(r'<p class="about">(.*?)</p>', text, re.DOTALL)
    assert about is not None
    words = re.sub(r"<.*?>|\s+", " ", about[1])
    # A puzzle in two datasets is two instances: 30 and 10.
    assert "171 trials of 4 backends on 40 instances" in " ".join(words.split())
    assert len(run.trials) == 171
    assert "All 171 trials" in text

    b, c = (run.trials[run.trials["backend"] == name] for name in "bc")
    assert f"c: wrong answer in 1 of {len(c)} trials" in text
    assert f"b: crash in 3 of {len(b)} trials" in text
    assert (len(b), len(c)) == (46, 30)
    assert "wrong or conflicting answers on 1 puzzle<" in text
    # Both backends ran 8 instances of e; the times of a spread by more than 10 %.
    assert "a: wall times of 8 of 8 results differ by 10 % or more between repetitions" in text


def test_the_lines_on_agreement_count_puzzles(run: Run) -> None:
    shown = tables.text(run)
    # The 10 puzzles of e and the 5 that are counted are among the 30 of d.
    assert "DISAGREEMENT on 1 of 30 puzzles" in shown
    assert "a: no answer in 5 trials (5 unknown)" in shown
    assert "b: no answer in 3 trials (3 crashed)" in shown
    assert "unstable: a: wall times of 8 of 8 results" in shown


def test_counts_of_tables_are_those_of_the_rows(run: Run) -> None:
    pooled = run.pooled()
    solve = pooled[pooled["task"] == "solve"].set_index("backend")
    # Only a and b ran on the dataset e, and c is not eligible: d and the 30 instances are common.
    assert solve["instances"].to_dict() == {"a": 30, "b": 30, "c": 30, "d": 30}
    assert set(solve["left_out"]) == {10}
    (machine,) = run.machines().to_dict("records")
    assert (machine["trials"], machine["backends"]) == (171, 4)
    assert machine["puzzles"] == 30
    assert len(run.failures()) == 3 + 1 + 5
    assert run.summary()["trials"].sum() == 171
