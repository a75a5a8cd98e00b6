"""The board and its panels in a real browser."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.extensions.workbench.conftest import OpenPage
from tests.extensions.workbench.server import PUZZLE, SOLUTION, Workbench
from tests.extensions.workbench.tab import Tab

pytestmark = pytest.mark.long


def test_letters_are_values_of_large_boards(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=16x16")
    tab.has_cells(256)
    tab.type_values(17, "a", "ArrowRight", "G", "ArrowRight", "h")
    assert tab.values()[17:20] == "AG."


def test_conflicts_and_cells_without_candidates_show_at_once(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=4x4")
    page = tab.page
    tab.has_cells(16)
    tab.type_values(0, "1", "ArrowRight", "1")
    assert page.locator(".cell.conflict").count() == 2
    assert "2 cells in conflict" in page.inner_text(".stage [role=status]")
    assert page.get_attribute(".cell >> nth=1", "aria-label") == "R1C2, 1, conflict"
    tab.keys("2", "ArrowRight", "3")
    tab.type_values(7, "4")
    assert page.locator(".cell.conflict").count() == 0
    (empty,) = page.locator(".cell.empty-handed").all()
    assert empty.get_attribute("aria-label") == "R1C4, blank, no candidate"


def test_candidates_are_typed_and_shown(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=4x4&puzzle=12..............")
    page = tab.page
    tab.has_cells(16)
    tab.type_values(2, "Shift+Digit3", "Shift+Digit4")
    assert tab.marks(2) == ["3", "4"]
    tab.keys("Shift+Digit4")
    assert tab.marks(2) == ["3"]
    tab.button("Candidates").click()
    tab.type_values(5, "4")
    assert tab.marks(5) == ["4"]
    page.get_by_label("Show all candidates").check()
    assert tab.marks(15) == ["1", "2", "3", "4"]
    assert tab.marks(4) == ["3", "4"]


def test_several_puzzles_of_a_text_are_offered(open_page: OpenPage) -> None:
    tab = open_page()
    tab.page.get_by_label("Text with puzzles").fill(f"{SOLUTION}\n{PUZZLE}\n")
    tab.button("Read the text").click()
    tab.page.get_by_label("2 puzzles").select_option(label="2")
    tab.has(30, ".cell.given")
    assert tab.values() == PUZZLE


def test_drawings_are_downloaded(open_page: OpenPage) -> None:
    tab = open_page()
    tab.open_puzzle(PUZZLE)
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with tab.page.expect_download() as download:
            tab.button(kind).click()
        assert Path(download.value.path()).read_bytes().startswith(start)
        assert download.value.suggested_filename == f"puzzle.{kind.lower()}"


def test_four_backends_answer(open_page: OpenPage) -> None:
    tab = open_page()
    tab.open_puzzle(PUZZLE)
    tab.button("Ask").click()
    page = tab.page
    tab.wait_for_answers(4)
    rows = page.locator("tr[data-state=answered]").all()
    for row, name in zip(rows, ["native", "cpsat", "milp", "cnf"], strict=True):
        assert re.match(rf"{name}\s+solved\s+[\d.]+(µs|ms|s)", row.inner_text())
    tab.button("Show the solution of cnf").click()
    assert tab.values() == SOLUTION
    assert page.locator(".cell.found").count() == 51
    tab.type_values(2, "1")
    assert page.locator(".cell.found").count() == 0


def test_every_shape_is_offered_and_drawn(open_page: OpenPage) -> None:
    tab = open_page()
    shapes = tab.page.get_by_label("Shape", exact=True).first
    script = "all => all.map(option => option.value)"
    for name in tab.page.eval_on_selector_all("select[aria-label=Shape] option", script):
        shapes.select_option(name)
        tab.has_cells(tab.workbench.got(f"/api/shape?name={quote(name)}")["size"] ** 2)
        board = tab.page.locator(".board").bounding_box()
        assert abs(board["width"] - board["height"]) < 1
    assert tab.messages == []


def test_a_touch_or_a_click_on_the_keypad_types(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=6x6", width=360)
    tab.page.click(".cell >> nth=7")
    tab.button("Value 4").click()
    assert tab.values()[7] == "4"
    tab.button("Clear the cell").click()
    assert tab.values()[7] == "."


def test_a_phone_shows_board_keypad_and_ask_at_once(open_page: OpenPage) -> None:
    tab = open_page(width=390, height=844)
    for name in ("Value 9", "Ask"):
        box = tab.button(name).bounding_box()
        assert box["y"] + box["height"] <= 844
    assert tab.fits()
    tab.button("Ask").click()
    tab.button("Show the solution of native").click()
    assert tab.button("Hide the solution").is_visible()
    assert tab.fits()


def test_nothing_overflows_the_page(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=25x25", width=360)
    for view in ("board", "generate"):
        tab.show_view(view)
        assert tab.fits()


def test_the_page_goes_on_after_the_server_was_started_again(
    browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("again")
    first = Workbench(folder)
    tab = Tab(browser.new_context(), first)
    tab.page.wait_for_selector(".board .cell")
    tab.type_values(0, "5")
    first.stop()
    again = f"Start harness workbench --port {first.port} again."
    tab.wait_for_text(f"The server does not answer. {again}")
    tab.keys("ArrowRight", "3")
    second = Workbench(folder, port=first.port)
    tab.wait_for_text("The server was restarted.")
    assert tab.values() == "53" + "." * 79
    tab.button("Ask").click()
    tab.page.wait_for_selector("tr[data-state=answered]")
    tab.context.close()
    second.stop()


def test_puzzles_are_generated_and_opened(open_page: OpenPage) -> None:
    tab = open_page("/#generate")
    page = tab.page
    section = page.locator("section[aria-label=Generate]")
    section.get_by_label("Shape").select_option("4x4")
    section.get_by_label("Number").fill("3")
    assert not tab.button("Save all as lines").is_visible()
    tab.button("Generate").click()
    tab.wait_for_text("3 generated")
    assert tab.button("Save all as lines").is_visible()
    assert section.locator("tbody tr").count() == 3
    headers = section.locator("th").all_text_contents()
    assert headers == ["Number", "Givens", "Solutions", "Actions"]
    tab.button("Open puzzle 2 on the board").click()
    page.wait_for_selector("section[aria-label=Board]:not([hidden])")
    assert len(tab.values()) == 16
    assert 4 <= len(tab.values().replace(".", "")) < 16
    tab.show_view("generate")
    section.get_by_role("textbox", name="Clues").fill("99")
    tab.button("Generate").click()
    page.wait_for_selector("#messages .bad")


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


VARIANT = "4x4; killer 3: R1C1 R1C2; thermometer: R3C1 R3C2 R4C3; sandwich 5: R2C1 R2C2 R2C3 R2C4"
DRAWN = (
    "all => all.map(image => [image.complete, image.naturalWidth / image.naturalHeight, "
    "image.getBoundingClientRect().width])"
)


def test_constraints_are_drawn_on_the_board_and_checked(open_page: OpenPage) -> None:
    tab = open_page(f"/#board?{urlencode({'shape': VARIANT, 'puzzle': '4' + '.' * 15})}")
    page = tab.page
    tab.has_cells(16)
    status = page.locator(".stage [role=status]")
    tab.until("document.querySelector('.stage [role=status]').textContent.includes('unmet')")
    assert "4x4+killer+thermometer+sandwich" in status.inner_text()
    assert "fit killer 3: R1C1 R1C2" in status.inner_text()
    assert page.locator(".cell.conflict").count() == 1
    under, over = page.eval_on_selector_all(".board img.layer", DRAWN)
    assert under == over
    assert under[0]
    # The clue of the sandwich has room to the left of the grid.
    assert under[1] == pytest.approx((4 + 0.9) / 4, rel=0.01)
    board = page.eval_on_selector(".board", "of => of.getBoundingClientRect().width")
    assert under[2] == pytest.approx(board * (4 + 0.9) / 4, rel=0.02)


def test_constraints_are_typed_kept_in_links_and_texts_and_solved(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=4x4&puzzle=1" + "." * 15)
    page = tab.page
    tab.has_cells(16)
    area = page.get_by_role("textbox", name="Constraints", exact=True)
    area.fill("killer 3: R1C1 R1C2\nthermometer: R2C1 R2C2")
    tab.button("Apply").click()
    tab.has(2, ".board img.layer")
    assert tab.values() == "1" + "." * 15
    assert "4x4+killer+thermometer" in page.inner_text(".stage [role=status]")
    tab.button("Write it here").click()
    text = page.get_by_label("Text with puzzles")
    tab.until("document.querySelector('[aria-label=\"Text with puzzles\"]').value.length > 0")
    assert "# shape: 4x4; killer 3: r1c1 r1c2; thermometer: r2c1 r2c2" in text.input_value()
    tab.button("Undo").click()
    assert area.input_value() == ""
    assert page.locator(".board img.layer").count() == 0
    tab.button("Read the text").click()
    tab.has(2, ".board img.layer")
    assert area.input_value() == "killer 3: R1C1 R1C2\nthermometer: R2C1 R2C2"
    area.fill("killer 3: R1C1 R9C9")
    tab.button("Apply").click()
    assert "unknown cell r9c9" in page.locator("#messages .bad").inner_text()
