"""The page of a comparison: order of sections, charts, warnings and untrusted text."""

import json
from pathlib import Path

import pytest

from harness.analysis.changes import Change
from harness.analysis.comparison import Comparison
from harness.analysis.run import Run
from harness.extensions.page import comparison_page
from harness.extensions.page.charts import ChartFormat
from harness.extensions.page.charts.files import render
from harness.extensions.page.charts.scatter import CHANGES
from harness.extensions.page.charts.theme import display_names
from harness.extensions.page.run_page import DETAILS, WarningKind
from harness.report.tables import comparison_tables as comparison
from tests.full_runs import HOSTILE, changed
from tests.html_pages import Page
from tests.trials import Trials


@pytest.fixture(scope="module")
def parsed_page(compared_page: str) -> Page:
    return Page(compared_page)


@pytest.fixture(scope="module")
def two_runs(full: Run) -> Comparison:
    return full.compare(changed(full))


def test_regressions_come_first(full: Run, two_runs: Comparison, parsed_page: Page) -> None:
    head, _, rest = parsed_page.visible().partition("Theme")
    assert full.folder.name in head
    assert str(len(full.trials)) in head
    (failure,) = two_runs.status[two_runs.status["change"] == Change.NEW_FAILURE].to_dict("records")
    slower, *others = comparison.sentences(two_runs)
    assert slower.startswith("two")
    texts = [
        comparison.verdict(two_runs),
        f"{failure['dataset']}/{failure['name']}",
        failure["command"],
        slower,
        *others,
    ]
    places = [rest.find(text) for text in texts]
    assert -1 not in places, dict(zip(texts, places, strict=True))
    assert places == sorted(places)
    kinds = parsed_page.values("data-kind")
    assert kinds[:4] == [WarningKind.FAILURE, *[WarningKind.SLOWER] * 3]
    assert WarningKind.FAILURE not in kinds[4:]
    doubts = rest.partition("Times may be unreliable: ")[2]
    assert doubts.startswith("before, ")
    assert "; after, " in doubts
    ids = parsed_page.values("id")
    sections = ["warnings", "key-results", "charts", "tables", "environment"]
    assert [id_ for id_ in ids if id_ in sections] == sections
    # By CPU time nothing changed, so there are no puzzles.
    assert parsed_page.values("data-name") == [*comparison.TABLES[:4], *comparison.TABLES[:3]]


def test_both_kinds_have_charts_with_rows(
    full: Run, two_runs: Comparison, parsed_page: Page
) -> None:
    kinds = {kind["name"]: kind for kind in parsed_page.data["kinds"]}
    assert list(kinds) == [kind.name for kind in CHANGES]
    times = [[chart["key"]["time"] for chart in kind["charts"]] for kind in kinds.values()]
    assert times == [["wall"] * 2 + ["cpu"] * 2, ["wall"] * 3 + ["cpu"] * 3]
    points = kinds["instances"]["charts"][0]["columns"]
    assert len(points["name"]["codes"]) == 72
    for kind in CHANGES:
        chart = next(kind.charts(two_runs, display_names(full.backends)))
        assert b"<path" in render(chart.specification(), ChartFormat.SVG)
        assert "two" in json.dumps(chart.draw().to_dict(validate=True))


def test_a_comparison_without_changes_is_marked_as_ok(trials_of: Trials) -> None:
    run = Run(Path("a"), trials_of({"a": [0.1, 0.2], "b": [0.2, 0.3]}))
    page = Page(comparison_page.comparison_html(run.compare(run), run, run))
    assert "ok" in page.values("class")
    assert not page.values("data-kind")
    assert comparison.TABLES[3] not in page.values("data-name")
    assert page.data["filters"]["change"] == [Change.NONE]


def test_a_comparison_of_wrong_answers_alone_has_a_page(trials_of: Trials) -> None:
    before, after = (Run(Path(), trials_of({"a": [result]})) for result in (0.1, "wrong"))
    page = Page(comparison_page.comparison_html(before.compare(after), before, after))
    assert page.values("data-kind") == [WarningKind.FAILURE]
    assert "wrong" in page.values("class")
    notes = {kind["name"]: kind["note"] for kind in page.data["kinds"]}
    assert notes["factors"] == CHANGES[0].missing_reason()


def test_many_new_failures_are_summarised(trials_of: Trials) -> None:
    before = Run(Path(), trials_of({"a": [0.1] * 50}))
    after = Run(Path(), trials_of({"a": ["timeout"] * 50}))
    page = Page(comparison_page.comparison_html(before.compare(after), before, after))
    assert page.values("data-kind") == [WarningKind.FAILURE, WarningKind.SLOWER]
    visible = page.visible().partition("Environment")[2]
    warnings, _, _ = visible.partition("Key results")
    assert warnings.count("d/n") == DETAILS
    assert "30 more" in warnings


@pytest.mark.long
def test_a_hostile_name_is_only_text_in_it(parsed_page: Page, hostile_compared_page: str) -> None:
    hostile = Page(hostile_compared_page)
    assert set(hostile.tags) <= {*parsed_page.tags, "ol", "li"}
    assert not hostile.handlers
    assert len(hostile.scripts) == len(parsed_page.scripts)
    assert HOSTILE["script"] in hostile.visible()
    assert not [text for text in hostile.text if len(text) > 12_000]
    assert not [c for c in hostile_compared_page if ord(c) < 32 and c not in "\n\t\r"]
