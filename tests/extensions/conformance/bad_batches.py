"""Backends with one planted fault each in their batch methods, or in rare puzzles."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from backends.native import Native
from harness.contract import Answer, Count, Status
from harness.contract.answers import ManyAnswers, ManyCounts
from harness.puzzles import Puzzle
from tests.extensions.conformance.planted import (
    ChangesCounts,
    ChangesManyAnswers,
    ChangesManyCounts,
    Remembers,
    Sound,
    plant,
)

plant(
    ChangesManyCounts,
    "change",
    CountsBatchesModulo256=lambda self, counts, limit: replace(
        counts, numbers=counts.numbers % 256
    ),
    CountsInBytes=lambda self, counts, limit: replace(
        counts, numbers=np.minimum(counts.numbers, 255).astype(np.uint8)
    ),
    # Calls a count at a limit above 2 exact from row 40 of a batch on.
    ExactFromRow40=lambda self, counts, limit: replace(
        counts,
        exact=counts.exact
        | ((np.arange(len(counts.exact)) >= 40) & (counts.numbers == limit) & (limit > 2)).astype(
            np.bool_
        ),
    ),
    StatisticsPerRow=lambda self, counts, limit: replace(
        counts, stats={k: v / max(1, len(counts.numbers)) for k, v in counts.stats.items()}
    ),
)


plant(
    Sound,
    "count_many",
    RefusesLargeLimits=lambda self, puzzles, limit: Native.count_many(
        self, puzzles, int(np.int64(limit))
    ),
)


class ShowsTheWitnessBefore(ChangesManyCounts):
    """A row with several solutions gets the witness of the row before."""

    def change(self, counts: ManyCounts, limit: int) -> ManyCounts:
        witnesses = counts.witnesses.copy()
        for row in range(1, len(witnesses)):
            if counts.numbers[row] > 2 and counts.numbers[row - 1] > 2:
                witnesses[row] = counts.witnesses[row - 1]
        return replace(counts, witnesses=witnesses)


class OneLimitForAllRows(ChangesManyCounts):
    def change(self, counts: ManyCounts, limit: int) -> ManyCounts:
        before = np.cumsum(counts.numbers.astype(np.int64)) - counts.numbers.astype(np.int64)
        numbers = np.where(before > 50, np.minimum(counts.numbers, 1), counts.numbers)
        return replace(counts, numbers=numbers)


class RefusesBatchesWithoutSolution(ChangesManyAnswers):
    def change(self, answers: ManyAnswers, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        if len(puzzles) > 1 and not answers.grids.any():
            raise ValueError("max() of an empty sequence")
        return answers


class KeepsTheFirstRow(ChangesManyAnswers):
    """From the third batch on, the first row is that of the batch before."""

    first: NDArray[np.uint8] | None = None
    batches = 0

    def change(self, answers: ManyAnswers, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        self.batches += 1
        grids = answers.grids.copy()
        if self.batches > 2 and self.first is not None and len(puzzles) and grids[0].any():
            grids[0] = self.first
        if len(puzzles):
            self.first = answers.grids[0].copy()
        return replace(answers, grids=grids)


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


class AddsUpStatistics(ChangesManyAnswers):
    nodes = 0

    def change(self, answers: ManyAnswers, puzzles: NDArray[np.uint8]) -> ManyAnswers:
        self.nodes += len(puzzles)
        return replace(answers, stats={"nodes": self.nodes})


plant(
    ChangesManyAnswers,
    "change",
    SqueezesOneRow=lambda self, answers, puzzles: replace(answers, grids=answers.grids.squeeze()),
    StatisticsOfTheLastRow=lambda self, answers, puzzles: replace(
        answers, stats=Sound.solve_many(self, puzzles[-1:]).stats
    ),
)


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


def is_nearly_full(puzzle: Puzzle) -> bool:
    return 1 <= puzzle.shape.size**2 - puzzle.clues <= 2


class GivesUpNearTheEnd(Sound):
    """Claims that puzzles with one or two blank cells have no solution."""

    shapes = ("4x4", "9x9")

    def solve(self, puzzle: Puzzle) -> Answer:
        return Answer.unsatisfiable() if is_nearly_full(puzzle) else super().solve(puzzle)

    def count(self, puzzle: Puzzle, limit: int) -> Count:
        return Count(0, True) if is_nearly_full(puzzle) else super().count(puzzle, limit)


plant(
    ChangesCounts,
    "change",
    {"shapes": ("4x4", "9x9")},
    # Calls a count of 1 exact at limit 1 where few cells are blank.
    ExactNearTheEnd=lambda self, count, puzzle, limit: replace(
        count, exact=count.exact or (limit == 1 == count.number and is_nearly_full(puzzle))
    ),
)
