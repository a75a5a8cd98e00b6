"""Faults that show with a value of an option only, or with two of them."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backends.native_jit.backend import NativeJit
from harness.contract import ManyAnswers, ManyCounts
from harness.contract.backend import batch_of
from tests.extensions.fuzz.planted.edits import edited_module
from tests.extensions.fuzz.planted.table import Edit

if TYPE_CHECKING:
    from backends.native_jit.search import Findings


class OtherBranches(NativeJit):
    """With split, searches in edited branches; a fault is an edit of them."""

    edit: Edit

    def _findings(
        self, givens: NDArray[np.uint8], candidates: NDArray[np.int64] | None, limit: int
    ) -> "Findings":
        if not self._split:
            return super()._findings(givens, candidates, limit)
        module: Any = edited_module("backends.native_jit.branches", self.edit)
        findings: Findings = module.answer_in_branches(
            self._search,
            givens,
            candidates,
            module.Limits(limit, self._nodes, self.time_limit),
            self._split,
            self._threads,
        )
        return findings


class BranchesBeyondTheLimit(OtherBranches):
    """With split, counts the solutions of all branches, more than the limit."""

    edit = Edit(
        "number = min(int(total.numbers[0]), self._limits.solutions)",
        "number = int(total.numbers[0])",
    )


class WitnessOfTheFirstBranch(OtherBranches):
    """With split, takes the grid of the first branch, which may have no solution."""

    edit = Edit(
        "next((part.witnesses for part in parts if part.numbers[0]), parts[0].witnesses)",
        "parts[-1].witnesses",
    )


class TailOfABatch(NativeJit):
    """With threads, leaves out the rows of a batch that do not fill a piece."""

    def _whole(self, rows: int) -> int:
        """The number of rows that fill pieces, all without threads."""
        pieces = 8 * self._threads
        return rows if self._threads == 1 or rows < pieces else rows // pieces * pieces

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        """As the base class for the rows in whole pieces; the others have no solution."""
        batch = batch_of(puzzles, self.shape)
        whole = super().solve_many(batch[: self._whole(len(batch))])
        grids = np.zeros_like(batch)
        grids[: len(whole.grids)] = whole.grids
        solved = np.array([grid.any() for grid in grids], np.bool_)
        return ManyAnswers.from_flags(solved, ~solved, grids, whole.stats)

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        """As the base class for the rows in whole pieces; the others count 0."""
        batch = batch_of(puzzles, self.shape)
        rows = self._whole(len(batch))
        whole = super().count_many(batch[:rows], limit)
        numbers = np.zeros(len(batch), np.int64)
        exact = np.ones(len(batch), np.bool_)
        witnesses = np.zeros_like(batch)
        numbers[:rows], exact[:rows], witnesses[:rows] = whole.numbers, whole.exact, whole.witnesses
        return ManyCounts(numbers, exact, witnesses, whole.stats)
