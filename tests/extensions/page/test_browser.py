"""The page in a real browser, opened as a file with the network off."""

import random
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.extensions import page
from harness.extensions.page.charts.catalogue import CHARTS
from harness.report.formatting import duration

Trials = Callable[..., pd.DataFrame]

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed"),
    # Its driver leaves a socket to the garbage collector when it ends.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    profile = tmp_path_factory.mktemp("profile")
    with sync_api.sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=ARGUMENTS, offline=True
        )
        yield context
        context.close()


class Seen:
    """An open page with its console messages and requests."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, anchor: str = "") -> None:
        self.tab = browser.new_page()
        self.tab.set_viewport_size({"width": width, "height": 900})
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.tab.on("console", lambda message: self.messages.append(message.text))
        self.tab.on("pageerror", lambda error: self.messages.append(str(error)))
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("dialog", lambda dialog: self.messages.append(f"dialog {dialog.message}"))
        self.tab.goto(path.as_uri() + (f"#{anchor}" if anchor else ""))
        self.wait_until_drawn()

    def wait_until_drawn(self) -> None:
        self.tab.wait_for_function("document.body.dataset.charts === 'drawn'")

    def texts(self, selector: str) -> list[str]:
        texts: list[str] = self.tab.eval_on_selector_all(
            selector, "all => all.filter(e => e.checkVisibility()).map(e => e.textContent)"
        )
        return texts

    def show_backends(self) -> None:
        """Open the menu with the backends."""
        self.tab.evaluate("document.getElementById('backend-menu').open = true")

    def open_first(self) -> None:
        """Show the first trial of the list."""
        link = "#trial-list tbody tr:first-child a"
        number = str(self.tab.get_attribute(link, "href")).removeprefix("#trial-")
        self.tab.click(link)
        self.tab.wait_for_function(
            "number => document.getElementById('trial').dataset.trial === number", arg=number
        )

    def show(self, kind: str) -> None:
        """Scroll to a chart, which is drawn if a change of the filters made it stale."""
        chart = f"#chart-{kind} .chart"
        self.tab.eval_on_selector(chart, "chart => chart.scrollIntoView({block: 'center'})")
        self.tab.wait_for_selector(f"{chart}:not([data-state=stale])", state="attached")

    def marks(self, kind: str) -> int:
        self.show(kind)
        selector = f"#chart-{kind} svg [class*=role-mark] path"
        number: int = self.tab.eval_on_selector_all(selector, "all => all.length")
        return number


@pytest.fixture(scope="module")
def path(full_page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("page") / "report.html"
    written.write_text(full_page, encoding="utf-8")
    return written


@pytest.fixture(scope="module")
def opened(browser: Any, path: Path) -> Seen:
    return Seen(browser, path)


@pytest.fixture
def seen(opened: Seen) -> Iterator[Seen]:
    """The page with its filters reset afterwards."""
    yield opened
    opened.tab.evaluate("document.getElementById('filters').reset()")
    opened.tab.wait_for_timeout(50)
    opened.wait_until_drawn()


def test_every_chart_is_drawn_without_a_message(seen: Seen, path: Path) -> None:
    for kind in CHARTS:
        assert seen.marks(kind.name), kind.name
        state = seen.tab.get_attribute(f"#chart-{kind.name} .chart", "data-state")
        assert state == "drawn"
        label = seen.tab.get_attribute(f"#chart-{kind.name} svg.marks", "aria-label")
        assert label.startswith(kind.title)
    assert seen.messages == []
    assert [url for url in seen.requests if not url.startswith(("data:", "blob:"))] == [
        path.as_uri()
    ]


@pytest.mark.long
def test_the_heat_map_has_a_row_of_constant_height_per_backend(seen: Seen, full: Run) -> None:
    cells = "#chart-heat svg .mark-rect.role-mark path"
    boxes = seen.tab.eval_on_selector_all(
        cells, "all => all.map(cell => { const b = cell.getBBox(); return [b.y, b.height]; })"
    )
    assert {round(height) for _, height in boxes} == {38}
    assert len({round(y) for y, _ in boxes}) == len(full.backends)


def test_filters_act_on_tables_charts_and_trials(seen: Seen) -> None:
    before = seen.marks("times")
    rows = len(seen.texts("#tables tbody tr"))
    seen.tab.select_option("#filter-dataset", "small")
    seen.show_backends()
    seen.tab.uncheck("#backends input[value=two]")
    seen.wait_until_drawn()
    headings = seen.texts("#tables section > h2")
    assert [h for h in headings if h.startswith("small")]
    assert not [h for h in headings if h.startswith("dense")]
    assert len(seen.texts("#tables tbody tr")) < rows / 2
    assert "two" not in seen.texts("#tables tbody td:first-child")
    assert set(seen.texts("#trial-list tbody td:nth-child(2)")) == {"small"}
    assert 0 < seen.marks("times") < before
    seen.show("scatter")
    titles = seen.tab.eval_on_selector_all(
        "#chart-scatter option", "all => all.map(e => e.textContent)"
    )
    assert titles
    assert all(t.startswith(("one and six", "six and one")) and "small" in t for t in titles)
    seen.show("transition")
    assert seen.tab.get_attribute("#chart-transition .chart", "data-state") == "empty"


def test_key_results_say_that_filters_are_set_and_do_not_cover(seen: Seen) -> None:
    whole = seen.texts("#key-results li, #key-results td")
    assert whole
    assert not seen.tab.is_visible("#filtered")
    seen.tab.select_option("#filter-dataset", "small")
    assert seen.texts("#key-results li, #key-results td, #key-results .note") == []
    assert "Filters are set: dataset small. Key results are" in seen.texts("#filtered")[0]
    seen.tab.click("#filtered button")
    assert seen.texts("#key-results li, #key-results td") == whole
    seen.show_backends()
    seen.tab.uncheck("#backends input[value=two]")
    assert "2 of 3 backends" in seen.texts("#filtered")[0]
    seen.tab.click("#clear-backends")
    assert "Filters are set: no backend." in seen.texts("#filtered")[0]
    assert seen.texts("#no-rows") == ["No backend is selected."]
    assert "0 of" in seen.tab.inner_text("#trial-count")
    assert seen.texts("#tables td[data-value=one]") == []


def test_times_of_trials_have_the_digits_of_the_tables(seen: Seen) -> None:
    times = [0.0, 4.2e-7, 9.996e-6, 0.0107, 0.023, 0.0999, 0.9996, 1.0, 12.345, 1234.6]
    assert seen.tab.evaluate("all => all.map(seconds)", times) == list(map(duration, times))


def test_filters_stand_in_the_address(browser: Any, path: Path) -> None:
    first = Seen(browser, path)
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
    first.tab.close()
    second = Seen(browser, path, anchor=f"charts&{parts}")
    assert second.texts("#tables tbody tr") == rows
    assert second.tab.input_value("#filter-dataset") == "small"
    assert second.tab.locator("#backends input:checked").count() == 2
    assert second.tab.inner_text("#backend-menu summary") == "backends: 2 of 3"
    second.tab.evaluate("location.hash = '#backend='")
    second.tab.wait_for_function("document.getElementById('filter-dataset').value === ''")
    assert second.texts("#no-rows") == ["No backend is selected."]
    second.tab.evaluate("location.hash = '#dataset=none-of-these'")
    second.tab.wait_for_function(
        "document.querySelectorAll('#backends input:checked').length === 3"
    )
    assert second.tab.evaluate("location.hash") == ""
    assert second.texts("#ignored-settings") == ["dataset none-of-these"]
    second.tab.evaluate("location.hash = '#backend=zzz&backend=two&constructor=x'")
    second.tab.wait_for_function(
        "document.querySelectorAll('#backends input:checked').length === 1"
    )
    assert second.texts("#ignored-settings") == ["backend zzz; constructor x"]
    second.tab.click("#filtered button")
    assert not second.tab.is_visible("#ignored")
    assert second.messages == []
    second.tab.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_but_tables_is_cut_and_the_bar_is_slim(
    browser: Any, path: Path, width: int
) -> None:
    seen = Seen(browser, path, width=width)
    cut = """
    all => all.filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1)
      .map(e => e.outerHTML.slice(0, 80))
    """
    assert seen.tab.eval_on_selector_all("#key-results .scroll, #filters, #filters *", cut) == []
    titles = """
    all => all.filter(e => {
      const [text, svg] = [e.getBoundingClientRect(), e.closest('svg').getBoundingClientRect()];
      return text.left < svg.left - 1 || text.right > svg.right + 1;
    }).map(e => e.textContent)
    """
    assert seen.tab.eval_on_selector_all("#charts svg .role-axis-title text", titles) == []
    selected = seen.tab.eval_on_selector_all(
        "figure select", "all => all.filter(e => e.checkVisibility()).map(e => e.value)"
    )
    assert seen.texts(".chart-group") == (selected if width == 390 else [])
    assert seen.tab.locator("#filters").bounding_box()["height"] <= (160 if width == 390 else 66)
    seen.tab.close()


@pytest.mark.long
def test_the_verdict_filter_finds_failures_with_grid_and_command(seen: Seen, full: Run) -> None:
    seen.tab.select_option("#filter-verdict", "timeout")
    number = int((full.trials["verdict"] == "timeout").sum())
    count = re.findall(r"\d+", seen.tab.inner_text("#trial-count"))
    assert list(map(int, count)) == [number, len(full.trials)]
    assert set(seen.texts("#trial-list tbody td:nth-child(7)")) == {"timeout"}
    seen.open_first()
    command = seen.texts("#trial .command")[0]
    failures = full.failures()
    assert command in set(failures[failures["verdict"] == "timeout"]["command"])
    assert len(seen.texts("#trial .grid td")) in (16, 81)


@pytest.mark.long
def test_a_solved_trial_shows_givens_and_solution(seen: Seen) -> None:
    seen.tab.fill("#trial-search", "p0003")
    seen.open_first()
    assert seen.texts("#trial .grid td.given") == ["1"]
    assert seen.texts("#trial .grid td.filled") == ["2"] * 80
    seen.tab.fill("#trial-search", "")


@pytest.mark.long
def test_tables_are_sorted_by_the_keyboard(seen: Seen) -> None:
    table = "#tables section[data-dataset=dense][data-time=wall] table[data-name=summary]"
    head = f"{table} th[data-key=median_s]"
    seen.tab.focus(f"{head} button")
    for order, reverse in (("ascending", False), ("descending", True)):
        seen.tab.keyboard.press("Enter")
        assert seen.tab.get_attribute(head, "aria-sort") == order
        column = seen.tab.eval_on_selector(head, "cell => cell.cellIndex")
        values = seen.tab.eval_on_selector_all(
            f"{table} tbody tr", f"rows => rows.map(r => Number(r.cells[{column}].dataset.value))"
        )
        assert len(values) == 3
        assert values == sorted(values, reverse=reverse)


@pytest.mark.long
def test_the_time_switch_changes_everything_and_is_in_the_address(browser: Any, path: Path) -> None:
    switched = Seen(browser, path)

    def shown_times(selector: str) -> set[str]:
        texts: list[str] = switched.tab.eval_on_selector_all(
            selector, "all => all.filter(e => e.checkVisibility()).map(e => e.dataset.time)"
        )
        return set(texts)

    def check(time: str, noun: str, other: str) -> None:
        switched.tab.wait_for_timeout(50)
        switched.wait_until_drawn()
        assert switched.tab.is_checked(f"#times input[value={time}]")
        for selector in ("#tables section[data-time]", "#key-results [data-time]"):
            assert shown_times(selector) == {time}
        headings = switched.texts("#tables section > h2")
        assert headings
        assert all(noun in heading for heading in headings)
        for kind in CHARTS:
            assert switched.marks(kind.name), kind.name
            caption = switched.tab.inner_text(f"#chart-{kind.name} figcaption")
            assert (f"Shown: {noun}." in caption) == (kind.name != "phases")
        axes = " ".join(switched.texts("#chart-cactus svg text, #chart-times svg text"))
        assert f"{noun} per instance" in axes
        assert other not in axes
        visible, total = re.findall(r"\d+", switched.tab.inner_text("#row-count"))
        assert visible == total

    wall, cpu = ("wall", "wall time", "CPU time"), ("cpu", "CPU time", "wall time")
    check(*wall)
    address = switched.tab.url
    group = switched.tab.eval_on_selector(
        "#chart-cactus select", "select => select.options[1].value"
    )
    switched.tab.select_option("#chart-cactus select", group)
    switched.tab.check("#times input[value=cpu]")
    check(*cpu)
    assert switched.tab.url == f"{address}#time=cpu"
    assert switched.tab.input_value("#chart-cactus select") == group
    switched.tab.click("nav a[href='#tables']")
    switched.tab.wait_for_url(f"{address}#tables&time=cpu", timeout=5000)
    switched.open_first()
    assert switched.tab.url.endswith("&time=cpu")
    assert switched.texts("#trial dl")
    switched.tab.reload()
    switched.wait_until_drawn()
    check(*cpu)
    assert switched.texts("#trial dl")
    switched.tab.evaluate("document.getElementById('filters').reset()")
    check(*wall)
    assert "time=" not in switched.tab.url
    switched.tab.evaluate("location.hash = '#time=never'")
    check(*wall)
    assert switched.messages == []
    switched.tab.close()


@pytest.mark.long
def test_missing_values_are_sorted_last(browser: Any, trials_of: Trials, tmp_path: Path) -> None:
    made = trials_of({"a": [0.1, 0.2], "b": [0.1, "wrong"], "c": [0.3, 0.3]})
    written = tmp_path / "report.html"
    written.write_text(page.html(Run(Path(), made)), encoding="utf-8")
    seen = Seen(browser, written)
    table = "table[data-name=summary]"
    for _ in range(2):
        seen.tab.click(f"{table} th[data-key=ratio] button")
        assert seen.texts(f"{table} tbody tr:last-child td:first-child") == ["b"]
    seen.tab.click("button.show-trials[data-verdict=wrong]")
    assert seen.texts("#trial-list tbody td:nth-child(7)") == ["wrong"]
    seen.tab.close()


@pytest.mark.long
def test_the_theme_follows_the_system_and_the_switch(seen: Seen) -> None:
    def paper() -> str:
        colour: str = seen.tab.evaluate("getComputedStyle(document.body).backgroundColor")
        return colour

    def ink() -> str:
        selector = "#chart-cactus svg.marks text"
        colour: str = seen.tab.eval_on_selector(selector, "text => getComputedStyle(text).fill")
        return colour

    light, dark = "rgb(255, 255, 255)", "rgb(20, 23, 26)"
    for system, paper_of_it in (("light", light), ("dark", dark)):
        seen.tab.emulate_media(color_scheme=system)
        assert paper() == paper_of_it
        assert ink() == seen.tab.evaluate("getComputedStyle(document.body).color")
    for theme, paper_of_it in (("light", light), ("dark", dark), ("automatic", dark)):
        seen.tab.click("#theme")
        active = seen.tab.evaluate("document.documentElement.dataset.theme ?? 'automatic'")
        assert active == theme
        assert paper() == paper_of_it
    seen.tab.emulate_media(media="print")
    assert paper() == light
    assert not seen.tab.is_visible("#filters")
    seen.tab.emulate_media(media="screen", color_scheme="light")


@pytest.mark.long
def test_the_page_fits_a_phone(browser: Any, path: Path) -> None:
    seen = Seen(browser, path, width=390)
    width = seen.tab.evaluate("document.documentElement.scrollWidth")
    assert width == 390
    for kind in CHARTS:
        box = seen.tab.locator(f"#chart-{kind.name} svg.marks").bounding_box()
        assert box["width"] <= 390, kind.name
    rows = seen.tab.eval_on_selector_all(
        "#trial-list tbody tr", "all => all.map(r => r.offsetHeight)"
    )
    assert max(rows) < 40
    seen.tab.close()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_210_interactions_with_hostile_names_do_nothing(
    browser: Any, hostile_page: str, hostile_compared_page: str, tmp_path: Path
) -> None:
    moves = random.Random(0)
    for text in (hostile_page, hostile_compared_page):
        written = tmp_path / "page.html"
        written.write_text(text, encoding="utf-8")
        seen = Seen(browser, written)
        for _ in range(105):
            interact(seen.tab, moves)
            assert seen.messages == []
            assert seen.tab.evaluate("document.images.length") == 0
            assert seen.tab.url.partition("#")[0] == written.as_uri()
        assert seen.requests == [written.as_uri()]
        seen.tab.close()


def interact(tab: Any, moves: random.Random) -> None:
    """Click, choose or hover something that is visible and enabled."""
    controls = "button, select, input, th, summary, main a[href^='#'], svg.marks path[d]"
    elements = tab.query_selector_all(controls)
    shuffled = moves.sample(elements, len(elements))
    element = next(e for e in shuffled if e.is_visible() and e.is_enabled())
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
    browser: Any, compared_page: str, tmp_path: Path
) -> None:
    written = tmp_path / "comparison.html"
    written.write_text(compared_page, encoding="utf-8")
    seen = Seen(browser, written)
    assert seen.marks("factors") == 6
    points = seen.marks("instances")
    seen.tab.select_option("#filter-change", "slower")
    assert set(seen.texts("table[data-name=times] tbody td:first-child")) == {"slower"}
    assert seen.texts("table[data-name=status] tbody tr") == []
    seen.tab.select_option("#filter-change", "")
    seen.show_backends()
    seen.tab.uncheck("#backends input[value=two]")
    seen.tab.wait_for_timeout(50)
    seen.wait_until_drawn()
    assert seen.marks("factors") == 4
    assert 0 < seen.marks("instances") < points
    seen.tab.set_viewport_size({"width": 390, "height": 900})
    seen.tab.wait_for_timeout(300)
    seen.wait_until_drawn()
    assert seen.tab.evaluate("document.documentElement.scrollWidth") == 390
    assert seen.messages == []
    seen.tab.close()
