"""An image and a drawing in a real browser."""

import io
from pathlib import Path

import pytest

from tests.workbench.conftest import READ_LINE, OpenPage

# The driver leaves a socket to the garbage collector when it ends.
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.long]


def test_an_image_is_read_corrected_by_drawing_and_opened(
    open_page: OpenPage, image: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "board.png"
    file.write_bytes(image)
    tab = open_page("/#image")
    page = tab.page
    page.set_input_files("input[type=file]", file)
    tab.wait_for_text("This reading has exactly one solution.")
    assert tab.values() == READ_LINE
    assert page.locator(".outline polygon").count() == 1
    page.locator("section[aria-label=Image] .cell").nth(2).click()
    tab.draw("Image", [(0.3, 0.2), (0.7, 0.2), (0.4, 0.85)])
    tab.wait_for_text("You changed the reading.")
    assert tab.values() == READ_LINE[:2] + "7" + READ_LINE[3:]
    assert page.locator("section[aria-label=Image] .cell.conflict").count() > 0
    page.keyboard.press("Delete")
    tab.button("Open on the board").click()
    page.wait_for_selector("section[aria-label=Board]:not([hidden])")
    assert page.evaluate("location.hash").startswith("#board?shape=9x9&puzzle=53")


def white_image() -> bytes:
    """An image without a board."""
    pillow = pytest.importorskip("PIL.Image", reason="pillow is not installed")
    found = io.BytesIO()
    pillow.new("L", (400, 300), 255).save(found, "PNG")
    return found.getvalue()


def test_an_image_that_is_not_read_leaves_the_one_before_with_its_puzzle(
    open_page: OpenPage, image: bytes, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.png", tmp_path / "bad.png"
    good.write_bytes(image)
    bad.write_bytes(white_image())
    tab = open_page("/#image")
    page = tab.page
    shown = "document.querySelector('.read-image').naturalWidth"
    page.set_input_files("input[type=file]", bad)
    tab.wait_for_text("The image was not read.")
    assert page.evaluate(shown) == 400  # without an earlier one, the page shows what it was
    assert tab.button("Open on the board").is_disabled()
    page.set_input_files("input[type=file]", good)
    tab.wait_for_text("This reading has exactly one solution.")
    width = page.evaluate(shown)
    assert width != 400
    page.locator("section[aria-label=Image] .cell").nth(2).click()
    page.keyboard.press("4")
    page.set_input_files("input[type=file]", bad)
    tab.wait_for_text("The image was not read. This is still the image before, with its puzzle.")
    assert page.evaluate(shown) == width
    assert page.locator(".outline polygon").count() == 1
    assert tab.values() == READ_LINE[:2] + "4" + READ_LINE[3:]
    tab.wait_for_text("You changed the reading.")
    assert tab.button("Open on the board").is_enabled()


def test_corrections_of_an_image_are_undone(
    open_page: OpenPage, image: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "board.png"
    file.write_bytes(image)
    tab = open_page("/#image")
    page = tab.page
    page.set_input_files("input[type=file]", file)
    tab.wait_for_text("This reading has exactly one solution.")
    assert tab.button("Undo").is_disabled()
    page.locator("section[aria-label=Image] .cell").nth(2).click()
    page.keyboard.press("4")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("6")
    assert tab.values() == READ_LINE[:2] + "46" + READ_LINE[4:]
    page.keyboard.press("Control+z")
    assert tab.values() == READ_LINE[:2] + "4" + READ_LINE[3:]
    tab.wait_for_text("You changed the reading.")
    tab.button("Undo").click()
    assert tab.values() == READ_LINE
    tab.wait_for_text("This reading has exactly one solution.")
    assert page.evaluate("document.activeElement.textContent") == "Redo"
    tab.button("Redo").click()
    page.keyboard.press("Control+y")
    assert tab.values() == READ_LINE[:2] + "46" + READ_LINE[4:]
    assert page.evaluate("document.activeElement.textContent") == "Undo"
    page.keyboard.press("Control+Shift+z")  # nothing is left
    page.keyboard.press("Control+z")
    assert tab.values() == READ_LINE[:2] + "4" + READ_LINE[3:]
