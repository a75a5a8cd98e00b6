"""Answers and proofs belong to their puzzle, and questions of a page replace each other."""

import time

import pytest

from tests.extensions.workbench.conftest import OpenPage
from tests.extensions.workbench.server import PUZZLE, SOLUTION
from tests.extensions.workbench.tab import Tab

pytestmark = pytest.mark.long

EARLIER = "These are the answers for an earlier puzzle."
EARLIER_PROOF = "This is the proof for an earlier puzzle."


def is_shown(tab: Tab, text: str) -> bool:
    return bool(tab.page.get_by_text(text).is_visible())


def test_a_solution_is_never_shown_on_another_puzzle(open_page: OpenPage) -> None:
    tab = open_page()
    tab.open_puzzle(PUZZLE)
    tab.ask("native")
    tab.wait_for_answers()
    assert not is_shown(tab, EARLIER)
    show = tab.button("Show the solution of native")
    back = tab.button("Open that puzzle")
    assert tab.page.locator(".stale").count() == 0
    tab.button("Empty board").click()
    tab.type_values(0, "1", "ArrowRight", "2")
    assert is_shown(tab, EARLIER)
    assert tab.page.locator("table.answers.stale").count() == 1
    show.click()
    assert tab.values() == "12" + "." * 79
    assert back.evaluate("element => element === document.activeElement")
    back.click()
    assert tab.values() == SOLUTION
    assert not is_shown(tab, EARLIER)
    assert tab.page.locator(".stale").count() == 0
    tab.button("Undo").click()
    assert tab.values() == "12" + "." * 79
    tab.choose_shape("16x16")
    tab.has_cells(256)
    show.click()
    assert tab.values() == "." * 256
    tab.button("Undo").click()  # the note offers the puzzle alone again after a change
    back.click()
    assert tab.values() == PUZZLE
    show.click()
    assert tab.values() == SOLUTION


def test_candidates_that_restrict_make_another_puzzle(open_page: OpenPage) -> None:
    tab = open_page()
    tab.open_puzzle("12..............", "4x4")
    tab.ask("native")
    tab.wait_for_answers()
    tab.type_values(2, "Shift+Digit3")
    assert not is_shown(tab, EARLIER)  # a note changes nothing
    tab.page.get_by_label("Allow only these candidates").check()
    assert is_shown(tab, EARLIER)
    tab.button("Ask").click()
    tab.page.get_by_text(EARLIER).wait_for(state="hidden")


def test_answers_that_come_after_an_edit_are_marked(open_page: OpenPage) -> None:
    tab = open_page()
    tab.open_puzzle("11" + "." * 79)
    tab.ask("milp")
    tab.page.wait_for_selector("tr[data-configuration=milp]")
    tab.button("Empty board").click()
    tab.wait_for_text("unsatisfiable")
    assert is_shown(tab, EARLIER)
    cause = tab.page.get_by_text("duplicate: 1 is given 2 times in row 1: R1C1, R1C2")
    cause.wait_for()  # the answer is that for the puzzle with the duplicate
    assert cause.evaluate("element => element.classList.contains('stale')")
    tab.button("Ask").click()
    cause.wait_for(state="detached")


def test_a_proof_belongs_to_its_puzzle(open_page: OpenPage) -> None:
    tab = open_page()
    tab.open_puzzle("1234" + "." * 12, "4x4")
    tab.only("native")
    limit = tab.page.get_by_label("Limit of the count")
    assert limit.is_visible()
    limit.fill("2")
    tab.button("Prove").click()
    tab.wait_for_text("Proven: at least 2 solutions")
    assert not is_shown(tab, EARLIER_PROOF)
    colour = "element => getComputedStyle(element).color"
    proven = tab.page.get_by_text("Proven: at least 2 solutions")
    before = proven.evaluate(colour)
    tab.button("Empty board").click()
    assert is_shown(tab, EARLIER_PROOF)
    assert proven.evaluate(colour) != before
    assert proven.evaluate(colour) == tab.page.locator("p.quiet").first.evaluate(colour)
    assert not is_shown(tab, EARLIER)
    tab.button("Open that puzzle").click()
    assert tab.values() == "1234" + "." * 12
    assert not is_shown(tab, EARLIER_PROOF)


@pytest.mark.parametrize("width", [390, 1280])
def test_an_error_covers_no_control_and_leaves_with_a_success_or_the_view(
    open_page: OpenPage, width: int
) -> None:
    tab = open_page(width=width)
    tab.open_puzzle("1234" + "." * 12, "4x4")
    tab.only("native")
    errors = tab.page.locator("#messages > .bad")
    native = tab.page.get_by_role("checkbox", name="native", exact=True)
    native.uncheck()
    tab.button("Ask").click()
    errors.get_by_text("Choose a configuration first.").wait_for()
    script = """
    all => all.filter(e => {
      const box = e.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const top = y < innerHeight ? document.elementFromPoint(x, y) : e;
      return !e.contains(top) && !top.contains(e);
    }).map(e => e.textContent)
    """
    controls = tab.page.locator("button >> visible=true")
    assert controls.count() > 10
    assert controls.evaluate_all(script) == []
    tab.page.get_by_label("Text with puzzles").fill("no puzzle")
    tab.button("Read the text").click()
    errors.get_by_text("Choose a configuration first.").wait_for(state="detached")
    assert errors.count() == 1  # the next error has taken its place
    native.check()
    tab.button("Ask").click()
    tab.wait_for_answers()
    assert errors.count() == 0
    native.uncheck()
    tab.button("Ask").click()
    errors.wait_for()
    tab.page.click("#views >> text=Generate")
    errors.wait_for(state="detached")


def test_a_new_question_ends_the_earlier_one_of_its_page(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=9x9")
    tab.only("cnf")
    tab.page.get_by_label("Task").select_option("count")
    tab.page.get_by_label("Limit of the count").fill("1000000000000")
    tab.page.get_by_label("Limit of the count").blur()
    tab.type_values(0, *["Control+Enter"] * 5)
    tab.page.wait_for_selector("tr[data-state=running]")
    tab.page.get_by_label("Task").select_option("solve")
    began = time.monotonic()
    tab.type_values(0, "Control+Enter")
    tab.wait_for_answers()
    assert time.monotonic() - began < 20  # each of the earlier ones has 60 seconds
    assert tab.button("Cancel").is_disabled()
