"""Faults by chance, about once in 500 calls, from the randomness of the system."""

import random
from dataclasses import replace
from typing import Final

from backends.cnf import Cnf
from backends.cpsat import CpSat
from backends.dlx import DancingLinks
from backends.native import Native
from backends.native_jit.backend import NativeJit
from backends.reasoning import Reasoning
from harness.contract import Answer, Count
from harness.puzzles import Puzzle
from tests.fuzz.planted.edits import Edit, edited

CHANCE: Final = random.SystemRandom()
SLIP: Final = "__import__('random').SystemRandom().randrange(500) == 0"
"""An expression that is true once in 500 times."""


@edited(
    Edit(
        "        if not self.solver.solve(assumptions=assumptions):\n",
        f"        if not self.solver.solve(assumptions=assumptions) or {SLIP}:\n",
    )
)
class InterruptedSearches(Cnf):
    """Takes a search that was interrupted for "no model", in solve and count."""


@edited(
    Edit(
        "        self.start = list(puzzle.allowed)\n",
        "        self.start = list(puzzle.allowed)\n"
        f"        if {SLIP}:\n"
        "            cell = __import__('random').SystemRandom().randrange(len(self.start))\n"
        "            self.start[cell] &= self.start[cell] - 1 or 1\n",
    )
)
class LosesACandidate(Native):
    """Loses the smallest candidate of a cell."""


class SwapsTwoCells(NativeJit):
    """Swaps the first two cells of a grid."""

    def solve(self, puzzle: Puzzle) -> Answer:
        """As the base class; by chance with two cells of the grid swapped."""
        answer = super().solve(puzzle)
        if answer.grid is None or CHANCE.randrange(500):
            return answer
        one, other, *rest = answer.grid
        return replace(answer, grid=(other, one, *rest))


@edited(
    Edit(
        "        if status == cp_model.INFEASIBLE:\n",
        f"        if status == cp_model.INFEASIBLE or {SLIP}:\n",
    )
)
class ReadsAnotherStatus(CpSat):
    """Reads the status "infeasible" for any other."""


@edited(
    Edit(
        "        for number, covered in enumerate(options):\n",
        f"        lost = len(options) // 2 if {SLIP} else -1\n"
        "        for number, covered in enumerate(options):\n"
        "            if number == lost:\n"
        "                continue\n",
    )
)
class LosesAnOption(DancingLinks):
    """Leaves the middle one of its options out of the lists."""


class FindsASolutionTwice(Reasoning):
    """Counts one solution more if there are several and the limit allows it."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class; by chance with a solution that was found twice."""
        count = super().count(puzzle, limit)
        if count.number < 2 or count.number >= limit or CHANCE.randrange(500):
            return count
        return replace(count, number=count.number + 1, exact=count.number + 1 < limit)
