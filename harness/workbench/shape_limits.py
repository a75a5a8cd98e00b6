"""Errors of shapes in terms of the page, whose boards are smaller than those of the harness."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.symbols import LARGEST

_LENGTH: Final = re.compile(r"\d+ for (\d+)x\1")
"""The length of the line of a square board."""
_SIDES: Final = (
    (re.compile(rf"\b{LARGEST}x{LARGEST}\b"), "{0}x{0}"),
    (re.compile(rf"\blatin{LARGEST}\b"), "latin{0}"),
    (re.compile(rf"\b(?<=to ){LARGEST}\b"), "{0}"),
    (re.compile(rf"\b(?<=at most ){LARGEST}\b"), "{0}"),
)
"""Where an error names the largest side."""


@contextmanager
def limited(side: int) -> Iterator[None]:
    """Let errors expect no shape with more than `side` rows.

    Raises:
        PuzzleError: that of the block, with another limit.
    """
    try:
        yield
    except PuzzleError as error:
        raise type(error)(
            error.what, where=error.where, expected=_within(error.expected, side)
        ) from None


def _within(expected: str, side: int) -> str:
    parts = expected.split(" or ")
    if all(_LENGTH.fullmatch(part) for part in parts):
        kept = [part for part in parts if int(part.rpartition("x")[2]) <= side]
        return " or ".join(kept) if kept else f"at most {side**2}"
    for pattern, limit in _SIDES:
        expected = pattern.sub(limit.format(side), expected)
    return expected
