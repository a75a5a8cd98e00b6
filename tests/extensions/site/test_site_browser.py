"""The site of results in a browser: accessibility by axe-core, and narrow screens."""

from pathlib import Path
from typing import Any

import pytest

from tests.extensions.page import test_browser
from tests.extensions.site import test_site
from tests.extensions.workbench.test_accessibility import AXE, RULES

pytestmark = [*test_browser.pytestmark, pytest.mark.long]
browser = test_browser.browser  # fixtures
records, site_folder = test_site.records, test_site.site_folder


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_kind_of_page_is_accessible_and_narrow(
    site_folder: Path, browser: Any, scheme: str
) -> None:
    tab = browser.new_page()
    tab.emulate_media(color_scheme=scheme)
    of_each_kind = {
        path.name.partition("-")[0]: path for path in sorted(site_folder.glob("*.html"))
    }
    for kind, path in of_each_kind.items():
        tab.set_viewport_size({"width": 1280, "height": 900})
        tab.goto(path.as_uri())
        tab.evaluate(AXE.read_text(encoding="utf-8"))
        result = tab.evaluate(f"axe.run(document, {{runOnly: {RULES}}})")
        assert [(kind, rule["id"]) for rule in result["violations"]] == []
        assert len(result["passes"]) > 15
        tab.set_viewport_size({"width": 320, "height": 700})
        assert tab.evaluate("document.documentElement.scrollWidth") == 320, kind
    tab.close()
