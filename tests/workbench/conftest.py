"""A workbench for the tests of a module, and a browser that opens its pages."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from harness.puzzles import Puzzle, Shape
from harness.puzzles.drawing import svg
from tests.workbench.server import Workbench
from tests.workbench.tab import Tab

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
OpenPage = Callable[..., Tab]
READ_LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
"""The puzzle of the image."""


@pytest.fixture(scope="module")
def workbench(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Workbench]:
    """A running workbench; a module names further options in `OPTIONS`."""
    pytest.importorskip("uvicorn", reason="the extra [workbench] is not installed")
    folder = tmp_path_factory.mktemp("workbench")
    found = Workbench(folder, *getattr(request.module, "OPTIONS", ()))
    yield found
    found.stop()
    log = found.log.read_text()
    assert "Traceback" not in log, log


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium is installed")
    with api.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture
def open_page(browser: Any, workbench: Workbench) -> Iterator[OpenPage]:
    """Opens a page of the workbench in a context of its own; no page may report an error."""
    opened: list[Tab] = []

    def open_tab(
        path: str = "/", *, width: int = 1280, height: int = 860, dark: bool = False
    ) -> Tab:
        context = browser.new_context(
            viewport={"width": width, "height": 860},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        opened.append(Tab(context, workbench))
        opened[-1].goto(path)
        return opened[-1]

    yield open_tab
    for tab in opened:
        messages = list(tab.messages)
        tab.context.close()
        assert messages == []


@pytest.fixture(scope="module")
def image() -> bytes:
    """A screenshot of a puzzle."""
    from vl_convert import svg_to_png

    return bytes(svg_to_png(svg(Puzzle.of_line(READ_LINE, Shape.parse("9x9"))), scale=1.5))
