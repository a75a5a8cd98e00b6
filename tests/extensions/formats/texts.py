"""Texts in a format: their puzzles, and the message of their error."""

from collections.abc import Callable
from typing import Any

import pytest

from harness.base.errors import PuzzleError
from harness.puzzles.formats import ParsedPuzzle, ReadSettings, TextSource
from harness.puzzles.formats.reading import format_named


def read_as(name: str, text: str, place: str = "p") -> ParsedPuzzle:
    """The single puzzle of a text in the format of this name."""
    (parsed,) = format_named(name).read(TextSource.of_text(text, place), ReadSettings())
    return parsed


def error_of(read: Callable[..., object], *arguments: Any, **keys: Any) -> str:
    """The error, of one line, of a text or an object that cannot be read."""
    try:
        read(*arguments, **keys)
    except PuzzleError as error:
        message = str(error)
    else:
        pytest.fail("no error")
    assert "\n" not in message
    return message
