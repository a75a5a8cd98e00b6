"""Makes `benchmarks/hard-9x9.txt`: hard puzzles for the benchmark of the compiled solver.

    python -m benchmarks.hard_puzzles [SEED] [SECONDS]

A search changes a puzzle and keeps what costs more guesses. The cost of a puzzle is the number of
guesses that prove its solution to be the only one, averaged over equivalent puzzles, in the kernel
for 9x9 or the kernel for any shape, whichever needs fewer. They choose their guesses in different
ways, and a puzzle that is hard for only one of them does not count as hard. Each line has a puzzle
and its cost. Further runs add to the file.
"""

import sys
from pathlib import Path
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backends.native_jit.search import NEVER, Search
from harness.puzzles import Shape

FILE: Final = Path(__file__).parent / "hard-9x9.txt"
HARD: Final = 25.0
"""The least cost of a puzzle in the file, in guesses."""
ORDERS: Final = 4
"""The number of equivalent puzzles over which the cost is averaged."""
MOST_CLUES: Final = 27
MOST_ADDED: Final = 60
"""The most clues that are tried to make a solution unique."""
PATIENCE: Final = 60
"""Changes without success before the search begins again with another puzzle."""

Batch = NDArray[np.uint8]


def relabelled(puzzle: Batch, rng: np.random.Generator) -> Batch:
    """An equivalent puzzle: values, rows and columns permuted, perhaps transposed."""

    def order() -> NDArray[np.int64]:
        return np.concatenate([3 * band + rng.permutation(3) for band in rng.permutation(3)])

    values = np.concatenate([[0], rng.permutation(9) + 1]).astype(np.uint8)
    grid = puzzle.reshape(9, 9)[order()][:, order()]
    return values[grid.T if rng.random() < 0.5 else grid].reshape(81)


class Climb:
    """A search for hard puzzles.

    Args:
        rng: the source of random numbers.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        shape = Shape.parse("9x9")
        self._kernel, *_ = self._kernels = [Search(shape, name) for name in ("vectors", "houses")]

    def hard_puzzles(self, seconds: float) -> dict[bytes, float]:
        """The hard puzzles that are found in a number of seconds, with their costs."""
        costs: dict[bytes, float] = {}
        end = monotonic() + seconds
        puzzle, cost, failures = self._start(), 0.0, 0
        while monotonic() < end:
            best, best_cost = puzzle, -1.0
            for other in self._changed(puzzle):
                other_cost = self.cost(other)
                if other_cost > best_cost:
                    best, best_cost = other, other_cost
                if other_cost >= HARD:
                    costs[other.tobytes()] = other_cost
            if best_cost >= cost * self._rng.uniform(0.93, 1.0):
                puzzle, cost, failures = best, best_cost, 0
                continue
            failures += 1
            if failures == PATIENCE:
                puzzle, cost, failures = self._start(), 0.0, 0
        return costs

    def cost(self, puzzle: Batch) -> float:
        """The guesses to prove a single solution."""
        puzzles = np.array([relabelled(puzzle, self._rng) for _ in range(ORDERS)])
        guesses = [
            kernel.answer(puzzles, 2, NEVER, None, 1).stats["guesses"] for kernel in self._kernels
        ]
        return min(guesses) / ORDERS

    def _start(self) -> Batch:
        """A random minimal puzzle."""
        while True:
            few = np.zeros((1, 81), np.uint8)
            few[0, :9] = self._rng.permutation(9) + 1
            few[0, self._rng.integers(27, 81)] = self._rng.integers(1, 10)
            answer = self._kernel.answer(few, 1, NEVER, None, 1)
            if answer.numbers[0]:
                return self._minimal(relabelled(answer.witnesses[0], self._rng))

    def _minimal(self, puzzle: Batch) -> Batch:
        """The puzzle without clues that its single solution does not need."""
        for cell in self._rng.permutation(np.flatnonzero(puzzle)):
            without = puzzle.copy()
            without[cell] = 0
            if self._numbers(without[np.newaxis])[0] == 1:
                puzzle = without
        return puzzle

    def _changed(self, puzzle: Batch) -> list[Batch]:
        """Some minimal puzzles that have other clues in place of one to three of this puzzle."""
        fewer = puzzle.copy()
        clues = self._rng.permutation(np.flatnonzero(fewer))
        fewer[clues[: self._rng.integers(1, 4)]] = 0
        while np.count_nonzero(fewer) < MOST_CLUES:
            cells = np.repeat(np.flatnonzero(fewer == 0), 9)
            more = np.repeat(fewer[np.newaxis], len(cells), axis=0)
            more[np.arange(len(cells)), cells] = np.tile(np.arange(1, 10), len(cells) // 9)
            numbers = self._numbers(more)
            unique = np.flatnonzero(numbers == 1)
            if len(unique):
                some = self._rng.permutation(unique)[:MOST_ADDED]
                most = sorted(some, key=lambda at: self._guesses(more[at]), reverse=True)[:4]
                return [self._minimal(more[at]) for at in most]
            fewer = more[self._rng.choice(np.flatnonzero(numbers > 1))]
        return []

    def _numbers(self, puzzles: Batch) -> NDArray[np.int64]:
        return self._kernel.answer(puzzles, 2, NEVER, None, 1).numbers

    def _guesses(self, puzzle: Batch) -> int:
        answer = self._kernel.answer(puzzle[np.newaxis].copy(), 2, NEVER, None, 1)
        return int(answer.stats["guesses"])


def main() -> None:
    """Search, and write the file again with what is found."""
    seed, seconds = (*map(int, sys.argv[1:]), *(1, 300)[len(sys.argv) - 1 :])
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    costs = {line[:81]: float(line[82:]) for line in lines}
    for puzzle, cost in Climb(np.random.default_rng(seed)).hard_puzzles(seconds).items():
        costs["".join(map(str, puzzle))] = cost
    ordered = sorted(costs.items(), key=lambda item: (-item[1], item[0]))
    FILE.write_text("".join(f"{line} {cost:.2f}\n" for line, cost in ordered))
    print(f"{len(ordered)} puzzles in {FILE.name}")


if __name__ == "__main__":
    main()
