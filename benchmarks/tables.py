"""Puts measured tables into pages of the documentation."""

from pathlib import Path
from typing import Final

DOCS: Final = Path(__file__).parents[1] / "docs"


def put_table(page: str, name: str, table: str) -> None:
    """Replace the table of a page, between the comments ``name`` and ``end of name``.

    Args:
        page: the name of the page in docs, such as `difficulty.md`.
        name: the name of the table in the comments.
        table: the lines of the table.

    Raises:
        ValueError: the page has no such comments.
    """
    path = DOCS / page
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    text = path.read_text(encoding="utf-8")
    start, stop = text.index(begin) + len(begin), text.index(end)
    path.write_text(f"{text[:start]}\n{table}\n{text[stop:]}", encoding="utf-8")
