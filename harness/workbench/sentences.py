"""Errors as one line of text for a page."""

from typing import Final

from harness.text import printable, shortened

_LONGEST: Final = 600


def sentence(text: object) -> str:
    """A text or an error as one printable line of at most 600 characters."""
    return shortened(printable(" ".join(str(text).split())), _LONGEST)
