"""The page in a real browser, shared_view as a file with the network off."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.analysis.run import Run
from harness.extensions import page
from harness.extensions.page.charts.catalogue import CHARTS
from harness.report.formatting import duration
from tests.extensions.page.conftest import OpenView, View
from tests.trials import Trials


@pytest.fixture(scope="module")
def shared_view(browser: Any, path: Path) -> View:
    return View(browser, path)


@pytest.fixture
def view(shared_view: View) -> Iterator[View]:
    """The page with its filters reset afterwards."""
    yield shared_view
    shared_view.tab.evaluate("document.getElementById('filters').reset()")
    shared_view.tab.wait_for_timeout(50)
    shared_view.wait_until_drawn()


def test_every_chart_is_drawn_without_a_message(view: View, path: Path) -> None:
    for kind in CHARTS:
        assert view.marks(kind.name), kind.name
        state = view.tab.get_attribute(f"#chart-{kind.name} .chart", "data-state")
        assert state == "drawn"
        label = view.tab.get_attribute(f"#chart-{kind.name} svg.marks", "aria-label")
        assert label.startswith(kind.title)
    assert view.messages == []
    assert [url for url in view.requests if not url.startswith(("data:", "blob:"))] == [
        path.as_uri()
    ]


@pytest.mark.long
def test_the_heat_map_has_a_row_of_constant_height_per_backend(view: View, full: Run) -> None:
    cells = "#chart-heat svg .mark-rect.role-mark path"
    boxes = view.each(cells, "[e.getBBox().y, e.getBBox().height]")
    assert {round(height) for _, height in boxes} == {38}
    assert len({round(y) for y, _ in boxes}) == len(full.backends)


def test_filters_act_on_tables_charts_and_trials(view: View) -> None:
    before = view.marks("times")
    rows = len(view.texts("#tables tbody tr"))
    view.tab.select_option("#filter-dataset", "small")
    view.show_backends()
    view.tab.uncheck("#backends input[value=two]")
    view.wait_until_drawn()
    headings = view.texts("#tables section > h2")
    assert [h for h in headings if h.startswith("small")]
    assert not [h for h in headings if h.startswith("dense")]
    assert len(view.texts("#tables tbody tr")) < rows / 2
    assert "two" not in view.texts("#tables tbody td:first-child")
    assert set(view.texts("#trial-list tbody td:nth-child(2)")) == {"small"}
    assert 0 < view.marks("times") < before
    view.show("scatter")
    titles = view.each("#chart-scatter option", "e.textContent")
    assert titles
    assert all(t.startswith(("one and six", "six and one")) and "small" in t for t in titles)
    view.show("transition")
    assert view.tab.get_attribute("#chart-transition .chart", "data-state") == "empty"


def test_key_results_say_that_filters_are_set_and_do_not_cover(view: View) -> None:
    whole = view.texts("#key-results li, #key-results td")
    assert whole
    assert not view.tab.is_visible("#filtered")
    view.tab.select_option("#filter-dataset", "small")
    assert view.texts("#key-results li, #key-results td, #key-results .note") == []
    assert "Filters are set: dataset small. Key results are" in view.texts("#filtered")[0]
    view.tab.click("#filtered button")
    assert view.texts("#key-results li, #key-results td") == whole
    view.show_backends()
    view.tab.uncheck("#backends input[value=two]")
    assert "2 of 3 backends" in view.texts("#filtered")[0]
    view.tab.click("#clear-backends")
    assert "Filters are set: no backend." in view.texts("#filtered")[0]
    assert view.texts("#no-rows") == ["No backend is selected."]
    assert "0 of" in view.tab.inner_text("#trial-count")
    assert view.texts("#tables td[data-value=one]") == []


def test_times_of_trials_have_the_digits_of_the_tables(view: View) -> None:
    times = [0.0, 4.2e-7, 9.996e-6, 0.0107, 0.023, 0.0999, 0.9996, 1.0, 12.345, 1234.6]
    assert view.tab.evaluate("all => all.map(seconds)", times) == list(map(duration, times))


def test_filters_stand_in_the_address(open_view: OpenView, path: Path) -> None:
    first = open_view(path)
    first.tab.select_option("#filter-dataset", "small")
    first.show_backends()
    first.tab.uncheck("#backends input[value=two]")
    first.tab.keyboard.press("Escape")
    assert not first.tab.is_visible("#backends")
    first.tab.click("nav a[href='#tables']")
    parts = "dataset=small&backend=one&backend=six"
    assert first.tab.evaluate("location.hash") == f"#tables&{parts}"
    first.open_first()
    first.tab.click("#trial button:text-is('Clear')")
    assert first.tab.evaluate("location.hash") == f"#{parts}"
    rows = first.texts("#tables tbody tr")
    second = open_view(path, anchor=f"charts&{parts}")
    assert second.texts("#tables tbody tr") == rows
    assert second.tab.input_value("#filter-dataset") == "small"
    assert second.number_of_checked_backends() == 2
    assert second.tab.inner_text("#backend-menu summary") == "backends: 2 of 3"
    second.tab.evaluate("location.hash = '#backend='")
    second.tab.wait_for_function("document.getElementById('filter-dataset').value === ''")
    assert second.texts("#no-rows") == ["No backend is selected."]
    second.tab.evaluate("location.hash = '#dataset=none-of-these'")
    checked = "document.querySelectorAll('#backends input:checked').length"
    second.tab.wait_for_function(f"{checked} === 3")
    assert second.tab.evaluate("location.hash") == ""
    assert second.texts("#ignored-settings") == ["dataset none-of-these"]
    second.tab.evaluate("location.hash = '#backend=zzz&backend=two&constructor=x'")
    second.tab.wait_for_function(f"{checked} === 1")
    assert second.texts("#ignored-settings") == ["backend zzz; constructor x"]
    second.tab.click("#filtered button")
    assert not second.tab.is_visible("#ignored")


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_but_tables_is_cut_and_the_bar_is_slim(
    open_view: OpenView, path: Path, width: int
) -> None:
    view = open_view(path, width=width)
    is_cut = "e.checkVisibility() && e.scrollWidth > e.clientWidth + 1"
    parts = "#key-results .scroll, #filters, #filters *"
    assert view.each(parts, "e.outerHTML.slice(0, 80)", is_cut) == []
    is_outside = """{
      const [text, svg] = [e.getBoundingClientRect(), e.closest('svg').getBoundingClientRect()];
      return text.left < svg.left - 1 || text.right > svg.right + 1;
    }"""
    assert view.each("#charts svg .role-axis-title text", "e.textContent", is_outside) == []
    texts = view.visible("figure select", "e.value")
    assert view.texts(".chart-group") == (texts if width == 390 else [])
    assert view.tab.locator("#filters").bounding_box()["height"] <= (160 if width == 390 else 66)


@pytest.mark.long
def test_the_verdict_filter_finds_failures_with_grid_and_command(view: View, full: Run) -> None:
    view.tab.select_option("#filter-verdict", "timeout")
    number = int((full.trials["verdict"] == "timeout").sum())
    count = re.findall(r"\d+", view.tab.inner_text("#trial-count"))
    assert list(map(int, count)) == [number, len(full.trials)]
    assert set(view.texts("#trial-list tbody td:nth-child(7)")) == {"timeout"}
    view.open_first()
    command = view.texts("#trial .command")[0]
    failures = full.failures()
    assert command in set(failures[failures["verdict"] == "timeout"]["command"])
    assert len(view.texts("#trial .grid td")) in (16, 81)


@pytest.mark.long
def test_a_solved_trial_shows_givens_and_solution(view: View) -> None:
    view.tab.fill("#trial-search", "p0003")
    view.open_first()
    assert view.texts("#trial .grid td.given") == ["1"]
    assert view.texts("#trial .grid td.filled") == ["2"] * 80
    view.tab.fill("#trial-search", "")


@pytest.mark.long
def test_tables_are_sorted_by_the_keyboard(view: View) -> None:
    table = "#tables section[data-dataset=dense][data-time=wall] table[data-name=summary]"
    head = f"{table} th[data-key=median_s]"
    view.tab.focus(f"{head} button")
    for order, reverse in (("ascending", False), ("descending", True)):
        view.tab.keyboard.press("Enter")
        assert view.tab.get_attribute(head, "aria-sort") == order
        column = view.tab.eval_on_selector(head, "cell => cell.cellIndex")
        values = view.each(f"{table} tbody tr", f"Number(e.cells[{column}].dataset.value)")
        assert len(values) == 3
        assert values == sorted(values, reverse=reverse)


@pytest.mark.long
def test_the_time_switch_changes_everything_and_is_in_the_address(
    open_view: OpenView, path: Path
) -> None:
    dark_view = open_view(path)

    def check(time: str, noun: str, other: str) -> None:
        dark_view.redraw()
        assert dark_view.tab.is_checked(f"#times input[value={time}]")
        for selector in ("#tables section[data-time]", "#key-results [data-time]"):
            assert set(dark_view.visible(selector, "e.dataset.time")) == {time}
        headings = dark_view.texts("#tables section > h2")
        assert headings
        assert all(noun in heading for heading in headings)
        for kind in CHARTS:
            assert dark_view.marks(kind.name), kind.name
            caption = dark_view.tab.inner_text(f"#chart-{kind.name} figcaption")
            assert (f"Shown: {noun}." in caption) == (kind.name != "phases")
        axes = " ".join(dark_view.texts("#chart-cactus svg text, #chart-times svg text"))
        assert f"{noun} per instance" in axes
        assert other not in axes
        visible, total = re.findall(r"\d+", dark_view.tab.inner_text("#row-count"))
        assert visible == total

    wall, cpu = ("wall", "wall time", "CPU time"), ("cpu", "CPU time", "wall time")
    check(*wall)
    address = dark_view.tab.url
    (group,) = dark_view.each("#chart-cactus select", "e.options[1].value")
    dark_view.tab.select_option("#chart-cactus select", group)
    dark_view.tab.check("#times input[value=cpu]")
    check(*cpu)
    assert dark_view.tab.url == f"{address}#time=cpu"
    assert dark_view.tab.input_value("#chart-cactus select") == group
    dark_view.tab.click("nav a[href='#tables']")
    dark_view.tab.wait_for_url(f"{address}#tables&time=cpu", timeout=5000)
    dark_view.open_first()
    assert dark_view.tab.url.endswith("&time=cpu")
    assert dark_view.texts("#trial dl")
    dark_view.tab.reload()
    dark_view.wait_until_drawn()
    check(*cpu)
    assert dark_view.texts("#trial dl")
    dark_view.tab.evaluate("document.getElementById('filters').reset()")
    check(*wall)
    assert "time=" not in dark_view.tab.url
    dark_view.tab.evaluate("location.hash = '#time=never'")
    check(*wall)


@pytest.mark.long
def test_missing_values_are_sorted_last(open_view: OpenView, trials_of: Trials) -> None:
    trials = trials_of({"a": [0.1, 0.2], "b": [0.1, "wrong"], "c": [0.3, 0.3]})
    view = open_view(page.html(Run(Path(), trials)))
    table = "table[data-name=summary]"
    for _ in range(2):
        view.tab.click(f"{table} th[data-key=ratio] button")
        assert view.texts(f"{table} tbody tr:last-child td:first-child") == ["b"]
    view.tab.click("button.show-trials[data-verdict=wrong]")
    assert view.texts("#trial-list tbody td:nth-child(7)") == ["wrong"]


@pytest.mark.long
def test_the_theme_follows_the_system_and_the_switch(view: View) -> None:
    def paper() -> Any:
        return view.tab.evaluate("getComputedStyle(document.body).backgroundColor")

    light, dark = "rgb(255, 255, 255)", "rgb(20, 23, 26)"
    for system, paper_of_it in (("light", light), ("dark", dark)):
        view.tab.emulate_media(color_scheme=system)
        assert paper() == paper_of_it
        ink = view.each("#chart-cactus svg.marks text", "getComputedStyle(e).fill")[0]
        assert ink == view.tab.evaluate("getComputedStyle(document.body).color")
    for theme, paper_of_it in (("light", light), ("dark", dark), ("automatic", dark)):
        view.tab.click("#theme")
        active = view.tab.evaluate("document.documentElement.dataset.theme ?? 'automatic'")
        assert active == theme
        assert paper() == paper_of_it
    view.tab.emulate_media(media="print")
    assert paper() == light
    assert not view.tab.is_visible("#filters")
    view.tab.emulate_media(media="screen", color_scheme="light")


@pytest.mark.long
def test_the_page_fits_a_phone(open_view: OpenView, path: Path) -> None:
    view = open_view(path, width=390)
    assert view.fits_a_phone()
    for kind in CHARTS:
        box = view.tab.locator(f"#chart-{kind.name} svg.marks").bounding_box()
        assert box["width"] <= 390, kind.name
    assert max(view.each("#trial-list tbody tr", "e.offsetHeight")) < 40


@pytest.mark.long
@pytest.mark.timeout(900)
def test_210_interactions_with_hostile_names_do_nothing(
    open_view: OpenView, hostile_page: str, hostile_compared_page: str, tmp_path: Path
) -> None:
    moves = random.Random(0)
    address = (tmp_path / "page.html").as_uri()
    for text in (hostile_page, hostile_compared_page):
        view = open_view(text)
        for _ in range(105):
            interact(view.tab, moves)
            assert view.messages == []
            assert view.tab.evaluate("document.images.length") == 0
            assert view.tab.url.partition("#")[0] == address
        assert view.requests == [address]


def interact(tab: Any, moves: random.Random) -> None:
    """Click, choose or hover something that is visible and enabled."""
    controls = "button, select, input, th, summary, main a[href^='#'], svg.marks path[d]"
    elements = tab.query_selector_all(controls)
    in_disorder = moves.sample(elements, len(elements))
    element = next(e for e in in_disorder if e.is_visible() and e.is_enabled())
    match str(element.evaluate("e => e.tagName")).lower():
        case "select":
            options = element.query_selector_all("option")
            element.select_option(index=moves.randrange(len(options)))
        case "path":
            element.hover(force=True)
        case _:
            element.click(force=True)
    tab.wait_for_timeout(20)


@pytest.mark.long
def test_a_comparison_is_drawn_and_follows_its_filters(
    open_view: OpenView, compared_page: str
) -> None:
    view = open_view(compared_page)
    assert view.marks("factors") == 6
    points = view.marks("instances")
    view.tab.select_option("#filter-change", "slower")
    assert set(view.texts("table[data-name=times] tbody td:first-child")) == {"slower"}
    assert view.texts("table[data-name=status] tbody tr") == []
    view.tab.select_option("#filter-change", "")
    view.show_backends()
    view.tab.uncheck("#backends input[value=two]")
    view.redraw()
    assert view.marks("factors") == 4
    assert 0 < view.marks("instances") < points
    view.tab.set_viewport_size({"width": 390, "height": 900})
    view.tab.wait_for_timeout(300)
    view.wait_until_drawn()
    assert view.fits_a_phone()
