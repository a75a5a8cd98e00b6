"""The puzzle of the page in a real browser: its address, copy and paste, drawings and history."""

from typing import Any
from urllib.parse import quote

import pytest

from harness.extensions.workbench.boards import read
from harness.puzzles import Puzzle, Shape
from tests.extensions.workbench.conftest import OpenPage
from tests.extensions.workbench.server import PUZZLE, SOLUTION
from tests.extensions.workbench.tab import Tab
from tests.extensions.workbench.test_boards import JIGSAW

pytestmark = pytest.mark.long

CLIPBOARD = "navigator.clipboard.readText()"


def reload(tab: Tab) -> None:
    tab.page.reload()
    tab.page.wait_for_selector("#main > section:not([hidden])")


def restricting(tab: Tab) -> bool:
    return bool(tab.page.get_by_label("Allow only these candidates").is_checked())


def test_every_view_keeps_the_puzzle_in_its_address(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=4x4")
    tab.has_cells(16)
    tab.type_values(0, "3", "ArrowRight", "4")
    entries = tab.page.evaluate("history.length")
    for view in ("reasoning", "image", "generate", "runs", "board"):
        tab.show_view(view)
        tab.until("view => location.hash.startsWith(`#${view}?`)", view)
        assert "puzzle=34.............." in tab.page.evaluate("location.hash")
    assert tab.page.evaluate("history.length") == entries + 5  # one for each click
    for view in ("reasoning", "runs"):
        tab.show_view(view)
        reload(tab)
        tab.show_view("board")
        assert tab.values() == "34.............."


def test_the_address_and_links_carry_the_candidates(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=4x4&puzzle=1...............")
    tab.has_cells(16)
    tab.type_values(1, "Shift+Digit2", "Shift+Digit4", "ArrowRight", "Shift+Digit3")
    tab.until("location.hash.includes('candidates=.a4')")
    reload(tab)
    assert (tab.marks(1), tab.marks(2), restricting(tab)) == (["2", "4"], ["3"], False)
    tab.page.get_by_label("Allow only these candidates").check()
    tab.button("Copy link").click()
    tab.wait_for_text("Link copied.")
    link = tab.page.evaluate(CLIPBOARD)
    other = open_page()
    other.page.goto("about:blank")
    other.page.goto(link)
    other.page.wait_for_selector(".cell.given")
    assert other.values() == "1..............."
    assert (other.marks(1), other.marks(2), restricting(other)) == (["2", "4"], ["3"], True)
    other.page.get_by_label("Task").select_option("count")
    other.button("Ask").click()
    other.wait_for_text("24 solutions")


def test_the_position_of_the_reasoning_survives_a_reload(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=4x4&puzzle=12..............")
    tab.has_cells(16)
    tab.show_view("reasoning")
    tab.button("Show the reasoning").click()
    tab.until("/^Step 1 of \\d+$/.test(document.querySelector('.count').textContent)")
    tab.button("Open on the board").click()
    tab.page.wait_for_selector("section[aria-label=Board]:not([hidden])")
    marks = [tab.marks(cell) for cell in range(16)]
    assert any(marks)
    reload(tab)
    assert [tab.marks(cell) for cell in range(16)] == marks
    assert restricting(tab)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("puzzle=9...............", "'9' is not a value of 4x4"),
        ("puzzle=😀..............", "invalid symbol '😀'"),
        ("candidates=..x", 'malformed at R1C3: "x"; expected . or a digit of base 32'),
        ("restrict=yes", "restrict=yes"),
    ],
)
def test_a_broken_link_is_refused_as_a_paste_is(
    open_page: OpenPage, query: str, message: str
) -> None:
    tab = open_page(f"/#board?shape=4x4&{quote(query, safe='=&.')}")
    tab.page.wait_for_selector("#messages .bad")
    assert message in tab.page.inner_text("#messages")
    tab.has_cells(16)
    assert tab.values() == "." * 16
    tab.type_values(15, "4")
    assert tab.values() == "." * 15 + "4"


@pytest.mark.parametrize(
    ("shape", "line", "keys"),
    [
        ("9x9", PUZZLE, []),
        (JIGSAW, "1" + "." * 80, []),
        ("16x16", "G" + "." * 255, []),
        ("4x4+diagonal", "1" + "." * 15, ["Shift+Digit1", "Shift+Digit2"]),
    ],
)
def test_what_is_copied_reads_back_as_the_same_puzzle(
    open_page: OpenPage, shape: str, line: str, keys: list[str]
) -> None:
    tab = open_page()
    tab.open_puzzle(line, shape)
    marks = None
    if keys:
        tab.type_values(5, *keys)
        tab.page.get_by_label("Allow only these candidates").check()
        marks = (1, *(15,) * 4, 0b11, *(15,) * 10)
    tab.type_values(0, "Control+c")
    text = tab.page.evaluate(CLIPBOARD)
    if shape == "9x9":
        assert text == line
    (again,) = read(text).puzzles
    plain = Puzzle.of_line(line, Shape.parse(shape))
    assert again.puzzle() == Puzzle(plain.shape, plain.givens, marks)
    size = plain.shape.size**2
    tab.button("Empty board").click()
    tab.choose_shape("6x6")
    tab.has_cells(36)
    tab.keys("Control+v")
    tab.has_cells(size)
    assert tab.values() == line
    assert restricting(tab) == bool(keys)


def test_paste_copy_and_undo_work_wherever_the_focus_is(open_page: OpenPage) -> None:
    tab = open_page()
    tab.paste(PUZZLE)  # nothing was clicked yet
    tab.has(30, ".cell.given")
    tab.keys("Control+z")
    assert tab.values() == "." * 81
    tab.show_view("image")
    tab.show_view("board")
    tab.paste(PUZZLE)
    tab.has(30, ".cell.given")
    box = tab.page.get_by_label("Show all candidates")
    box.focus()
    tab.keys("Control+z")
    assert tab.values() == "." * 81
    tab.keys("Control+y")
    assert tab.values() == PUZZLE
    tab.page.evaluate("navigator.clipboard.writeText('')")
    tab.keys("Control+c")
    assert tab.page.evaluate(CLIPBOARD) == PUZZLE
    tab.button("Empty board").click()
    box.focus()
    tab.keys("Control+v")
    tab.has(30, ".cell.given")
    area = tab.page.get_by_label("Text with puzzles")
    area.fill("")
    area.focus()
    tab.paste("text of its own")
    assert area.input_value() == "text of its own"
    assert tab.values() == PUZZLE
    tab.show_view("generate")
    tab.paste("1" + "." * 80)
    tab.page.wait_for_timeout(300)
    tab.show_view("board")
    assert tab.values() == PUZZLE


IMAGE_IN_CLIPBOARD = """async () => {
  const canvas = new OffscreenCanvas(300, 300);
  canvas.getContext("2d").fillRect(0, 0, 9, 9);
  const blob = await canvas.convertToBlob({ type: "image/png" });
  await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
}"""


def test_an_image_is_pasted_in_its_view_and_refused_on_the_board(open_page: OpenPage) -> None:
    tab = open_page()
    tab.page.evaluate(IMAGE_IN_CLIPBOARD)
    tab.keys("Control+v")
    tab.wait_for_text("Puzzles in images are read in the view Image.")
    tab.show_view("image")
    tab.keys("Control+v")
    tab.wait_for_text("The image was not read.")


def test_a_text_is_read_in_a_chosen_format(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=4x4&puzzle=1...............")
    area = tab.page.get_by_label("Text with puzzles")
    for name in ("toml", "dzn"):
        tab.page.get_by_label("Format", exact=True).select_option(name)
        area.fill("")
        tab.button("Write it here").click()
        tab.until("document.querySelector('textarea').value.length > 9")
        for choice in ("", name):
            tab.choose_shape("6x6")
            tab.has_cells(36)
            tab.page.get_by_label("Format", exact=True).select_option(choice)
            tab.button("Read the text").click()
            tab.has_cells(16)
            assert tab.values() == "1..............."
    tab.page.get_by_label("Format", exact=True).select_option("sdm")
    tab.button("Read the text").click()
    tab.page.wait_for_selector("#messages .bad")


def test_a_shown_solution_is_hidden_again(open_page: OpenPage) -> None:
    tab = open_page()
    tab.open_puzzle(PUZZLE)
    tab.ask("native")
    show, hide = tab.button("Show the solution of native"), tab.button("Hide the solution")
    assert hide.count() == 0
    for how in ("Delete", "Control+z", "Shift+Digit4", "button"):
        show.click()
        assert tab.values() == SOLUTION
        if how == "button":
            hide.click()
        else:
            tab.type_values(2, how)
        assert tab.values() == PUZZLE, how
        assert tab.marks(2) == (["4"] if how == "Shift+Digit4" else []), how
        if how == "Shift+Digit4":
            tab.keys("Control+z")
            assert tab.values() == SOLUTION
            tab.keys("Control+z")
    assert tab.values() == PUZZLE


FOCUSED = """() => {
  const of = document.activeElement;
  return of.getAttribute("aria-label") ?? (of === document.body ? "the body" : of.textContent);
}"""
LOOK = """element => {
  const style = getComputedStyle(element);
  return [style.outlineStyle, parseFloat(style.outlineWidth), style.backgroundColor];
}"""
"""The number of lines of each element."""


def focus_of(tab: Tab) -> str:
    """The name of the element with the focus, after the browser has laid the page out."""
    tab.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    name: str = tab.page.evaluate(FOCUSED)
    return name


def test_undo_and_redo_hand_the_focus_to_each_other(open_page: OpenPage) -> None:
    tab = open_page()
    tab.type_values(0, "5")
    tab.button("Undo").focus()
    tab.keys("Enter")
    assert focus_of(tab) == "Redo"
    tab.keys("Enter")
    assert focus_of(tab) == "Undo"
    assert tab.values()[0] == "5"


def test_a_question_and_its_end_keep_the_focus(open_page: OpenPage) -> None:
    tab = open_page("/#board?shape=9x9")
    tab.only("cnf")
    tab.page.get_by_label("Task").select_option("count")
    tab.page.get_by_label("Limit of the count").fill("1000000000000")
    tab.button("Ask").focus()
    tab.keys("Enter")
    tab.page.wait_for_selector("tr[data-state=running]")
    assert focus_of(tab) == "Ask"
    tab.button("Cancel").focus()
    tab.keys("Enter")
    tab.page.wait_for_selector("tr[data-state=cancelled]")
    assert tab.button("Cancel").is_disabled()
    assert focus_of(tab) == "Ask"


def test_forced_colours_show_the_cell_and_the_view(open_page: OpenPage) -> None:
    tab = open_page(forced_colors="active")
    tab.open_puzzle(PUZZLE[:79] + "99")  # a conflict
    page = tab.page

    def look(selector: str) -> list[Any]:
        look: list[Any] = page.locator(selector).evaluate(LOOK)
        return look

    for at in (0, 80):
        cell = f".cell >> nth={at}"
        tab.type_values(at, "ArrowLeft", "ArrowRight")
        assert look(cell)[:2] == ["double", 5]
        page.get_by_label("Shape", exact=True).first.focus()
        assert look(cell)[:2] == ["solid", 3]
    assert look(".cell >> nth=40")[0] == "none"
    assert look("#views a[data-view=board]")[2] != look("#views a[data-view=runs]")[2]
