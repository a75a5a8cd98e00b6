"""Fields for numbers, headers of tables, and words on a trace, in a real browser."""

import pytest

from tests.extensions.workbench.conftest import OpenPage

# The driver leaves a socket to the garbage collector when it ends.
pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.long]

ESCARGOT = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."


def test_a_limit_out_of_range_is_marked_and_stays_as_it_was_typed(open_page: OpenPage) -> None:
    tab = open_page("/#reasoning")
    page = tab.page
    page.locator(".reasoning summary", has_text="Rules, search and limits").click()
    for name, wrong, right in [("Most steps", "20001", "3"), ("Time limit in s", "0", "7.5")]:
        field = page.locator(".reasoning").get_by_label(name)
        field.fill(wrong)
        note = field.evaluate("field => field.validationMessage")
        assert note
        assert page.get_by_role("alert").get_by_text(note).is_visible()
        page.keyboard.press("Tab")
        assert field.input_value() == wrong
        assert field.get_attribute("aria-invalid") == "true"
        page.locator(".reasoning summary", has_text="Rules, search and limits").click()
        tab.button("Show the reasoning").click()
        assert field.is_visible()
        assert field.evaluate("field => field === document.activeElement")
        field.fill(right)
        assert field.get_attribute("aria-invalid") == "false"
        assert page.get_by_text(note).count() == 0
    tab.open_puzzle(ESCARGOT)
    page.evaluate("location.hash = '#reasoning'")
    page.locator(".reasoning summary", has_text="Rules, search and limits").click()
    page.locator(".reasoning").get_by_label("Most steps").fill("3")
    tab.button("Show the reasoning").click()
    tab.wait_for_text("of 3")
