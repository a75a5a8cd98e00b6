"""Tables say which time they show."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.report import tables
from tests.report.conftest import latex, markdown, terminal_text

Trials = Callable[..., pd.DataFrame]


@pytest.fixture(scope="module")
def uneven(full: Run) -> Run:
    """`full` with CPU times that order its backends the other way round."""
    factor = full.trials["backend"].map({"one": 0.9, "two": 0.05, "six": 0.8})
    return Run(full.folder, full.trials.assign(cpu_s=full.trials["wall_s"] * factor))


def test_every_heading_of_tables_names_the_time(uneven: Run) -> None:
    run = uneven.timed("cpu")
    for section in tables.sections(run):
        assert ("CPU time" in section.title) == bool(section.title)
        assert not section.title or section.group["time"] == "cpu"
    for text in (terminal_text(run), markdown(run), latex(tables.sections(run))):
        heading = next(line for line in text.splitlines() if "cold start" in line)
        assert "CPU time" in heading
    table = pd.read_csv(StringIO(tables.csv(run)))
    assert set(table["time"]) == {"cpu"}


@pytest.mark.parametrize(
    ("cpu_limits", "sentence"),
    [
        ([0.0], "a failure counts as the limit of wall time, as CPU time had no limit"),
        ([5.0], "a failure counts as the limit of CPU time"),
        ([0.0, 5.0], "and where there was none as the limit of wall time"),
    ],
)
def test_a_report_of_cpu_times_says_what_a_failure_counts_as(
    trials_of: Trials, cpu_limits: list[float], sentence: str
) -> None:
    parts = [trials_of({"a": [1.0, "timeout"]}, cpu_limit_s=limit) for limit in cpu_limits]
    trials = pd.concat(parts, ignore_index=True).assign(cpu_s=0.5)
    run = Run(Path(), trials)
    lines = terminal_text(run.timed("cpu"), 200).splitlines()
    assert any(line.startswith("CPU time: ") and line.endswith(sentence) for line in lines)
    assert not any(line.startswith("CPU time: ") for line in terminal_text(run, 200).splitlines())


def test_answers_beyond_the_limit_of_failures_are_counted_in_a_note(trials_of: Trials) -> None:
    trials = trials_of({"threads": [1.0, 2.0, "timeout"], "one": [1.0, 2.0, 3.0]})
    trials["cpu_s"] = [11.0, 12.0, 99.0, 1.0, 10.0, 3.0]
    text = markdown(Run(Path(), trials).timed("cpu"))
    assert "2 answered results used more CPU time than a failure counts as (threads)" in text
