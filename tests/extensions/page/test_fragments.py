"""Tables as fragments of HTML: complete, and safe with hostile names."""

import re
from pathlib import Path

import pytest

from harness.analysis.measures.measure import MEASURES
from harness.analysis.run import Run
from harness.extensions.page import fragments
from harness.report import tables
from harness.report.table import Section
from tests.full_runs import HOSTILE
from tests.html_pages import Page
from tests.report.conftest import comparison_sections, hostile_run
from tests.trials import Trials

Reports = tuple[list[Section], list[Section]]


@pytest.fixture(scope="module")
def hostile_reports(trials_of: Trials) -> Reports:
    """The sections of a hostile run, and of its comparison."""
    run = hostile_run(trials_of)
    return tables.sections(run), comparison_sections(run)


def test_all_tables_are_shown(full: Run) -> None:
    sections = tables.sections(full)
    output = fragments.html_fragments(sections)
    names = {table.name for section in sections for table in section.tables}
    assert names == set(Page(output).values("data-name"))
    assert all(MEASURES[name].title in output for name in names & {*MEASURES})


def test_no_control_character_reaches_the_fragments(hostile_reports: Reports) -> None:
    for parts in hostile_reports:
        output = fragments.html_fragments(parts)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", output)


def test_a_hostile_name_is_only_text_in_html(hostile_reports: Reports) -> None:
    for parts in hostile_reports:
        parsed = Page(fragments.html_fragments(parts))
        assert set(parsed.tags) <= {
            *("section", "h2", "table", "caption", "thead", "tbody", "tr", "th", "td"),
            *("bdi", "code", "p", "ul", "li"),
        }
        assert {name for name, _ in parsed.attributes} <= {
            *("class", "scope", "data-name", "data-value", "data-key"),
            *("data-dataset", "data-task", "data-start", "data-time"),
        }
        assert HOSTILE["script"] in "".join(parsed.text)


def test_html_cells_have_their_sort_value(trials_of: Trials) -> None:
    run = Run(Path(), trials_of({"a": [0.00123456], "b": ["wrong"]}))
    (table,) = tables.sections_of_measures(run, ["summary"])[0].tables
    text = fragments.fragment(table)
    assert '<td class="number" data-value="0.00123456">1.23ms</td>' in text
    assert '<td class="number" data-value="">-</td>' in text
    assert '<td data-value="a"><bdi>a</bdi></td>' in text
