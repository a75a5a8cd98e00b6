"""The handwritten digits that scikit-learn brings: 1,797 images of 8 x 8 pixels.

E. Alpaydin, C. Kaynak: Optical Recognition of Handwritten Digits, UCI Machine Learning Repository,
1998. The images name no writers, so training and tests share writers but no image.
"""

from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.random import Generator

from harness.images.board import AnyArray, Grey
from training.boards import Glyphs

EVERY: Final = 4
"""Every fourth image, from index 3 on, is held out of training: 449 of 1,797."""


@cache
def _digits() -> tuple[AnyArray, AnyArray]:
    from sklearn.datasets import load_digits

    found = load_digits()
    return found.images, found.target


def indices(*, held_out: bool) -> dict[int, list[int]]:
    """For each digit the indices of its images, of those held out or of the others."""
    _, digits = _digits()
    chosen: dict[int, list[int]] = {digit: [] for digit in range(10)}
    for index, digit in enumerate(digits):
        if (index % EVERY == EVERY - 1) == held_out:
            chosen[int(digit)].append(index)
    return chosen


def hand_glyphs(random: Generator, *, held_out: bool) -> Glyphs:
    """Handwritten digits, another one each time; numerals of two digits are two of them."""
    of_digit = indices(held_out=held_out)
    pen = float(random.uniform(0.2, 0.45))

    def glyph(text: str, height: int) -> Grey:
        parts = [_glyph(int(random.choice(of_digit[int(t)])), height, pen, random) for t in text]
        if len(parts) == 1:
            return parts[0]
        tallest = max(part.shape[0] for part in parts)
        gap = np.zeros((tallest, max(1, height // 10)), dtype=np.uint8)
        padded = [np.pad(part, ((0, tallest - part.shape[0]), (0, 0))) for part in parts]
        return np.asarray(np.hstack([padded[0], gap, padded[1]]))

    return glyph


def _glyph(index: int, height: int, pen: float, random: Generator) -> Grey:
    image = np.asarray(_digits()[0][index], dtype=np.float32) / 16
    large = cv2.resize(np.pad(image, 2), (96, 96), interpolation=cv2.INTER_CUBIC)
    angle, slant = random.uniform(-8, 8), random.uniform(-0.15, 0.15)
    turn = cv2.getRotationMatrix2D((48, 48), angle, 1)
    turn[0, 1] += slant
    turn[0, 2] -= slant * 48
    large = np.clip((cv2.warpAffine(large, turn, (96, 96)) - pen) / 0.25, 0, 1)
    rows, columns = np.flatnonzero(large.any(axis=1)), np.flatnonzero(large.any(axis=0))
    box = large[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    width = max(2, round(box.shape[1] * height / box.shape[0]))
    small = cv2.resize(box, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(np.round(255 * np.clip(small, 0, 1)), dtype=np.uint8)
