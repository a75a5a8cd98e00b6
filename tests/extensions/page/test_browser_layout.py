"""The page in a real browser: anchors, narrow screens, many backends, paper and buttons."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from harness.analysis.run import Run
from harness.extensions import page
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.catalogue import CHARTS, charts_of
from tests.extensions.page import test_browser
from tests.extensions.page.test_browser import Seen

Trials = Callable[..., pd.DataFrame]

pytestmark = test_browser.pytestmark
browser, path = test_browser.browser, test_browser.path  # fixtures

LONG = "cnf[encoding=extended,solver=cadical153,symmetry=all,seed=%d]"


def written(run: Run, folder: Path) -> Path:
    report = folder / "report.html"
    report.write_text(page.html(run), encoding="utf-8")
    return report


@pytest.fixture(scope="module")
def large(trials_of: Trials) -> Run:
    """Fourteen backends, six with long names."""
    names = [LONG % n for n in range(6)] + [f"backend{n}" for n in range(8)]
    times = {name: [0.001 * (n + m + 1) for m in range(3)] for n, name in enumerate(names)}
    larger = {"shape": "9x9", "puzzle": "." * 81, "puzzle_id": lambda n: f"q{n}"}
    parts = [trials_of(times), trials_of(times, **larger)]
    return Run(Path("results/large"), pd.concat(parts, ignore_index=True))


@pytest.fixture(scope="module")
def large_path(large: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(large, tmp_path_factory.mktemp("large"))


def top_of(seen: Seen, selector: str) -> float:
    box = seen.tab.locator(selector).bounding_box()
    return float(box["y"])


def test_a_scatter_chart_without_the_fastest_backend_says_what_to_select(
    browser: Any, large: Run, large_path: Path
) -> None:
    seen = Seen(browser, large_path, anchor="backend=backend0&backend=backend1")
    fastest = theme.display_names(large.backends)[LONG % 0]
    caption = seen.tab.inner_text("#chart-scatter figcaption")
    assert caption == f"Each chart compares {fastest} with another backend: select both."
    seen.show_backends()
    seen.tab.check(f"#backends input[value='{fastest}']")
    assert seen.marks("scatter")
    seen.tab.close()


@pytest.mark.long
def test_the_bar_of_filters_covers_no_anchor(browser: Any, path: Path) -> None:
    seen = Seen(browser, path)
    for name in ("charts", "tables", "trials", "environment"):
        seen.tab.click(f"nav a[href='#{name}']")
        seen.tab.wait_for_timeout(50)
        bar = seen.tab.locator("#filters").bounding_box()
        covered_to = bar["y"] + bar["height"] if bar["y"] < 1 else 0
        assert covered_to <= top_of(seen, f"#{name} > h2") < 900, name
    seen.tab.close()
    # An address with an anchor ends up there too, after the charts above it are drawn.
    arrived = Seen(browser, path, anchor="tables")
    bar = arrived.tab.locator("#filters").bounding_box()
    assert bar["y"] == 0
    assert bar["height"] <= top_of(arrived, "#tables > h2") < 300
    arrived.tab.close()


@pytest.mark.long
def test_long_names_of_many_backends_fit_a_phone(browser: Any, large_path: Path) -> None:
    seen = Seen(browser, large_path, width=390)
    assert seen.tab.evaluate("document.documentElement.scrollWidth") == 390
    wider = """
    [...document.querySelectorAll('body *')].filter((e) => {
      const box = e.getBoundingClientRect();
      return e.checkVisibility() && box.width && box.right > 390 && !e.closest('.scroll, .chart');
    }).map((e) => e.outerHTML.slice(0, 100))
    """
    assert seen.tab.evaluate(wider) == []
    inner = "all => all.map(e => [e.scrollWidth > e.clientWidth, getComputedStyle(e).overflowX])"
    scrolling = seen.tab.eval_on_selector_all("#tables .scroll", inner)
    assert [True, "auto"] in scrolling
    for kind in ("cactus", "times", "scaling"):
        box = seen.tab.locator(f"#chart-{kind} svg.marks").bounding_box()
        assert box["width"] <= 390
    seen.tab.close()


def colours_of(seen: Seen, kind: str) -> set[str]:
    """The colours of the lines of a chart."""
    strokes = seen.tab.eval_on_selector_all(
        f"#chart-{kind} svg .mark-line.role-mark path",
        "all => all.map(e => e.getAttribute('stroke'))",
    )
    return {stroke for stroke in strokes if stroke in theme.PALETTE}


@pytest.mark.long
def test_more_backends_than_colours_have_panels_until_fewer_are_selected(
    browser: Any, large_path: Path, large: Run
) -> None:
    seen = Seen(browser, large_path)
    assert colours_of(seen, "cactus") == {theme.PALETTE[0]}
    end_lines = "#chart-cactus svg .mark-rule.role-mark line"
    assert seen.tab.locator(end_lines).count() == len(large.backends)
    seen.show_backends()
    seen.tab.click("#clear-backends")
    for n in (0, 3, 5, 13):
        seen.tab.check(f"#backends input >> nth={n}")
    seen.tab.wait_for_timeout(50)
    seen.wait_until_drawn()
    swatch = "all => all.map(e => getComputedStyle(e).backgroundColor)"
    before = seen.tab.eval_on_selector_all("#backends .swatch", swatch)
    assert colours_of(seen, "cactus") == set(theme.PALETTE[:4])
    # The colours of the others stay when a backend is deselected and another one selected.
    seen.tab.uncheck("#backends input >> nth=3")
    seen.tab.check("#backends input >> nth=7")
    seen.tab.wait_for_timeout(50)
    seen.wait_until_drawn()
    after = seen.tab.eval_on_selector_all("#backends .swatch", swatch)
    assert [after[n] for n in (0, 5, 13)] == [before[n] for n in (0, 5, 13)]
    assert after[7] == before[3]
    assert len(seen.texts("#chart-cactus svg .role-legend-label text")) == 4
    assert seen.messages == []
    seen.tab.close()


@pytest.mark.long
def test_paper_has_every_chart_of_the_selected_comparison_groups(
    browser: Any, path: Path, full: Run
) -> None:
    seen = Seen(browser, path)
    small = {kind.name: list(charts_of(full, kind)) for kind in CHARTS}
    for dataset in ("", "small"):
        seen.tab.select_option("#filter-dataset", dataset)
        seen.tab.wait_for_timeout(50)
        seen.wait_until_drawn()
        seen.tab.emulate_media(media="print")
        expected = {
            name: sum(dataset in ("", chart.key.get("dataset", dataset)) for chart in charts)
            for name, charts in small.items()
        }
        drawn = "document.querySelectorAll('#print-grid figure:has(svg)').length"
        seen.tab.wait_for_function(f"{drawn} === {sum(expected.values())}")
        charts = seen.tab.eval_on_selector_all(
            "#print-grid figure",
            "all => all.map(f => [f.dataset.kind, f.querySelectorAll('.role-mark path').length])",
        )
        assert all(marks for _, marks in charts)
        kinds = [kind for kind, _ in charts]
        assert {name: kinds.count(name) for name in expected} == expected
        assert not seen.tab.is_visible("#chart-grid")
        width = "all => Math.max(...all.map(e => e.clientWidth))"
        assert seen.tab.eval_on_selector_all("#print-grid svg", width) <= 340
        seen.tab.emulate_media(media="screen")
        seen.tab.wait_for_function("!document.getElementById('print-grid').childElementCount")
    seen.tab.close()


@pytest.mark.long
def test_previous_next_and_clear_step_through_the_listed_trials(
    browser: Any, path: Path, full: Run
) -> None:
    seen = Seen(browser, path)
    seen.tab.check("#failures-only")
    numbers = seen.tab.eval_on_selector_all(
        "#trial-list tbody a", "all => all.map(a => Number(a.hash.slice(7)))"
    )
    seen.open_first()
    buttons = "#trial p.pages button"
    assert seen.texts(buttons) == ["Previous", "Next", "Clear"]
    assert seen.tab.is_disabled(f"{buttons} >> nth=0")
    for number in (numbers[1], numbers[2]):
        seen.tab.click(f"{buttons} >> nth=1")
        seen.tab.wait_for_function(
            "n => Number(document.getElementById('trial').dataset.trial) === n", arg=number
        )
    seen.tab.click(f"{buttons} >> nth=0")
    seen.tab.wait_for_function(
        "n => Number(document.getElementById('trial').dataset.trial) === n", arg=numbers[1]
    )
    seen.tab.click(f"{buttons} >> nth=2")
    assert seen.texts("#trial *") == []
    assert seen.tab.evaluate("location.hash") == ""
    seen.tab.fill("#trial-search", "p0003")
    seen.tab.click("#trial-list th:nth-child(8) button")
    seen.tab.click("#clear-search")
    assert seen.tab.input_value("#trial-search") == ""
    assert not seen.tab.is_checked("#failures-only")
    assert seen.tab.locator("#trial-list th[aria-sort]").count() == 0
    assert seen.tab.inner_text("#trial-count").startswith(f"{len(full.trials)} of")
    seen.show_backends()
    seen.tab.click("#clear-backends")
    assert seen.tab.locator("#backends input:checked").count() == 0
    seen.tab.click("#all-backends")
    assert seen.tab.locator("#backends input:checked").count() == len(full.backends)
    seen.tab.select_option("#filter-dataset", "small")
    seen.tab.click("#filters button[type=reset]")
    seen.tab.wait_for_timeout(50)
    assert seen.tab.input_value("#filter-dataset") == ""
    assert seen.messages == []
    seen.tab.close()
