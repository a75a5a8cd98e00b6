"""The navigation of the documentation site, read from the table of pages in the README."""

import re
from collections.abc import Mapping
from typing import Final

HOME: Final = "README"
"""The page that the site opens with."""

_SECTION: Final = re.compile(r"^## Documentation\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_GROUP: Final = re.compile(r"\|\s*\*\*(.+?)\*\*\s*\|\s*\|")
_PAGE: Final = re.compile(r"\]\((\S+?)\.(?:md|ipynb)\)")


def groups(readme: str) -> dict[str, list[str]]:
    """The pages of each group, in order, as paths without suffix.

    A row of the table that has one cell in bold starts a group; the links of the rows below
    are its pages.

    Raises:
        ValueError: the README has no such table, a page precedes the first group, or a page
            occurs twice.
    """
    section = _SECTION.search(readme)
    if section is None:
        raise ValueError("README.md: no section 'Documentation'")
    found: dict[str, list[str]] = {}
    for line in section[1].splitlines():
        if start := _GROUP.fullmatch(line.strip()):
            found[start[1]] = []
            continue
        for page in _PAGE.findall(line) if line.startswith("|") else ():
            if not found:
                raise ValueError(f"README.md: {page} precedes the first group of pages")
            if page in pages(found):
                raise ValueError(f"README.md: {page} occurs twice in the table of pages")
            found[list(found)[-1]].append(page)
    if not found:
        raise ValueError("README.md: no groups of pages in section 'Documentation'")
    return found


def pages(of: Mapping[str, list[str]]) -> list[str]:
    """All pages, in order."""
    return [page for group in of.values() for page in group]


def toctrees(of: Mapping[str, list[str]]) -> str:
    """The groups as directives, from which Sphinx makes the navigation."""
    parts = []
    for caption, names in of.items():
        listed = "\n".join(f"/{name}" for name in names)
        parts.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n")
    return "\n".join(parts)
