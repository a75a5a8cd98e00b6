"""Rules in words: whether they say more than the houses of a shape."""

import re
from typing import Final

from harness.errors import PuzzleError
from harness.puzzles.shape import Shape
from harness.text import short_repr

_SENTENCE: Final = re.compile(r"[^.;!\n]+")
_WORD: Final = re.compile(r"[\w'\u2019-]+")
_PLAIN: Final = frozenset(
    {
        *("a", "all", "always", "and", "any", "appear", "appears", "apply", "applies"),
        *("are", "be", "blank", "box", "boxes", "by", "cell", "cells", "classic"),
        *("column", "columns", "complete", "contain", "contains", "containing", "digit"),
        *("digits", "do", "don't", "each", "empty", "enter", "every", "exactly", "fill"),
        *("from", "given", "grid", "have", "in", "into", "irregular", "is", "jigsaw"),
        *("marked", "must", "normal", "not", "number", "numbers", "of", "once", "one"),
        *("only", "or", "outlined", "place", "put", "region", "regions", "regular"),
        *("repeat", "repeats", "row", "rows", "rule", "rules", "so", "square", "squares"),
        *("standard", "sudoku", "that", "the", "there", "thick", "to", "usual", "using"),
        *("with", "within", "without", "x"),
    }
)
"""Words of the rules of a sudoku without further constraints."""
_DIAGONAL: Final = frozenset(
    {"along", "also", "both", "diagonal", "diagonals", "indicated", "long", "main"}
)
_DIGITS: Final = re.compile(r"[0-9]+|[0-9]+-[0-9]+|[0-9]+x[0-9]+")


def check_rules(text: str, shape: Shape) -> None:
    """Check that rules in words say no more than the houses of `shape`.

    Raises:
        PuzzleError: a sentence has another word, so it may be another constraint.
    """
    known = _PLAIN | _DIAGONAL if "+diagonal" in shape.definition else _PLAIN
    for sentence in _SENTENCE.findall(text):
        words = _WORD.findall(sentence.lower().replace("\u2019", "'").replace("\u2013", "-"))
        if not all(word in known or _DIGITS.fullmatch(word) for word in words):
            raise PuzzleError(
                f"the rule {short_repr(' '.join(sentence.split()))}, which may be a constraint",
                expected="normal sudoku rules",
            )
