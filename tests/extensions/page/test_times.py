"""Charts and pages say which time they show."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.comparison import Comparison
from harness.analysis.run import Run
from harness.extensions import page
from harness.extensions.page import comparison_page
from harness.extensions.page.charts.catalogue import CHARTS, charts_of
from harness.extensions.page.charts.chart import ChartKind
from harness.extensions.page.charts.files import chart_title
from harness.extensions.page.charts.scatter import CHANGES
from harness.extensions.page.charts.theme import display_names
from tests.full_runs import changed
from tests.html_pages import Page
from tests.trials import Trials


def with_times_swapped(run: Run) -> Run:
    trials = run.trials
    return Run(run.folder, trials.assign(wall_s=trials["cpu_s"], cpu_s=trials["wall_s"]))


@pytest.fixture(scope="module")
def uneven(full: Run) -> Run:
    """`full` with CPU times that order its backends the other way round."""
    factor = full.trials["backend"].map({"one": 0.9, "two": 0.05, "six": 0.8})
    return Run(full.folder, full.trials.assign(cpu_s=full.trials["wall_s"] * factor))


@pytest.mark.long
@pytest.mark.parametrize("kind", CHARTS, ids=lambda kind: kind.name)
def test_a_chart_of_cpu_times_draws_them_and_names_them(uneven: Run, kind: ChartKind[Run]) -> None:
    by_cpu, as_wall = uneven.timed("cpu"), with_times_swapped(uneven)
    charts = list(charts_of(by_cpu, kind))
    expected = list(charts_of(uneven if kind.name == "phases" else as_wall, kind))
    assert len(charts) == len(expected) > 0
    for chart, other in zip(charts, expected, strict=True):
        pd.testing.assert_frame_equal(
            chart.frame.drop(columns="time"), other.frame.drop(columns="time")
        )
        titles = json.dumps(chart.specification())
        time = "wall time" if kind.name == "phases" else "CPU time"
        assert time in titles
        assert {"wall time": "CPU time", "CPU time": "wall time"}[time] not in titles
        assert ("CPU time" in chart_title(chart, with_host=False)) == (time == "CPU time")


@pytest.mark.parametrize("kind", CHANGES, ids=lambda kind: kind.name)
def test_a_chart_of_changes_names_its_time(full: Run, kind: ChartKind[Comparison]) -> None:
    comparison = full.compare(changed(full), time="cpu")
    for chart in kind.charts(comparison, display_names(full.backends)):
        titles = json.dumps(chart.specification())
        assert "CPU time before" in titles
        assert "CPU time after" in titles


@pytest.mark.parametrize(
    ("time", "other"), [pytest.param("wall", "cpu", marks=pytest.mark.long), ("cpu", "wall")]
)
@pytest.mark.long
def test_the_page_opens_with_the_time_of_its_run(uneven: Run, time: str, other: str) -> None:
    text = page.html(uneven.timed(time))
    page_of_both = Page(text)
    assert [entry["value"] for entry in page_of_both.data["times"]] == [time, other]
    sections = re.findall(r' data-time="(\w+)"( hidden)?>', text)
    assert len(sections) == len(page_of_both.values("data-time"))
    assert set(sections) == {(time, ""), (other, " hidden")}
    assert ("--time cpu" in page_of_both.visible()) == (time == "cpu")
    for kind in page_of_both.data["kinds"]:
        keys = {chart["key"].get("time") for chart in kind["charts"]}
        assert keys == ({None} if kind["name"] == "phases" else {"wall", "cpu"}), kind["name"]


@pytest.mark.long
def test_the_page_of_a_comparison_opens_with_the_compared_time(uneven: Run) -> None:
    after = changed(uneven)
    comparison = uneven.compare(after, time="cpu")
    page = Page(comparison_page.comparison_html(comparison, uneven, after))
    assert [entry["value"] for entry in page.data["times"]] == ["cpu", "wall"]
    assert "--format html --time cpu" in page.visible()


@pytest.mark.long
def test_a_comparison_by_different_times_shows_both_and_each(trials_of: Trials) -> None:
    """One backend computes on two threads; the other lost its core to other processes."""
    trials = trials_of({"threads": [1.0] * 20, "pushed": [1.0] * 20})
    threads = trials["backend"] == "threads"
    trials["cpu_s"] = trials["wall_s"] * threads.map({True: 1.9, False: 0.5})
    trials["involuntary_switches"] = threads.map({True: 0, False: 100}).astype("Int64")
    run = Run(Path(), trials)
    comparison = run.compare(run, time="reliable")
    assert comparison.time is None
    assert comparison.times.set_index("backend")["time"].to_dict() == {
        "threads": "wall",
        "pushed": "cpu",
    }
    page = Page(comparison_page.comparison_html(comparison, run, run))
    assert [entry["value"] for entry in page.data["times"]] == ["reliable", "wall", "cpu"]
    charts = next(kind for kind in page.data["kinds"] if kind["name"] == "factors")["charts"]
    assert [chart["key"]["time"] for chart in charts] == ["reliable"] * 2 + ["wall", "cpu"]
    text = page.visible()
    assert "compared: wall time of threads; several threads compute" in text
    assert "compared: CPU time of pushed; other processes took 50 % and 50 %" in text
