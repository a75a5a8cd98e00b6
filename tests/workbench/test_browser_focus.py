"""The focus never falls to the body, and what has it is visible in forced colours too."""

from typing import Any

import pytest

from tests.workbench.conftest import OpenPage
from tests.workbench.server import PUZZLE
from tests.workbench.tab import Tab

# The driver leaves a socket to the garbage collector when it ends.
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.long]

FOCUSED = """() => {
  const of = document.activeElement;
  return of.getAttribute("aria-label") ?? (of === document.body ? "the body" : of.textContent);
}"""


LOOK = """element => {
  const style = getComputedStyle(element);
  return [style.outlineStyle, parseFloat(style.outlineWidth), style.backgroundColor];
}"""
LINES = """all => all.map(element => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size;
})"""
"""The number of lines of each element."""


def focused(tab: Tab) -> str:
    """The name of the element with the focus, after the browser has laid the page out."""
    tab.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    found: str = tab.page.evaluate(FOCUSED)
    return found


def test_undo_and_redo_hand_the_focus_to_each_other(open_page: OpenPage) -> None:
    tab = open_page()
    tab.page.click(".cell >> nth=0")
    tab.keys("5")
    tab.button("Undo").focus()
    tab.keys("Enter")
    assert focused(tab) == "Redo"
    tab.keys("Enter")
    assert focused(tab) == "Undo"
    assert tab.values()[0] == "5"


def test_a_question_and_its_end_keep_the_focus(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=9x9")
    for name in ("native", "cpsat", "milp"):
        tab.page.get_by_label(name, exact=True).uncheck()
    tab.page.get_by_label("Task").select_option("count")
    tab.page.get_by_label("Limit of the count").fill("1000000000000")
    tab.button("Ask").focus()
    tab.keys("Enter")
    tab.page.wait_for_selector("tr[data-state=running]")
    assert focused(tab) == "Ask"
    tab.button("Cancel").focus()
    tab.keys("Enter")
    tab.page.wait_for_selector("tr[data-state=cancelled]")
    assert tab.button("Cancel").is_disabled()
    assert focused(tab) == "Ask"


def test_steps_of_the_reasoning_keep_the_focus(open_page: OpenPage) -> None:
    tab = open_page()
    tab.open_puzzle(PUZZLE)
    tab.page.click("#views a[data-view=reasoning]")
    tab.button("Show the reasoning").focus()
    tab.keys("Enter")
    tab.until("/^Step 1 of \\d+$/.test(document.querySelector('.count').textContent)")
    assert tab.page.evaluate("document.activeElement.className") == "present"
    tab.button("Back").focus()
    tab.keys("Enter")
    assert focused(tab) == "Play"
    tab.button("Last").focus()
    tab.keys("Enter")
    assert focused(tab) == "Play"
    tab.button("Open on the board").focus()
    tab.keys("Enter")
    tab.page.wait_for_selector("section[aria-label=Board]:not([hidden])")
    assert focused(tab).startswith("R1C1, 5")


def test_a_new_shape_keeps_the_focus_on_the_board(open_page: OpenPage) -> None:
    tab = open_page()
    tab.page.click(".cell >> nth=80")
    tab.paste("1" + "." * 15)
    tab.has_cells(16)
    assert focused(tab) == "R4C4, blank"
    tab.keys("Control+z")
    assert focused(tab).startswith("R")
    tab.keys("Control+y")
    assert tab.values() == "1" + "." * 15
    assert focused(tab) == "R4C4, blank"


def test_a_click_beside_everything_takes_the_focus_away(open_page: OpenPage) -> None:
    tab = open_page()
    tab.button("Empty board").focus()
    tab.page.mouse.click(640, 856)
    tab.keys("Control+z")
    focused(tab)
    assert tab.page.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("dark", [False, True])
def test_forced_colours_show_the_cell_and_the_view(open_page: OpenPage, dark: bool) -> None:
    tab = open_page(dark=dark, forced_colors="active")
    tab.open_puzzle(PUZZLE[:79] + "99")  # a conflict
    page = tab.page

    def look(selector: str) -> list[Any]:
        found: list[Any] = page.locator(selector).evaluate(LOOK)
        return found

    for at in (0, 80):
        cell = f".cell >> nth={at}"
        page.click(cell)
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowRight")
        assert look(cell)[:2] == ["double", 5]
        page.get_by_label("Shape", exact=True).first.focus()
        assert look(cell)[:2] == ["solid", 3]
    assert look(".cell >> nth=40")[0] == "none"
    assert look("#views a[data-view=board]")[2] != look("#views a[data-view=runs]")[2]


@pytest.mark.parametrize("width", [360, 1280])
def test_words_of_the_answers_are_not_broken(open_page: OpenPage, width: int) -> None:
    tab = open_page(width=width)
    tab.open_puzzle(PUZZLE)
    spec = "cnf[nothing=1]"  # its answer is a long reason
    tab.page.get_by_label("Configuration", exact=True).fill(spec)
    tab.button("Add").click()
    tab.button("Ask").click()
    ended = "tr:is([data-state=answered], [data-state=failed])"
    tab.until("rows => document.querySelectorAll(rows).length === 5", ended)
    for cells in (".answers thead th:not(:last-child)", ".answers button"):
        assert set(tab.page.eval_on_selector_all(cells, LINES)) == {1}, cells
    names = tab.page.eval_on_selector_all(".answers tbody th", LINES)
    assert names == [1, 1, 1, 1, 2 if width == 360 else 1]  # cnf[ nothing=1]
    assert tab.page.eval_on_selector_all(".answers .reason", LINES) == [3 if width == 360 else 2]
    overflow = "document.querySelector('.answers').parentElement"
    assert tab.page.evaluate(f"{overflow}.scrollWidth - {overflow}.clientWidth") <= 0
    assert tab.fits()
