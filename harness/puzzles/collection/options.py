"""Choices of commands on datasets, without the search that they start."""

from enum import StrEnum
from typing import Final

MOST_CANONICAL: Final = 100_000
"""9x9 puzzles of a file whose equivalents are found by default: a minute of one core."""
NODES: Final = 50_000
"""The default node limit of facts: less than a second for a 25x25."""


class OnDuplicate(StrEnum):
    """What happens to a puzzle that is the same as an earlier one, or equivalent."""

    KEEP = "keep"
    SKIP = "skip"
    ERROR = "error"
