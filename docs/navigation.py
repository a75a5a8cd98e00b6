"""The navigation of the documentation site, read from the table of pages in docs/README.md."""

import re
from collections.abc import Mapping
from posixpath import dirname, join, normpath
from typing import Final

HOME: Final = "README"
"""The page that the site opens with."""
INDEX: Final = "docs/README"
"""The page with the table of all pages."""

_GROUP: Final = re.compile(r"\|\s*\*\*(.+?)\*\*\s*\|\s*\|")
_PAGE: Final = re.compile(r"\]\((\S+?)\.(?:md|ipynb)\)")


def groups(index: str) -> dict[str, list[str]]:
    """The pages of each group, in order, as paths in the project without suffix.

    A row of the table that has one cell in bold starts a group; the links of the rows below
    are its pages. The page with the table is the first of the first group.

    Args:
        index: the text of the page `INDEX`.

    Raises:
        ValueError: the page has no such table, a page precedes the first group, or a page
            occurs twice.
    """
    groups: dict[str, list[str]] = {}
    for line in index.splitlines():
        if start := _GROUP.fullmatch(line.strip()):
            groups[start[1]] = [] if groups else [INDEX]
            continue
        for link in _PAGE.findall(line) if line.startswith("|") else ():
            page = normpath(join(dirname(INDEX), link))
            if not groups:
                raise ValueError(f"docs/README.md: {page} precedes the first group of pages")
            if page in pages(groups):
                raise ValueError(f"docs/README.md: {page} occurs twice in the table of pages")
            groups[list(groups)[-1]].append(page)
    if not groups:
        raise ValueError("docs/README.md: no groups of pages")
    return groups


def pages(groups: Mapping[str, list[str]]) -> list[str]:
    """All pages, in order."""
    return [page for group in groups.values() for page in group]


def toctrees(groups: Mapping[str, list[str]]) -> str:
    """The groups as directives, from which Sphinx makes the navigation."""
    parts = []
    for caption, names in groups.items():
        listed = "\n".join(f"/{name}" for name in names)
        parts.append(f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n")
    return "\n".join(parts)
