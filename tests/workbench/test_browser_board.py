"""The board and its panels in a real browser."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.workbench.conftest import OpenPage
from tests.workbench.server import Workbench

# The driver leaves a socket to the garbage collector when it ends.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

WIKIPEDIA = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def test_a_puzzle_is_typed_with_the_keyboard_and_undone(open_page: OpenPage) -> None:
    tab = open_page()
    page = tab.page
    page.click(".cell >> nth=0")
    page.keyboard.press("5")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("3")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("9")
    assert tab.values() == "53" + "." * 15 + "9" + "." * 63
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert tab.values() == "5" + "." * 80
    page.keyboard.press("Control+y")
    assert tab.values() == "53" + "." * 79
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    assert tab.values() == "53" + "." * 79  # row 2 was selected
    page.keyboard.press("Control+Home")
    page.keyboard.press("Delete")
    assert tab.values() == ".3" + "." * 79
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("7")
    assert tab.values() == ".3" + "." * 78 + "7"
    tab.button("Undo").click()
    tab.button("Redo").click()
    assert tab.values()[80] == "7"


@pytest.mark.long
def test_letters_are_values_of_large_boards(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=16x16")
    tab.page.click(".cell >> nth=17")
    for key in ("a", "ArrowRight", "G", "ArrowRight", "h"):
        tab.page.keyboard.press(key)
    assert tab.values()[17:20] == "AG."


@pytest.mark.long
def test_conflicts_and_cells_without_candidates_show_at_once(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=4x4")
    page = tab.page
    page.click(".cell >> nth=0")
    page.keyboard.press("1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("1")
    assert page.locator(".cell.conflict").count() == 2
    assert "2 cells in conflict" in page.inner_text(".stage [role=status]")
    label = page.get_attribute(".cell >> nth=1", "aria-label")
    assert label == "R1C2, 1, conflict"
    page.keyboard.press("2")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("3")
    page.click(".cell >> nth=7")
    page.keyboard.press("4")
    assert page.locator(".cell.conflict").count() == 0
    (empty,) = page.locator(".cell.empty-handed").all()
    assert empty.get_attribute("aria-label") == "R1C4, blank, no candidate"


@pytest.mark.long
def test_candidates_are_typed_and_shown(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=4x4&puzzle=12..............")
    page = tab.page
    page.click(".cell >> nth=2")
    page.keyboard.press("Shift+Digit3")
    page.keyboard.press("Shift+Digit4")
    assert tab.marks(2) == ["3", "4"]
    page.keyboard.press("Shift+Digit4")
    assert tab.marks(2) == ["3"]
    tab.button("Candidates").click()
    page.click(".cell >> nth=5")
    page.keyboard.press("4")
    assert tab.marks(5) == ["4"]
    page.get_by_label("Show all candidates").check()
    assert tab.marks(15) == ["1", "2", "3", "4"]
    assert tab.marks(4) == ["3", "4"]


@pytest.mark.long
def test_candidates_restrict_the_puzzle_on_request(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=4x4")
    page = tab.page
    page.click(".cell >> nth=0")
    page.keyboard.press("Shift+Digit2")
    page.get_by_label("Candidates restrict the puzzle").check()
    page.get_by_label("Task").select_option("count")
    tab.button("Ask").click()
    tab.wait_for_text("72 solutions")
    assert page.locator("tr[data-state=answered]").count() >= 1


@pytest.mark.long
def test_text_of_any_format_is_pasted_and_copied(open_page: OpenPage) -> None:
    tab = open_page()
    page = tab.page
    rows = "\n".join(WIKIPEDIA[at : at + 9] for at in range(0, 81, 9))
    page.evaluate("text => navigator.clipboard.writeText(text)", rows)
    page.click(".cell >> nth=0")
    page.keyboard.press("Control+v")
    tab.until("document.querySelector('.cell').textContent === '5'")
    assert tab.values() == WIKIPEDIA
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == WIKIPEDIA
    page.get_by_label("Format", exact=True).select_option("json")
    tab.button("Copy").click()
    tab.wait_for_text("Text copied.")
    assert '"shape"' in page.evaluate("navigator.clipboard.readText()")
    page.get_by_label("Text with puzzles").fill("nonsense")
    page.get_by_role("button", name="Read the text").click()
    page.wait_for_selector("#messages .bad")
    assert tab.values() == WIKIPEDIA


@pytest.mark.long
def test_several_puzzles_of_a_text_are_offered(open_page: OpenPage) -> None:
    tab = open_page()
    page = tab.page
    page.get_by_label("Text with puzzles").fill(f"{SOLUTION}\n{WIKIPEDIA}\n")
    page.get_by_role("button", name="Read the text").click()
    page.get_by_label("2 puzzles").select_option(label="2")
    tab.until("document.querySelectorAll('.cell.given').length === 30")
    assert tab.values() == WIKIPEDIA


@pytest.mark.long
def test_a_link_carries_the_puzzle(open_page: OpenPage) -> None:
    tab = open_page()
    tab.button("Copy link").click()
    tab.open_puzzle(WIKIPEDIA)
    assert tab.values() == WIKIPEDIA
    tab.page.click(".cell >> nth=2")
    tab.page.keyboard.press("4")
    tab.until("location.hash.includes('puzzle=534.7')")
    tab.page.reload()
    tab.page.wait_for_selector(".cell.given")
    assert tab.values().startswith("534.7")
    tab.button("Copy link").click()
    tab.wait_for_text("Link copied.")
    link = tab.page.evaluate("navigator.clipboard.readText()")
    other = open_page()
    other.page.goto("about:blank")
    other.page.goto(link)
    other.page.wait_for_selector(".cell.given")
    assert other.values().startswith("534.7")


@pytest.mark.long
def test_drawings_are_downloaded(open_page: OpenPage) -> None:
    tab = open_page()
    tab.open_puzzle(WIKIPEDIA)
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with tab.page.expect_download() as download:
            tab.button(kind).click()
        assert Path(download.value.path()).read_bytes().startswith(start)
        assert download.value.suggested_filename == f"puzzle.{kind.lower()}"


def test_four_backends_answer(open_page: OpenPage) -> None:
    tab = open_page()
    tab.open_puzzle(WIKIPEDIA)
    tab.button("Ask").click()
    page = tab.page
    tab.until("document.querySelectorAll('tr[data-state=answered]').length === 4")
    rows = page.locator("tr[data-state=answered]").all()
    for row, name in zip(rows, ["native", "cpsat", "milp", "cnf"], strict=True):
        assert re.match(rf"{name}\s+solved\s+[\d.]+ (us|ms|s)", row.inner_text())
    page.get_by_role("button", name="Show the solution of cnf").click()
    assert tab.values() == SOLUTION
    assert page.locator(".cell.found").count() == 51
    page.click(".cell >> nth=2")
    page.keyboard.press("1")
    assert page.locator(".cell.found").count() == 0


@pytest.mark.long
def test_answers_are_cancelled(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=9x9")
    page = tab.page
    for name in ("native", "cpsat", "milp"):
        page.get_by_label(name, exact=True).uncheck()
    page.get_by_label("Task").select_option("count")
    page.get_by_label("Limit of the count").fill("1000000000000")
    tab.button("Ask").click()
    page.wait_for_selector("tr[data-state=running]")
    tab.button("Cancel").click()
    page.wait_for_selector("tr[data-state=cancelled]")
    assert tab.button("Cancel").is_disabled()


@pytest.mark.long
def test_every_shape_is_offered_and_drawn(open_page: OpenPage) -> None:
    tab = open_page()
    shapes = tab.page.get_by_label("Shape", exact=True).first
    for name in tab.page.eval_on_selector_all(
        "select[aria-label=Shape] option",
        "all => all.map(option => option.value)",
    ):
        shapes.select_option(name)
        size = tab.workbench.get("/api/shape?name=" + name.replace("+", "%2B"))["size"]
        tab.until("size => document.querySelectorAll('.board .cell').length === size * size", size)
        board = tab.page.locator(".board").bounding_box()
        assert abs(board["width"] - board["height"]) < 1
    assert tab.messages == []


@pytest.mark.long
def test_a_touch_or_a_click_on_the_keypad_types(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=6x6", width=360)
    tab.page.click(".cell >> nth=7")
    tab.page.get_by_role("button", name="Value 4").click()
    assert tab.values()[7] == "4"
    tab.page.get_by_role("button", name="Clear the cell").click()
    assert tab.values()[7] == "."


@pytest.mark.long
@pytest.mark.parametrize("width", [360, 768, 1920])
def test_nothing_overflows_the_page(open_page: OpenPage, width: int) -> None:
    tab = open_page("/#board?shape=25x25", width=width)
    for view in ("board", "generate"):
        tab.page.evaluate("view => { location.hash = '#' + view; }", view)
        tab.page.wait_for_selector(f"#views a[data-view={view}][aria-current=page]")
        overflow = tab.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0


@pytest.mark.long
def test_two_tabs_are_independent_and_both_get_their_answers(open_page: OpenPage) -> None:
    first, second = open_page(), open_page()
    first.open_puzzle(WIKIPEDIA)
    second.open_puzzle("1234341221434321", "4x4")
    for tab in (first, second):
        for name in ("cpsat", "milp", "cnf"):
            tab.page.get_by_label(name, exact=True).uncheck()
        tab.button("Ask").click()
    for tab in (first, second):
        tab.page.wait_for_selector("tr[data-state=answered]", timeout=60_000)
        assert tab.page.locator("tbody tr[data-state]").count() == 1
    assert first.values() == WIKIPEDIA
    assert second.values() == "1234341221434321"


@pytest.mark.long
def test_the_page_goes_on_after_the_server_was_started_again(
    browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from tests.workbench.tab import Tab

    folder = tmp_path_factory.mktemp("again")
    first = Workbench(folder)
    tab = Tab(browser.new_context(), first)
    tab.page.wait_for_selector(".board .cell")
    tab.page.click(".cell >> nth=0")
    tab.page.keyboard.press("5")
    first.stop()
    again = f"Start harness workbench --port {first.port} again."
    tab.wait_for_text(f"The server does not answer. {again}")
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("3")
    second = Workbench(folder, port=first.port)
    tab.wait_for_text("The server was started again.")
    assert tab.values() == "53" + "." * 79
    tab.button("Ask").click()
    tab.page.wait_for_selector("tr[data-state=answered]", timeout=60_000)
    tab.context.close()
    second.stop()


@pytest.mark.long
def test_puzzles_are_generated_and_opened(open_page: OpenPage) -> None:
    tab = open_page("/#generate")
    page = tab.page
    section = page.locator("section[aria-label=Generate]")
    section.get_by_label("Shape").select_option("4x4")
    section.get_by_label("Number").fill("3")
    tab.button("Generate").click()
    tab.wait_for_text("3 generated")
    assert section.locator("tbody tr").count() == 3
    page.get_by_role("button", name="Open puzzle 2 on the board").click()
    page.wait_for_selector("section[aria-label=Board]:not([hidden])")
    assert len(tab.values()) == 16
    assert 4 <= len(tab.values().replace(".", "")) < 16
    page.evaluate("location.hash = '#generate'")
    section.get_by_role("textbox", name="Clues").fill("99")
    tab.button("Generate").click()
    page.wait_for_selector("#messages .bad")


@pytest.mark.long
def test_the_theme_is_kept(open_page: OpenPage) -> None:
    tab = open_page(dark=True)
    background = "getComputedStyle(document.body).backgroundColor"
    dark = tab.page.evaluate(background)
    toggle = tab.page.locator("#theme")
    toggle.click()
    assert toggle.inner_text() == "Theme: light"
    assert tab.page.evaluate(background) != dark
    tab.page.reload()
    tab.page.wait_for_selector(".board .cell")
    assert toggle.inner_text() == "Theme: light"
    toggle.click()
    assert tab.page.evaluate(background) == dark
