"""Probabilities of values from the isolated ink of cells, by a small network in numpy.

Three convolutions of 3 x 3 pixels, each followed by the largest of 2 x 2 pixels, and two full
layers: the arrangement of LeNet (Y. LeCun et al.: Gradient-Based Learning Applied to Document
Recognition, Proceedings of the IEEE 86, 1998) with rectified units.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from harness.extensions.images.board import Floats, Grey
from harness.extensions.images.cells import PATCH, scaled_ink
from harness.extensions.images.scan import LARGEST, letter_class

# The layers of the classifier, in numpy alone.


WEIGHTS: Final = ("conv1", "conv2", "conv3", "full1", "full2")
"""The names of the layers; each has weights and a bias, called ``NAME.bias``."""
_AT_ONCE: Final = 256

Weights = Mapping[str, Floats]


def probabilities(weights: Weights, patches: Grey) -> Floats:
    """The probability of each class.

    Args:
        weights: the arrays of `WEIGHTS`.
        patches: images of 28 x 28 pixels.

    Returns:
        A row for each image: a column for each class, with the sum 1, and a last column for the
        probability that the ink is handwritten.
    """
    parts = [
        activate(scores(weights, inputs(patches[at : at + _AT_ONCE])))
        for at in range(0, len(patches), _AT_ONCE)
    ]
    columns = weights["full2"].shape[1]
    return np.concatenate(parts) if parts else np.zeros((0, columns), dtype=np.float32)


def inputs(patches: Grey) -> Floats:
    """Images as the input of the first layer: number, rows, columns, one channel."""
    return np.asarray(patches[..., None], dtype=np.float32) / np.float32(255)


def scores(weights: Weights, values: Floats) -> Floats:
    """The scores of all classes and of handwriting, before `activate`."""
    for name in WEIGHTS[:3]:
        # A convolution of 3 x 3 pixels, and the largest of each 2 x 2 pixels; an odd last row or
        # column is left out.
        values = np.maximum(neighbours(values) @ weights[name] + weights[f"{name}.bias"], 0)
        number, height, width, channels = values.shape
        even = values[:, : height // 2 * 2, : width // 2 * 2]
        blocks = even.reshape(number, height // 2, 2, width // 2, 2, channels)
        values = blocks.max(axis=(2, 4))
    values = values.reshape(len(values), -1)
    values = np.maximum(values @ weights["full1"] + weights["full1.bias"], 0)
    return np.asarray(values @ weights["full2"] + weights["full2.bias"], dtype=np.float32)


def softmax(values: Floats) -> Floats:
    """Probabilities from scores."""
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float32)


def activate(values: Floats) -> Floats:
    """Probabilities from the scores of all classes and of handwriting."""
    handwritten = 1 / (1 + np.exp(-values[:, -1:].clip(-30, 30)))
    return np.asarray(np.hstack([softmax(values[:, :-1]), handwritten]), dtype=np.float32)


def neighbours(values: Floats) -> Floats:
    """The 3 x 3 pixels around each pixel as channels, 0 outside the image."""
    number, height, width, channels = values.shape
    framed_values = np.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
    around = np.empty((number, height, width, 9 * channels), dtype=np.float32)
    for at in range(9):
        row, column = divmod(at, 3)
        part = framed_values[:, row : row + height, column : column + width]
        around[..., at * channels : (at + 1) * channels] = part
    return around


# Probabilities of values from the isolated ink of cells.


MODEL: Final = Path(__file__).with_name("model.npz")
"""The weights, which `python -m training.make` writes."""
_LEAST: Final = 1e-6


@cache
def weights() -> Weights:
    """The weights of `MODEL`."""
    with np.load(MODEL, allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}


def symbol_probabilities(patches: Grey) -> Floats:
    """The probability of each symbol of `harness.extensions.images.scan`, a row for each patch.

    The last column has the probability that the ink is handwritten.
    """
    result = probabilities(weights(), patches)
    # The training samples are worse than photographs, which the network therefore doubts too much.
    sharper = result[:, :-1] ** np.float32(1 / 0.8)
    result[:, :-1] = sharper / sharper.sum(axis=1, keepdims=True)
    return result


def has_letters(symbols: Floats, size: int) -> bool:
    """Whether values of 10 or more are letters on this board, rather than numerals."""
    if size < 10:
        return False
    numerals, letters = (
        float(np.log(symbols[:, _classes(size, letters=style)].sum(axis=1) + _LEAST).sum())
        for style in (False, True)
    )
    return letters > numerals


def value_probabilities(symbols: Floats, size: int, *, letters: bool) -> Floats:
    """The probability of a blank and of each value from 1 to `size`, a row for each patch.

    Other symbols are excluded: a stroke that may be I is 1 on a board without letters.
    """
    result = symbols[:, _classes(size, letters=letters)]
    # The classifier may not know the ink, which then may be any value.
    result = result + 0.005 / (size + 1)
    result = result / result.sum(axis=1, keepdims=True)
    return np.asarray(np.clip(result, _LEAST, 1), dtype=np.float32)


def compare(values: Floats, patches: Grey, handwritten: Floats) -> Floats:
    """Probabilities of values after a comparison of each ink of a printed board with the others.

    A typeface always draws a symbol alike. Expectation maximisation, as in `handwriting`: an ink
    resembles the others that are probably the same symbol. Blanks keep their probability, and so
    does everything on a board with handwriting.
    """
    if len(patches) < 2 or (handwritten > 0.5).any():
        return values
    flat = patches.reshape(len(patches), PATCH**2).astype(np.float32) / 255
    lengths = (flat**2).sum(axis=1)
    distances = lengths[:, None] + lengths - 2 * flat @ flat.T
    others = 1 - np.eye(len(patches), dtype=np.float32)
    logarithms = np.log(values[:, 1:])
    share = values[:, 1:]
    for _ in range(8):
        # One imagined, distant ink of each symbol counts a little, as the board may have no other.
        mean = ((distances * others) @ share + 0.25 * 25.0) / (others @ share + 0.25)
        # At a squared distance of 6, in pixels of full ink, a symbol is e times less likely.
        share = softmax(logarithms - mean / 6.0)
    ink = 1 - values[:, :1]
    return np.hstack([values[:, :1], share * ink]).astype(np.float32)


def _classes(size: int, *, letters: bool) -> list[int]:
    values = range(min(size, LARGEST) + 1)
    return [letter_class(value) if letters and value > 9 else value for value in values]


# Which ink of a board is handwritten.


def handwriting(single: Floats, looks: Floats) -> Floats:
    """The probability that each ink of a board is handwritten, by comparing it with the others.

    Printed digits of a board have one height and one contrast. Expectation maximisation with two
    kinds (A. P. Dempster et al., Journal of the Royal Statistical Society B 39, 1977) starts from
    the probabilities of single inks, and assumes that handwriting is lower.

    Args:
        single: the probability that each ink is handwritten, according to the network.
        looks: the height and the contrast of each ink.
    """
    logits = np.log((single + 1e-6) / (1 - single + 1e-6)).clip(-4, 4)
    # In usual differences of heights, in pixels, and of the logarithms of contrasts.
    features = np.stack([looks[:, 0], np.log(looks[:, 1] + 0.02)], axis=1) / np.array([4.0, 0.15])
    if len(features) < 2:
        return np.asarray(single)
    likely = 0.5 * logits + (np.median(looks[:, 0]) - looks[:, 0]) / 3
    for _ in range(12):
        hand = 1 / (1 + np.exp(-likely.clip(-30, 30)))
        if min(hand.sum(), (1 - hand).sum()) < 1.5:
            break
        likely = 0.5 * logits
        for share, sign in ((hand, 1), (1 - hand, -1)):
            share = share[:, None] / share.sum()
            mean = (share * features).sum(axis=0)
            spread = (share * (features - mean) ** 2).sum(axis=0) + 0.4**2
            likely = (
                likely - sign * ((features - mean) ** 2 / spread + np.log(spread)).sum(axis=1) / 2
            )
    hand = 1 / (1 + np.exp(-likely.clip(-30, 30)))
    is_hand = hand > 0.5
    if is_hand.all():
        return np.asarray(hand, dtype=np.float32)
    hand_score = float(logits[is_hand].mean()) if is_hand.any() else 0.0
    # Handwritten ink has these mean log-odds by the network, and differs from printed ink.
    has_both = hand_score > 0.5 and hand_score - float(logits[~is_hand].mean()) > 0.6
    return np.asarray(hand if has_both else 0 * hand, dtype=np.float32)


# What a person draws into a cell, with a mouse or a finger.


_SIDE: Final = 8 * PATCH


def read_strokes(strokes: Sequence[Sequence[tuple[float, float]]], size: int = 9) -> list[float]:
    """The probabilities of a blank and of each value from 1 to `size`; letters stand for 10 up.

    Args:
        strokes: the strokes in the order of drawing; x and y of their points, from 0 at the left
            and the top of the cell to 1.
        size: cells a side of the board.
    """
    lines = [np.array(stroke, dtype=np.float32) for stroke in strokes if stroke]
    if not lines:
        return [1.0] + [0.0] * size
    every = np.concatenate(lines)
    low = every.min(axis=0)
    extent = float((every.max(axis=0) - low).max())
    # Smaller drawings, as a share of the cell, are dots.
    if extent < 0.08:
        return [1.0] + [0.0] * size
    scale = _SIDE / extent
    # The pen is a ninth as wide as the longer side of what is drawn.
    pen = max(1, round(0.11 * _SIDE))
    canvas = np.zeros((_SIDE + 2 * pen, _SIDE + 2 * pen), dtype=np.uint8)
    for line in lines:
        points = np.round((line - low) * scale + pen).astype(np.int32)
        cv2.polylines(canvas, [points.reshape(-1, 1, 2)], False, 255, pen, cv2.LINE_AA)
    rows, columns = np.flatnonzero(canvas.any(axis=1)), np.flatnonzero(canvas.any(axis=0))
    box = np.asarray(canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] / 255, np.float32)
    symbols = symbol_probabilities(scaled_ink(box)[None])[:, :-1]
    return [float(p) for p in value_probabilities(symbols, size, letters=True)[0]]
