"""Calls of raters: their code may be a stranger's, so its errors become messages."""

import sys
from contextlib import redirect_stdout
from math import isfinite
from numbers import Integral, Real

from harness.errors import HarnessError, InputError
from harness.puzzles.puzzle import Puzzle
from harness.raters.rater import Rater
from harness.text import described, short_repr


def rating_of(rater: Rater, puzzle: Puzzle) -> int | float | None:
    """The rating of `puzzle` as an integer or a float of Python.

    What the rater prints goes to the standard error output.

    Args:
        rater: any rater.
        puzzle: the puzzle.

    Raises:
        InputError: the rater raises an exception, or returns no finite number.
    """
    try:
        with redirect_stdout(sys.stderr):
            value: object = rater.rate(puzzle)
    except HarnessError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"the rater {rater.name} fails: {described(error)}") from error
    if value is None:
        return None
    if not isinstance(value, bool) and isinstance(value, Real) and _is_finite(value):
        return int(value) if isinstance(value, Integral) else float(value)
    raise InputError(
        f"the rater {rater.name} returns {short_repr(value)}", expected="a finite number, or None"
    )


def _is_finite(value: Real) -> bool:
    """Whether a number is finite as a float, which the largest integers are not."""
    try:
        return isfinite(value)
    except OverflowError:
        return False


def text_of_rating(rating: float) -> str:
    """A rating as the field of a record: ``4``, ``2.5``, with at most 6 decimals."""
    return str(rating) if isinstance(rating, int) else repr(round(rating, 6))
