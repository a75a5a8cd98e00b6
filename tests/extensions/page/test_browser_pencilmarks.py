"""The page in a real browser draws puzzles with pencilmarks."""

from pathlib import Path
from typing import Any

import pytest

import harness as api
from harness.extensions import page
from harness.puzzles import Instance, Puzzle, Shape
from harness.puzzles.datasets.catalogue import Dataset
from harness.runs import run as runs
from harness.runs.run import run_sweep
from harness.runs.sweep import Sweep
from tests.extensions.page import test_browser
from tests.extensions.page.test_browser import View

pytestmark = [*test_browser.pytestmark, pytest.mark.long]
browser = test_browser.browser  # fixture

EVERY = (15,) * 14


def test_a_cell_with_pencilmarks_is_blank_and_names_them(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = Puzzle(Shape.parse("4x4"), (3, *(0,) * 15), (0b0100, 0b1001, *EVERY))
    dataset = Dataset("sukaku", (Instance("marked", puzzle),))
    monkeypatch.setattr(runs, "datasets_of", lambda _: [dataset])
    run_sweep(Sweep(("sukaku",), ("native",)), tmp_path / "run")
    path = tmp_path / "page.html"
    path.write_text(page.html(api.load(tmp_path / "run")), encoding="utf-8")
    view = View(browser, path)
    view.open_first()
    assert len(view.texts("#trial .grid td")) == 16
    assert view.texts("#trial .grid td.given") == ["3"]
    assert view.texts("#trial .grid td.changed") == []
    titles = view.tab.eval_on_selector_all("#trial .grid td", "all => all.map(e => e.title)")
    assert titles == ["", "pencilmarks: 14", *[""] * 14]
    assert view.messages == []
