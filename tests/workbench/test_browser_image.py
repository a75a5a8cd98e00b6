"""An image and a drawing in a real browser."""

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
    pad = page.locator("section[aria-label=Image] canvas")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    corners = [(0.3, 0.2), (0.7, 0.2), (0.4, 0.85)]
    for at, (x, y) in enumerate(corners):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=6)
        if at == 0:
            page.mouse.down()
    page.mouse.up()
    tab.wait_for_text("You changed the reading.")
    assert tab.values() == READ_LINE[:2] + "7" + READ_LINE[3:]
    assert page.locator("section[aria-label=Image] .cell.conflict").count() > 0
    page.keyboard.press("Delete")
    tab.button("Open on the board").click()
    page.wait_for_selector("section[aria-label=Board]:not([hidden])")
    assert page.evaluate("location.hash").startswith("#board?shape=9x9&puzzle=53")
