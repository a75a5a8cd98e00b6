"""What a person draws into a cell, with a mouse or a finger."""

from collections.abc import Sequence
from math import isfinite
from typing import Final

import cv2
import numpy as np

from harness.errors import InputError
from harness.images.cells import PATCH, scaled_ink
from harness.images.classifier import symbol_probabilities, value_probabilities
from harness.images.symbols import LARGEST

Point = Sequence[float]
"""x and y, from 0 at the left and the top of the cell to 1."""

MOST_POINTS: Final = 20_000
_SIDE: Final = 8 * PATCH
_PEN: Final = 0.11
"""Width of the pen, as a share of the longer side of what is drawn."""
_SMALLEST: Final = 0.08
"""Smaller drawings are dots."""


def read_strokes(
    strokes: Sequence[Sequence[Point]], size: int = 9, *, letters: bool = False
) -> list[float]:
    """The probabilities of a blank and of each value from 1 to `size`.

    Args:
        strokes: the strokes in the order of drawing, each a list of points.
        size: cells a side of the board.
        letters: whether values from 10 are letters rather than numerals.

    Raises:
        InputError: a point is not two numbers, there are too many, or the size is out of range.
    """
    if not 1 <= size <= LARGEST:
        raise InputError(f"a size of {size}", where="size", expected=f"1 to {LARGEST}")
    number = sum(len(stroke) for stroke in strokes)
    if number > MOST_POINTS:
        raise InputError(f"{number:,} points", where="strokes", expected=f"at most {MOST_POINTS:,}")
    lines = [
        np.array([_point(point) for point in stroke], dtype=np.float32)
        for stroke in strokes
        if len(stroke)
    ]
    if not lines:
        return [1.0] + [0.0] * size
    every = np.concatenate(lines)
    low = every.min(axis=0)
    extent = float((every.max(axis=0) - low).max())
    if extent < _SMALLEST:
        return [1.0] + [0.0] * size
    scale = _SIDE / extent
    pen = max(1, round(_PEN * _SIDE))
    canvas = np.zeros((_SIDE + 2 * pen, _SIDE + 2 * pen), dtype=np.uint8)
    for line in lines:
        points = np.round((line - low) * scale + pen).astype(np.int32)
        cv2.polylines(canvas, [points.reshape(-1, 1, 2)], False, 255, pen, cv2.LINE_AA)
    rows, columns = np.flatnonzero(canvas.any(axis=1)), np.flatnonzero(canvas.any(axis=0))
    box = np.asarray(canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] / 255, np.float32)
    symbols = symbol_probabilities(scaled_ink(box)[None])
    return [float(p) for p in value_probabilities(symbols, size, letters=letters)[0]]


def _point(point: Point) -> tuple[float, float]:
    try:
        x, y = (float(value) for value in point)
    except (TypeError, ValueError):
        raise InputError(
            f"{str(point)[:60]} is not a point", where="strokes", expected="x and y from 0 to 1"
        ) from None
    if not (isfinite(x) and isfinite(y) and max(abs(x), abs(y)) < 1e6):
        raise InputError("a point out of range", where="strokes", expected="x and y from 0 to 1")
    return x, y
