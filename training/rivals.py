"""What the network is compared with: nearest neighbours, and support vectors on gradients."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC

from harness.extensions.images.board import Floats, Grey
from harness.extensions.images.cells import PATCH
from harness.extensions.images.scan import SYMBOLS
from training.samples import Samples

_NEIGHBOURS: Final = 5
_OF_NEIGHBOURS: Final = 40_000
_OF_LINEAR: Final = 24_000
_OF_RBF: Final = 12_000
"""Samples for each; time and size grow with them, for RBF with more than their number."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A trained classifier."""

    name: str
    scores: Callable[[Grey], Floats]
    """A row for each patch, a column for each class; the largest is chosen."""
    size_bytes: int
    """Of what a file would hold, in 16-bit numbers for weights and bytes for pixels."""


def rivals(samples: Samples, seed: int) -> list[Rival]:
    """All of them, trained with random parts of the samples."""
    order = np.random.default_rng(seed).permutation(len(samples.classes))
    return [
        _nearest(_part(samples, order[:_OF_NEIGHBOURS])),
        _linear(_part(samples, order[:_OF_LINEAR])),
        _rbf(_part(samples, order[:_OF_RBF])),
    ]


def _part(samples: Samples, chosen: Any) -> Samples:
    return samples.selected(chosen)


def _nearest(samples: Samples) -> Rival:
    """The k nearest in pixels, as the project that this follows did it."""
    model = KNeighborsClassifier(_NEIGHBOURS, weights="distance", algorithm="brute")
    model.fit(_small(samples.patches), samples.classes)

    def scores(patches: Grey) -> Floats:
        return _columns(model.predict_proba(_small(patches)), model.classes_)

    pixels = len(samples.classes) * (PATCH // 2) ** 2
    return Rival(f"{_NEIGHBOURS} nearest neighbours, 14 x 14 pixels", scores, pixels)


def _small(patches: Grey) -> Floats:
    half = PATCH // 2
    blocks = patches.reshape(-1, half, 2, half, 2).astype(np.float32)
    return np.asarray(blocks.mean(axis=(2, 4)).reshape(len(patches), -1) / 255)


def _linear(samples: Samples) -> Rival:
    model = LinearSVC(C=0.3, dual=False, max_iter=60, tol=1e-2)
    model.fit(gradients(samples.patches), samples.classes)

    def scores(patches: Grey) -> Floats:
        return _columns(model.decision_function(gradients(patches)), model.classes_)

    return Rival("HOG, linear SVM", scores, 2 * model.coef_.size)


def _rbf(samples: Samples) -> Rival:
    model = SVC(C=10, gamma="scale", decision_function_shape="ovr", cache_size=1000)
    model.fit(gradients(samples.patches), samples.classes)

    def scores(patches: Grey) -> Floats:
        return _columns(model.decision_function(gradients(patches)), model.classes_)

    size = 2 * (model.support_vectors_.size + model.dual_coef_.size)
    return Rival("HOG, SVM with radial basis functions", scores, size)


def gradients(patches: Grey) -> Floats:
    """Histograms of oriented gradients (N. Dalal, B. Triggs, CVPR 2005), a row for each patch.

    Nine directions in cells of 7 x 7 pixels, and blocks of 2 x 2 cells, each of length 1.
    """
    values = patches.astype(np.float32) / 255
    down, right = np.gradient(values, axis=(1, 2))
    strength = np.hypot(down, right)
    direction = np.minimum((np.arctan2(down, right) % np.pi) / np.pi * 9, 8).astype(int)
    cells = PATCH // 7
    histograms = np.stack(
        [
            (strength * (direction == at)).reshape(-1, cells, 7, cells, 7).sum(axis=(2, 4))
            for at in range(9)
        ],
        axis=-1,
    )
    blocks = [
        histograms[:, row : row + 2, column : column + 2].reshape(len(patches), -1)
        for row in range(cells - 1)
        for column in range(cells - 1)
    ]
    lengths = [np.linalg.norm(block, axis=1, keepdims=True) + 1e-3 for block in blocks]
    parts = [block / length for block, length in zip(blocks, lengths, strict=True)]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _columns(values: Any, classes: Any) -> Floats:
    full = np.full((len(values), len(SYMBOLS)), -np.inf, dtype=np.float32)
    full[:, classes] = values
    return full
