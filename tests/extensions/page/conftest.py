"""Runs with data for every chart and every part of a page, their pages, and a browser for them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.extensions import page
from harness.extensions.page import comparison_page
from tests.full_runs import ACTING, HOSTILE, changed, full_trials
from tests.trials import Trials

BuildOnce = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def full(trials_of: Trials) -> Run:
    """Two datasets, two sizes, densities with and without solutions, phases, nodes, failures."""
    return Run(Path("results/full"), full_trials(trials_of))


WrittenOnce = Callable[[str, Callable[[], str]], str]


@pytest.fixture(scope="session")
def written_once(build_once: BuildOnce) -> WrittenOnce:
    """Make a page that one worker makes and all workers read."""

    def page_of(name: str, html: Callable[[], str]) -> str:
        folder = build_once(name, lambda to: (to / "page.html").write_bytes(html().encode()))
        return (folder / "page.html").read_bytes().decode()

    return page_of


@pytest.fixture(scope="session")
def full_page(full: Run, written_once: WrittenOnce) -> str:
    """The page of `full`."""
    return written_once("full-page", lambda: page.html(full))


@pytest.fixture(scope="session")
def hostile_run(trials_of: Trials) -> Run:
    """A run with names and reasons that contain markup, control characters and long text."""
    parts = []
    for name in (HOSTILE["script"], HOSTILE["attribute"], ACTING, HOSTILE["long"]):
        trials = full_trials(trials_of, name)
        few = (trials["repetition"] < 3) & (trials["start"] == "cold")
        first = trials["dataset"] == trials["dataset"].iloc[0]
        trials = trials[few & (first | (name == HOSTILE["script"]))]
        names = {column: name + trials[column] for column in ("name", "puzzle_id")}
        texts = dict.fromkeys(("host", "paradigm", "reason"), name)
        parts.append(trials.assign(**names, **texts))
    return Run(Path("</title>"), pd.concat(parts, ignore_index=True))


@pytest.fixture(scope="session")
def hostile_page(hostile_run: Run, written_once: WrittenOnce) -> str:
    """The page of `hostile_run`."""
    return written_once("hostile-page", lambda: page.html(hostile_run))


@pytest.fixture(scope="session")
def compared_page(full: Run, written_once: WrittenOnce) -> str:
    """The page of the comparison of `full` with a later run."""
    return written_once("compared-page", lambda: page_with_later(full))


@pytest.fixture(scope="session")
def hostile_compared_page(hostile_run: Run, written_once: WrittenOnce) -> str:
    """The page of the comparison of `hostile_run` with a later run."""
    return written_once("hostile-compared-page", lambda: page_with_later(hostile_run))


def page_with_later(run: Run) -> str:
    after = changed(run)
    return comparison_page.comparison_html(run.compare(after), run, after)


class View:
    """An open page with its console messages and requests."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, anchor: str = "") -> None:
        self.tab = browser.new_page(offline=True)
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

    def redraw(self) -> None:
        """Wait until a change of the filters is drawn."""
        self.tab.wait_for_timeout(50)
        self.wait_until_drawn()

    def each(self, selector: str, value: str, which: str = "true") -> list[Any]:
        """The value of a JavaScript expression for each element `e` for which another is true."""
        script = f"all => all.filter(e => {which}).map(e => {value})"
        return list(self.tab.eval_on_selector_all(selector, script))

    def visible(self, selector: str, value: str) -> list[Any]:
        return self.each(selector, value, "e.checkVisibility()")

    def texts(self, selector: str) -> list[str]:
        return self.visible(selector, "e.textContent")

    def show_backends(self) -> None:
        """Open the menu with the backends."""
        self.tab.evaluate("document.getElementById('backend-menu').open = true")

    def open_first(self) -> None:
        """Show the first trial of the list."""
        link = "#trial-list tbody tr:first-child a"
        # In one step, because the list may be drawn again between two.
        script = "link => { link.click(); return Number(link.hash.slice('#trial-'.length)); }"
        self.wait_for_trial(self.tab.eval_on_selector(link, script))

    def wait_for_trial(self, number: int) -> None:
        script = "n => Number(document.getElementById('trial').dataset.trial) === n"
        self.tab.wait_for_function(script, arg=number)

    def number_of_checked_backends(self) -> int:
        return int(self.tab.locator("#backends input:checked").count())

    def fits_a_phone(self) -> bool:
        return bool(self.tab.evaluate("document.documentElement.scrollWidth") == 390)

    def show(self, kind: str) -> None:
        """Scroll to a chart, which is drawn if a change of the filters made it stale."""
        chart = f"#chart-{kind} .chart"
        self.tab.eval_on_selector(chart, "chart => chart.scrollIntoView({block: 'center'})")
        self.tab.wait_for_selector(f"{chart}:not([data-state=stale])", state="attached")

    def marks(self, kind: str) -> int:
        self.show(kind)
        return int(self.tab.locator(f"#chart-{kind} svg [class*=role-mark] path").count())


OpenView = Callable[..., View]


@pytest.fixture
def open_view(browser: Any, tmp_path: Path) -> Iterator[OpenView]:
    """Open a page, a file or its text; no page may have a message when it is closed."""
    views: list[View] = []

    def make(source: Path | str, **options: Any) -> View:
        if isinstance(source, str):
            (tmp_path / "page.html").write_text(source, encoding="utf-8")
            source = tmp_path / "page.html"
        views.append(View(browser, source, **options))
        return views[-1]

    yield make
    for view in views:
        assert view.messages == []
        view.tab.close()


@pytest.fixture(scope="module")
def path(full_page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(full_page, encoding="utf-8")
    return file
