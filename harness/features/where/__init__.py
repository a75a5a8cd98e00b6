"""Conditions on puzzles: ``clues < 20 and shape == '9x9'``.

where       a condition as a whole: `Where.parse(text).accepts(record)`
syntax      its parts, checked when it is parsed, and the functions that compute them
comparison  comparisons of two values
term        parts with their types, and columns of the text for errors
"""

from typing import TYPE_CHECKING

from harness.lazy import lazily

if TYPE_CHECKING:
    from harness.features.where.where import Where

__all__ = ["Where"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, {"harness.features.where.where": ("Where",)})
