"""The page of two runs says what is worse first, draws what changed, and lets no text act."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.report.charts.changes import CHANGES
from harness.report.charts.files import ChartFormat, rendered
from harness.report.charts.theme import names_of
from harness.report.page import comparison_page
from tests.report.conftest import changed
from tests.report.test_page import Page
from tests.report.test_render import HOSTILE

Trials = Callable[..., pd.DataFrame]


@pytest.fixture(scope="module")
def opened(compared_page: str) -> Page:
    return Page(compared_page)


def test_what_is_worse_comes_first(opened: Page) -> None:
    head, _, said = opened.said().partition("Theme: automatic")
    assert "before: full , 606 trials on here" in head
    told = (
        "REGRESSION: 0 now wrong, 1 new failures, 1 fixed, 3 slower, 0 faster",
        "two: new failures on 1 instance",
        "dense/n1, solve: solved before, timeout after | again: harness solve 1",
        "two 2.62x slower, interval 2.28x to 3.00x, failures at the limit: 4 before, 3 after",
        "before: 1 reason not to rely on its times",
        "Verdict",
        "one has no significant change (1.00x faster, interval 1.00x to 1.00x), over 24 puzzles of",
        "Charts",
        "New and fixed failures: dense, solve, cold start",
        "Puzzles whose times changed most: solve",
    )
    places = [said.find(text) for text in told]
    assert -1 not in places, dict(zip(told, places, strict=True))
    assert places == sorted(places)


def test_both_charts_have_their_rows_and_draw(full: Run, opened: Page) -> None:
    kinds = {kind["name"]: kind for kind in opened.data["kinds"]}
    assert list(kinds) == [kind.name for kind in CHANGES]
    assert len(kinds["factors"]["pictures"]) == 2
    assert len(kinds["puzzles"]["pictures"]) == 3
    points = kinds["puzzles"]["pictures"][0]["columns"]
    assert len(points["name"]["codes"]) == 72
    found = full.compare(changed(full))
    for kind in CHANGES:
        picture = next(kind.pictures(found, names_of(full.backends), 9))
        assert b"<path" in rendered(picture.draw(), ChartFormat.SVG)
        assert "two" in json.dumps(picture.draw().to_dict(validate=True))


def test_no_change_is_told_calmly(trials_of: Trials) -> None:
    run = Run(Path("a"), trials_of({"a": [0.1, 0.2], "b": [0.2, 0.3]}))
    told = Page(comparison_page.html(run.compare(run), run, run))
    assert "no regression: 0 now wrong" in told.said()
    assert ("class", "calm") in told.attributes
    assert "What else is different" not in told.said()
    assert told.data["choices"]["change"] == ["no change"]


def test_where_only_wrong_answers_are_there_is_still_a_page(trials_of: Trials) -> None:
    before, after = (Run(Path(), trials_of({"a": [what]})) for what in (0.1, "wrong"))
    told = Page(comparison_page.html(before.compare(after), before, after))
    assert "a: wrong now on 1 instance" in told.said()
    notes = {kind["name"]: kind["note"] for kind in told.data["kinds"]}
    assert notes["factors"].startswith("nothing to show: it needs a backend without a wrong")


def test_many_new_failures_are_told_in_few_lines(trials_of: Trials) -> None:
    before = Run(Path(), trials_of({"a": [0.1] * 50}))
    after = Run(Path(), trials_of({"a": ["timeout"] * 50}))
    said = Page(comparison_page.html(before.compare(after), before, after)).said()
    assert "a: new failures on 50 instances" in said
    assert "... and 30 more" in said
    assert "failures at the limit: 0 before, 50 after" in said


def test_a_hostile_name_is_only_text_in_it(opened: Page, hostile_compared_page: str) -> None:
    hostile = Page(hostile_compared_page)
    assert set(hostile.tags) <= {*opened.tags, "ol", "li"}
    assert not [name for name, _ in hostile.attributes if name.startswith("on")]
    assert len(hostile.scripts) == len(opened.scripts)
    assert HOSTILE["script"] in hostile.said()
    assert not [text for text in hostile.text if len(text) > 12_000]
    assert not [c for c in hostile_compared_page if ord(c) < 32 and c not in "\n\t\r"]
