"""Faults that show with a value of an option only, or with two of them."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backends.cnf import Cnf
from backends.cpsat import CpSat
from backends.native_jit.backend import NativeJit
from backends.reasoning import Reasoning
from harness.contract import ManyAnswers, ManyCounts
from tests.fuzz.planted.edits import Edit, edited, edited_module

if TYPE_CHECKING:
    from backends.native_jit.search import Found


@edited(
    Edit(
        "for cells in (*(house.cells for house in shape.houses), *shape.pairs):",
        "for cells in (house.cells for house in shape.houses):",
    )
)
class IntegersWithoutPairs(CpSat):
    """With formulation=integer, ignores pairs."""


class BranchesBeyondTheLimit(NativeJit):
    """With split, counts the solutions of all branches, more than the limit."""

    def _found(
        self, givens: NDArray[np.uint8], candidates: NDArray[np.int64] | None, limit: int
    ) -> "Found":
        if not self._split:
            return super()._found(givens, candidates, limit)
        module: Any = edited_module(
            "backends.native_jit.branches",
            Edit(
                "number = min(int(total.numbers[0]), self._limits.solutions)",
                "number = int(total.numbers[0])",
            ),
        )
        found: Found = module.answer_in_branches(
            self._search,
            givens,
            candidates,
            module.Limits(limit, self._nodes, self.time_limit),
            self._split,
            self._threads,
        )
        return found


class WitnessOfTheFirstBranch(NativeJit):
    """With split, takes the grid of the first branch, which may have no solution."""

    def _found(
        self, givens: NDArray[np.uint8], candidates: NDArray[np.int64] | None, limit: int
    ) -> "Found":
        if not self._split:
            return super()._found(givens, candidates, limit)
        module: Any = edited_module(
            "backends.native_jit.branches",
            Edit(
                "next((part.witnesses for part in parts if part.numbers[0]), parts[0].witnesses)",
                "parts[-1].witnesses",
            ),
        )
        found: Found = module.answer_in_branches(
            self._search,
            givens,
            candidates,
            module.Limits(limit, self._nodes, self.time_limit),
            self._split,
            self._threads,
        )
        return found


class TailOfABatch(NativeJit):
    """With threads, leaves out the rows of a batch that do not fill a piece."""

    def _whole(self, rows: int) -> int:
        """The number of rows that fill pieces, all without threads."""
        pieces = 8 * self._threads
        return rows if self._threads == 1 or rows < pieces else rows // pieces * pieces

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        """As the base class for the rows in whole pieces; the others have no solution."""
        from harness.contract.backend import checked

        given = checked(puzzles, self.shape)
        whole = super().solve_many(given[: self._whole(len(given))])
        grids = np.zeros_like(given)
        grids[: len(whole.grids)] = whole.grids
        solved = np.array([grid.any() for grid in grids], np.bool_)
        return ManyAnswers.of(solved, ~solved, grids, whole.stats)

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        """As the base class for the rows in whole pieces; the others count 0."""
        from harness.contract.backend import checked

        given = checked(puzzles, self.shape)
        rows = self._whole(len(given))
        whole = super().count_many(given[:rows], limit)
        numbers = np.zeros(len(given), np.int64)
        exact = np.ones(len(given), np.bool_)
        witnesses = np.zeros_like(given)
        numbers[:rows], exact[:rows], witnesses[:rows] = whole.numbers, whole.exact, whole.witnesses
        return ManyCounts(numbers, exact, witnesses, whole.stats)


@edited(
    Edit(
        "        clauses: list[Sequence[int]] = [*at_least]\n",
        "        if minimal and options.counting == 'enumerate':\n"
        "            at_least = [group for group in at_least if len(group) != 1]\n"
        "        clauses: list[Sequence[int]] = [*at_least]\n",
    )
)
class UnitsOfTheMinimalEncoding(Cnf):
    """With encoding=minimal and counting=enumerate, has no clauses of one literal."""


@edited(
    Edit(
        "        if not self.solver.solve(assumptions=assumptions):\n",
        "        if self.options.solver.startswith('glucose'):\n"
        "            self.solver.conf_budget(20)\n"
        "            if not self.solver.solve_limited(assumptions=assumptions):\n"
        "                return None\n"
        "        elif not self.solver.solve(assumptions=assumptions):\n",
    )
)
class GlucoseWithABudget(Cnf):
    """With a solver called glucose, takes 20 conflicts without a result for "no model"."""


@edited(
    Edit(
        "        return Strategy(rules,",
        "        if self.order == 'first' and direction is Direction.BREADTH_FIRST:\n"
        "            rules = rules[:-1]\n"
        "            most = min(most, 40)\n"
        "            direction = Direction.DEPTH_FIRST\n"
        "        return Strategy(rules,",
    ),
    Edit("        if search.gave_up:\n", "        if False:\n"),
)
class FirstCellBreadthFirst(Reasoning):
    """With order=first and search=breadth-first, takes 40 open boards for no solution."""
