"""How fast the workbench is, in a real browser: docs/workbench.md.

    python -m benchmarks.workbench

First paint, the time from a key press to the next frame on a board of 25 x 25 with all candidates
shown, and the time from a question to the answer of `native` on the page. Chromium runs without a
screen; a frame is what the browser would show next.
"""

import tempfile
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.records import put_record
from tests.conftest import ARGUMENTS, CHROMIUM
from tests.extensions.workbench.server import Workbench
from tests.extensions.workbench.tab import Tab

KEYS = 60
QUESTIONS = 30
LINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"

_KEY = """async ([cell, key]) => {
  document.querySelectorAll('.board .cell')[cell].focus();
  const began = performance.now();
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
  document.body.getBoundingClientRect();
  const handled = performance.now() - began;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return [handled, performance.now() - began];
}"""

_ASK = """async () => {
  await new Promise((done) => setTimeout(done, 200));  // the last messages of the question before
  const before = document.querySelector('tr[data-state]');
  const began = performance.now();
  [...document.querySelectorAll('button')].find((b) => b.textContent === 'Ask').click();
  await new Promise((done) => {
    const look = () => {
      const row = document.querySelector('tr[data-state]');
      if (row && row !== before && row.dataset.state === 'answered') done();
      else setTimeout(look, 1);
    };
    setTimeout(look, 1);
  });
  return performance.now() - began;
}"""


def first_paints(browser: Any, workbench: Workbench) -> list[float]:
    """Milliseconds from the request of the page to its first contents, without a cache."""
    times = []
    for _ in range(10):
        tab = Tab(browser.new_context(), workbench)
        tab.page.wait_for_selector(".board .cell")
        tab.page.wait_for_timeout(200)
        times.append(
            tab.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        )
        tab.context.close()
    return times


def key_presses(browser: Any, workbench: Workbench) -> tuple[list[float], list[float]]:
    """Milliseconds until a key press is handled and laid out, and until the next frame."""
    tab = Tab(browser.new_context(viewport={"width": 1280, "height": 860}), workbench)
    tab.goto("/#board?shape=25x25")
    tab.until("() => document.querySelectorAll('.board .cell').length === 625")
    tab.page.get_by_label("Show all candidates").check()
    times = [
        tab.page.evaluate(_KEY, [number * 7 % 625, "ABCDEFGHIJ"[number % 10]])
        for number in range(KEYS)
    ]
    assert len(tab.values().replace(".", "")) > KEYS / 2
    tab.context.close()
    return [handled for handled, _ in times], [frame for _, frame in times]


def answers(browser: Any, workbench: Workbench) -> list[float]:
    """Milliseconds from the click to the answer of `native` on the page."""
    tab = Tab(browser.new_context(), workbench)
    tab.open_puzzle(LINE)
    for name in ("cpsat", "milp", "cnf"):
        tab.page.get_by_label(name, exact=True).uncheck()
    times = [tab.page.evaluate(_ASK) for _ in range(QUESTIONS)]
    tab.context.close()
    return times


def main() -> None:
    """Measure, print the table, and replace that of the page."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        workbench = Workbench(Path(name))
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            handled, frames = key_presses(browser, workbench)
            rows = [
                ("first paint", first_paints(browser, workbench), 500),
                ("key press on 25x25 with all candidates, until laid out", handled, 50),
                ("the same, until the next frame", frames, 50),
                (
                    "question to `native`, until its answer is shown",
                    answers(browser, workbench),
                    100,
                ),
            ]
        finally:
            browser.close()
            workbench.stop()
    lines = [
        "| what | median, ms | bound of the median, ms | 95 % below, ms |",
        "|---|---:|---:|---:|",
    ]
    for meaning, times, bound in rows:
        most = quantiles(times, n=20)[-1]
        lines.append(f"| {meaning} | {median(times):.1f} | {bound} | {most:.1f} |")
    print("\n".join(lines))
    put_record("workbench-times", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
