"""The page in a real browser: anchors, narrow screens, many backends, paper and buttons."""

from pathlib import Path

import pandas as pd
import pytest

import harness as api
from harness.analysis.run import Run
from harness.extensions import page
from harness.extensions.page.charts import theme
from harness.extensions.page.charts.catalogue import CHARTS, charts_of
from harness.puzzles import Instance, Puzzle, Shape
from harness.puzzles.datasets.catalogue import Dataset
from harness.runs import run as runs
from harness.runs.run import run_sweep
from harness.runs.sweep import Sweep
from tests.extensions.page.conftest import OpenView, View
from tests.trials import Trials

LONG = "cnf[encoding=extended,solver=cadical153,symmetry=all,seed=%d]"


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
    file = tmp_path_factory.mktemp("large") / "report.html"
    file.write_text(page.html(large), encoding="utf-8")
    return file


def top_of(view: View, selector: str) -> float:
    box = view.tab.locator(selector).bounding_box()
    return float(box["y"])


def test_a_scatter_chart_without_the_fastest_backend_says_what_to_select(
    open_view: OpenView, large: Run, large_path: Path
) -> None:
    view = open_view(large_path, anchor="backend=backend0&backend=backend1")
    fastest = theme.display_names(large.backends)[LONG % 0]
    caption = view.tab.inner_text("#chart-scatter figcaption")
    assert caption == f"Each chart compares {fastest} with another backend: select both."
    view.show_backends()
    view.tab.check(f"#backends input[value='{fastest}']")
    assert view.marks("scatter")


@pytest.mark.long
def test_the_bar_of_filters_covers_no_anchor(open_view: OpenView, path: Path) -> None:
    view = open_view(path)
    for name in ("charts", "tables", "trials", "environment"):
        view.tab.click(f"nav a[href='#{name}']")
        view.tab.wait_for_timeout(50)
        bar = view.tab.locator("#filters").bounding_box()
        covered_to = bar["y"] + bar["height"] if bar["y"] < 1 else 0
        assert covered_to <= top_of(view, f"#{name} > h2") < 900, name
    # An address with an anchor ends up there too, after the charts above it are drawn.
    at_tables = open_view(path, anchor="tables")
    bar = at_tables.tab.locator("#filters").bounding_box()
    assert bar["y"] == 0
    assert bar["height"] <= top_of(at_tables, "#tables > h2") < 300


@pytest.mark.long
def test_long_names_of_many_backends_fit_a_phone(open_view: OpenView, large_path: Path) -> None:
    view = open_view(large_path, width=390)
    assert view.fits_a_phone()
    wider = """
    [...document.querySelectorAll('body *')].filter((e) => {
      const box = e.getBoundingClientRect();
      return e.checkVisibility() && box.width && box.right > 390 && !e.closest('.scroll, .chart');
    }).map((e) => e.outerHTML.slice(0, 100))
    """
    assert view.tab.evaluate(wider) == []
    inner = "[e.scrollWidth > e.clientWidth, getComputedStyle(e).overflowX]"
    assert [True, "auto"] in view.each("#tables .scroll", inner)
    for kind in ("cactus", "times", "scaling"):
        box = view.tab.locator(f"#chart-{kind} svg.marks").bounding_box()
        assert box["width"] <= 390


def colours_of(view: View, kind: str) -> set[str]:
    """The colours of the lines of a chart."""
    lines = f"#chart-{kind} svg .mark-line.role-mark path"
    return {*view.each(lines, "e.getAttribute('stroke')")} & {*theme.PALETTE}


@pytest.mark.long
def test_more_backends_than_colours_have_panels_until_fewer_are_selected(
    open_view: OpenView, large_path: Path, large: Run
) -> None:
    view = open_view(large_path)
    assert colours_of(view, "cactus") == {theme.PALETTE[0]}
    end_lines = "#chart-cactus svg .mark-rule.role-mark line"
    assert view.tab.locator(end_lines).count() == len(large.backends)
    view.show_backends()
    view.tab.click("#clear-backends")
    for n in (0, 3, 5, 13):
        view.tab.check(f"#backends input >> nth={n}")
    view.redraw()
    swatches = "#backends .swatch", "getComputedStyle(e).backgroundColor"
    before = view.each(*swatches)
    assert colours_of(view, "cactus") == set(theme.PALETTE[:4])
    # The colours of the others stay when a backend is deselected and another one selected.
    view.tab.uncheck("#backends input >> nth=3")
    view.tab.check("#backends input >> nth=7")
    view.redraw()
    after = view.each(*swatches)
    assert [after[n] for n in (0, 5, 13)] == [before[n] for n in (0, 5, 13)]
    assert after[7] == before[3]
    assert len(view.texts("#chart-cactus svg .role-legend-label text")) == 4


@pytest.mark.long
def test_paper_has_every_chart_of_the_selected_comparison_groups(
    open_view: OpenView, path: Path, full: Run
) -> None:
    view = open_view(path)
    small = {kind.name: list(charts_of(full, kind)) for kind in CHARTS}
    for dataset in ("", "small"):
        view.tab.select_option("#filter-dataset", dataset)
        view.redraw()
        view.tab.emulate_media(media="print")
        expected = {
            name: sum(dataset in ("", chart.key.get("dataset", dataset)) for chart in charts)
            for name, charts in small.items()
        }
        number_of_charts = "document.querySelectorAll('#print-grid figure:has(svg)').length"
        view.tab.wait_for_function(f"{number_of_charts} === {sum(expected.values())}")
        marks = "e.querySelectorAll('.role-mark path').length"
        assert all(view.each("#print-grid figure", marks))
        kinds = view.each("#print-grid figure", "e.dataset.kind")
        assert {name: kinds.count(name) for name in expected} == expected
        assert not view.tab.is_visible("#chart-grid")
        assert max(view.each("#print-grid svg", "e.clientWidth")) <= 340
        view.tab.emulate_media(media="screen")
        view.tab.wait_for_function("!document.getElementById('print-grid').childElementCount")


@pytest.mark.long
def test_previous_next_and_clear_step_through_the_listed_trials(
    open_view: OpenView, path: Path, full: Run
) -> None:
    view = open_view(path)
    view.tab.check("#failures-only")
    numbers = view.each("#trial-list tbody a", "Number(e.hash.slice(7))")
    view.open_first()
    buttons = "#trial p.pages button"
    assert view.texts(buttons) == ["Previous", "Next", "Clear"]
    assert view.tab.is_disabled(f"{buttons} >> nth=0")
    for button, number in ((1, numbers[1]), (1, numbers[2]), (0, numbers[1])):
        view.tab.click(f"{buttons} >> nth={button}")
        view.wait_for_trial(number)
    view.tab.click(f"{buttons} >> nth=2")
    assert view.texts("#trial *") == []
    assert view.tab.evaluate("location.hash") == ""
    view.tab.fill("#trial-search", "p0003")
    view.tab.click("#trial-list th:nth-child(8) button")
    view.tab.click("#clear-search")
    assert view.tab.input_value("#trial-search") == ""
    assert not view.tab.is_checked("#failures-only")
    assert view.tab.locator("#trial-list th[aria-sort]").count() == 0
    assert view.tab.inner_text("#trial-count").startswith(f"{len(full.trials)} of")
    view.show_backends()
    view.tab.click("#clear-backends")
    assert view.number_of_checked_backends() == 0
    view.tab.click("#all-backends")
    assert view.number_of_checked_backends() == len(full.backends)
    view.tab.select_option("#filter-dataset", "small")
    view.tab.click("#filters button[type=reset]")
    view.tab.wait_for_timeout(50)
    assert view.tab.input_value("#filter-dataset") == ""


@pytest.mark.long
def test_a_cell_with_pencilmarks_is_blank_and_names_them(
    open_view: OpenView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = Puzzle(Shape.parse("4x4"), (3, *(0,) * 15), (0b0100, 0b1001, *(15,) * 14))
    dataset = Dataset("sukaku", (Instance("marked", puzzle),))
    monkeypatch.setattr(runs, "datasets_of", lambda _: [dataset])
    run_sweep(Sweep(("sukaku",), ("native",)), tmp_path / "run")
    view = open_view(page.html(api.load(tmp_path / "run")))
    view.open_first()
    assert len(view.texts("#trial .grid td")) == 16
    assert view.texts("#trial .grid td.given") == ["3"]
    assert view.texts("#trial .grid td.changed") == []
    titles = view.each("#trial .grid td", "e.title")
    assert titles == ["", "pencilmarks: 14", *[""] * 14]
