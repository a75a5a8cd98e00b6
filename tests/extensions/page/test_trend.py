"""The tables, the chart and the page of a trend."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.extensions.page import comparison_page
from harness.extensions.page import trend_of_report as tables
from harness.extensions.page.charts import ChartFormat, theme, trends
from harness.extensions.page.charts.files import render
from harness.extensions.page.trend_of_runs import Trend, trend
from harness.report.render import text
from tests.extensions.page.test_charts import MARKS
from tests.full_runs import HOSTILE
from tests.html_pages import Page
from tests.trials import Trials

FACTORS = (1, 1, 1, 2, 2, 2)


def trend_of_levels(trials_of: Trials, suffix: str = "") -> Trend:
    """Six runs: ``slow`` takes twice as long from the fourth on; two datasets."""
    times = np.geomspace(0.001, 1, 8)
    runs = []
    for number, factor in enumerate(FACTORS):
        results = {f"slow{suffix}": list(times * factor), f"same{suffix}": list(times)}
        both = [trials_of(results, dataset=f"{name}{suffix}") for name in ("d", "e")]
        host = "new" if number == 5 else "old"
        trials = pd.concat(both, ignore_index=True).assign(host=host).astype({"host": "string"})
        runs.append(Run(Path(f"runs/{suffix[:8]}{number}"), trials))
    return trend(runs, as_given=True)


@pytest.fixture(scope="module")
def six_runs(trials_of: Trials) -> Trend:
    return trend_of_levels(trials_of)


@pytest.fixture(scope="module")
def hostile(trials_of: Trials) -> Trend:
    parts = ("script", "right to left", "long")
    return trend_of_levels(trials_of, "".join(HOSTILE[part] for part in parts))


def test_the_terminal_shows_trends_steps_runs_and_a_verdict(six_runs: Trend) -> None:
    lines = text.text(tables.sections(six_runs)).splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line.startswith("-- ")] == [
        "-- Trends of PAR-2: solve, cold start, wall time",
        "-- Steps: solve, cold start, wall time",
        "-- Runs",
    ]
    (slow,) = [line for line in lines if line.startswith("slow    d") and "slower" in line]
    assert "slower at 4: 2.00x (" in slow
    assert "the machine changed before run 6: machine old -> new" in lines
    verdict = "SLOWDOWN: the last step is slower in 2 of 4 trends; steps: 2 slower; 6 runs"
    assert lines[-1] == verdict


def test_a_trend_without_steps_says_so(six_runs: Trend) -> None:
    steady = trend(six_runs.sources[:3], as_given=True)
    assert tables.verdict(steady) == "no backend became slower or faster over 3 runs"
    output = text.text(tables.sections(steady))
    assert "-- Steps" not in output
    assert output.count("none") == 4


def test_more_backends_than_colours_have_panels_in_the_chart_of_every_dataset(
    trials_of: Trials,
) -> None:
    names = [f"b{n:02d}" for n in range(len(theme.PALETTE) + 1)]
    runs = []
    for number in range(3):
        parts = [
            trials_of({name: [0.1, 0.2] for name in names}, dataset=dataset).assign(host="one")
            for dataset in ("d", "e")
        ]
        trials = pd.concat(parts, ignore_index=True).astype({"host": "string"})
        runs.append(Run(Path(f"runs/{number}"), trials))
    charts = trends.charts(trend(runs, as_given=True))
    assert [chart.key["dataset"] for chart in charts] == ["d", "e"]
    for chart in charts:
        root = ElementTree.fromstring(render(chart.specification(), ChartFormat.SVG))
        assert sorted(text for text in root.itertext() if text in names) == names


@pytest.mark.parametrize("measure", ["par2", "solved"])
def test_by_version_each_backend_has_a_panel_with_its_own_versions(
    trials_of: Trials, measure: str
) -> None:
    times = {f"{name}@{v}": [0.1] * 8 for name in ("cpsat", "z3") for v in ("9.9", "9.10", "9.11")}
    run = Run(Path("runs/a"), trials_of(times))
    versions = trend([run], by="version", measure=measure, as_given=True)
    (chart,) = trends.charts(versions)
    spec = chart.specification()
    assert spec["facet"]["field"] == "backend"
    root = ElementTree.fromstring(render(spec, ChartFormat.SVG))
    texts = [text for text in root.itertext() if text in ("cpsat", "z3", "9.9", "9.10", "9.11")]
    assert sorted(texts) == sorted(["cpsat", "z3", *["9.9", "9.10", "9.11"] * 2])


@pytest.mark.parametrize("measure", ["par2", "solved"])
def test_the_chart_marks_steps_and_the_machine(six_runs: Trend, measure: str) -> None:
    result = trend(six_runs.sources, measure=measure, as_given=True)
    rows = trends.frame(result)
    steps = rows[rows["step"] != ""]
    columns = steps[["backend", "run", "step", "mark"]].to_numpy().tolist()
    assert columns == [["slow", "4 3", "slower", "2.00x"]] * 2
    assert set(rows.loc[rows["machine"], "place"]) == {6}
    charts = trends.charts(result)
    assert [chart.key["dataset"] for chart in charts] == ["d", "e"]
    spec = charts[0].draw("a title").to_dict(validate=True)
    assert spec["datasets"].keys() == {theme.ROWS}
    svg = render(charts[1].specification("another title"), ChartFormat.SVG).decode()
    ElementTree.fromstring(svg)
    assert MARKS.search(svg)
    for text_of_chart in ("2.00x", "slower", "another title", "4 3"):
        assert text_of_chart in svg


def test_the_page_has_verdict_chart_tables_and_environments(six_runs: Trend) -> None:
    page = Page(comparison_page.trend_html(six_runs))
    head = page.visible()
    assert tables.verdict(six_runs) in head
    assert "Trend of 6 runs" in head
    assert page.values("data-name") == ["trends", "steps", "runs", "values"]
    (kind,) = page.data["kinds"]
    assert (kind["name"], len(kind["charts"])) == ("trend", 2)
    assert "harness trend runs/0 runs/1" in head
    assert "First run" in head


@pytest.mark.long
def test_no_name_becomes_markup_or_code(hostile: Trend) -> None:
    html = comparison_page.trend_html(hostile)
    assert HOSTILE["script"] not in html
    Page(html)
    for chart in trends.charts(hostile):
        assert "<script>" not in render(chart.specification(), ChartFormat.SVG).decode()
    output = text.text(tables.sections(hostile))
    assert "\u202e" not in output
