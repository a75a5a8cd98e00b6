"""What all documents share."""

from typing import Any

from msgspec import Meta, Struct

from harness.report.render.json import Cell

Row = dict[str, Cell]
"""A row of a table; the keys are the columns in docs/measures.md."""


def says(text: str) -> Any:
    """The meaning of a key."""
    return Meta(description=text)


class Document(Struct, forbid_unknown_fields=True):
    """Base of all documents and their parts."""
