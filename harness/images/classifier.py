"""Probabilities of values from the isolated ink of cells."""

from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from harness.images.network import Weights, probabilities
from harness.images.symbols import LARGEST, letter_class
from harness.images.types import Floats, Grey

MODEL: Final = Path(__file__).with_name("model.npz")
"""The weights, which `python -m training.make` writes."""
_LEAST: Final = 1e-6
_OTHER: Final = 0.005
"""Probability of an ink that the classifier does not know; it may be any value."""


@cache
def weights() -> Weights:
    """The weights of `MODEL`."""
    with np.load(MODEL, allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}


def symbol_probabilities(patches: Grey) -> Floats:
    """The probability of each symbol of `harness.images.symbols`, a row for each patch."""
    return probabilities(weights(), patches)


def has_letters(symbols: Floats, size: int) -> bool:
    """Whether values from 10 are letters on this board, rather than numerals."""
    if size < 10:
        return False
    numerals, letters = (
        float(np.log(symbols[:, _classes(size, letters=style)].sum(axis=1) + _LEAST).sum())
        for style in (False, True)
    )
    return letters > numerals


def value_probabilities(symbols: Floats, size: int, *, letters: bool) -> Floats:
    """The probability of a blank and of each value from 1 to `size`, a row for each patch.

    Other symbols do not occur on the board: a stroke that may be I is 1 where there are no letters.
    """
    chosen = symbols[:, _classes(size, letters=letters)]
    chosen = chosen + _OTHER / (size + 1)
    chosen = chosen / chosen.sum(axis=1, keepdims=True)
    return np.asarray(np.clip(chosen, _LEAST, 1), dtype=np.float32)


def _classes(size: int, *, letters: bool) -> list[int]:
    values = range(min(size, LARGEST) + 1)
    return [letter_class(value) if letters and value > 9 else value for value in values]
