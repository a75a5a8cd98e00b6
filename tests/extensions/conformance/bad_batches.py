"""Backends with one planted fault each in their batch methods, or in rare puzzles."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.contract import Answer, Count, Status
from harness.contract.answers import ManyAnswers, ManyCounts
from harness.puzzles import Puzzle
from tests.extensions.conformance.planted import Remembers, Sound


class CountsBatchesModulo256(Sound):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        return ManyCounts(counts.numbers % 256, counts.exact, counts.witnesses, counts.stats)


class CountsInBytes(Sound):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        small: Any = np.minimum(counts.numbers, 255).astype(np.uint8)
        return ManyCounts(small, counts.exact, counts.witnesses, counts.stats)


class RefusesLargeLimits(Sound):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        return super().count_many(puzzles, int(np.int64(limit)))


class ShowsTheWitnessBefore(Sound):
    """A row with several solutions gets the witness of the row before."""

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        witnesses = counts.witnesses.copy()
        for row in range(1, len(puzzles)):
            if counts.numbers[row] > 2 and counts.numbers[row - 1] > 2:
                witnesses[row] = counts.witnesses[row - 1]
        return ManyCounts(counts.numbers, counts.exact, witnesses, counts.stats)


class OneLimitForAllRows(Sound):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        before = np.cumsum(counts.numbers.astype(np.int64)) - counts.numbers.astype(np.int64)
        numbers = np.where(before > 50, np.minimum(counts.numbers, 1), counts.numbers)
        return ManyCounts(numbers, counts.exact, counts.witnesses, counts.stats)


class SqueezesOneRow(Sound):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        return ManyAnswers(answers.statuses, answers.grids.squeeze(), answers.stats)


class RefusesBatchesWithoutSolution(Sound):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        if len(puzzles) > 1 and not answers.grids.any():
            raise ValueError("max() of an empty sequence")
        return answers


class KeepsTheFirstRow(Sound):
    """From the third batch on, the first row is that of the batch before."""

    first: NDArray[np.uint8] | None = None
    batches = 0

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        self.batches += 1
        answers = super().solve_many(puzzles)
        grids = answers.grids.copy()
        if self.batches > 2 and self.first is not None and len(puzzles) and grids[0].any():
            grids[0] = self.first
        if len(puzzles):
            self.first = answers.grids[0].copy()
        return ManyAnswers(answers.statuses, grids, answers.stats)


class SolvesTheBatchAgain(Sound):
    """A call after a batch returns the last grid of the batch for as many clues."""

    last: tuple[int, tuple[int, ...]] | None = None

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        self.last = None
        answers = super().solve_many(puzzles)
        if len(puzzles) and answers.statuses[-1] is Status.SOLVED:
            self.last = int((puzzles[-1] > 0).sum()), tuple(answers.grids[-1].tolist())
        return answers

    def solve(self, puzzle: Puzzle) -> Answer:
        if self.last and self.last[0] == puzzle.clues:
            return Answer.solved(self.last[1])
        return super().solve(puzzle)


class AddsUpStatistics(Sound):
    nodes = 0

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        answers = super().solve_many(puzzles)
        self.nodes += len(puzzles)
        return ManyAnswers(answers.statuses, answers.grids, {"nodes": self.nodes})


class ReadsTheBuffer(Sound):
    """Takes every array for a contiguous one."""

    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        base = puzzles.base
        if isinstance(base, np.ndarray) and base.shape[1:] == puzzles.shape[1:]:
            puzzles = base[: len(puzzles)]
        return super().solve_many(puzzles)


class ConfusesIds(Remembers):
    """Remembers answers by the id of the puzzle, which another puzzle has later."""

    def solve(self, puzzle: Puzzle) -> Answer:
        if id(puzzle) not in self.known:
            answer = super().solve(puzzle)
            self.known[id(puzzle)] = Answer(answer.status, answer.grid)
        known: Answer = self.known[id(puzzle)]
        return known


class GivesUpNearTheEnd(Sound):
    """Claims that puzzles with one or two blank cells have no solution."""

    shapes = ("4x4", "9x9")

    def solve(self, puzzle: Puzzle) -> Answer:
        nearly = 1 <= puzzle.shape.size**2 - puzzle.clues <= 2
        return Answer.unsatisfiable() if nearly else super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        nearly = 1 <= puzzle.shape.size**2 - puzzle.clues <= 2
        return Count(0, True) if nearly else super().count(puzzle, limit)


class ExactNearTheEnd(Sound):
    """Calls a count of 1 exact at limit 1 where few cells are blank."""

    shapes = ("4x4", "9x9")

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        count = super().count(puzzle, limit)
        nearly = 1 <= puzzle.shape.size**2 - puzzle.clues <= 2
        return replace(count, exact=True) if nearly and limit == 1 == count.number else count


class ExactFromRow40(Sound):
    """Calls a count at a limit above 2 exact from row 40 of a batch on."""

    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        late = np.arange(len(puzzles)) >= 40
        exact = counts.exact | (late & (counts.numbers == limit) & (limit > 2))
        return replace(counts, exact=exact.astype(np.bool_))


class StatisticsOfTheLastRow(Sound):
    def solve_many(self, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        last = super().solve_many(puzzles[-1:])
        return replace(super().solve_many(puzzles), stats=last.stats)


class StatisticsPerRow(Sound):
    def count_many(self, puzzles: NDArray[np.uint8], limit: int) -> ManyCounts:
        counts = super().count_many(puzzles, limit)
        means = {name: value / max(1, len(puzzles)) for name, value in counts.stats.items()}
        return replace(counts, stats=means)
