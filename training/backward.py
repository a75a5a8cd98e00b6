"""Training of the network of harness/extensions/images/classifier.py by gradients, in numpy alone.

Adam (D. P. Kingma, J. Ba, ICLR 2015) with a rate that falls as a cosine, weights that decay, and
dropout before the last layer.
"""

from collections.abc import Callable
from itertools import pairwise
from math import cos, pi
from typing import Final

import numpy as np
from numpy.random import Generator

from harness.extensions.images.board import AnyArray, Floats
from harness.extensions.images.classifier import WEIGHTS, activate, inputs, neighbours
from training.samples import Samples

CHANNELS: Final = (1, 12, 24, 48)
HIDDEN: Final = 112
_SIDE: Final = 3
"""Pixels of a side after three halvings of 28."""
BATCH: Final = 100
_RATE: Final = 2e-3
_DECAY: Final = 1e-4
_DROPPED: Final = 0.25
_HAND: Final = 0.3
"""Weight of separating handwritten from printed ink, beside the weight 1 of the symbols."""
_MOMENTS: Final = (0.9, 0.999)

Parameters = dict[str, Floats]


def initial(classes: int, random: Generator) -> Parameters:
    """Random weights (K. He et al., ICCV 2015), with one more output for handwriting."""
    sizes = [(9 * a, b) for a, b in pairwise(CHANNELS)]
    sizes += [(CHANNELS[-1] * _SIDE**2, HIDDEN), (HIDDEN, classes + 1)]
    weights: Parameters = {}
    for name, (before, after) in zip(WEIGHTS, sizes, strict=True):
        scale = (2 / before) ** 0.5
        weights[name] = random.normal(0, scale, (before, after)).astype(np.float32)
        weights[f"{name}.bias"] = np.zeros(after, dtype=np.float32)
    return weights


def train(
    samples: Samples,
    classes: int,
    epochs: int,
    random: Generator,
    report: Callable[[int, float, Parameters], None],
    start: Parameters | None = None,
) -> Parameters:
    """Weights that are trained with all samples `epochs` times.

    Args:
        samples: inks and their classes.
        classes: the number of classes.
        epochs: how often each sample is used.
        random: the source of randomness.
        report: receives the epoch, its mean loss and the weights.
        start: the weights to go on from, at half the rate; random ones by default.
    """
    weights = start or initial(classes, random)
    most = _RATE / 2 if start else _RATE
    first = {name: np.zeros_like(values) for name, values in weights.items()}
    second = {name: np.zeros_like(values) for name, values in weights.items()}
    batches = len(samples.classes) // BATCH
    step, steps = 0, epochs * batches
    for epoch in range(epochs):
        order = random.permutation(len(samples.classes))
        total = 0.0
        for batch in range(batches):
            chosen = order[batch * BATCH : (batch + 1) * BATCH]
            values = _shifted(inputs(samples.patches[chosen]), random)
            loss, slopes = gradients(
                weights, values, samples.classes[chosen], samples.handwritten[chosen], random
            )
            total += loss
            step += 1
            rate = most * (0.5 + 0.5 * cos(pi * step / steps)) * min(1.0, step / 200)
            for name, gradient in slopes.items():
                layer = weights[name]
                first[name] += (1 - _MOMENTS[0]) * (gradient - first[name])
                second[name] += (1 - _MOMENTS[1]) * (gradient**2 - second[name])
                mean = first[name] / (1 - _MOMENTS[0] ** step)
                spread = np.sqrt(second[name] / (1 - _MOMENTS[1] ** step)) + 1e-8
                layer -= np.float32(rate) * (mean / spread + np.float32(_DECAY) * layer)
        report(epoch + 1, total / batches, weights)
    return weights


def _shifted(values: Floats, random: Generator) -> Floats:
    """The batch, moved by up to one pixel."""
    rows, columns = (int(shift) for shift in random.integers(-1, 2, 2))
    return np.roll(values, (rows, columns), axis=(1, 2))


def gradients(
    weights: Parameters,
    values: Floats,
    classes: AnyArray,
    handwritten: AnyArray,
    random: Generator,
) -> tuple[float, Parameters]:
    """The mean loss of a batch and its derivatives."""
    layers = []
    for name in WEIGHTS[:3]:
        around = neighbours(values)
        active = np.maximum(around @ weights[name] + weights[f"{name}.bias"], 0)
        values = _halved(active)
        layers.append((name, around, active, values))
    shape = values.shape
    flat = values.reshape(len(values), -1)
    hidden = np.maximum(flat @ weights["full1"] + weights["full1.bias"], 0)
    kept = (random.random(hidden.shape, dtype=np.float32) >= _DROPPED) / np.float32(1 - _DROPPED)
    hidden = hidden * kept
    scores = activate(hidden @ weights["full2"] + weights["full2.bias"])
    rows = np.arange(len(classes))
    is_hand = scores[:, -1].copy()
    right = np.where(handwritten == 1, is_hand, 1 - is_hand)
    right[handwritten < 0] = 1
    loss = -np.log(scores[rows, classes] + 1e-12) - _HAND * np.log(right + 1e-12)

    gradients: Parameters = {}
    error = scores
    error[rows, classes] -= 1
    error[:, -1] = _HAND * (is_hand - handwritten) * (handwritten >= 0)
    error /= len(classes)
    gradients["full2"], gradients["full2.bias"] = hidden.T @ error, error.sum(axis=0)
    error = error @ weights["full2"].T * kept * (hidden > 0)
    gradients["full1"], gradients["full1.bias"] = flat.T @ error, error.sum(axis=0)
    error = (error @ weights["full1"].T).reshape(shape)
    for name, around, active, largest in reversed(layers):
        error = _doubled(error, active, largest)
        columns = around.reshape(-1, around.shape[-1])
        outputs = error.reshape(-1, error.shape[-1])
        gradients[name], gradients[f"{name}.bias"] = columns.T @ outputs, outputs.sum(axis=0)
        if name != WEIGHTS[0]:
            error = _spread(error @ weights[name].T)
    return float(loss.mean()), gradients


def _quarters(shape: tuple[int, ...]) -> list[tuple[slice, slice, slice]]:
    """The pixels of an array that are at the same position of each 2 x 2 pixels."""
    height, width = shape[1] // 2 * 2, shape[2] // 2 * 2
    return [
        (slice(None), slice(row, height, 2), slice(column, width, 2))
        for row in (0, 1)
        for column in (0, 1)
    ]


def _halved(values: Floats) -> Floats:
    """The largest of each 2 x 2 pixels."""
    a, b, c, d = (values[part] for part in _quarters(values.shape))
    return np.asarray(np.maximum(np.maximum(a, b), np.maximum(c, d)))


def _doubled(error: Floats, values: Floats, largest: Floats) -> Floats:
    """The transpose of `_halved`, for rectified values; equal values share nothing."""
    full = np.zeros(values.shape, dtype=np.float32)
    positive = error * (largest > 0)
    for part in _quarters(values.shape):
        full[part] = positive * (values[part] == largest)
    return full


def _spread(error: Floats) -> Floats:
    """The transpose of `neighbours`."""
    number, height, width, channels = error.shape
    channels //= 9
    padded = np.zeros((number, height + 2, width + 2, channels), dtype=np.float32)
    for at in range(9):
        row, column = divmod(at, 3)
        part = error[..., at * channels : (at + 1) * channels]
        padded[:, row : row + height, column : column + width] += part
    return padded[:, 1:-1, 1:-1]
