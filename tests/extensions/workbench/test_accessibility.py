"""Accessibility of every view, by axe-core (an npm package that `.ci/run` installs)."""

from pathlib import Path

import pytest

from tests.extensions.workbench.conftest import OpenPage

pytestmark = pytest.mark.long

AXE = Path(__file__).parents[3] / "build/axe/node_modules/axe-core/axe.min.js"
VIEWS = ["board", "reasoning", "image", "generate", "runs"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm install --prefix build/axe axe-core")
    return AXE.read_text(encoding="utf-8")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("view", VIEWS)
def test_no_view_violates_a_rule(open_page: OpenPage, axe: str, view: str, dark: bool) -> None:
    line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..5."
    tab = open_page(dark=dark)
    tab.open_puzzle(line)
    tab.page.get_by_label("Show all candidates").check()
    tab.page.evaluate("view => { location.hash = '#' + view; }", view)
    tab.page.wait_for_selector(f"#views a[data-view={view}][aria-current=page]")
    tab.page.wait_for_timeout(300)
    tab.page.evaluate(axe)
    report = tab.page.evaluate(f"axe.run(document, {{runOnly: {RULES}}})")
    assert report["violations"] == []
    assert len(report["passes"]) > 15


@pytest.mark.parametrize("dark", [False, True])
def test_no_step_of_the_reasoning_violates_a_rule(
    open_page: OpenPage, axe: str, dark: bool
) -> None:
    escargot = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."
    tab = open_page(dark=dark)
    tab.open_puzzle(escargot)
    tab.page.evaluate("location.hash = '#reasoning'")
    tab.button("Show the reasoning").click()
    tab.until("/^Step 1 of \\d+$/.test(document.querySelector('.count').textContent)")
    for summary in tab.page.locator(".reasoning summary").all():
        summary.click()
    tab.page.evaluate(axe)
    for step in (0, 2, 3, 25, 60, 112, 195):
        tab.page.locator(".slider").fill(str(step))
        report = tab.page.evaluate(f"axe.run('.reasoning', {{runOnly: {RULES}}})")
        assert [rule["id"] for rule in report["violations"]] == []
