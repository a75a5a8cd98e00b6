"""An image and a drawing in a real browser."""

from pathlib import Path

import pytest

from tests.extensions.workbench.conftest import OpenPage
from tests.extensions.workbench.server import PUZZLE
from tests.extensions.workbench.tab import Tab

pytestmark = pytest.mark.long


SEVEN = [(0.3, 0.2), (0.7, 0.2), (0.4, 0.85)]


@pytest.fixture
def good(image: bytes, tmp_path: Path) -> Path:
    """The file with the image."""
    file = tmp_path / "good.png"
    file.write_bytes(image)
    return file


@pytest.fixture
def read_page(open_page: OpenPage, good: Path) -> Tab:
    """A page that has read the image."""
    tab = open_page("/#image")
    tab.page.set_input_files("input[type=file]", good)
    tab.wait_for_text("This reading has exactly one solution.")
    return tab


def click(tab: Tab, view: str, cell: int) -> None:
    tab.page.locator(f"section[aria-label={view}] .cell").nth(cell).click()


def test_an_image_is_read_corrected_by_drawing_and_opened(read_page: Tab) -> None:
    tab, page = read_page, read_page.page
    assert tab.values() == PUZZLE
    assert page.locator(".outline polygon").count() == 1
    click(tab, "Image", 2)
    tab.draw("Image", SEVEN)
    tab.wait_for_text("You changed the reading.")
    assert tab.values() == PUZZLE[:2] + "7" + PUZZLE[3:]
    assert page.locator("section[aria-label=Image] .cell.conflict").count() > 0
    page.keyboard.press("Delete")
    tab.button("Open on the board").click()
    page.wait_for_selector("section[aria-label=Board]:not([hidden])")
    assert page.evaluate("location.hash").startswith("#board?shape=9x9&puzzle=53")


def test_an_image_that_is_not_read_leaves_the_one_before_with_its_puzzle(
    open_page: OpenPage, good: Path, tmp_path: Path
) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="pillow is not installed")
    bad = tmp_path / "bad.png"
    pillow.new("L", (400, 300), 255).save(bad)
    tab = open_page("/#image")
    page = tab.page
    natural_width = "document.querySelector('.read-image').naturalWidth"
    page.set_input_files("input[type=file]", bad)
    tab.wait_for_text("The image was not read.")
    assert page.evaluate(natural_width) == 400  # without an earlier one, the page shows what it was
    assert tab.button("Open on the board").is_disabled()
    page.set_input_files("input[type=file]", good)
    tab.wait_for_text("This reading has exactly one solution.")
    width = page.evaluate(natural_width)
    assert width != 400
    click(tab, "Image", 2)
    tab.keys("4")
    page.set_input_files("input[type=file]", bad)
    tab.wait_for_text("The image was not read. This is still the previous image, with its puzzle.")
    assert page.evaluate(natural_width) == width
    assert page.locator(".outline polygon").count() == 1
    assert tab.values() == PUZZLE[:2] + "4" + PUZZLE[3:]
    tab.wait_for_text("You changed the reading.")
    assert tab.button("Open on the board").is_enabled()


def test_corrections_of_an_image_are_undone(read_page: Tab) -> None:
    tab, page = read_page, read_page.page
    assert tab.button("Undo").is_disabled()
    click(tab, "Image", 2)
    tab.keys("4", "ArrowRight", "6")
    assert tab.values() == PUZZLE[:2] + "46" + PUZZLE[4:]
    page.keyboard.press("Control+z")
    assert tab.values() == PUZZLE[:2] + "4" + PUZZLE[3:]
    tab.wait_for_text("You changed the reading.")
    tab.button("Undo").click()
    assert tab.values() == PUZZLE
    tab.wait_for_text("This reading has exactly one solution.")
    assert page.evaluate("document.activeElement.textContent") == "Redo"
    tab.button("Redo").click()
    page.keyboard.press("Control+y")
    assert tab.values() == PUZZLE[:2] + "46" + PUZZLE[4:]
    assert page.evaluate("document.activeElement.textContent") == "Undo"
    tab.keys("Control+Shift+z", "Control+z")  # for the first, nothing is left
    assert tab.values() == PUZZLE[:2] + "4" + PUZZLE[3:]


ONE = [(0.5, 0.15), (0.5, 0.85)]
WAVE = [(0.1, 0.5), (0.3, 0.3), (0.5, 0.5), (0.7, 0.3), (0.9, 0.5)]
"""Most probably no value."""
BLANK = "." * 81


def test_a_drawn_value_goes_into_the_cell_in_which_the_drawing_began(open_page: OpenPage) -> None:
    tab = open_page()
    click(tab, "Board", 0)
    tab.draw("Board", SEVEN)
    click(tab, "Board", 4)
    tab.wait_for_text("R1C1 was read as 7.")
    assert tab.values() == "7" + BLANK[1:]
    # A drawing for another cell begins before the first was read: they are two.
    tab.draw("Board", SEVEN)
    click(tab, "Board", 8)
    tab.draw("Board", ONE)
    tab.wait_for_text("R1C9 was read as 1.")
    assert tab.values() == "7...7...1" + BLANK[9:]


def test_a_drawing_for_a_board_of_another_shape_is_not_written(open_page: OpenPage) -> None:
    tab = open_page()
    click(tab, "Board", 80)
    tab.draw("Board", SEVEN)
    tab.choose_shape("4x4")
    tab.wait_for_text("The board has another shape now")
    assert tab.values() == "." * 16


@pytest.mark.parametrize("points", [[(0.5, 0.5)], WAVE])
def test_what_is_hardly_a_value_writes_nothing(
    open_page: OpenPage, points: list[tuple[float, float]]
) -> None:
    tab = open_page()
    click(tab, "Board", 0)
    tab.draw("Board", points)
    tab.wait_for_text("Nothing was written into R1C1")
    assert tab.values() == BLANK


def test_symbols_of_large_boards_are_offered_as_letters(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=16x16")
    click(tab, "Board", 0)
    for points in ([(0.25, 0.9), (0.5, 0.1), (0.75, 0.9)], [(0.35, 0.6), (0.65, 0.6)]):
        tab.draw("Board", points)
    tab.wait_for_text("R1C1 was read as A.")
    assert tab.values()[0] == "A"
