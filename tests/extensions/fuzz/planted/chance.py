"""Faults by chance, about once in 500 calls, from the randomness of the system."""

import random
from dataclasses import replace
from typing import Final

from backends.native_jit.backend import NativeJit
from harness.contract import Answer, Count
from harness.extensions.reasoning.backend import Reasoning
from harness.puzzles import Puzzle

CHANCE: Final = random.SystemRandom()


class SwapsTwoCells(NativeJit):
    """Swaps the first two cells of a grid."""

    def solve(self, puzzle: Puzzle) -> Answer:
        """As the base class; by chance with two cells of the grid swapped."""
        answer = super().solve(puzzle)
        if answer.grid is None or CHANCE.randrange(500):
            return answer
        first, other, *rest = answer.grid
        return replace(answer, grid=(other, first, *rest))


class FindsASolutionTwice(Reasoning):
    """Counts one solution more if there are several and the limit allows it."""

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        """As the base class; by chance with a solution that was found twice."""
        count = super().count(puzzle, limit)
        if count.number < 2 or count.number >= limit or CHANCE.randrange(500):
            return count
        return replace(count, number=count.number + 1, exact=count.number + 1 < limit)
