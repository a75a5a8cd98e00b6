"""The layers of the classifier, in numpy alone.

Three convolutions of 3 x 3 pixels, each followed by the largest of 2 x 2 pixels, and two full
layers: the arrangement of LeNet (Y. LeCun et al.: Gradient-Based Learning Applied to Document
Recognition, Proceedings of the IEEE 86, 1998) with rectified units.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from harness.images.types import Floats, Grey

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
        A row for each image and a column for each class; rows have the sum 1.
    """
    parts = [
        softmax(scores(weights, inputs(patches[at : at + _AT_ONCE])))
        for at in range(0, len(patches), _AT_ONCE)
    ]
    classes = weights["full2"].shape[1]
    return np.concatenate(parts) if parts else np.zeros((0, classes), dtype=np.float32)


def inputs(patches: Grey) -> Floats:
    """Images as the input of the first layer: number, rows, columns, one channel."""
    return np.asarray(patches[..., None], dtype=np.float32) / np.float32(255)


def scores(weights: Weights, values: Floats) -> Floats:
    """The scores of all classes, before `softmax`."""
    for name in WEIGHTS[:3]:
        values = halved(np.maximum(convolved(values, weights[name], weights[f"{name}.bias"]), 0))
    values = values.reshape(len(values), -1)
    values = np.maximum(values @ weights["full1"] + weights["full1.bias"], 0)
    return np.asarray(values @ weights["full2"] + weights["full2.bias"], dtype=np.float32)


def softmax(values: Floats) -> Floats:
    """Probabilities from scores."""
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float32)


def neighbours(values: Floats) -> Floats:
    """The 3 x 3 pixels around each pixel as channels, 0 outside the image."""
    number, height, width, channels = values.shape
    padded = np.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
    around = np.empty((number, height, width, 9 * channels), dtype=np.float32)
    for at in range(9):
        row, column = divmod(at, 3)
        part = padded[:, row : row + height, column : column + width]
        around[..., at * channels : (at + 1) * channels] = part
    return around


def convolved(values: Floats, weights: Floats, bias: Floats) -> Floats:
    """A convolution of 3 x 3 pixels: `weights` has rows of inputs and columns of outputs."""
    return np.asarray(neighbours(values) @ weights + bias, dtype=np.float32)


def halved(values: Floats) -> Floats:
    """The largest of each 2 x 2 pixels; an odd last row or column is left out."""
    number, height, width, channels = values.shape
    even = values[:, : height // 2 * 2, : width // 2 * 2]
    blocks = even.reshape(number, height // 2, 2, width // 2, 2, channels)
    return np.asarray(blocks.max(axis=(2, 4)))
