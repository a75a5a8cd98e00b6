"""The page in a real browser draws puzzles with pencilmarks."""

from pathlib import Path

import pytest

import harness as api
from harness.extensions import page
from harness.puzzles import Instance, Puzzle, Shape
from harness.puzzles.datasets.catalogue import Dataset
from harness.runs import run as runs
from harness.runs.run import run_sweep
from harness.runs.sweep import Sweep
from tests.extensions.page import test_browser
from tests.extensions.page.test_browser import OpenView

pytestmark = [*test_browser.pytestmark, pytest.mark.long]
browser, open_view = test_browser.browser, test_browser.open_view  # fixtures

EVERY = (15,) * 14


def test_a_cell_with_pencilmarks_is_blank_and_names_them(
    open_view: OpenView, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = Puzzle(Shape.parse("4x4"), (3, *(0,) * 15), (0b0100, 0b1001, *EVERY))
    dataset = Dataset("sukaku", (Instance("marked", puzzle),))
    monkeypatch.setattr(runs, "datasets_of", lambda _: [dataset])
    run_sweep(Sweep(("sukaku",), ("native",)), tmp_path / "run")
    view = open_view(page.html(api.load(tmp_path / "run")))
    view.open_first()
    assert len(view.texts("#trial .grid td")) == 16
    assert view.texts("#trial .grid td.given") == ["3"]
    assert view.texts("#trial .grid td.changed") == []
    titles = view.tab.eval_on_selector_all("#trial .grid td", "all => all.map(e => e.title)")
    assert titles == ["", "pencilmarks: 14", *[""] * 14]
