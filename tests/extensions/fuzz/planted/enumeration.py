"""Faults of enumeration: solutions lost or found twice, and counts wrongly called exact."""

from dataclasses import replace
from typing import Any

from backends.dlx import DancingLinks
from backends.native_jit.backend import NativeJit, NativeJitOptions
from harness.contract import Count
from harness.puzzles import Puzzle, Shape
from tests.extensions.fuzz.planted.edits import edited_module
from tests.extensions.fuzz.planted.table import Edit


class OtherSearch(NativeJit):
    """Runs an edited search; a fault is an edit of it."""

    edits: tuple[Edit, ...]

    def __init__(self, shape: Shape, options: NativeJitOptions) -> None:
        super().__init__(shape, options)
        module: Any = edited_module("backends.native_jit.search", *self.edits)
        self._search = module.Search(shape, "houses" if self._search._tables else "vectors")


class LosesAStateInAPause(OtherSearch):
    """Loses an open state whenever the kernel pauses, after thousands of nodes."""

    edits = (
        Edit(
            "        return why != place.FINISHED\n",
            "        if why == place.PAUSED and self.progress[place.OPEN] > 1:\n"
            "            self.progress[place.OPEN] -= 1\n"
            "        return why != place.FINISHED\n",
        ),
    )


class LosesTheFullStack(OtherSearch):
    """Puts new memory for open states below the old instead of above; begins with little."""

    edits = (
        Edit("min(self.cells + 2, max(most, 2))", "8"),
        Edit(
            "np.concatenate([self._states, np.empty_like(self._states)])",
            "np.concatenate([np.zeros_like(self._states), self._states])",
        ),
    )


class ExactAtAThousand(DancingLinks):
    """Calls the number exact if a count stops at 1,000, as if it had found one less."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class, with a thousandth solution that is missing."""
        count = super().count(puzzle, limit)
        return replace(count, number=999, exact=True) if count.number == limit == 1_000 else count


class ExactLimitIsExceeded(DancingLinks):
    """Finds one solution too few if a puzzle has exactly as many as the limit, 20 or more."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class, or one less."""
        count = super().count(puzzle, limit)
        is_last = 20 <= count.number == limit and super().count(puzzle, limit + 1).exact
        return replace(count, number=limit - 1, exact=True) if is_last else count
