"""Faults with pencilmarks and pairs: ignored in some cells, for some values, beyond some number."""

import numpy as np
from numpy.typing import NDArray

from backends.dlx import DancingLinks
from backends.native_jit.backend import NativeJit, NativeJitOptions
from harness.contract.cover import Choices, CoverQuestion
from harness.puzzles import Shape


class LastPencilmarksOfABand(NativeJit):
    """Ignores the pencilmarks in the last cell of each band of 9x9."""

    def __init__(self, shape: Shape, options: NativeJitOptions) -> None:
        super().__init__(shape, options)
        if self._search._tables:
            return
        first_state = self._search._first_state

        def without_the_last(candidates: NDArray[np.int64]) -> NDArray[np.int16]:
            masks = candidates.copy()
            blank = masks[26::27] & (masks[26::27] - 1) != 0
            masks[26::27][blank] = 511
            state: NDArray[np.int16] = first_state(masks)
            return state

        self._search._first_state = without_the_last


class PairsBeyond64(DancingLinks):
    """Has groups for the first 64 values in pairs only."""

    def choices(self, question: CoverQuestion) -> Choices:
        """The covers without the later groups of pairs."""
        candidates = question.candidates
        of_pairs = [g for g in candidates.groups if not candidates.meaning[g[-1]][1]]
        pairs = of_pairs[64:]
        candidates.groups = [group for group in candidates.groups if group not in pairs]
        yield from super().choices(question)
