"""Make the screenshots of docs/workbench.md: ``make workbench-images``.

A workbench with a run of its own is opened in headless Chromium, and each view is shown in light
and dark on a desktop, and at the width of a telephone.
"""

import io
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import sync_playwright
from vl_convert import svg_to_png

from harness.extensions.drawings.svg import svg
from harness.puzzles import Puzzle, Shape
from tests.conftest import ARGUMENTS, CHROMIUM
from tests.extensions.workbench.server import Workbench
from tests.extensions.workbench.tab import Tab

FOLDER: Final = Path(__file__).with_name("workbench")
PUZZLE: Final = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
HARD: Final = "1.......2.9.4...5...6...7...5.9.3.......7.......85..4.7.....6...3...9.8...2.....1"
COLOURS: Final = 96
"""Colours of a screenshot: enough for letters with smooth edges."""


def ask(tab: Tab) -> None:
    """Four backends have answered."""
    tab.button("Ask").click()
    tab.until("() => document.querySelectorAll('tr[data-state=answered]').length === 4")
    tab.page.get_by_role("button", name="Show the solution of native").click()


def reason(tab: Tab) -> None:
    """A step of the reasoning is drawn."""
    tab.button("Show the reasoning").click()
    tab.page.wait_for_timeout(4000)
    for _ in range(9):
        tab.button("Forward").click()


def read_image(tab: Tab) -> None:
    """An image is read."""
    drawing = svg(Puzzle.of_line(PUZZLE, Shape.parse("9x9")))
    file = tab.workbench.folder / "board.png"
    file.write_bytes(svg_to_png(drawing, scale=1.5))
    tab.page.set_input_files("input[type=file]", file)
    tab.wait_for_text("This reading has exactly one solution.")


def generate(tab: Tab) -> None:
    """Puzzles are generated."""
    section = tab.page.locator("section[aria-label=Generate]")
    section.get_by_label("Number").fill("6")
    section.get_by_label("Symmetry").select_option("rotation180")
    tab.button("Generate").click()
    tab.wait_for_text("6 generated")


def show_run(tab: Tab) -> None:
    """A run is shown."""
    tab.page.get_by_text("first", exact=True).first.click()
    tab.page.wait_for_timeout(2500)


VIEWS: Final[dict[str, tuple[str, Callable[[Tab], None]]]] = {
    "board": (PUZZLE, ask),
    "reasoning": (HARD, reason),
    "image": (PUZZLE, read_image),
    "generate": (PUZZLE, generate),
    "runs": (PUZZLE, show_run),
}
LOOKS: Final = {"light": (1280, False), "dark": (1280, True), "narrow": (360, False)}


MOST_ROWS: Final = 1700
"""Height of a screenshot at the width of a telephone, which one scrolls, in pixels."""


def save(tab: Tab, name: str, *, is_whole: bool) -> None:
    """Save a screenshot with few colours: of the window, or of the page if `is_whole`."""
    tab.page.evaluate("scrollTo(0, 0)")
    tab.page.wait_for_timeout(300)
    shot = Image.open(io.BytesIO(tab.page.screenshot(full_page=is_whole))).convert("RGB")
    shot = shot.crop((0, 0, shot.width, min(shot.height, MOST_ROWS)))
    shot.quantize(COLOURS, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


def main() -> None:
    """Make all screenshots."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        words = "run --dataset seeds --backend native cnf cpsat --repeat 3 --out results/first"
        command = [sys.executable, "-m", "harness", *words.split()]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        workbench = Workbench(folder)
        browser: Any = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            for look, (width, dark) in LOOKS.items():
                for view, (puzzle, show) in VIEWS.items():
                    scheme = "dark" if dark else "light"
                    size = {"width": width, "height": 900 if width > 400 else 740}
                    context = browser.new_context(viewport=size, color_scheme=scheme)
                    tab = Tab(context, workbench)
                    tab.goto(f"/#{view}?shape=9x9&puzzle={puzzle}")
                    tab.page.wait_for_timeout(300)
                    show(tab)
                    save(tab, f"{view}-{look}", is_whole=look == "narrow")
                    context.close()
        finally:
            browser.close()
            workbench.stop()


if __name__ == "__main__":
    main()
